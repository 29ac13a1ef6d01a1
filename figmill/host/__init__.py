"""The machine below: files, and text that is safe to show. Standard library only."""
