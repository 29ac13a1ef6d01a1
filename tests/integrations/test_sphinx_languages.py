"""A translated Sphinx book: the words of its figures are collected, and stand in the pages in the reader's language."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
from babel.messages import pofile
from helpers.book import DOT, Space, believed
from helpers.hosts import run

CONF = 'extensions = ["myst_parser", "figmill.sphinx"]\nlocale_dirs = ["locale"]\nnumfig = True\n'
IMAGES = 'gettext_additional_targets = ["image"]\n'
MARKDOWN = """\
# A page

![](figmill:graph)

![Own words](figmill:graph)

```{figmill} graph
```

Words with ![](figmill:graph) in a line.
"""
RST = """\
:orphan:

Other
=====

.. figmill:: graph

   The words of the page.

.. figure:: figmill:graph

.. image:: figmill:graph
   :alt: an alt of the page
"""
GERMAN = {
    "A chain of 3 nodes.": "Eine Kette aus drei Knoten.",
    "a sends to b": "a schickt an b",
    "Own words": "Eigene Worte",
    "The words of the page.": "Die Worte der Seite.",
    "an alt of the page": "ein Alternativtext der Seite",
    "Words with ![](figmill:graph) in a line.": "Worte mit ![](figmill:graph) in einer Zeile.",
}


def sphinx(space: Space, *arguments: str) -> None:
    ran = run([sys.executable, "-m", "sphinx", "-q", "-W", *arguments], space.root)
    assert ran.code == 0, ran.said


def collected(space: Space) -> dict[str, dict[str, list[tuple[str, int]]]]:
    """Page -> message -> its places."""
    sphinx(space, "-E", "-b", "gettext", "docs", "pot")
    return {
        path.stem: {
            str(message.id): message.locations for message in pofile.read_po(path.open("rb")) if message.id
        }
        for path in (space.root / "pot").glob("*.pot")
    }


def translate(space: Space, translations: dict[str, str]) -> None:
    for path in (space.root / "pot").glob("*.pot"):
        catalogue = pofile.read_po(path.open("rb"), locale="de")
        for message in catalogue:
            message.string = translations.get(str(message.id), message.string)
        target = space.root / "docs/locale/de/LC_MESSAGES" / f"{path.stem}.po"
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            pofile.write_po(file, catalogue)


def shown(space: Space, page: str) -> tuple[list[str], list[str]]:
    """The alt texts of the light pictures, and the captions."""
    text = space.read(f"out/{page}.html")
    alts = re.findall(r'<img class="figmill-light[^>]* alt="([^"]*)"', text)
    return alts, re.findall(r'<span class="caption-text">(.*?)</span>', text)


def write(space: Space) -> Space:
    space.write(
        {"visuals/a.dot": DOT, "docs/index.md": MARKDOWN, "docs/other.rst": RST, "docs/conf.py": CONF}
    )
    return space.question("graph", "source: a.dot, alt: a sends to b, caption: 'A chain of {nodes} nodes.'")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book, built, with the words of its pages collected. Not to be changed."""
    space = write(Space(tmp_path_factory.mktemp("book")))
    collected(space)
    return space.root


@pytest.fixture
def book(template: Path, space: Space) -> Space:
    """A copy of it."""
    shutil.copytree(template, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    return space


@pytest.mark.parametrize("targets", ["", IMAGES])
def test_the_words_of_a_figure_are_translated_wherever_a_page_names_it(space: Space, targets: str) -> None:
    book = write(space).write({"docs/conf.py": CONF + targets})
    messages = collected(book)
    assert set(messages["index"]) - {"A page"} == {
        "A chain of 3 nodes.",
        "a sends to b",
        "Own words",
        "Words with ![](figmill:graph) in a line.",
    }
    assert set(messages["other"]) - {"Other"} == {
        "A chain of 3 nodes.",
        "a sends to b",
        "The words of the page.",
        "an alt of the page",
    }
    places = [place for page in messages.values() for all_ in page.values() for place in all_]
    assert len(places) >= 12
    assert [place for place in places if place[1] < 1 or not place[0].endswith((".md", ".rst"))] == []
    translate(book, GERMAN)
    sphinx(book, "-b", "html", "-D", "language=de", "docs", "out")
    alt, caption = GERMAN["a sends to b"], GERMAN["A chain of 3 nodes."]
    assert shown(book, "index") == ([alt] * 4, [caption, GERMAN["Own words"], caption])
    assert shown(book, "other") == (
        [alt, alt, GERMAN["an alt of the page"]],
        [GERMAN["The words of the page."], caption, caption],
    )


def test_another_translation_is_shown_by_the_next_build(book: Space) -> None:
    arguments = ("-b", "html", "-D", "language=de", "docs", "out")
    translate(book, GERMAN)
    sphinx(book, *arguments)
    translate(book, {**GERMAN, "a sends to b": "a sendet an b"})
    sphinx(book, *arguments)
    assert shown(book, "index")[0] == ["a sendet an b"] * 4


def test_words_without_a_translation_stay(book: Space) -> None:
    translate(book, {})
    sphinx(book, "-b", "html", "-D", "language=de", "docs", "out")
    assert shown(book, "index") == (
        ["a sends to b"] * 4,
        ["A chain of 3 nodes.", "Own words", "A chain of 3 nodes."],
    )
