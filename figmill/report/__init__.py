"""Reports of commands: the nouns in model.py, and one module for each format."""
