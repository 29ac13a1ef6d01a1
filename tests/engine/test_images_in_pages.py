"""Images of pages, built: one figure for a file and an alt text, wherever it is shown; a page changes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from helpers.book import Space

from figmill import config
from figmill.engine.resident.builder import Resident

DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60" viewBox="0 0 120 60">'
    '<rect x="2" y="2" width="116" height="56" fill="#eef" stroke="#224"/>'
    '<text x="60" y="35" text-anchor="middle" font-size="14">{}</text></svg>'
)
PAGE = """\
# Jobs

![A queue of {{jobs}}](img/queue.svg)

![Workers that wait](img/workers.svg) and ![](img/no-words_at-all.svg)
"""


@pytest.fixture
def shown(space: Space) -> Space:
    return space.write(
        {
            "figmill.toml": 'images = ["svg"]\n',
            "docs/index.md": PAGE,
            "docs/more/again.md": "---\nlang: en\n---\n![A *queue* of {{jobs}}](../img/queue.svg)\n",
            "docs/img/queue.svg": DRAWING.format("queue"),
            "docs/img/no-words_at-all.svg": DRAWING.format("").replace("120", "90"),
        }
    )


def alts(space: Space) -> Mapping[str, str]:
    return {
        f"{row['source'].rpartition('/')[2]} {row['id']}": row["alt"]
        for row in json.loads(space.read("build/manifest.json"))["figures"]
    }


def test_an_image_is_one_figure_for_each_alt_text(shown: Space) -> None:
    assert shown.run().code == 0
    built = alts(shown)
    assert sorted(built.values()) == ["A queue of {{jobs}}", "no words at all"]
    again = shown.run("--format", "json").json
    assert {row["status"] for row in again["figures"]} == {"fresh"}
    shown.write({"docs/more/again.md": "![Another queue](../img/queue.svg)\n"})
    assert shown.run().code == 0
    assert alts(shown).items() > built.items() and "Another queue" in alts(shown).values()
    # a page that says something else leaves nothing behind
    shown.write({"docs/more/again.md": "No image\n"})
    assert "orphan" not in shown.run().out and alts(shown) == built


def test_a_file_that_comes_later_and_one_that_changes_are_noticed(shown: Space) -> None:
    shown.run()
    shown.write({"docs/img/workers.svg": DRAWING.format("workers")})
    assert "Workers that wait" in (shown.run(), alts(shown).values())[1]
    shown.write({"docs/img/workers.svg": DRAWING.format("loafers")})
    ran = shown.run()
    assert "1 rendered, 2 fresh" in ran.out
    (shown.root / "docs/img/workers.svg").unlink()
    assert shown.run().code == 0 and "Workers that wait" not in alts(shown).values()


def test_an_image_that_is_refused_is_a_finding_with_its_own_level(shown: Space) -> None:
    shown.write({"docs/img/workers.svg": DRAWING.format("w").replace("<rect", "<rect onclick='w()'")})
    ran = shown.run()
    assert ran.code == 0 and "3 figures, 2 rendered, 1 left" in ran.out
    assert "docs/img/workers.svg:1:" in ran.err and "is an event handler; remove it [image-left]" in ran.err
    assert shown.run("--strict").code == 1
    settings = shown.read("figmill.toml")
    for level, code, says in (("note", 0, False), ("error", 1, True)):
        shown.write({"figmill.toml": f'{settings}[lint]\nimage-left = "{level}"\n'})
        ran = shown.run()
        assert (ran.code, "event handler" in ran.err) == (code, says), ran


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ('["svg", "xyz"]', "figmill.toml:1: images: figmill draws no files that end in .xyz"),
        ('["*.svg"]', 'must be a list of suffixes, like ["svg", "png"]'),
    ],
)
def test_a_wrong_suffix_is_an_error_at_its_line(shown: Space, images: str, message: str) -> None:
    shown.write({"figmill.toml": f"images = {images}\n"})
    ran = shown.run()
    assert ran.code == 2 and message in ran.err


def test_images_outside_the_book_and_hidden_ones_stay_images(shown: Space) -> None:
    hidden = "![Out](../../x.svg) ![Hidden](.secret/x.svg) ![Far](https://example.org/x.svg) ![One](img/q.svg#dark)\n"
    shown.write({"docs/index.md": hidden, "docs/.secret/x.svg": DRAWING.format("x")})
    ran = shown.run()
    assert (
        ran.code == 0
        and "docs/index.md:1:21: 'docs/.secret/x.svg' is hidden by the name '.secret'" in ran.err
    )
    assert ran.err.count("[image-left]") == 1 and len(alts(shown)) == 1


def test_a_resident_book_says_what_a_new_look_would(shown: Space) -> None:
    steps = [
        ("docs/index.md", "\n\n" + PAGE),
        ("docs/img/workers.svg", DRAWING.format("workers")),
        ("docs/index.md", PAGE.replace("Workers", "All workers")),
        ("docs/more/again.md", "![A queue of {{jobs}}](../img/queue.svg)\n\nText\n"),
        ("docs/img/queue.svg", DRAWING.format("line")),
    ]
    with Resident(shown.root, lambda: config.load(shown.root)) as resident:
        resident.update()
        for name, text in steps:
            shown.write({name: text})
            resident.update([shown.root / name])
            while resident.rest() is not None:
                pass
            kept = shown.read("build/manifest.json")
            shown.run("--quiet")
            assert shown.read("build/manifest.json") == kept, name
