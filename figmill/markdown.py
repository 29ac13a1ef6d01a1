"""The Python-Markdown extension, by its public name: `figmill.markdown`."""

from __future__ import annotations

from figmill.integrations.markdown_ext import makeExtension as makeExtension
