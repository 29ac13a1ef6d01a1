"""Repairs what the checks find in a drawing, where that does not require redrawing.

Works on the normal form. Each repair is tried, and the result is checked again. The repair is kept only if there are
fewer findings and no check has more findings than before. So no repair makes a drawing worse, as far as the checks can
tell. Knows nothing of files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from figmill.palette import PAGE
from figmill.svg.checks import small_text
from figmill.svg.checks.contrast import couples, failing
from figmill.svg.checks.line_through_text import short
from figmill.svg.checks.ratios import nearest
from figmill.svg.checks.text_fit import overlapping
from figmill.svg.colour import tone, with_alpha_of
from figmill.svg.document import BreachError, Draft, Element
from figmill.svg.geometry.backdrop import Ground
from figmill.svg.geometry.display_list import FONTS, HANDED_DOWN, drawn
from figmill.svg.geometry.label_fit import lettering
from figmill.svg.geometry.labels import Label, beyond
from figmill.svg.geometry.precision import view_box
from figmill.svg.passes.page import page_colour, take_pages
from figmill.svg.pictures.embed import no_pictures
from figmill.svg.pipeline import PASSES, admitted, settled
from figmill.svg.repair.apply import squeeze
from figmill.svg.repair.rearrange import SHAPES, TEXTS, rearranged
from figmill.svg.spec import Mended, PictureReader, Sheet, SvgError, SvgWarning
from figmill.svg.steps import SpentError, Steps
from figmill.svg.xml.numbers import UNITY, fixed, matrix, multiply
from figmill.svg.xml.parser import read
from figmill.svg.xml.prolog import unpacked
from figmill.svg.xml.serialise import serialise

MOST_ROUNDS = 3  # of all repairs
MOST_TRIES = 60  # single repairs tried for a check after all of them together have failed
HALO = 0.3  # em, the width of a halo
FARTHEST = 0.25  # share of a side, by which a picture may grow
TIGHTEST = 0.85  # of its width, to which a label may be squeezed
BESIDE = 0.25  # em between two texts of a line
MARGIN = 4.0  # px between text and the new edge of a picture
MAX_STEPS = 1_000_000
KEPT = HANDED_DOWN | FONTS | {"opacity", "paint-order", "stroke-linejoin"}
# A group with one of these shows its content differently, so text may not leave it.
HOLDS = frozenset(
    ("clip-path", "mask", "filter", "opacity", "style", "display", "visibility", "transform-origin")
)

# the repair, and a description of it
Mend: TypeAlias = Callable[[Draft, Sheet], Iterator[tuple[Callable[[], None], str]]]


def mended(
    data: bytes,
    sheet: Sheet,
    pictures: PictureReader = no_pictures,
    notes: frozenset[str] = frozenset(),
    moves: bool = False,
) -> Mended:
    """The drawing in normal form, repaired. Raises SvgError.

    sheet: its checks decide what is repaired. If its title or description is empty, the drawing's own is used; the
    drawing keeps its page. notes: those checks whose findings count only if they are repaired. moves: whether repairs
    may move and bend what the drawing shows.
    """
    sheet = _with_its_own(data, sheet, pictures)
    svg = serialise(settled(data, sheet, pictures).root)
    draft = settled(svg, sheet)
    before = _counted(draft, sheet)
    firmly = replace(sheet, checks=sheet.checks - notes)
    changes: list[str] = []
    for _ in range(MOST_ROUNDS if moves else 1):  # what one repair frees, another one may use
        done = len(changes)
        if moves:
            draft = rearranged(draft, sheet, SHAPES, changes)
        draft = _by(PAINTING, draft, sheet, firmly, changes)
        if moves:
            draft = rearranged(draft, sheet, TEXTS, changes)
        draft = _by(FITTING, draft, sheet, firmly, changes)
        if len(changes) == done:
            break
    left = tuple(
        SvgWarning(None, message, check)
        for _, message, check in draft.warnings
        if check in sheet.checks and check not in notes
    )
    mended_notes = sum(before[note] for note in notes) - sum(_counted(draft, sheet)[note] for note in notes)
    whole = sum(before[check] for check in firmly.checks) + mended_notes
    return Mended(serialise(draft.root), tuple(changes), left, whole, tuple(before.elements()))


def _by(mends: Mapping[str, Mend], draft: Draft, sheet: Sheet, firmly: Sheet, changes: list[str]) -> Draft:
    """The drawing with the repairs of a table that help; adds what they do to the changes."""
    findings = _counted(draft, firmly)
    svg = b""
    for check, mend in mends.items():
        if findings[check]:
            svg, findings, done = _tried(svg or serialise(draft.root), firmly, findings, check, mend)
            changes += done
    return settled(svg, sheet) if svg else draft


def _with_its_own(data: bytes, sheet: Sheet, pictures: PictureReader) -> Sheet:
    """The sheet with the title, the description and the page of the drawing itself."""
    root = read(unpacked(data)).root
    own = {
        child.tag.rpartition("}")[2]: " ".join(child.text().split()) for child in reversed(root.elements())
    }
    title = sheet.title or own.get("title", "") or root.attrib.get("aria-label", "") or sheet.figure
    sheet = replace(sheet, title=title, desc=sheet.desc or own.get("desc", ""))
    return replace(sheet, background=_page(data, replace(sheet, checks=frozenset()), pictures) or "none")


def _page(data: bytes, sheet: Sheet, pictures: PictureReader) -> str | None:
    """The colour of the page that a drawing has of its own, as #rrggbb."""
    try:
        draft = admitted(unpacked(data), sheet, pictures)
    except BreachError:
        return None  # reported where the drawing is settled
    for step in PASSES:
        step(draft, sheet)
    view = view_box(draft.root)
    pages = [] if view is None else take_pages(draft.root, view, lambda _: True)
    return pages[-1] if pages else None


def _counted(draft: Draft, sheet: Sheet) -> Counter[str]:
    return Counter(check for _, _, check in draft.warnings if check in sheet.checks)


def _tried(
    svg: bytes, sheet: Sheet, findings: Counter[str], check: str, mend: Mend
) -> tuple[bytes, Counter[str], list[str]]:
    """The drawing with those repairs of one check that help: all together if they do, otherwise one after another."""
    whole = _attempt(svg, sheet, findings, mend, None)
    if whole is not None and not whole[1][check]:
        return whole
    done: list[str] = []
    skipped = 0
    for _ in range(MOST_TRIES):
        single = _attempt(svg, sheet, findings, mend, skipped)
        if single is None:
            skipped += 1  # this repair does not help; skip it from now on
            if skipped > findings[check]:
                break
            continue
        svg, findings, descriptions = single
        done += descriptions
    return svg, findings, done


def _attempt(
    svg: bytes, sheet: Sheet, findings: Counter[str], mend: Mend, number: int | None
) -> tuple[bytes, Counter[str], list[str]] | None:
    """The drawing with one repair, or with all; None if that does not help. number: of the repair; None: all."""
    draft = settled(svg, sheet)
    mends = list(mend(draft, sheet))
    chosen = mends if number is None else mends[number : number + 1]
    if not chosen:
        return None
    for act, _ in chosen:
        act()
    try:
        after = settled(serialise(draft.root), sheet)
    except SvgError:
        return None
    now = _counted(after, sheet)
    if now.total() >= findings.total() or any(now[name] > findings[name] for name in now):
        return None
    return serialise(after.root), now, [description for _, description in chosen]


def _nodes(draft: Draft, check: str) -> list[Element]:
    return [node for node, _, its in draft.warnings if its == check and node is not None]


def raise_words(draft: Draft, sheet: Sheet) -> Iterator[tuple[Callable[[], None], str]]:
    """Text that is covered moves above what covers it."""
    for node in _nodes(draft, "text-covered"):
        path = _path(draft.root, node)
        if path and not any(HOLDS & group.attrib.keys() for group in path[1:-1]):
            yield (
                partial(_raise, path),
                f"moved the text '{_short(node)}' above what covered it",
            )


def _path(root: Element, node: Element) -> list[Element]:
    """The elements from the root to a node; empty if it is not below."""
    if root is node:
        return [root]
    for child in root.elements():
        if child.tag not in ("defs", "symbol", "pattern", "marker", "mask", "clipPath"):
            below = _path(child, node)
            if below:
                return [root, *below]
    return []


def _raise(path: list[Element]) -> None:
    """Move the last element of a path to the end of the first, with the same appearance."""
    root, *groups, node = path
    moved = UNITY
    handed: dict[str, str] = {}
    for group in groups:
        moved = multiply(moved, matrix(group.attrib.get("transform", "")))
        handed |= {name: value for name, value in group.attrib.items() if name in KEPT}
    groups = groups or [root]
    groups[-1].children = [child for child in groups[-1].children if child is not node]
    moved = multiply(moved, matrix(node.attrib.get("transform", "")))
    node.attrib = {**handed, **node.attrib}
    if moved != UNITY:
        node.attrib["transform"] = f"matrix({' '.join(fixed(part, 6) for part in moved)})"
    root.children.append(node)


def add_halos(draft: Draft, sheet: Sheet) -> Iterator[tuple[Callable[[], None], str]]:
    """Text with a line through it moves above the line, with a halo in the colour behind it."""
    view = view_box(draft.root)
    if view is None:
        return
    ground = Ground(drawn(draft).shapes, view, Steps(MAX_STEPS), drawn(draft).ids)
    nodes = _nodes(draft, "line-through-text")
    for label in lettering(draft).every:
        node = label.text.node
        path = _path(draft.root, node) if node in nodes else []
        if not path or any(HOLDS & group.attrib.keys() for group in path[1:-1]):
            continue
        try:
            behind = ground.behind(label.centre(), label.text.order, page_colour(sheet) or PAGE[0])
        except SpentError:
            return
        if len(behind) == 1:
            nodes.remove(node)
            yield (
                _halo(path, label, *behind),
                f"gave the text '{_short(node)}' a halo, which sets it off from the line",
            )


def _halo(path: list[Element], label: Label, colour: str) -> Callable[[], None]:
    def act() -> None:
        node = path[-1]
        node.attrib |= {
            "stroke": colour,
            "stroke-width": fixed(HALO * label.size / label.scale, 3),
            "stroke-linejoin": "round",
            "paint-order": "stroke",
        }
        _raise(path)

    return act


def recolour_words(draft: Draft, sheet: Sheet) -> Iterator[tuple[Callable[[], None], str]]:
    """Text without enough contrast gets the nearest colour that has enough."""
    page = tone(page_colour(sheet) or PAGE[0])
    for mark in failing(draft, (page[0] if page else PAGE[0],), couples(sheet.palette)):
        if mark.name != "fill":
            continue
        better = nearest(mark.ink, frozenset(mark.demands), mark.least)
        if better is not None:
            yield (
                partial(_recolour, mark.node, better),
                f"changed the colour of '{mark.words.strip()[:30]}' from {mark.ink[0]} to {better}",
            )


def _recolour(node: Element, colour: str) -> None:
    node.attrib["fill"] = with_alpha_of(node.attrib.get("fill", "#000000"), colour)


def enlarge_words(draft: Draft, _: Sheet) -> Iterator[tuple[Callable[[], None], str]]:
    """Text that is too small gets the least size that can be read."""
    for text in drawn(draft).texts:
        for node, content, size in small_text.runs(text.node, text.type):
            shown = next((its for other, _, its in small_text.sizes(draft) if other is node), 0.0)
            if 0 < shown < small_text.LEAST - small_text.SLACK:
                larger = size * small_text.LEAST / shown
                yield (
                    partial(node.attrib.update, {"font-size": fixed(larger, 3)}),
                    f"enlarged '{content.strip()[:30]}' to {small_text.LEAST:g} px",
                )


def widen_view(draft: Draft, _: Sheet) -> Iterator[tuple[Callable[[], None], str]]:
    """A picture that cuts off text grows to hold it."""
    fit, box = lettering(draft), view_box(draft.root)
    if box is None or not fit.outside:
        return
    over: dict[str, float] = {}
    for label in fit.outside:
        for side, by in beyond(label, label.width, fit.view).items():
            over[side] = max(over.get(side, 0.0), by + MARGIN / fit.px)
    most = {"left": box[2], "right": box[2], "top": box[3], "bottom": box[3]}
    over = {side: by for side, by in over.items() if by <= FARTHEST * most[side]}
    if not over:
        return
    left, top = box[0] - over.get("left", 0.0), box[1] - over.get("top", 0.0)
    width = box[2] + over.get("left", 0.0) + over.get("right", 0.0)
    height = box[3] + over.get("top", 0.0) + over.get("bottom", 0.0)

    def act() -> None:
        attrib = draft.root.attrib
        old = {name: attrib[name] for name in ("width", "height")}
        for child in draft.root.elements()[:4]:  # the page grows with the picture
            if child.tag == "rect" and {name: child.attrib.get(name) for name in old} == old:
                places = zip(("x", "y", "width", "height"), (left, top, width, height), strict=True)
                child.attrib |= {name: fixed(value, 3) for name, value in places}
                break
        attrib["viewBox"] = " ".join(fixed(value, 3) for value in (left, top, width, height))
        attrib["width"], attrib["height"] = fixed(width * fit.px, 3), fixed(height * fit.px, 3)

    grown = ", ".join(f"{by * fit.px:.0f} px {side}" for side, by in over.items())
    yield act, f"made the picture larger, so that no text is cut off ({grown})"


def squeeze_words(draft: Draft, _: Sheet) -> Iterator[tuple[Callable[[], None], str]]:
    """A label that is a little too wide for its shape is squeezed into it."""
    for seat in lettering(draft).tight:
        label = seat.label
        node = label.text.node
        start, end = seat.room
        # on both sides of the anchor
        room = min(far / share for far, share in ((-start, label.share), (end, 1 - label.share)) if share)
        if seat.over <= 0 or len(label.runs) != 1 or not TIGHTEST * label.width <= room < label.width:
            continue
        yield (
            partial(squeeze, node, 0.98 * room / label.scale),
            f"squeezed the text '{_short(node)}' into its shape",
        )


def squeeze_apart(draft: Draft, _: Sheet) -> Iterator[tuple[Callable[[], None], str]]:
    """One of two texts of a line that run a little into each other is squeezed."""
    for meeting in overlapping(draft):
        pair = meeting.one, meeting.other
        share, label, other = max(
            ((_share_beside(*couple), *couple) for couple in (pair, pair[::-1])), key=lambda row: row[0]
        )
        if TIGHTEST <= share < 1:
            node = label.runs[0].node
            yield (
                partial(squeeze, node, share * label.width / label.scale),
                f"squeezed the text '{_short(node)}', which ran into '{short(other)}'",
            )


def _share_beside(label: Label, other: Label) -> float:
    """The share of its width that a text may have beside another of its line; 0 if it is not beside it."""
    if len(label.runs) != 1 or label.runs[0].type.letters or label.along != other.along:
        return 0.0  # renderers differ in how they squeeze letters that are spaced
    (start, end), (first, last) = label.span(label.width), other.span(other.width)
    along, _ = label.frame((other.x, other.y))
    first, last = first + along, last + along
    if start < first < end < last:
        room, side = first, 1 - label.share
    elif first < start < last < end:
        room, side = -last, label.share
    else:
        return 0.0
    return (room - BESIDE * label.size) / (side * label.width) if side else 0.0


# The repairs for the findings of each check, in this order: larger text may need more room.
PAINTING: Mapping[str, Mend] = MappingProxyType(
    {
        "small-text": enlarge_words,
        "text-covered": raise_words,
        "line-through-text": add_halos,
        "contrast": recolour_words,
    }
)
# After the moves, which make room without squeezing.
FITTING: Mapping[str, Mend] = MappingProxyType(
    {
        "text-overflow": squeeze_words,
        "text-overlap": squeeze_apart,
        "text-outside": widen_view,
    }
)


def _short(node: Element) -> str:
    text = " ".join(node.text().split())
    return text if len(text) <= 40 else text[:39] + "…"
