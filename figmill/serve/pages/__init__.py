"""The live pages as HTML, made by pure functions."""
