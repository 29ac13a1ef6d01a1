"""Where text about figures is, and the place of each of its characters."""

from __future__ import annotations

from figmill.book import yaml_parser
from figmill.claims.context import OWN, PAGE, PROSE
from figmill.claims.passages import Passage, of_page, of_question

QUESTION = """\
id: bub
title: The bubble of 4 devices
scenario: >-
  Four devices wait
  for 3 of them.
details: {hint: "about 5 steps", tags: [a, "7 links"]}
visual:
  kind: dot
  source: a.dot
  alt: >-
    A chart of
    8 cells.
  caption: "It's 9 wide"
"""


def test_the_texts_of_a_question_and_their_places() -> None:
    rows = yaml_parser.read("q.yaml", QUESTION.encode(), None)
    passages = list(of_question("q.yaml", QUESTION, rows, "bub"))
    placed = {}
    for passage in passages:
        for at, letter in enumerate(passage.text):
            if letter.isdigit():
                origin = passage.origin(at, at + 1)
                placed[letter] = (passage.key, passage.kind, origin.line, origin.column)
                line = QUESTION.splitlines()[(origin.line or 1) - 1]
                assert line[(origin.column or 1) - 1] == letter
    assert {digit: row[:2] for digit, row in placed.items()} == {
        "4": ("title", OWN),
        "3": ("scenario", PROSE),
        "5": ("details.hint", PROSE),
        "7": ("details.tags.1", PROSE),
        "8": ("visual.alt", OWN),
        "9": ("visual.caption", OWN),
    }


PAGE_TEXT = """\
---
title: 1 page
---
# First

Before it: 2.

![](figmill:a)

After it: 3, and `4`.

```text
5 in code
```

<!-- figmill-claims: off a joke -->
Not this: 6.

## Second

No figure here: 7.

## Third

![](pictures/b.dark.svg) shows 8.
Its neighbour [](figmill:a) has 9.

<!-- figmill-claims: off -->
A reason is needed: 0.
"""


def paragraphs(text: str, path: str = "p.md") -> list[Passage]:
    return list(of_page(path, text, ("a", "b")))


def test_the_paragraphs_of_a_page_that_are_about_figures() -> None:
    passages = paragraphs(PAGE_TEXT)
    assert all(passage.kind == PAGE for passage in passages)
    digits = {
        letter: (passage.near, passage.far)
        for passage in passages
        for letter in passage.text
        if letter.isdigit()
    }
    assert digits == {
        "2": (("a",), ("b",)),
        "3": (("a",), ("b",)),
        "4": (("a",), ("b",)),
        "8": (("b", "a"), ()),
        "9": (("b", "a"), ()),
        "0": (("a",), ("b",)),
    }
    for passage in passages:
        for at, letter in enumerate(passage.text):
            if letter.isdigit():
                origin = passage.origin(at, at + 1)
                assert PAGE_TEXT.splitlines()[(origin.line or 1) - 1][(origin.column or 1) - 1] == letter


def test_directives_of_sphinx_and_myst_are_references() -> None:
    for text in (
        "T\n=\n\n.. figmill:: a\n   :width: 3\n\nIt has 5.\n",
        "# T\n\n```{figmill} a\n:width: 3\n```\n\nIt has 5.\n",
        "# T\n\n:::{figmill} a\n:::\n\nIt has 5.\n",
        '# T\n\n<img src="../x/a.svg">\n\nIt has 5.\n',
    ):
        numbered = [passage for passage in paragraphs(text) if "5" in passage.text]
        assert [passage.near for passage in numbered] == [("a",)], text
        assert not any("3" in passage.text for passage in paragraphs(text))
