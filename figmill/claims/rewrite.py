"""Turn numbers of a text into references to the facts that they state. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from urllib.parse import quote

from figmill.claims.bind import BOUND, CONTRADICTED, Claim
from figmill.claims.context import OWN
from figmill.claims.messages import stated_value
from figmill.claims.numbers import WrittenNumber
from figmill.claims.offers import FACT
from figmill.claims.passages import Passage
from figmill.late_dataclasses import dataclass

# Writes a fact in a format, as hosts and texts of figures do: name, format -> text; None if that is impossible.
Say = Callable[[str, str], str | None]
# The texts of a figure that take placeholders.
FILLED = ("alt", "caption", "describe")
# What is a link already, or a heading, which hosts repeat in menus as its bare text.
_LINK = re.compile(
    r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\](?=[(\[])|<(a|h[1-6])\b.*?</\1>|`[^`]*<[^<>]*>`_", re.DOTALL
)
_HEADING = re.compile(r"[ ]{0,3}\#{1,6}[ \t][^\n]*|[^\n]+\n([=\-~^\"'*+#`:._])\1{2,}[ \t]*(?:\n|\Z)")
# reStructuredText ends a role only beside blanks and some signs.
_BEFORE_ROLE, _AFTER_ROLE = " \n\t'\"([{<-/:", " \n\t'\")]}>-/\\:.,;!?"


@dataclass(frozen=True, slots=True)
class Replacement:
    """Characters of a file, and their replacement."""

    start: int
    end: int
    text: str
    is_reference: bool = False  # the replacement refers to a fact


def edit_of(passage: Passage, claim: Claim, say: Say, *, values: bool) -> Replacement | None:
    """The reference in place of a number, or its right value. None if the fact cannot be formatted exactly as written.

    values: also correct what is contradicted.
    """
    offer, number = claim.offer, claim.number
    span = passage.span(number.start, number.end)
    if offer is None or span is None or passage.source[slice(*span)] != number.text:
        return None
    is_wrong = claim.verdict == CONTRADICTED
    if is_wrong and not values:
        return None
    if claim.verdict not in (BOUND, CONTRADICTED):
        return None
    right = stated_value(number, offer).replace(
        " %", "%" if number.text.endswith("%") and " " not in number.text else " %"
    )
    if offer.source == FACT and may_refer(passage, number):
        form = _form(number, offer.name, say, right if is_wrong else number.text)
        if form is not None:
            return Replacement(*span, _reference(passage, claim.figure, offer.name, form), is_reference=True)
    return Replacement(*span, right) if is_wrong and number.decimals is not None else None


def may_refer(passage: Passage, number: WrittenNumber) -> bool:
    """Whether a reference may replace a number."""
    if passage.kind == OWN:
        return passage.key.rpartition(".")[2] in FILLED
    source, first, last = passage.source, passage.start + number.start, passage.start + number.end
    begin = passage.start
    paragraph = source[begin : begin + len(passage.text)]
    if paragraph.lstrip().startswith("<"):
        return False  # a block of HTML, where Markdown is text
    if any(match.start() + begin < first < match.end() + begin for match in _LINK.finditer(paragraph)):
        return False
    if _HEADING.match(source, source.rfind("\n", 0, first) + 1):
        return False
    if not _is_rst(passage):
        return True
    before, after = source[first - 1 : first], source[last : last + 1]
    return before in _BEFORE_ROLE and after in _AFTER_ROLE


def _is_rst(passage: Passage) -> bool:
    return passage.path.endswith(".rst")


def _form(number: WrittenNumber, name: str, say: Say, wanted: str) -> str | None:
    """The format in which a fact is written just so."""
    decimals = number.decimals or 0
    for form in (f".{decimals}%", f".{decimals}f", f",.{decimals}f", "si", ".3si", ".4si", ""):
        if say(name, form) == wanted:
            return form
    return None


def _reference(passage: Passage, figure: str, name: str, form: str) -> str:
    if passage.kind == OWN:
        return f"{{{name}:{form}}}" if form else f"{{{name}}}"
    plain, _, index = name.partition("[")
    fact = f"{plain}[{index}" if index else plain
    target = f"{figure}#{quote(fact)}{f':{form}' if form else ''}"
    return f":figmill-fact:`{target}`" if _is_rst(passage) else f"[](figmill:{target})"


def quoted(passage: Passage, text: str) -> list[Replacement]:
    """A text of YAML with quotes around it, if it stands on one line without any."""
    span = passage.span(0, len(passage.text))
    if span is None or passage.source[slice(*span)] != passage.text or "\n" in text:
        return []
    return [Replacement(*span, "'" + text.replace("'", "''") + "'")]


def edited(source: str, edits: Iterable[Replacement]) -> str:
    """A file's text with its edits; of two that overlap, the first counts.

    Edits count a line end as one character, whichever it is in the file.
    """
    returns = [match.start() - at for at, match in enumerate(re.finditer("\r\n", source))]
    parts, place = [], 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        start, end = (at + bisect_left(returns, at) for at in (edit.start, edit.end))
        if start >= place:
            parts += [source[place:start], edit.text]
            place = end
    return "".join((*parts, source[place:]))
