"""Changes in the text of a question file: the lines that change, and nothing else."""
