"""What a host needs from a book: the files that `setup` writes, and the lines that an author adds. Pure.

The first line of each file names the figmill that wrote it, and the digest of the rest: this distinguishes an old
file from one that somebody changed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from figmill import __version__
from figmill.paths import PACKAGE

FOLDER = PACKAGE / "integrations" / "files"


@dataclass(frozen=True, slots=True)
class Copy:
    """A file of figmill's that is copied into a book. source: in FOLDER; comment: the delimiters of its first line."""

    target: str
    source: str
    comment: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines for the author to add. where: a file of the book, or the use of the lines."""

    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Host:
    """A program that makes pages."""

    copies: tuple[Copy, ...]
    lines: tuple[Lines, ...]


_CSS = ("/* ", " */")
_LUA, _MJS, _YAML = ("-- ", ""), ("// ", ""), ("# ", "")

HOSTS: Mapping[str, Host] = MappingProxyType(
    {
        "sphinx": Host(
            (),
            (
                Lines(
                    "conf.py", 'extensions = ["figmill.sphinx"]  # and those that are there\nnumfig = True'
                ),
                Lines(
                    "a page", ".. figmill:: ID\n\nSee :figmill-fact:`ID#FACT:.2f`.   (MyST: ![](figmill:ID))"
                ),
            ),
        ),
        "mkdocs": Host(
            (),
            (
                Lines("mkdocs.yml", "plugins:\n  - search\n  - figmill"),
                Lines("a page", "![](figmill:ID)\n\nSee [](figmill:ID#FACT:.2f)."),
            ),
        ),
        "zensical": Host(
            (
                Copy("docs/stylesheets/figmill.css", "css/figmill.css", _CSS),
                Copy("docs/javascripts/figmill-explore.js", "js/figmill-explore.js", _CSS),
            ),
            (
                Lines(
                    "zensical.toml",
                    '[project]\nextra_css = ["stylesheets/figmill.css"]\n'
                    'extra_javascript = ["javascripts/figmill-explore.js"]\nwatch = ["questions", "visuals"]\n\n'
                    "[project.markdown_extensions.figmill]",
                ),
                Lines("pyproject.toml", '[tool.figmill]\noutput = "docs/figures"'),
                Lines("a page", "![](figmill:ID)\n\nSee [](figmill:ID#FACT:.2f)."),
            ),
        ),
        "quarto": Host(
            (
                Copy("_extensions/figmill/_extension.yml", "quarto/_extension.yml", _YAML),
                Copy("_extensions/figmill/figmill.lua", "figmill.lua", _LUA),
                Copy("_extensions/figmill/figmill.css", "css/figmill.css", _CSS),
                Copy("_extensions/figmill/figmill-explore.js", "js/figmill-explore.js", _CSS),
            ),
            (
                Lines("_quarto.yml", "project:\n  resources:\n    - build\nfilters:\n  - figmill"),
                Lines("a page", "![](figmill:ID){#fig-ID}\n\nSee [](figmill:ID#FACT:.2f)."),
            ),
        ),
        "pandoc": Host(
            (
                Copy("figmill.lua", "figmill.lua", _LUA),
                Copy("figmill.css", "css/figmill.css", _CSS),
                Copy("figmill-explore.js", "js/figmill-explore.js", _CSS),
            ),
            (
                Lines(
                    "the command line",
                    "render-visuals\n"
                    "pandoc page.md -s --lua-filter figmill.lua --css figmill.css -V document-css=1 -o page.html",
                ),
                Lines("a page", "![](figmill:ID)\n\nSee [](figmill:ID#FACT:.2f)."),
            ),
        ),
        "html": Host(
            (
                Copy("figmill.css", "css/figmill.css", _CSS),
                Copy("figmill-explore.js", "js/figmill-explore.js", _CSS),
            ),
            (
                Lines(
                    "the head of a page",
                    '<link rel="stylesheet" href="figmill.css"><script src="figmill-explore.js" defer></script>',
                ),
                Lines("the command line", "render-visuals embed ID --format html"),
            ),
        ),
        "myst": Host(
            (Copy("figmill.mjs", "figmill.mjs", _MJS), Copy("figmill.css", "css/figmill.css", _CSS)),
            (
                Lines(
                    "myst.yml",
                    "project:\n  plugins:\n    - figmill.mjs\nsite:\n  options:\n    style: figmill.css",
                ),
                Lines("the command line", "render-visuals\nmyst start"),
                Lines("a page", "![](figmill:ID)\n\nSee [](figmill:ID#FACT:.2f)."),
            ),
        ),
    }
)


def content(copy: Copy) -> bytes:
    """The file with its first line."""
    body = (FOLDER / copy.source).read_bytes()
    before, after = copy.comment
    stamp = f"{before}figmill {__version__}, by `render-visuals setup`; {_digest(body)}{after}\n"
    return stamp.encode() + body


def _digest(body: bytes) -> str:
    return hashlib.sha256(body.replace(b"\r\n", b"\n")).hexdigest()[:16]


_STAMP = re.compile(rb"figmill \S+, by `render-visuals setup`; ([0-9a-f]{16})")


def is_stamped(begin: bytes) -> bool:
    """Whether a file that begins so was written by `setup`, by whichever version."""
    return _STAMP.search(begin.partition(b"\n")[0]) is not None


def standing(copy: Copy, there: bytes | None) -> str:
    """A file's state: `missing`, `current`, `old`, or `foreign` (changed by hand, or not figmill's)."""
    if there is None:
        return "missing"
    if there.replace(b"\r\n", b"\n") == content(copy):
        return "current"
    first, _, body = there.partition(b"\n")
    stamp = _STAMP.search(first)
    return "old" if stamp and stamp[1].decode() == _digest(body) else "foreign"
