"""The pages of `serve` as HTML, made by pure functions."""
