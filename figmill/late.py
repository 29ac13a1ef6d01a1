"""Imports on first use: a table names what is slow to load as `module:name`."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def imported(target: str) -> Any:
    """The object that `module:name` refers to."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)
