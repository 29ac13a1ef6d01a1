"""Random edits of a small book: sources, questions, data, settings; broken and mended, renamed and removed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from helpers.book import DOT, HAND, Space

READER = """\
from pathlib import Path

import shade
from matplotlib.figure import Figure

from figmill import Drawing


def draw(n: int = 3) -> Drawing:
    figure = Figure(figsize=(2, 1))
    here = Path(__file__).parent
    extra = here / "data" / "extra.txt"
    word = extra.read_text().strip() if extra.exists() else "none"
    listed = len(list((here / "data").iterdir()))
    figure.text(0.1, 0.4, f"{shade.WORD} {word} {listed}")
    return Drawing(figure, facts={"n": n})
"""
SHOWN = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 50">'
    '<image href="tile.svg" width="40" height="40"/><text x="2" y="48" font-size="9">tile</text></svg>'
)
TILE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9" fill="#a00"/></svg>'
)


def seeded(space: Space) -> Space:
    """A book with a figure of each kind, a list, a reference, a picture in a picture, and a question without one."""
    space.write(
        {
            "visuals/a.dot": DOT,
            "visuals/b.dot": DOT.replace("sends", "asks"),
            "visuals/h.svg": HAND,
            "visuals/r.py": READER,
            "visuals/shade.py": "WORD = 'dark'\n",
            "visuals/data/one.txt": "1\n",
            "visuals/shown.svg": SHOWN,
            "visuals/tile.svg": TILE,
            "questions/list.yaml": "id: list\nvisuals:\n  - {name: x, source: a.dot, alt: one}\n"
            "  - {name: y, source: b.dot, alt: two}\n",
            "questions/none.yaml": "id: none\ntitle: Nothing to see\n",
            "questions/shows.yaml": "id: shows\ntitle: Again\nvisual: {ref: graph}\n",
        }
    )
    space.question("graph", "source: a.dot, alt: a graph")
    space.question("hand", "source: h.svg, alt: a rank")
    space.question("shown", "source: shown.svg, alt: a tile")
    return space.question("plot", "source: r.py, kind: matplotlib, alt: 'n is {n}', params: {n: 2}")


@dataclass
class Editor:
    """Makes one random edit after the other; each returns the paths that it touched."""

    space: Space
    random: Random
    ways: tuple[Callable[[Editor], set[Path]], ...] = ()  # of editing; empty: all
    number: int = 0
    kept: dict[str, bytes] = field(default_factory=dict)  # what was broken or removed, to be mended

    def edit(self) -> set[Path]:
        """One to three edits, as a save of several files makes them."""
        paths: set[Path] = set()
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            self.number += 1
            paths |= self.random.choice(self.ways or EDITS)(self)
        return paths

    def path(self, name: str) -> Path:
        return self.space.root / name

    def pick(self, *patterns: str) -> Path | None:
        paths = sorted(path for pattern in patterns for path in self.space.root.glob(pattern))
        return self.random.choice(paths) if paths else None

    def put(self, name: str, text: str | bytes) -> set[Path]:
        self.space.write({name: text})
        return {self.path(name)}


def _another_text(editor: Editor) -> set[Path]:
    name, text = editor.random.choice(
        [
            ("a.dot", DOT),
            ("b.dot", DOT),
            ("h.svg", HAND),
            ("shown.svg", SHOWN),
            ("tile.svg", TILE),
            ("r.py", READER),
        ]
    )
    word = f"v{editor.random.randrange(4)}"
    for old in ("sends", "Rank 0", ">tile<", "#a00", "0.1, 0.4"):
        new = {
            "#a00": f"#{editor.random.randrange(10)}00",
            ">tile<": f">{word}<",
            "0.1, 0.4": f"0.{word[1:]}, 0.4",
        }
        text = text.replace(old, new.get(old, word))
    return editor.put(f"visuals/{name}", text)


def _another_alt(editor: Editor) -> set[Path]:
    path = editor.pick("questions/*.yaml")
    if path is None:
        return set()
    data = path.read_bytes().replace(b"alt: ", b"alt: v%d " % editor.random.randrange(3), 1)
    lines = b"# a line more\n" if editor.random.random() < 0.3 else b""
    return editor.put(f"questions/{path.name}", lines + data)


def _another_title(editor: Editor) -> set[Path]:
    text = f"id: none\ntitle: Number {editor.number}\n"
    return editor.put("questions/none.yaml", text + editor.random.choice(("", "visaul: {source: a.dot}\n")))


def _break(editor: Editor) -> set[Path]:
    path = editor.pick("visuals/*", "questions/*.yaml")
    if path is None or path.is_dir():
        return set()
    name = path.relative_to(editor.space.root).as_posix()
    editor.kept.setdefault(name, path.read_bytes())
    half = path.read_bytes()[: editor.random.randrange(40)]
    return editor.put(name, editor.random.choice((b"", b"{[", half)))


def _mend(editor: Editor) -> set[Path]:
    paths: set[Path] = set()
    for name, data in editor.kept.items():
        paths |= editor.put(name, data)
    editor.kept.clear()
    return paths


def _remove(editor: Editor) -> set[Path]:
    path = editor.pick("visuals/*.*", "questions/*.yaml", "visuals/data/*")
    if path is None or len(list(editor.path("questions").iterdir())) < 3:
        return set()
    editor.kept.setdefault(path.relative_to(editor.space.root).as_posix(), path.read_bytes())
    path.unlink()
    return {path}


def _rename(editor: Editor) -> set[Path]:
    path = editor.pick("visuals/*.*", "questions/*.yaml")
    if path is None:
        return set()
    other = path.with_name(f"{editor.random.choice('mnst')}-{path.name[-12:]}")
    path.replace(other)
    return {path, other}


TWINS = (
    "id: graph\nvisual: {source: b.dot, alt: a twin}\n",
    "id: GRAPH\n",
    "id: list-x\nvisual: {source: b.dot, alt: b}\n",
    "id: twin\nvisual: {source: b.dot, alt: t, rendered: hand.svg}\n",
    "id: twin\nvisual: {ref: plot}\n",
)


def _same_id(editor: Editor) -> set[Path]:
    return editor.put("questions/twin.yaml", editor.random.choice(TWINS))


def _data(editor: Editor) -> set[Path]:
    name = editor.random.choice(("extra.txt", "one.txt", "two.txt"))
    return editor.put(f"visuals/data/{name}", f"{editor.random.randrange(3)}\n")


def _module(editor: Editor) -> set[Path]:
    return editor.put("visuals/shade.py", f"WORD = '{editor.random.choice(('dark', 'pale'))}'\n")


def _shadow(editor: Editor) -> set[Path]:
    """A file in the folder of a track comes before one of the same name above it."""
    path = editor.path("visuals/global")
    if path.exists() and editor.random.random() < 0.5:
        inside = set(path.iterdir())
        shutil.rmtree(path)
        return {path, *inside}
    return {path, *editor.put("visuals/global/a.dot", DOT.replace("sends", "shadows"))}


def _settings(editor: Editor) -> set[Path]:
    return editor.put(
        "figmill.toml",
        editor.random.choice(
            (
                "",
                'themes = ["light"]\n',
                "timeout = 50\n",
                "[lint]\nsmall-text = 'error'\n",
                "[limits]\nalt = 8\n",
            )
        ),
    )


def _output(editor: Editor) -> set[Path]:
    """Somebody damages an output."""
    path = editor.pick("build/global/*.svg", "build/*.json")
    if path is None:
        return set()
    if editor.random.random() < 0.5:
        path.unlink()
    else:
        path.write_bytes(b"nothing")
    return {path}


EDITS: tuple[Callable[[Editor], set[Path]], ...] = (
    _another_text,
    _another_text,
    _another_text,
    _another_alt,
    _another_alt,
    _another_title,
    _break,
    _mend,
    _mend,
    _remove,
    _rename,
    _same_id,
    _data,
    _data,
    _module,
    _shadow,
    _settings,
    _output,
)
# Most of them break nothing.
GENTLE = (_another_text, _another_text, _another_alt, _another_title, _data, _module)
