"""Pictures inside a figure: decoded and encoded again, within limits, as `data:` URLs with nothing but the picture."""
