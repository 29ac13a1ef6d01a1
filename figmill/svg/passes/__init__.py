"""The passes, one per file; pipeline.py has their order."""
