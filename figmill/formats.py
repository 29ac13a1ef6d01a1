"""The formats of exports, one row each: everything that differs between them is a column. Standard library only.

The command line loads this table, so a row names its writer, which is imported when it writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from figmill.late_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A format that `--to` makes from published SVGs; its name in the table is also the suffix of its files.

    - writer: `module:function`, called with a TypstCopy, the pixels per px and typst's fonts; returns a Written,
      or raises ExportError. Empty: the file is the SVG itself.
    - has_pixels: its files are the figure's size times `--scale`, in pixels.
    - is_only_grey: every build writes it in colour, so `--to` makes it only with `--ink grey`.
    - packages: what its writer needs in addition to the packages of every export; their versions are inputs.
    """

    writer: str = ""
    has_pixels: bool = False
    is_only_grey: bool = False
    packages: tuple[str, ...] = ()


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "png": Format("figmill.publish.exporter:png", has_pixels=True),
        "pdf": Format("figmill.publish.exporter:pdf"),
        "svg": Format(is_only_grey=True),
    }
)


def with_pixels() -> tuple[str, ...]:
    """The names of the formats with pixels, for which `--scale` counts."""
    return tuple(name for name, row in FORMATS.items() if row.has_pixels)
