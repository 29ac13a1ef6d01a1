"""Room for words in diagrams of Mermaid: long names stay in their places, in every type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.cases import cases
from lxml import etree
from test_mermaid_document import EXAMPLES, examples

from figmill.errors import AuthorError
from figmill.kind.job import Job
from figmill.svg import Sheet, normalise
from figmill_kinds.mermaid import renderer

TEXT = frozenset(("text-outside", "text-overflow", "text-overlap", "text-squeezed"))
LONG = {
    "a note over two actors": "sequenceDiagram\n participant B as App\n participant T as Server\n"
    " Note over B,T: GET /api/v2/orders/{orderIdentifier}/lines/{lineIdentifier}\n T-->>B: order\n",
    "the name of a section": "gantt\n dateFormat YYYY-MM-DD\n section very very very very very very very very long\n"
    " Done: done, a, 2014-01-06, 2d\n Active: active, b, 2014-01-09, 3d\n Future: c, after b, 5d\n",
    "dates side by side": "gantt\n dateFormat YYYY-MM-DD\n section S\n One: a, 2020-01-01, 60d\n"
    " Event number one: vert, v1, 2020-02-10, 1d\n Event number two: vert, v2, 2020-02-12, 1d\n",
    "words left of a bar": "gantt\n dateFormat YYYY-MM-DD\n section Build\n Begin: a, 2024-03-01, 14d\n"
    " Design of a prototype that nobody has seen before: b, after a, 20d\n End: c, after b, 2d\n",
    "names of categories": 'xychart\n x-axis ["Category 1 - a name of a product", "Category 2 - a rather longer name"'
    ', "Category 3 - yet another long name", "Category 4 - the last of them"]\n bar [52, 96, 35, 10]\n',
    "names of a word each": f"xychart\n x-axis [{', '.join(f'unbreakable{n}' for n in range(12))}]\n"
    f" bar [{', '.join(map(str, range(12)))}]\n",
    "branches side by side": "%%{init: {'gitGraph': {'rotateCommitLabel': false}}}%%\ngitGraph TB:\n commit\n"
    " branch a-little-bit-longer\n commit\n branch another-quite-long-one\n commit\n",
    "branches below words of commits": 'gitGraph\n commit id: "a first commit with many words"\n'
    " branch a-branch-of-development\n commit\n",
    "tasks of a journey": "journey\n title Day\n section Morning\n Choose a slot for the delivery of it all: 3: Me\n"
    " Pay for the order with a card: 4: Me\n section Late\n Unpack all that came in the afternoon: 5: Me\n",
    "quadrants, axes and points": "quadrantChart\n title How far campaigns reach and how many people they engage in all"
    " of their regions\n x-axis Low reach in all of the regions --> High reach in all of the regions\n"
    " y-axis Low engagement of readers --> High engagement of the readers\n quadrant-1 We should expand this further"
    " and further\n quadrant-2 Need to promote this more than now\n A campaign with a name of many words: [0.9, 0.7]\n"
    " Another campaign with a name of many words: [0.85, 0.65]\n",
    "fields of a bit": 'packet\n0-9: "Port"\n10: "URG of it all"\n11: "ACK of it all"\n12: "PSH"\n13: "Acknowledged"\n'
    '14-31: "Window"\n',
    "columns and cards": "kanban\n a[Ready for the test of this release]\n  b[Create the tests]"
    "@{ ticket: 2038, assigned: 'Somebody with a name of many words' }\n c[Done]\n  d[Write it]\n",
    "causes": "ishikawa\n Late food\n  People who cook and carry\n   Cook still in training for all of the dishes\n"
    "   Not enough drivers on a shift of the evening\n  Process of the kitchen\n   Queue that has no order\n"
    "  Equipment of the kitchen\n   Oven too small\n  Environment of the streets\n   Rain\n",
    "sets": 'venn-beta\n title "Where all of our teams overlap, and what each of them can do by itself, and more"\n'
    ' set A["Desirable-by-everybody"]\n set B["Feasible-for-everybody"]\n union A,B["Both"]\n',
    "arrows between domains": 'cynefin-beta\n title T\n complex\n  "A long name of an investigation"\n complicated\n'
    '  "A long name of an analysis"\n chaotic\n  "Act"\n clear\n  "Do"\n complicated --> clear : "A book is written"\n',
}


def drawn(source: str) -> bytes:
    return renderer.render(Job("mermaid", "figure.mmd", "file", text=source), Path()).svg


def told(svg: bytes) -> list[str]:
    return [warning.message for warning in normalise(svg, Sheet("fig", "Title", "Alt", checks=TEXT)).warnings]


@cases("name", LONG)
def test_long_names_stay_in_their_places(name: str) -> None:
    assert told(drawn(LONG[name])) == []


def test_actors_stand_once_unless_the_author_asks_for_more() -> None:
    talk = "sequenceDiagram\n Alice->>Bob: hi\n"
    twice = "%%{init: {'sequence': {'mirrorActors': true}}}%%\n" + talk
    assert [drawn(source).count(b">Alice<") for source in (talk, twice)] == [1, 2]


def test_the_name_of_a_lollipop_is_above_its_circle() -> None:
    root = etree.fromstring(drawn("classDiagram\n Walker ()-- Dog\n"))
    [name] = [text for text in root.iter("{*}text") if "".join(text.itertext()).strip() == "Walker"]
    assert name.get("style") == "text-anchor: middle"


def rows(svg: bytes) -> set[str]:
    """The words of a drawing, line by line and text by text."""
    texts: set[str] = set()
    for text in etree.fromstring(svg).iter("{*}text"):
        lines = ["".join(part.itertext()) for part in (text, *text.iter("{*}tspan"))]
        texts |= {" ".join(line.split()) for whole in lines for line in (whole, *whole.split("\n"))}
    return {row for row in texts if len(re.findall(r"[^\W\d_]", row)) > 1}


def tripled(source: str) -> str:
    """A source with each name of its picture three times, as far as Mermaid then draws it."""
    longer: list[str] = []

    def written(text: str) -> str:
        return re.sub("\ue100(\\d+)\ue101", lambda match: longer[int(match[1])], text)

    text = source
    for name in sorted(rows(drawn(source)), key=lambda row: (-len(row), row)):
        place = f"\ue100{len(longer)}\ue101"
        candidate = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", place, text)
        for between in (" ", "-", "") if candidate != text else ():
            longer.append(between.join([name] * 3))
            try:
                drawn(written(candidate))
            except AuthorError:
                longer.pop()
                continue
            text = candidate
            break
    return written(text)


@pytest.mark.soak
@pytest.mark.skipif(not EXAMPLES.exists(), reason="npm install @mermaid-js/examples")
def test_the_official_examples_with_names_three_times_as_long() -> None:
    warnings = {name: told(drawn(tripled(source))) for name, source in examples().items()}
    assert len(warnings) >= 79 and {name: rows for name, rows in warnings.items() if rows} == {}


DARK = (
    "%%{init: {'theme': 'base', 'themeVariables': {'primaryColor': '#036', 'primaryTextColor': '#fff'}}}%%\n"
)


@pytest.mark.parametrize(
    "source",
    [
        "flowchart LR\n a -->|words| b\n linkStyle 0 stroke:#333,color:white\n",
        f"{DARK}flowchart LR\n a -->|words| b\n",
        f"{DARK}stateDiagram-v2\n A --> B: words\n",
        f"{DARK}classDiagram\n A --> B: words\n",
        f"{DARK}sequenceDiagram\n A->>B: words\n",
    ],
)
def test_words_of_a_line_are_never_in_the_colour_of_the_page(source: str) -> None:
    sheet = Sheet("fig", "Title", "Alt", checks=frozenset(("invisible",)))
    hidden = [
        warning.message for warning in normalise(drawn(source), sheet).warnings if "text" in warning.message
    ]
    assert hidden == []
