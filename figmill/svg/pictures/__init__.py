"""Pictures inside a figure: decoded and re-encoded, within limits, as `data:` that holds nothing else."""
