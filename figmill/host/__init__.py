"""The machine: files, and text that is safe to show. Standard library only."""
