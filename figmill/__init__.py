"""figmill: a book's figures, built from what its question files declare."""

# Import nothing here, not even __future__: __main__.py has not yet removed the current folder from sys.path.
TYPE_CHECKING = False  # the answer for an unchanged book does not load `typing`
if TYPE_CHECKING:
    from figmill.model import Drawing
    from figmill.notebook import show

__all__ = ["Drawing", "__version__", "show"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import `Drawing` and `show` on first use: the command does not need them, and starts faster."""
    if name == "Drawing":
        from figmill.model import Drawing

        return Drawing
    if name == "show":
        from figmill.notebook import show

        return show
    raise AttributeError(f"module 'figmill' has no attribute '{name}'")
