"""figmill: a book's figures, built from what its question files declare."""

# Import nothing here, not even __future__: __main__.py has not yet removed the current folder from sys.path.
TYPE_CHECKING = False  # the answer for an unchanged book does not load `typing`
if TYPE_CHECKING:
    from figmill.kind.script_facts import facts
    from figmill.kinds.plots.style import style
    from figmill.model import Drawing
    from figmill.notebook import show

__all__ = ["Drawing", "__version__", "facts", "show", "style"]
__version__ = "0.1.0"
# For scripts: where each name is. The command does not need them, and starts faster.
_MODULES = {
    "Drawing": "figmill.model",
    "facts": "figmill.kind.script_facts",
    "show": "figmill.notebook",
    "style": "figmill.kinds.plots.style",
}


def __getattr__(name: str) -> object:
    """Import a name for scripts on its first use."""
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'figmill' has no attribute '{name}'")
