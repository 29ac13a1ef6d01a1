"""figmill: a book's figures, built from what its question files declare."""

# Nothing is imported here, not even __future__: __main__.py has yet to take the current folder from the path.
TYPE_CHECKING = False  # the answer for an unchanged book does not load `typing`
if TYPE_CHECKING:
    from figmill.model import Drawing

__all__ = ["Drawing", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import `Drawing` on first use: generators need it, and the command starts faster without it."""
    if name == "Drawing":
        from figmill.model import Drawing

        return Drawing
    raise AttributeError(f"module 'figmill' has no attribute '{name}'")
