"""figmill: a book's figures, built from what its question files declare."""

from figmill.model import Drawing

__all__ = ["Drawing", "__version__"]
__version__ = "0.1.0"
