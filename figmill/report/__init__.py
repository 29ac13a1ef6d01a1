"""What a command reports: the nouns in model.py, and one module for each format."""
