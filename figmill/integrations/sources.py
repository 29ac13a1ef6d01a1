"""Read the Markdown of pages as text: which figures it shows, and on which line it names one.

For hosts that convert one page without the others, or that do not keep line numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from figmill.host import files
from figmill.host.trees import walk
from figmill.integrations.lookup import Target

PAGES = (".md", ".mdx")

# Text that is not markup: code blocks, code in a line, comments.
_NO_MARKUP = re.compile(
    r"^ *(?P<fence>`{3,}|~{3,}).*?^ *(?P=fence)|(?P<tick>`+)(?!`).*?(?<!`)(?P=tick)(?!`)|<!--.*?-->",
    re.M | re.S,
)
_WORDS = r"(?:[^\[\]]|\[[^\[\]]*\](?:\([^()]*\))?)*"
_IMAGE = re.compile(rf"!\[{_WORDS}\]\(\s*<?figmill:(?P<label>[^\s#()<>]+)")
_BY_NAME = re.compile(rf"!\[(?P<words>{_WORDS})\](?:\[(?P<name>[^\[\]]*)\])?(?![(\[])")
_NAMED = re.compile(r"^ {0,3}\[(?P<name>[^\[\]]+)\]:\s*<?figmill:(?P<label>[^\s#()<>]+)", re.M)


def shown_in(text: str) -> tuple[str, ...]:
    """The labels of all figures that a page shows as an image, each once, in the order of the text."""
    plain = _NO_MARKUP.sub("", text)
    named = {match["name"].casefold(): match["label"] for match in _NAMED.finditer(plain)}
    labels = [(match.start(), match["label"]) for match in _IMAGE.finditer(plain)]
    if named:
        names = ((match.start(), match["name"] or match["words"]) for match in _BY_NAME.finditer(plain))
        labels += [(at, named[name.casefold()]) for at, name in names if name.casefold() in named]
    return tuple(dict.fromkeys(label for _, label in sorted(labels)))


def showing_pages(docs: Path) -> Mapping[str, str]:
    """Label -> the first page of a folder that shows the figure, relative to it: index first, upper folders first."""
    entries = ((folder, entry) for folder, inside in walk(str(docs), ["."], whole=False) for entry in inside)
    paths = sorted(f"{folder}/{entry.name}"[2:] for folder, entry in entries if entry.name.endswith(PAGES))
    ranked = sorted(paths, key=lambda path: (path.count("/"), Path(path).stem != "index"), reverse=True)
    return {
        label: path
        for path in ranked
        for label in shown_in(files.read(docs / path).decode("utf-8", "replace"))
    }


def line_of(text: str, target: Target) -> int | None:
    """The line of a page that first names a target, outside of code and comments; None if none does."""
    outside = _NO_MARKUP.sub(lambda match: "\n" * match[0].count("\n"), text)
    for sign in (f"({target})", f"({target}", f"figmill:{target.label}"):
        if sign in outside:
            return outside[: outside.index(sign)].count("\n") + 1
    return None
