"""The resident builder: one change after the other, with the bytes and words of a build from nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.book import DOT, CopyOf, Space

from figmill import config
from figmill.engine.resident.builder import Resident
from figmill.engine.resident.views import InterruptedRenderError, ViewStatus

CHART = """\
from figmill import Drawing


def draw(n: int = 3):
    return Drawing(f"digraph {{ Latency -> n{n} }}", facts={"points": n})
"""


def graph_and_chart(space: Space) -> Space:
    space.write({"visuals/a.dot": DOT, "visuals/p.py": CHART})
    space.question("graph", "source: a.dot, alt: a graph")
    return space.question(
        "plot",
        "source: p.py, kind: dot, alt: '{points} points', params: {n: 4}, expect: {facts: {points: 4}}",
    )


@pytest.fixture
def book(copy_of: CopyOf) -> Space:
    """Two figures, built."""
    return copy_of(graph_and_chart)


@pytest.fixture
def resident(book: Space) -> Iterator[Resident]:
    with Resident(book.root, lambda: config.load(book.root)) as resident:
        yield resident


def test_an_update_tells_what_it_looked_at(book: Space, resident: Resident) -> None:
    for folder in ("build", ".figmill"):
        shutil.rmtree(book.root / folder)
    assert {row.id: row.status for row in resident.update().looked_at} == {
        "graph": "rendered",
        "plot": "rendered",
    }
    book.write({"visuals/a.dot": DOT.replace("sends", "waits")})
    found = resident.update([book.root / "visuals/a.dot"])
    assert [(row.id, row.status, row.reasons) for row in found.looked_at] == [
        ("graph", "rendered", ("visuals/a.dot",))
    ]
    assert ">waits</text>" in book.read("build/global/graph.svg")
    assert resident.update([]).looked_at == ()
    Path(book.root / "questions/plot.yaml").unlink()
    assert resident.update().removed == ("plot",)
    assert [*resident.figures()] == ["graph"]


def test_a_figure_whose_question_is_broken_leaves_the_pages_with_its_last_output(
    book: Space, resident: Resident
) -> None:
    resident.update()
    question, output = book.root / "questions/graph.yaml", book.root / "build/global/graph.svg"
    question.write_text("visual: {")
    resident.update([question])
    assert '"graph"' in book.read("build/manifest.json")
    output.unlink()
    resident.update([output])
    assert '"graph"' not in book.read("build/manifest.json")


def test_two_questions_in_one_change_are_both_taken_in(book: Space, resident: Resident) -> None:
    resident.update()
    book.question("graph", "source: a.dot, alt: another alt text")
    book.write({"questions/plot.yaml": book.read("questions/plot.yaml").replace("id: plot", "id: chart")})
    resident.update([book.root / "questions/graph.yaml", book.root / "questions/plot.yaml"])
    assert "another alt text" in book.read("build/global/graph.svg")
    assert '"chart"' in book.read("build/manifest.json")


def test_a_drawing_is_tried_again_when_the_picture_that_it_lacks_comes(
    book: Space, resident: Resident
) -> None:
    shown = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'
    book.write({"visuals/shown.svg": shown.format('<image href="tile.svg" width="9" height="9"/>')})
    book.question("shown", "source: shown.svg, alt: a tile")
    assert resident.update().report.counts["failed"] == 1
    book.write({"visuals/tile.svg": shown.format('<rect width="9" height="9" fill="#cfe2f3"/>')})
    assert "failed" not in resident.update([book.root / "visuals/tile.svg"]).report.counts


def test_a_page_and_an_orphan_that_are_removed_by_hand_are_noticed(book: Space, resident: Resident) -> None:
    resident.update()
    question, output = book.root / "questions/graph.yaml", book.root / "build/global/graph.svg"
    question.unlink()
    assert "build/global/graph.svg" in resident.update([question]).report.orphans
    output.unlink()
    assert "build/global/graph.svg" not in resident.update([output]).report.orphans
    manifest = book.root / "build/manifest.json"
    manifest.unlink()
    resident.update([manifest])
    assert manifest.is_file()


def test_a_newer_change_goes_before_what_tells_of_all_figures(book: Space, resident: Resident) -> None:
    resident.update()
    before = book.read("build/manifest.json")
    resident.has_news = lambda: True
    for word in ("waits", "stops"):
        book.write({"visuals/a.dot": DOT.replace("sends", word)})
        resident.update([book.root / "visuals/a.dot"])
        assert f">{word}</text>" in book.read("build/global/graph.svg")
        assert book.read("build/manifest.json") == before
    resident.has_news = lambda: False
    assert resident.update([]).looked_at == ()  # the newer change was none
    told = {
        name: digest_of(book.root / "build" / name) for name in ("global/graph.svg", "global/graph.dark.svg")
    }
    assert all(digest in book.read("build/manifest.json") for digest in told.values())


@pytest.mark.parametrize("end", ["close", "rest", "time"])
def test_what_tells_of_all_figures_is_never_left_out(book: Space, end: str) -> None:
    with Resident(book.root, lambda: config.load(book.root)) as resident:
        resident.update()
        resident.has_news = lambda: True
        book.write({"visuals/a.dot": DOT.replace("sends", "waits")})
        resident.update([book.root / "visuals/a.dot"])
        if end == "rest":
            resident.has_news = lambda: False
            resident.rest()
        if end == "time":  # a change a moment, for a long time
            time.sleep(1.1)
            book.write({"visuals/p.py": CHART.replace("Latency", "Length")})
            resident.update([book.root / "visuals/p.py"])
        if end != "close":
            assert digest_of(book.root / "build/global/graph.svg") in book.read("build/manifest.json")
    assert digest_of(book.root / "build/global/graph.svg") in book.read("build/manifest.json")
    assert book.run("--check").code == 0


def test_who_edits_a_script_sees_one_picture_before_all_that_readers_turn_to(
    book: Space, resident: Resident
) -> None:
    book.question("a-turned", "source: p.py, kind: dot, alt: a plot, params: {n: 2}, explore: {n: [2, 3, 4]}")
    resident.update()
    old = book.read("build/global/a-turned.svg")
    resident.has_news = lambda: True
    book.write({"visuals/p.py": CHART.replace("Latency", "Length")})
    found = resident.update([book.root / "visuals/p.py"])
    assert [row.id for row in found.looked_at] == ["plot"] and not found.removed
    assert found.report.code == 0 and len(found.report.rows) == 3
    assert "Length" in book.read("build/global/plot.svg")
    assert book.read("build/global/a-turned.svg") == old
    assert resident.figures()["a-turned"].status == ViewStatus.STALE
    resident.has_news = lambda: False
    found = resident.update([])  # what was newer was none
    assert [(row.id, row.status) for row in found.looked_at] == [("a-turned", "rendered")]
    assert all("Length" in path.read_text() for path in book.root.glob("build/global/a-turned/*.svg"))
    assert book.run("--check").code == 0


def test_who_closes_does_not_wait_for_a_render(book: Space) -> None:
    book.write(
        {
            "visuals/p.py": "import time\n"
            + CHART.replace("    return", "    time.sleep(n if n > 9 else 0)\n    return")
        }
    )
    with Resident(book.root, lambda: config.load(book.root)) as resident:
        resident.update()
        ended: list[str] = []

        def turn() -> None:
            try:
                resident.what_if("plot", {"n": 50})
            except InterruptedRenderError:
                ended.append("interrupted")

        thread = threading.Thread(target=turn)
        with resident._lock:  # it waits for something else, and has not begun when it is told to end
            thread.start()
            time.sleep(0.2)
            resident.interrupt()
        time.sleep(0.5)
        began = time.monotonic()
    thread.join(20)
    assert ended == ["interrupted"] and time.monotonic() - began < 15


def digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_figures_are_seen_with_their_errors(book: Space, resident: Resident) -> None:
    resident.update()
    seen = resident.figures()["graph"]
    assert (seen.status, str(seen.at), seen.source) == (
        ViewStatus.CURRENT,
        "questions/graph.yaml:4:9",
        "visuals/a.dot",
    )
    assert seen.published is not None and seen.published.alt == "a graph"
    book.write(
        {
            "visuals/a.dot": "digraph {\n  a -> -> b\n}\n",
            "questions/plot.yaml": "id: plot\nvisual: {alt: 1}\n",
        }
    )
    resident.update()
    views = resident.figures()
    assert (
        views["graph"].status == ViewStatus.FAILED
        and str(views["graph"].errors[0].origin) == "visuals/a.dot:2:5"
    )
    assert views["graph"].published is not None  # the last good picture
    assert views["plot"].status == ViewStatus.FAILED and views["plot"].errors


def test_other_parameters_are_drawn_and_not_published(book: Space, resident: Resident) -> None:
    resident.update()
    before = book.outputs()
    found = resident.what_if("plot", {"n": 7})
    assert (
        found.settled is not None and found.settled.facts["points"] == 7 and found.settled.alt == "7 points"
    )
    assert [page.theme for page in found.settled.pages] == ["light", "dark"]
    assert [error.message for error in found.unmet] == ["points: expected 4, drawn 7, tolerance 0.004"]
    wrong = resident.what_if("plot", {"m": 7})
    assert wrong.settled is None and "m" in wrong.errors[0].message
    assert book.outputs() == before and resident.update().looked_at == ()


SLOW = """\
import time

from matplotlib.figure import Figure


def draw(n: int = 0):
    time.sleep(n)
    figure = Figure(figsize=(1, 1))
    figure.text(0.5, 0.5, "done")
    return figure
"""


def test_a_picture_without_a_fact_of_its_words_is_shown_all_the_same(book: Space, resident: Resident) -> None:
    book.write({"visuals/p.py": CHART.replace('"points": n', '**({"points": n} if n < 9 else {})')})
    resident.update()
    found = resident.what_if("plot", {"n": 12})
    assert found.settled is not None and found.settled.alt == "{points} points"
    assert ["points" in error.message for error in found.unmet] == [True, True]
    assert str(found.unmet[0].origin).startswith("questions/plot.yaml:4:")


def test_a_render_under_way_is_ended_from_another_thread(book: Space, resident: Resident) -> None:
    book.write({"visuals/slow.py": SLOW}).question("slow", "source: slow.py, kind: matplotlib, alt: slow")
    resident.update()
    began = time.monotonic()
    threading.Timer(0.5, resident.interrupt).start()
    with pytest.raises(InterruptedRenderError):
        resident.what_if("slow", {"n": 40})
    assert time.monotonic() - began < 20
    found = resident.what_if("slow", {"n": 0})
    assert found.settled is not None and b">done<" in found.settled.pages[0].svg


def test_processes_serve_one_update_after_the_other(book: Space, resident: Resident) -> None:
    resident.update()
    book.write({"visuals/a.dot": DOT.replace("sends", "first")})
    resident.update([book.root / "visuals/a.dot"])
    before = below(os.getpid())
    for word in ("waits", "asks", "tells"):
        book.write({"visuals/a.dot": DOT.replace("sends", word)})
        resident.update([book.root / "visuals/a.dot"])
        assert below(os.getpid()) == before  # neither one more, nor another in its place


def below(pid: int) -> set[int]:
    """The processes below one."""
    lists = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    children = {int(child) for text in lists for child in text.split()}
    return children.union(*map(below, children))


def test_another_build_meanwhile_is_noticed(book: Space, resident: Resident) -> None:
    resident.update()
    book.write({"visuals/a.dot": DOT.replace("sends", "waits")})
    assert book.run().code == 0
    book.question("graph", "source: a.dot, alt: another text")
    resident.update([book.root / "questions/graph.yaml"])
    assert ">waits</text>" in book.read("build/global/graph.svg")
    assert book.run("--check").code == 0


def test_what_rests_leaves_the_record_for_the_next_build(book: Space, resident: Resident) -> None:
    resident.update()
    time.sleep(0.3)
    assert resident.rest() is None
    stamps = book.stamps()
    assert book.run().out == "2 figures, all fresh\n" and book.stamps() == stamps
    (book.root / "build/global/graph.svg").write_bytes(b"damaged")
    book.question("plot", "source: p.py, kind: dot, alt: '{points} points', params: {n: 5}")
    resident.update([book.root / "questions/plot.yaml"])
    found = resident.rest()  # nobody has told of the damage
    assert found is not None and [row.id for row in found.looked_at] == ["graph"]
    assert book.read("build/global/graph.svg").startswith("<svg")


def test_a_failure_that_is_undone_is_forgotten(book: Space, resident: Resident) -> None:
    resident.update()
    before = book.records() | {"inputs": {}}
    for text in ("digraph {\n  a -> -> b\n}\n", DOT):
        book.write({"visuals/a.dot": text})
        resident.update([book.root / "visuals/a.dot"])
    assert book.records() | {"inputs": {}} == before  # groups that are not used go later


def test_an_edit_of_a_file_with_facts_settles_their_figure(book: Space, resident: Resident) -> None:
    book.write({"visuals/runs.csv": "mean\n1\n"})
    book.question("graph", "source: a.dot, alt: '{mean}', facts: {mean: 'runs.csv#mean'}")
    resident.update()
    book.write({"visuals/runs.csv": "mean\nnone\nmore\n"})
    assert resident.update([book.root / "visuals/runs.csv"]).report.counts["failed"] == 1
    book.write({"visuals/runs.csv": "mean\n2\n"})
    found = resident.update([book.root / "visuals/runs.csv"])
    assert [(row.id, row.status) for row in found.looked_at] == [("graph", "rendered")]
    assert '"mean": 2' in book.read("build/manifest.json")
