"""From <foreignObject> to text: labels are laid out before the drawing is checked, and put back afterwards.

`lift` takes the HTML out of the tree, so that the allowlist and the drawing's CSS never see it. `put_back` puts text,
rectangles and lines in its place, once CSS has become attributes. Active content is refused. If a label contains more
than text, the fallback drawing in its <switch> is used; a label without a fallback is an error.
"""

from __future__ import annotations

import re
from dataclasses import field

from figmill.late_dataclasses import dataclass
from figmill.svg.document import SVG, BreachError, Draft, Element
from figmill.svg.html.css.properties import NotSimpleError
from figmill.svg.html.css.rules import StyleSheet
from figmill.svg.html.draw import LabelElements
from figmill.svg.html.elements import FOREIGN, LOADING, SIMPLE, STILL, XHTML
from figmill.svg.html.reader import LabelReader, UnseenError
from figmill.svg.html.switches import passes
from figmill.svg.xml import vocabulary
from figmill.svg.xml.active_content import check_inert
from figmill.svg.xml.names import split

SWITCH = f"{{{SVG}}}switch"
MAX_LABELS = 5_000
MAX_HTML = 20_000  # elements in all labels together
MAX_LETTERS = 400_000
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
LINKING = frozenset(("href", "action", "formaction", "cite"))
HARMLESS = frozenset(("https", "http", "mailto"))
# Properties that <text> inherits from the shapes around it and HTML does not, with their initial values.
INITIAL = {
    "stroke": "none",
    "fill-opacity": "1",
    "text-anchor": "start",
    "dominant-baseline": "auto",
    "font-weight": "normal",
    "font-style": "normal",
    "font-variant": "normal",
    "font-stretch": "normal",
    "letter-spacing": "0",
    "word-spacing": "0",
    "stroke-dasharray": "none",
}
# attributes of the <foreignObject>
KEPT = (
    "id",
    "transform",
    "clip-path",
    "mask",
    "filter",
    "opacity",
    "systemLanguage",
)
RIGHT = "write the text as <text>"


@dataclass(slots=True)
class HtmlLabels:
    """The elements of each label, keyed by the empty group in its place, and the warnings about labels left out."""

    language: str  # of the readers
    made: dict[Element, LabelElements] = field(default_factory=dict)
    left_out: list[tuple[Element, str]] = field(default_factory=list)

    def put_back(self, draft: Draft) -> None:
        """Put the labels in their places, and warn of those that were left out."""
        for node, message in self.left_out:
            draft.warn("left-out", node, message)
        if self.made:
            _fill(draft.root, {}, self)
            for elements in self.made.values():
                for node in elements.own:
                    draft.claim(node, "fill")


def lift(draft: Draft) -> HtmlLabels:
    """Take every <foreignObject> out of the parsed tree. Breaches are noted in the draft."""
    labels = HtmlLabels(draft.language)
    nodes = draft.root.walk()
    foreign = [node for node in nodes if node.tag == FOREIGN]
    _count(foreign)
    parents = {child: node for node in nodes for child in node.children if isinstance(child, Element)}
    outer = [label for label in foreign if not _inside(label, parents)]
    try:
        reader = LabelReader(
            StyleSheet(draft.root, _wanted(outer, parents), draft.is_dark), parents, draft.root
        )
        for label in outer:
            around = parents.get(label)
            if around is None:
                raise BreachError(label, "<foreignObject> is not a drawing; the root must be <svg>")
            with draft.collected():
                _check(label)
                _take(label, around, reader, labels)
                continue
            around.children = [child for child in around.children if child is not label]
    except RecursionError:
        raise BreachError(foreign[0], "brackets nested too deep in CSS") from None
    return labels


def _wanted(outer: list[Element], parents: dict[Element, Element]) -> set[Element]:
    """All elements that need a style: labels, their content and their ancestors."""
    wanted: set[Element] = set()
    for label in outer:
        node = parents.get(label)
        while node is not None and node not in wanted:
            wanted.add(node)
            node = parents.get(node)
        wanted.update(label.walk())
    return wanted


def _take(label: Element, around: Element, reader: LabelReader, labels: HtmlLabels) -> None:
    try:
        if around.tag == SWITCH:
            _choose(label, around, reader, labels)
        else:
            _replace(label, around, reader.label(label), labels)
    except NotSimpleError as more:
        raise BreachError(label, f"<foreignObject> holds {more}, which text cannot show; {RIGHT}") from None
    except UnseenError:
        _replace(label, around, LabelElements(), labels)
        labels.left_out.append(
            (label, "<foreignObject> is left out: without a width and a height it is invisible")
        )


def _inside(label: Element, parents: dict[Element, Element]) -> bool:
    node = parents.get(label)
    while node is not None and node.tag != FOREIGN:
        node = parents.get(node)
    return node is not None


def _count(foreign: list[Element]) -> None:
    """Raise BreachError for more labels than a figure may hold."""
    if len(foreign) > MAX_LABELS:
        raise BreachError(foreign[MAX_LABELS], f"more than {MAX_LABELS:,} labels in HTML")
    count = letters = 0
    for label in foreign:
        for part in label.walk():
            count += 1
            letters += sum(len(child) for child in part.children if isinstance(child, str))
            if count > MAX_HTML or letters > MAX_LETTERS:
                raise BreachError(part, f"more HTML than a figure may hold; {RIGHT}")


def _check(label: Element) -> None:
    """Raise BreachError for active or loading content in a label."""
    check_inert(label, SIMPLE | STILL)
    for part in label.walk():
        for name, value in part.attrib.items():
            local = split(name)[1].casefold()
            target = "".join(value.split())
            if local in LOADING and not target.startswith(("data:", "#")):
                raise BreachError(
                    part, f"<{split(part.tag)[1]}> loads '{target[:60]}'; a figure loads nothing"
                )
            if local in LINKING and split(part.tag)[0] == XHTML:
                scheme = SCHEME.match(target)
                if scheme is not None and scheme[1].lower() not in HARMLESS:
                    raise BreachError(
                        part, f"link to '{target[:60]}'; only https:// links and #id are allowed"
                    )


def _choose(label: Element, switch: Element, reader: LabelReader, labels: HtmlLabels) -> None:
    """Use the label if <switch> shows it; otherwise remove it and keep the child that is shown."""
    choices = [child for child in switch.elements() if split(child.tag)[0] == SVG]
    shown = next((child for child in choices if passes(child, labels.language)), None)
    if shown is not label:
        switch.children = [child for child in switch.children if child is not label]
        if choices.index(label) == 0:
            labels.left_out.append(
                (label, "<foreignObject> is left out; <switch> shows its other content instead")
            )
        return
    has_drawing = len(choices) > 1 and split(choices[-1].tag)[1] in vocabulary.FALLBACKS
    try:
        elements = reader.label(label)
    except (NotSimpleError, UnseenError) as more:
        if not has_drawing:
            raise
        why = "has no width or no height" if isinstance(more, UnseenError) else f"holds {more}"
        message = f"<foreignObject> is left out because it {why}; <switch> shows its other content instead"
        labels.left_out.append((label, message))
        switch.children = [child for child in switch.children if child is not label]
        return
    for choice in choices:
        if split(choice.tag)[1] == "image" and all(
            value.startswith("data:") for name, value in choice.attrib.items() if split(name)[1] == "href"
        ):
            check_inert(choice)  # draw.io's picture of the same text, never shown
            switch.children = [child for child in switch.children if child is not choice]
    _replace(label, switch, elements, labels)


def _replace(label: Element, around: Element, elements: LabelElements, labels: HtmlLabels) -> None:
    kept = {name: label.attrib[name] for name in KEPT if name in label.attrib}
    place = Element(f"{{{SVG}}}g", kept, [], label.number)
    around.children = [place if child is label else child for child in around.children]
    for node in elements.nodes:
        for part in node.walk():
            part.number = label.number
    labels.made[place] = elements


def _fill(node: Element, around: dict[str, str], labels: HtmlLabels) -> None:
    mine = {name: value for name, value in node.attrib.items() if name in INITIAL}
    around = {**around, **mine} if mine else around
    if node in labels.made:
        node.children = list(labels.made[node].nodes)
        for name, value in around.items():
            if value != INITIAL[name]:
                node.attrib[name] = INITIAL[name]
    for child in node.elements():
        _fill(child, around, labels)
