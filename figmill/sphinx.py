"""The Sphinx extension, by its public name: `extensions = ["figmill.sphinx"]`."""

from __future__ import annotations

from figmill.integrations.sphinx_ext import setup as setup
