"""The passes to the normal form, one a file; pipeline.py has their order."""
