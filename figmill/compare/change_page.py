"""Changed figures -> one self-contained page without network, and with no script but its own. Pure."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from figmill.compare.figures import Compared, Theme
from figmill.compare.markdown import counted
from figmill.compare.merged import merged
from figmill.model import Fact, Published
from figmill.palette import PAGE, ROLES, Role
from figmill.paths import LOOK, PACKAGE
from figmill.report.diff import diff

POLICY = (
    "default-src 'none'; img-src blob: data:; style-src '{css}'; script-src '{js}'; base-uri 'none'; "
    "form-action 'none'"
)
LONGEST = 1 << 20  # characters of data in plain text; more data is compressed
FOLDER = PACKAGE / "compare" / "files"
TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="generator" content="figmill">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{css}</style>
</head>
<body>
<noscript><p>This page needs JavaScript to compare pictures; allow scripts to see them.</p></noscript>
<header class="bar"><h1>{heading}</h1><p>{counts}</p></header>
<main id="page"></main>
<script type="{form}" id="data">{data}</script>
<script>{js}</script>
</body>
</html>
"""


MARK = b'<meta name="generator" content="figmill">'


def is_page(begin: bytes) -> bool:
    """Whether a file with this beginning is a page of changes."""
    return MARK in begin


def page(figures: Sequence[Compared], whole: int, title: str, palette: Sequence[Role] = ROLES) -> str:
    """The page. whole: how many figures the book has; title: names the two sides of the comparison.

    palette: its roles mark what is new and gone in the picture of a change.
    """
    look, css, js = (
        path.read_text(encoding="utf-8") for path in (LOOK, FOLDER / "report.css", FOLDER / "report.js")
    )
    css = look + css
    lines = LineTable()
    rows = [_figure(figure, lines, palette) for figure in figures]
    data = {
        "lines": list(lines.all),
        "title": title,
        "counts": counted(figures, whole),
        "whole": whole,
        "pages": {"light": PAGE[0], "dark": PAGE[1]},
        "figures": rows,
    }
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":")).replace("<", "\\u003c")
    form = "application/json"
    if len(text) > LONGEST:
        form, text = "application/gzip", base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
    policy = POLICY.format(css=_hash(css), js=_hash(js))
    counts = ", ".join(f"{count} {name}" for name, count in counted(figures, whole)) or "none changed"
    return TEMPLATE.format(
        title="Changed figures",
        heading=escape(title),
        counts=escape(f"{counts}, of {whole}"),
        css=css,
        js=js,
        policy=policy,
        form=form,
        data=text,
    )


class LineTable:
    """Stores every line of a text once: before and after have most lines in common."""

    def __init__(self) -> None:
        self.all: dict[str, int] = {}

    def of(self, text: str) -> list[int]:
        """The numbers of a text's lines."""
        return [self.all.setdefault(line, len(self.all)) for line in text.split("\n")]

    def of_diff(self, diff: Iterable[str]) -> list[str | tuple[str, int]]:
        """The lines of a diff: a sign, and the number of the rest."""
        return [
            line if line.startswith(("+++", "---", "@@", "...")) else (line[:1], self.of(line[1:])[0])
            for line in diff
        ]


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _figure(figure: Compared, lines: LineTable, palette: Sequence[Role]) -> dict[str, Any]:
    return {
        "label": figure.label,
        "verb": figure.verb,
        "seen": figure.is_seen,
        "share": figure.share,
        "said": list(figure.phrases),
        "errors": list(figure.errors),
        "reasons": list(figure.reasons),
        "states": [
            {"name": picture.name, "themes": [_theme(theme, lines, palette) for theme in picture.themes]}
            for picture in figure.shown
        ],
        "texts": _texts(figure.then, figure.now),
        "facts": _facts(figure.then, figure.now),
    }


def _theme(theme: Theme, lines: LineTable, palette: Sequence[Role]) -> dict[str, Any]:
    change = theme.change
    both = None
    if change.before is not None and change.after is not None:
        both = merged(change.before, change.after, theme.name, palette)
    before, after = (
        None if svg is None else svg.decode("utf-8", "replace") for svg in (change.before, change.after)
    )
    return {
        "name": theme.name,
        "path": change.target,
        "before": None if before is None else lines.of(before),
        "after": None if after is None or after == before else lines.of(after),
        "same": after == before,
        "change": None if both is None else lines.of(both.svg.decode()),
        "legend": [] if both is None else list(both.legend),
        "share": theme.difference.share,
        "boxes": theme.difference.boxes,
        "trouble": theme.trouble,
        "diff": [] if after == before or None in (before, after) else lines.of_diff(diff(change)),
    }


def _texts(then: Published | None, now: Published | None) -> list[list[str | None]]:
    rows = []
    for name in ("title", "alt", "caption"):
        old, new = (getattr(side, name) if side else None for side in (then, now))
        if old or new:
            rows.append([name, old, new])
    return rows


def _facts(then: Published | None, now: Published | None) -> list[list[str | None]]:
    """The facts that differ: name, before, after."""
    old: Mapping[str, Fact] = then.facts if then else {}
    new: Mapping[str, Fact] = now.facts if now else {}
    return [
        [name, *(str(side[name]) if name in side else None for side in (old, new))]
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name) or (name in old) != (name in new)
    ]
