"""Which figures the Markdown of a page shows, by its text alone: for hosts that convert one page without the others."""

from __future__ import annotations

import re

# What is no markup: blocks of code, code in a line, comments.
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
    found = [(match.start(), match["label"]) for match in _IMAGE.finditer(plain)]
    if named:
        names = ((match.start(), match["name"] or match["words"]) for match in _BY_NAME.finditer(plain))
        found += [(at, named[name.casefold()]) for at, name in names if name.casefold() in named]
    return tuple(dict.fromkeys(label for _, label in sorted(found)))
