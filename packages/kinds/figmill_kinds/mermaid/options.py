"""Options in a source that have no effect: Mermaid drops those that it does not know, and figmill decides some. Pure.

In the driver, Mermaid reads the settings, and those that it keeps have an effect; the source is searched for the
names that its settings write, and their lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from figmill.kind import Remark, did_you_mean
from figmill_kinds.mermaid import theme

AROUND = frozenset(("config", "init", "initialize", "wrap", "title", "displayMode"))  # no options themselves
# What figmill decides; HTML in labels is shown as SVG text, whatever `htmlLabels` says.
DECIDED = (*theme.settings()["secure"], "useMaxWidth")
SILENT = frozenset(("htmlLabels", "startOnLoad"))
_DIRECTIVE = re.compile(r"%%\{\s*init(?:ialize)?\s*:(.*?)\}%%", re.DOTALL)
_VALUE = re.compile(r"""(?<=:)\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""")
_NAME = re.compile(r"(?:^|[{,])\s*['\"]?([A-Za-z][\w-]*)['\"]?\s*:(?!:)", re.MULTILINE)
_BLOCK = re.compile(r"\s*[\w-]+\s*:\s*[|>][-+]?\s*$")
_STYLE = re.compile(r"(\bthemeCSS['\"]?\s*:)[^\n]*")


def remarks(text: str, kept: Collection[str], all_names: Callable[[], Collection[str]]) -> Iterator[Remark]:
    """A finding for each option that Mermaid does not have, and one for those that figmill decides.

    kept: the names of all options with an effect; all_names: gives the names of all that Mermaid has.
    """
    decided: dict[str, int] = {}
    for line, name in named(text):
        if name in DECIDED and name not in SILENT:
            decided.setdefault(name, line)
        elif name not in kept and name not in SILENT:
            near = did_you_mean(name, sorted(all_names())) or "; leave it out"
            yield Remark("dropped", f"Mermaid has no option '{name}' that a source may set{near}", line)
    if decided:
        names = ", ".join(decided)
        message = f"figmill decides these options itself, so they have no effect here: {names}"
        yield Remark("dropped", message, min(decided.values()))


def named(text: str) -> Iterator[tuple[int, str]]:
    """The options that a source writes in its front matter and directives, each with its line."""
    for begin, part in _parts(text):
        bare = _VALUE.sub(lambda match: re.sub(r"[^\n]", "_", match[0]), _STYLE.sub(r"\1", part))
        for match in _NAME.finditer(bare):
            if match[1] not in AROUND:
                yield begin + bare.count("\n", 0, match.start(1)), match[1]


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Front matter below `config`, and directives, each with the number of its first line."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if lines[first].strip() == "---":
        last = next((at for at in range(first + 1, len(lines)) if lines[at].strip() == "---"), first)
        yield first + 2, "\n".join(_below_config(lines[first + 1 : last]))
    for match in _DIRECTIVE.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, match[1]


def _below_config(lines: list[str]) -> Iterator[str]:
    """The lines below `config`; empty ones in place of all others, comments, and the rows of long texts."""
    is_config, block = False, -1
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if line.strip() and depth == 0:
            is_config = line.startswith("config")
        if block >= 0 and line.strip() and depth <= block:
            block = -1
        yield line.partition(" #")[0] if is_config and block < 0 and not line.lstrip().startswith("#") else ""
        if block < 0 and _BLOCK.match(line):
            block = depth
