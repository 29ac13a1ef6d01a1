"""What a build tells: one line a figure and check, failures last, each with its figure; keys that are misspelt."""

from __future__ import annotations

import pytest
from helpers.book import DOT, Space

PALE = '<text x="{}" y="30" fill="#b8bcc2">pale {}</text>'
WORDS = "\n".join(PALE.format(10 + 40 * n, n) for n in range(5))
PALE_PICTURE = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200" font-size="12">\n{WORDS}\n</svg>\n'
)


@pytest.fixture
def pale(space: Space) -> Space:
    """A figure with ten findings of one check, one that fails, and one that is well."""
    space.write(
        {"visuals/pale.svg": PALE_PICTURE, "visuals/a.dot": DOT, "visuals/bad.dot": "digraph { a -> }\n"}
    )
    space.question("pale", "source: pale.svg, alt: five pale words in a row")
    space.question("broken", "source: bad.dot, alt: a graph that ends too early")
    return space.question("well", "source: a.dot, alt: a graph of three nodes")


def test_one_line_a_figure_and_check_then_the_failures(pale: Space) -> None:
    done = pale.run()
    first, last = done.err.splitlines()
    assert first.startswith("visuals/pale.svg:2: ") and first.endswith("[contrast] (+4 more, with --verbose)")
    assert last.startswith("visuals/bad.dot:1:13: ") and last.endswith(" (broken)")
    verbose = pale.run("--verbose").err.splitlines()
    assert [line.split(": ")[0] for line in verbose] == [
        *(f"visuals/pale.svg:{n}" for n in range(2, 7)),
        "visuals/bad.dot:1:13",
    ]
    lint = pale.run("lint", "--id", "pale").out.splitlines()
    assert len([line for line in lint[:-1] if "[contrast]" in line]) == 1
    assert lint[-1].startswith("1 figure: 5 contrast")


def test_the_fast_answer_tells_the_same_lines(pale: Space) -> None:
    (pale.root / "questions/broken.yaml").unlink()
    first, again, explained = pale.run(), pale.run(), pale.run("--explain")
    assert again.out == "2 figures, all fresh\n"
    assert first.err == again.err == explained.err != ""


def test_a_line_names_the_figures_of_its_source(space: Space) -> None:
    space.write({"visuals/bad.py": "def draw(n: int = 1):\n    return 1 / 0\n"})
    for n in range(5):
        space.question(f"f{n}", f"kind: dot, source: bad.py, params: {{n: {n}}}, alt: a line of points")
    line = space.run().err.splitlines()[0]
    assert line == "visuals/bad.py:2: ZeroDivisionError: division by zero (f0, f1, f2 and 2 more)"
    github = space.run("--format", "github", "--id", "f3").out.splitlines()[0]
    assert "division by zero (f3)" in github
    run = space.run("--format", "sarif", "--id", "f3").json["runs"][0]
    assert run["results"][0]["locations"][0]["logicalLocations"] == [{"name": "f3"}]


def test_warnings_in_json_are_objects_as_errors_are(pale: Space) -> None:
    rows = {row["id"]: row for row in pale.run("--format", "json").json["figures"]}
    warnings = rows["pale"]["warnings"]
    assert len(warnings) == 5
    assert {"file": "visuals/pale.svg", "line": 2, "column": None, "check": "contrast"}.items() <= warnings[
        0
    ].items()
    assert rows["broken"]["error"].keys() < warnings[0].keys()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("visaul: {source: a.dot, alt: three nodes}", "visual"),
        ("Visual: {alt: three nodes}", "visual"),
        ("visauls: [{name: b, source: a.dot, alt: three nodes}]", "visuals"),
        ("figure: {source: a.dot, alt: three nodes}", "visual"),
        ("figures: [{name: b, path: sub/a.svg, alt: three nodes}]", "visuals"),
        ("diagram: {kind: dot, alt: three nodes}", "visual"),
        ("figure: {source: photo.jpg, alt: a face}", None),  # the book's own
        ("figure: 3", None),
        ("image: https://example.org/a.svg", None),
        ("figure: {src: a.svg}", None),
        ("visual: {source: a.dot, alt: three nodes}\nfigure: {source: a.dot}", None),
        ("visual: null\nvisaul: {source: a.dot}", None),
    ],
)
def test_a_key_that_is_almost_visual_is_told_by_every_build(
    space: Space, text: str, meant: str | None
) -> None:
    space.write({"visuals/a.dot": DOT, "questions/q.yaml": f"id: q\ntitle: Three nodes\n{text}\n"})
    key = text.partition(":")[0]
    said = f"questions/q.yaml:3:1: figmill has no key '{key}', so it draws nothing; did you mean '{meant}'? "
    first, second = space.run(), space.run()
    assert first.code == second.code == 0
    if meant is None:
        assert "figmill has no key" not in first.err + second.err
        assert space.run("--strict").code == 0
        return
    assert first.err == second.err == f"{said}[misspelled-key]\n"
    assert space.run("--check").err == first.err
    assert space.run("--format", "json").json["warnings"][0]["id"] == "q"
    for arguments in (["--strict"], ["--strict", "--check"], ["--strict", "--force"]):
        strict = space.run(*arguments)
        assert strict.code == 1 and said in strict.err, arguments
    assert space.run("--id", "q").err == first.err
    space.write({"figmill.toml": '[lint]\nmisspelled-key = "off"\n'})
    assert (space.run("--strict").code, space.run().err) == (0, "")
    space.write({"figmill.toml": '[lint]\nmisspelled-key = "error"\n'})
    assert space.run().code == space.run().code == 1


def test_a_build_with_strict_is_judged_by_the_book_alone(pale: Space) -> None:
    (pale.root / "questions/broken.yaml").unlink()
    assert pale.run().code == 0
    for arguments in (
        [],
        ["--force"],
        ["--check"],
        ["--dry-run"],
        ["--explain"],
        ["--id", "pale"],
        ["--quiet"],
    ):
        assert pale.run("--strict", *arguments).code == 1, arguments
    assert pale.run("--strict", "--id", "well").code == 0
    assert pale.run().code == 0


def test_options_before_a_command_count_for_it(pale: Space) -> None:
    assert pale.run("--id", "well", "show").out.split()[0] == "well"
    assert len(pale.run("--id", "p*", "--id", "well", "show").out.splitlines()) == 2
    assert pale.run("show", "--id", "well").out == pale.run("--id", "well", "show").out
    assert len(pale.run("show").out.splitlines()) == 3
    assert pale.run("--format", "json", "--id", "well", "lint").json["summary"]["figures"] == 1
    pale.run()
    (pale.root / "questions/well.yaml").unlink()
    pale.run()
    assert "would remove  build/global/well.svg" in pale.run("--dry-run", "clean").out
    assert (pale.root / "build/global/well.svg").exists()
    wrong = pale.run("--force", "clean")
    assert wrong.code == 2 and "--force does not go with `clean`" in wrong.err
    assert (pale.root / "build/global/well.svg").exists()


def test_a_folder_of_questions_that_is_not_there_is_no_empty_book(built_book: Space) -> None:
    before = built_book.outputs()
    built_book.write({"figmill.toml": 'timeout = 9\nquestions = "q"\n'})
    message = "figmill.toml:2: questions: there is no folder 'q' in the book; name the one with the questions"
    for command in ([], ["clean"], ["lint"], ["show"], ["--check"], ["--root", str(built_book.root)]):
        done = built_book.run(*command)
        assert (done.code, done.err) == (2, f"figmill: {message}\n"), command
    assert built_book.outputs() == before
    built_book.write({"figmill.toml": 'questions = ["questions", "more"]\n'})
    assert "there is no folder 'more'" in built_book.run("clean").err
    (built_book.root / "figmill.toml").unlink()
    (built_book.root / "questions").rename(built_book.root / "elsewhere")
    done = built_book.run("--root", str(built_book.root), "clean")
    assert done.code == 2 and "there is no questions/ in " in done.err
    assert built_book.outputs() == before


def test_new_begins_a_book_where_the_settings_name_a_folder(space: Space) -> None:
    space.write({"figmill.toml": 'questions = "q"\n'})
    assert space.run("--root", str(space.root), "new", "a", "--kind", "svg").code == 0
    assert (space.root / "q/a.yaml").exists()
    assert space.run().code == 0
