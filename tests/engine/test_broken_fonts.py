"""Fonts that the settings name and that cannot be read: one line at the settings, whatever they do to their readers."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from helpers.book import DOT, Space

from figmill.config import Options
from figmill.engine import fonts
from figmill.engine.prestart import likely
from figmill.fastpath import look
from figmill.kind import typefaces
from figmill.publish import book_fonts

SOUND = (typefaces.FOLDER / "Arimo-Regular.ttf").read_bytes()
SETTINGS = 'themes = ["light"]\nfonts = [\n  "fonts/good.ttf",\n  "fonts/bad.ttf",\n]\n'


def with_table(
    tag: bytes, offset: int | None = None, length: int | None = None, name: bytes | None = None
) -> bytes:
    """A sound font with another row for one of its tables."""
    data = bytearray(SOUND)
    row = next(at for at in range(12, 400, 16) if data[at : at + 4] == tag)
    data[row : row + 4] = name or tag
    for at, value in ((row + 8, offset), (row + 12, length)):
        if value is not None:
            data[at : at + 4] = struct.pack(">I", value)
    return bytes(data)


BROKEN = {
    "no font": b"words",
    "nothing": b"",
    "cut short": SOUND[:5000],
    "no header": with_table(b"head", name=b"haed"),
    "no widths": with_table(b"hmtx", length=10),
    "no places of glyphs": with_table(b"loca", name=b"lcoa"),
    "letters beyond the end": with_table(b"cmap", offset=0x7FFFFFFF),
    "a table of 4 GB": with_table(b"cmap", length=0xFFFFFFFF),
}


@pytest.fixture
def book(space: Space) -> Space:
    space.write({"figmill.toml": SETTINGS, "fonts/good.ttf": SOUND, "visuals/a.dot": DOT})
    return space.question("a", "source: a.dot, alt: What it shows")


def test_a_broken_font_is_one_line_at_the_settings(book: Space) -> None:
    book.write({"fonts/bad.ttf": BROKEN["no places of glyphs"]})
    done = book.run()
    (line,) = done.err.splitlines()
    assert line.startswith("figmill: figmill.toml:4: fonts: 'fonts/bad.ttf' is a broken font: ")
    assert line.endswith("; replace it with a valid one")
    assert (done.code, done.out) == (2, "")


def test_a_font_that_is_none_is_told_at_its_line(book: Space) -> None:
    done = book.run()
    assert done.code == 2
    assert "figmill.toml:4: fonts: 'fonts/bad.ttf' is not a font file of the book; name a .ttf" in done.err


def test_every_broken_font_is_told(tmp_path: Path) -> None:
    paths = tuple(tmp_path / f"{number}.ttf" for number in range(len(BROKEN)))
    for path, data in zip(paths, BROKEN.values(), strict=True):
        path.write_bytes(data)
    faults = fonts._faults("a digest", paths, tmp_path, "auto")
    assert all(faults), dict(zip(BROKEN, faults, strict=True))
    assert not any("itself" in words or "Traceback" in words for words in faults)


def test_a_font_that_ends_its_reader_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bomb, or a crash of FreeType: the process has limits, and the build goes on to tell."""
    (tmp_path / "x.ttf").write_bytes(SOUND)
    monkeypatch.setattr(book_fonts, "MEMORY", 1 << 20)
    (words,) = fonts._faults("another digest", (tmp_path / "x.ttf",), tmp_path, "auto")
    assert words.startswith("it could not be opened in 60 s and ")


def test_known_fonts_are_not_opened_again(book: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    book.write({"fonts/bad.ttf": SOUND})
    options = Options(fonts=("fonts/good.ttf", "fonts/bad.ttf"))
    paths = tuple(book.root / name for name in options.fonts)
    seen = look(str(book.root), options.folders)
    assert not fonts.are_known(paths, book.root)
    assert likely(book.root, options, seen) is None  # no process is to load them unseen
    assert book.run().code == 0
    assert fonts.are_known(paths, book.root)
    assert likely(book.root, options, seen, force=True) is not None
    monkeypatch.setattr(fonts, "_faults", None)
    assert fonts.with_fonts(options, book.root).fonts == tuple(map(str, paths))
