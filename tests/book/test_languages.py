"""Figures in other languages: the example book of docs/languages.md, built, translated, and shown by hosts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pypandoc
import pytest
from helpers.book import REPOSITORY, CopyOf, Space

from figmill.book import catalogues
from figmill.kind import source_words
from figmill.kind.definition import IN_SOURCE
from figmill.kinds import KINDS
from figmill.paths import PACKAGE
from figmill.wording import Words, speaking, template
from figmill_timelines.charts.canvas import wrapped

EXAMPLE = REPOSITORY / "docs/examples/languages"
PICTURES = REPOSITORY / "docs/pictures/languages"
DE = "visuals/locale/de.po"
GERMAN = 'languages = ["de"]\n'  # settings for one language, which needs no fonts
ALL = (EXAMPLE / "figmill.toml").read_text("utf-8")


def example(space: Space) -> Space:
    shutil.copytree(EXAMPLE, space.root, dirs_exist_ok=True)
    return space


@pytest.fixture
def book(copy_of: CopyOf) -> Space:
    """The example, built without a word of complaint."""
    return copy_of(example)


def manifest(book: Space) -> dict[str, dict[str, object]]:
    rows = json.loads((book.root / "build/manifest.json").read_text(encoding="utf-8"))["figures"]
    return {row["id"]: row for row in rows}


def texts(book: Space, name: str) -> list[str]:
    svg = (book.root / f"build/global/{name}.svg").read_text(encoding="utf-8")
    return re.findall(r"<text[^>]*>([^<]*)", svg)


def test_each_kind_is_laid_out_for_its_words(book: Space) -> None:
    for picture in PICTURES.glob("*.svg"):
        name = picture.name.replace(".en", "")
        assert (book.root / "build/global" / name).read_bytes() == picture.read_bytes(), name
    assert "wartet 0,25 s" in texts(book, "retry.de") and "waits 0.25 s" in texts(book, "retry")
    assert {"0,4", "Last", "Wartezeit (s)"} <= set(texts(book, "load.de"))
    assert texts(book, "box.de") == ["Nachrichtenwarteschlange"]
    row = manifest(book)["load"]
    edition = row["languages"]["de"]  # type: ignore[index]
    assert edition["alt"] == "Die Wartezeit wächst von 0 ohne Last auf 4,5 s bei 90 % Last."
    assert row["alt"] == "The waiting time grows from 0 at no load to 4.5 s at 90 % load."
    # in Arabic the first node is the one on the right, and words begin at their right end
    arabic = (book.root / "build/global/retry.ar.svg").read_text(encoding="utf-8")
    assert ' lang="ar"' in arabic and 'direction="rtl"' in arabic
    places = {word: float(x) for x, word in re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*)', arabic)}
    assert places["العميل"] > places["خادم الويب"] > places["المخزن"]

    # Only the figure whose words have changed is drawn again, and only in that language.
    assert "all fresh" in book.run().out
    po = (book.root / DE).read_text(encoding="utf-8")
    book.write({DE: po.replace('msgstr "Anfrage"', 'msgstr "eine Anfrage"')})
    before = dict(book.outputs())
    rows = {row["id"]: row for row in book.run("--jobs", "1", "--format", "json").json["figures"]}
    assert {name: row["status"] for name, row in rows.items()} == {
        "box": "fresh",
        "load": "fresh",
        "retry": "rendered",
    }
    assert rows["retry"]["reasons"] == ["words de", "language de"]
    after = book.outputs()
    assert {path for path in after if before[path] != after[path]} == {
        "build/global/retry.de.svg",
        "build/global/retry.de.dark.svg",
    }

    # A language that is no longer wanted leaves no files; a source of its own is drawn as it is.
    shutil.copy(book.root / "visuals/retry.dot", book.root / "visuals/retry.de.dot")
    book.write({"figmill.toml": GERMAN})
    assert book.run("--jobs", "1").code == 0
    assert "waits 0.25 s" in texts(book, "retry.de")
    assert book.run("clean").code == 0
    assert not list((book.root / "build").rglob("*.ja*"))


def test_translate_keeps_what_is_translated(book: Space) -> None:
    done = book.run("translate", "--check", "--jobs", "1")
    assert done.code == 0, done.out
    assert [line.partition(": ")[2] for line in done.out.splitlines()] == [
        "17 of 17 translated; up to date"
    ] * 3
    book.write({"figmill.toml": GERMAN})
    assert {path: (book.root / path).read_bytes() for path in (DE,)} == {DE: (EXAMPLE / DE).read_bytes()}
    dot = (book.root / "visuals/retry.dot").read_text(encoding="utf-8")
    book.write(
        {"visuals/retry.dot": dot.replace("Web server", "Web servers").replace('"Store"', '"Database"')}
    )
    checked = book.run("translate", "--check", "de", "--jobs", "1")
    assert checked.code == 3
    assert "retry: 'Database' is not translated" in checked.out and "'Web servers' is fuzzy" in checked.out
    assert book.run("translate", "de", "--jobs", "1").code == 0
    po = (book.root / DE).read_text(encoding="utf-8")
    assert '#| msgid "Web server"\nmsgctxt "retry"\nmsgid "Web servers"\nmsgstr "Webserver"' in po
    assert '#~ msgid "Store"' in po
    # what is not translated is drawn as it is written, and told
    built = book.run("--id", "retry")
    assert f"{DE}: 'retry' in de has no translation of 2 of 6 texts in the drawing" in built.err
    assert "'Web servers', 'Database'" in built.err
    assert "Database" in texts(book, "retry.de")
    # a message without a context counts for every figure, and what was deleted comes back
    book.write(
        {
            DE: po + '\nmsgid "Database"\nmsgstr "Datenbank"\n',
            "visuals/retry.dot": dot.replace('"Store"', '"Database"'),
        }
    )
    assert book.run("--id", "retry").code == 0
    assert "Datenbank" in texts(book, "retry.de")
    book.write({"visuals/retry.dot": dot})
    assert "17 of 17 translated" in book.run("translate", "de", "--jobs", "1").out

    book.write({DE: po + "nothing of the kind\n"})
    broken = book.run()
    assert broken.code == 2 and re.match(rf"figmill: {DE}:\d+: not a line of a .po file", broken.err)
    assert "name a language, as in" in book.write({"figmill.toml": ""}).run("translate").err
    assert "a language must be the code of a language" in book.run("translate", "Deutsch").err


def test_a_page_shows_figures_in_its_language(book: Space) -> None:
    bin_, page = Path(sys.executable).parent, "![](figmill:load)\n\nAt most [](figmill:load#longest:.2f).\n"
    book.write(
        {
            "docs/index.md": page,
            "docs/index.de.md": page,
            "mkdocs.yml": "site_name: x\nplugins:\n  - figmill: {build: false}\n  - i18n:\n"
            "      docs_structure: suffix\n      languages:\n"
            "        - {locale: en, name: E, default: true}\n        - {locale: de, name: D}\n",
            "sphinx/conf.py": 'extensions = ["figmill.sphinx"]\nlanguage = "de"\nfigmill_build = False\n',
            "sphinx/index.rst": "Page\n====\n\n.. figmill:: load\n\nAt most :figmill-fact:`load#longest:.2f`.\n\n"
            ".. figure:: ../build/global/load.svg\n",
        }
    )
    for command in (("mkdocs", "build", "-q"), ("sphinx-build", "-q", "sphinx", "out")):
        subprocess.run([bin_ / command[0], *command[1:]], cwd=book.root, check=True, capture_output=True)
    lua = PACKAGE / "integrations/files/figmill.lua"
    html = subprocess.run(
        [pypandoc.get_pandoc_path(), "--lua-filter", lua, "-M", "lang=de-AT", "docs/index.md"],
        cwd=book.root,
        check=True,
        capture_output=True,
        encoding="utf-8",
        env={"PATH": f"{bin_}:/usr/bin:/bin"},
    ).stdout
    read = {
        name: (book.root / name).read_text("utf-8")
        for name in ("site/index.html", "site/de/index.html", "out/index.html")
    }
    assert "At most 4.50" in read["site/index.html"] and "load.svg" in read["site/index.html"]
    for shown in (html, read["site/de/index.html"], read["out/index.html"]):
        assert "At most 4,50" in shown and "auf 4,5 s bei 90" in shown and "load.de.svg" in shown
        assert "load.svg" not in shown  # also as Sphinx itself finds it, by its `figure_language_filename`


def test_exports_and_words_of_figmill_have_the_language(book: Space) -> None:
    own = '[words.sv]\n"Description and data" = "Beskrivning och data"\n"Nodes" = "Noder"\n'
    book.write({"figmill.toml": f"{ALL}\n{own}"})

    @cache
    def shown(code: str) -> str:
        return book.run("embed", "retry", "--format", "html", "--language", code).out

    # on a narrow screen, a graph begins where it is read from
    assert "figmill-leftward" in shown("ar") and "figmill-leftward" not in shown("de")

    assert "<strong>Knoten: 3</strong>" in shown("de-AT") and ">Beschreibung und Daten</summary>" in shown(
        "de"
    )
    assert "<strong>3 nodes</strong>" in shown("xx") and "説明とデータ" in shown("ja")
    assert ">Beskrivning och data</summary>" in shown("sv") and "<strong>Noder: 3</strong>" in shown("sv")
    book.write({"figmill.toml": f"{GERMAN}[words.sv]\nNoder = 'x'\n"})
    assert "words.sv has no text \"Noder\"; did you mean 'Nodes'?" in book.run().err


@pytest.mark.parametrize("settings", [GERMAN, pytest.param(ALL, marks=pytest.mark.soak)], ids=["de", "all"])
def test_a_pdf_has_its_language(book: Space, settings: str) -> None:
    book.write({"figmill.toml": settings})
    done = book.run("--id", "retry", "--to", "pdf")
    assert (done.code, done.err) == (0, "")
    assert book.run("--id", "retry", "--to", "pdf").out == "1 figure, all fresh\n"
    row = manifest(book)["retry"]
    for code, files in [
        ("en", row["files"]),
        *((language, part["files"]) for language, part in row["languages"].items()),
    ]:  # type: ignore[attr-defined]
        pdf = next(file["path"] for file in files if (file["format"], file["theme"]) == ("pdf", "light"))
        assert f"/Lang({code})".encode() in (book.root / "build" / pdf).read_bytes(), pdf
    assert row["languages"]["de"]["files"][2]["path"] == "global/retry.de.pdf"  # type: ignore[index]
    # A language that nobody wants any more takes its exports along.
    book.write({"figmill.toml": ""})
    assert book.run("--id", "retry", "--to", "pdf").code == 0 and book.run("clean").code == 0
    pdfs = (book.root / "build/global").glob("retry*.pdf")
    assert sorted(path.name for path in pdfs) == ["retry.dark.pdf", "retry.pdf"]


def test_what_a_drawing_has_for_one_language_is_shown_in_that_language(space: Space) -> None:
    """As a browser in the book's language shows a `systemLanguage`; another language is another picture."""
    choice = '<switch><text y="20" systemLanguage="de">Bild</text><text y="20">Picture</text></switch>'
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 40" width="90" height="40">{choice}</svg>'
    )
    settings = 'language = "en"\nlanguages = ["de-AT"]\n'
    space.write({"figmill.toml": settings, "visuals/a.svg": drawing.encode()})
    space.question("a", "source: a.svg, alt: the word for a picture")
    space.run()
    assert texts(space, "a") == ["Picture"] and texts(space, "a.de-AT") == ["Bild"]
    space.write({"figmill.toml": settings.replace("en", "de", 1).replace("de-AT", "en")})
    space.run()
    assert texts(space, "a") == ["Bild"] and texts(space, "a.en") == ["Picture"]


def test_numbers_and_dates_follow_the_language() -> None:
    german = catalogues.language("de")
    words = Words(
        {
            "messages": {"{1} of {2} steps": "{1} von {2} Schritten", "Python 3.12": "Python 3.12"},
            "decimal": german.decimal,
            "group": german.group,
            "names": german.names,
        }
    )
    said = {
        text: words(text)
        for text in (
            "1,234.5",
            "0.25 ms",
            "\N{MINUS SIGN}0.5",
            "1.5 of 20 steps",
            "Python 3.12",
            "Oct 2024",
            "FP16",
            "1.2.3",
            "Load 0.5",
            r"$\mathdefault{0.25}$",
            "2026-11-24",
            "2.5e-3",
        )
    }
    assert list(said.values()) == [
        "1.234,5",
        "0,25 ms",
        "\N{MINUS SIGN}0,5",
        "1,5 von 20 Schritten",
        "Python 3.12",
        "Okt. 2024",
        "FP16",
        "1.2.3",
        "Load 0.5",
        r"$\mathdefault{0{,}25}$",
        "2026-11-24",
        "2.5e-3",
    ]
    assert list(words.asked) == ["{1} of {2} steps", "Python 3.12", "FP16", "Load {1}"]
    assert catalogues.language("ar").is_rtl and not catalogues.language("xx").is_rtl
    assert catalogues.unknown_places("a {1} b {x:.2f}", "{x} {2} {{y}}") == ["{2}"]
    assert template("{a} 3") == "{a} 3"


def test_a_line_of_a_text_is_no_message_and_a_label_that_is_part_of_it_is_one() -> None:
    title, words = "One lost message keeps a participant in doubt", Words({})
    with speaking(words):
        lines = wrapped(title, 120, 12)
        said = [words(text) for text in (*lines, "lost", "message")]
    assert len(lines) > 1 and said == [*lines, "lost", "message"]
    assert list(words.asked) == [title, "lost", "message"]


def test_labels_are_found_in_sources() -> None:
    sources = {
        "mermaid": "flowchart LR\n  %% a [note]\n"
        '  A[Parse it] -->|ok| B{"Any change?"}\n  B -- yes it did --> C([Draw])\n',
        "d2": "shape: circle\na: Web server {shape: cloud}\na -> b: asks it\n",
        "plantuml": "@startuml\ntitle A day\nA -> B : sends it\n:do work;\nskinparam x y\n@enduml\n",
        "wavedrom": "{signal: [{name: 'bus', wave: 'x.3', data: ['head', 'tail']}]}",
        "vega-lite": '{"title": "Load \\u0031", "mark": "bar", "encoding": {"x": {"field": "a", "title": "Time"}}}',
    }
    assert {name for name, kind in KINDS.items() if kind.translates == IN_SOURCE} == sources.keys()
    asked = {}
    for kind, text in sources.items():
        package = KINDS[kind].module.rpartition(".")[0]
        labels = import_module(f"{package}.source_labels").LABELS
        words = Words({"messages": {"Parse it": 'Lies "das"', "Time": "Zeit"}})
        said = source_words.translated(text, labels, words)
        asked[kind] = list(words.asked)
        assert said.count("\n") == text.count("\n")
        assert ("Lies \N{RIGHT DOUBLE QUOTATION MARK}das" in said, '"title": "Zeit"' in said) == (
            kind == "mermaid",
            kind == "vega-lite",
        )
    assert asked == {
        "mermaid": ["Parse it", "ok", "Any change?", "yes it did", "Draw"],
        "d2": ["Web server", "asks it"],
        "plantuml": ["A day", "sends it", "do work"],
        "wavedrom": ["bus", "head", "tail"],
        "vega-lite": ["Load {1}", "Time"],
    }
