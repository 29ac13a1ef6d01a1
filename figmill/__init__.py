"""figmill: a book's figures, built from what its question files declare."""

# Nothing is imported here, not even __future__: __main__.py has yet to take the current folder from the path.
TYPE_CHECKING = False  # the answer for an unchanged book does not load `typing`
if TYPE_CHECKING:
    from figmill.model import Drawing
    from figmill.notebook import show

__all__ = ["Drawing", "__version__", "show"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import `Drawing` and `show` on first use: others need them, and the command starts faster."""
    if name == "Drawing":
        from figmill.model import Drawing

        return Drawing
    if name == "show":
        from figmill.notebook import show

        return show
    raise AttributeError(f"module 'figmill' has no attribute '{name}'")
