"""Pictures inside a figure: decoded and written again, within bounds, as `data:` that holds nothing else."""
