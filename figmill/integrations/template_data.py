"""All figures of a book at once, as text for programs with templates of their own. Reads files.

Hugo and Jekyll look a figure up in one JSON file, LaTeX in macros. Their templates contain no logic about figures.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType

from figmill.integrations import facts, lookup
from figmill.integrations.figures import Catalogue
from figmill.integrations.lookup import Embedding, Missing, Target
from figmill.integrations.paste import FACTS, FORMATS, Paste
from figmill.model import Fact

# The formats of facts: templates cannot ask for others.
FORMS = (
    "",
    ".0%",
    ".1%",
    ".2%",
    ".0f",
    ".1f",
    ".2f",
    ".3f",
    ",d",
    "si",
)
BASE = "figmill-base:"  # in addresses, what a template replaces by the address of the output folder


def _embeddings(catalogue: Catalogue) -> Iterator[Embedding]:
    for label in sorted(catalogue.figures):
        answer = lookup.show(catalogue, Target(label))
        if not isinstance(answer, Missing):
            yield answer


def _json(catalogue: Catalogue, base: str | None) -> str:
    """{id: {html, facts: {name: {format: text}}}}. Without a base, `figmill-base:` stands for it."""
    figures = {}
    for embedding in _embeddings(catalogue):
        html = FORMATS["html"](Paste(embedding, BASE, catalogue.folder)).replace(f"{BASE}/", base_of(base))
        stated = {
            name: {form: FACTS["html"](text) for form, text in _forms(name, fact)}
            for name, fact in embedding.figure.facts.items()
        }
        figures[embedding.label] = {"html": html, "facts": stated}
    return json.dumps({"version": 1, "figures": figures}, ensure_ascii=False, indent=1) + "\n"


def _forms(name: str, fact: Fact) -> Iterator[tuple[str, str]]:
    """A fact in each format that it takes."""
    for form in FORMS:
        with suppress(ValueError):
            yield form, facts.shown(fact, form, name)


def base_of(base: str | None) -> str:
    """The beginning of an address of a file in the output folder."""
    return BASE if base is None else f"{base.rstrip('/')}/"


def _latex(catalogue: Catalogue, base: str | None) -> str:
    r"""`\figmill{ID}` and `\figmillfact{ID}{FACT}`: a macro for each that has a PDF, and for each fact."""
    lines = ["% by figmill show --all --format latex"]
    for embedding in _embeddings(catalogue):
        if embedding.figure.picture("light", "pdf") is not None:
            text = FORMATS["latex"](Paste(embedding, "." if base is None else base.rstrip("/")))
            lines.append(f"\\expandafter\\def\\csname figmill@{embedding.label}\\endcsname{{{text}}}")
        for name, fact in embedding.figure.facts.items():
            for form, text in _forms(name, fact):
                macro = f"figmill@{embedding.label}@{name}@{form.replace('%', 'p')}"
                lines.append(f"\\expandafter\\def\\csname {macro}\\endcsname{{{FACTS['latex'](text)}}}")
    return "\n".join(lines) + "\n"


_BEGINNINGS = (b'{\n "version": 1,\n "figures":', b"% by figmill show --all", b"% by figmill embed --all")


def is_one(begin: bytes) -> bool:
    """Whether a file with this beginning has all figures of a book."""
    return begin.replace(b"\r\n", b"\n").startswith(_BEGINNINGS)


ALL: Mapping[str, Callable[[Catalogue, str | None], str]] = MappingProxyType({"html": _json, "latex": _latex})
