"""Pictures inside a figure: decoded and encoded again, within limits, as `data:` with nothing but the picture."""
