"""The tools of `figmill mcp`: each takes and returns plain values. Unaware of the protocol.

Whatever draws runs as a figmill command in a process of its own, so that a source has the limits and the sandbox of
every figure, and nothing that it prints reaches the protocol's stream. Only `write_question` writes, and only new
files or named old ones below questions/ and visuals/.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from figmill import config
from figmill.book.names import new_id_problem
from figmill.checks import levels_alone
from figmill.engine.load import look, requested
from figmill.engine.plan import target
from figmill.engine.request import Request
from figmill.errors import ToolError
from figmill.host import files
from figmill.host.lines import one_line
from figmill.kinds import KINDS, is_script
from figmill.lint.drawings import findings, lint_drawings, looked_at, sheet_of
from figmill.lint.mending import mend
from figmill.paths import this_python
from figmill.render.temp_dirs import Scratch
from figmill.report.json_ import lint_json
from figmill.store.disk import Disk
from figmill.svg import SvgError

LARGEST = 1_000_000  # characters of a source or a question
SECONDS = 300.0  # for one command
DRAFT = "draft"  # the id of a trial figure


def figures(root: Path) -> list[dict[str, Any]]:
    """Every figure of the book: id, name, kind, title, source, output and alt text."""
    options = config.load(root)
    request = Request()
    state = look(root, options, request)
    return [
        {
            "id": visual.id, "name": visual.name, "kind": visual.kind, "title": visual.title,
            "source": visual.source, "output": target(visual, options), "alt": visual.alt,
        }
        for visual in (step.visual for step in requested(state, request))
    ]  # fmt: skip


def schema(root: Path, source: str | None) -> dict[str, Any]:
    """The JSON Schema of a question, or of a generator's params."""
    return _json(root, "schema", *(() if source is None else ("--source", source)))


def facts(root: Path, id_: str) -> dict[str, Any]:
    """The numbers that a built figure states."""
    return _json(root, "facts", "--", id_)


def lint(root: Path | None, svg: str | None, ids: list[str]) -> dict[str, Any]:
    """The findings on one SVG, or on figures of the book (all of them without ids)."""
    if svg is not None:
        _require_short(svg)
        result: dict[str, Any] = json.loads(lint_json(lint_drawings([("drawing.svg", svg.encode())], {})))
        return result
    return _json(book_at(root), "lint", *(f"--id={id_}" for id_ in ids))


def fix(svg: str) -> dict[str, Any]:
    """The SVG, repaired without redrawing it; the changes; and what is left."""
    _require_short(svg)
    try:
        result = mend("drawing.svg", svg.encode())
    except SvgError as error:
        raise ToolError(f"the drawing is refused: {error}") from None
    left = [{"check": finding.check, "message": finding.message} for finding in result.left]
    return {"svg": result.svg.decode(), "changes": list(result.changes), "left": left}


def draw(source: str, kind: str, alt: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """A source as figmill would publish it: the light SVG with findings, or errors. Keeps nothing."""
    _require_short(source)
    if kind not in KINDS:
        raise ToolError(f"there is no kind '{one_line(kind)}'; choose one of {', '.join(KINDS)}")
    suffix = KINDS[kind].suffixes[0]
    with _draft(source, suffix, kind, alt, params) as book:
        scripts = ("--sandbox=require",) if is_script(f"a{suffix}") else ()
        built = _json(book, *scripts, fails=True)
        (figure,) = built["figures"]
        if figure.get("error"):
            return {"svg": None, "errors": figure.get("errors", [figure["error"]]), "findings": []}
        svg = (book / "build/global" / f"{DRAFT}.svg").read_text(encoding="utf-8")
        found = _json(book, "lint", *scripts, fails=True)["findings"]
    # what a page on a phone would show
    phone = [
        {"check": d.check, "message": d.message}
        for d in findings(DRAFT, svg.encode(), levels_alone({}))
        if d.check == "small-on-phone"
    ]
    kept = [{key: row[key] for key in ("check", "line", "message")} for row in found]
    return {"svg": svg, "errors": [], "findings": [*kept, *phone]}


def preview(root: Path | None, svg: str | None, id_: str | None) -> bytes:
    """A PNG of an SVG, or of a built figure of the book."""
    from PIL import Image

    from figmill.compare import pictures

    pictures.require()
    if svg is None:
        svg = _published(book_at(root), id_ or "")
    _require_short(svg)
    try:
        form, _ = looked_at(svg.encode(), sheet_of(frozenset()))
    except SvgError as error:
        raise ToolError(f"the drawing is refused: {error}") from None
    data = io.BytesIO()
    Image.fromarray(pictures.pixels(form.svg, "light", scale=pictures.scale(form.svg))).save(data, "PNG")
    return data.getvalue()


def diff(root: Path, against: str | None) -> dict[str, Any]:
    """What a build would change, figure by figure; against: a git commit to compare with."""
    more = () if against is None else (f"--against={against}",)
    return _json(root, "--check", *more, fails=True)


def write_question(
    root: Path, id_: str, question: str, source_name: str | None, source: str | None, replace: bool
) -> dict[str, Any]:
    """Write a question file, and its source if there is one. Returns the paths, and the findings on the figure."""
    problem = new_id_problem(id_)
    if problem:
        raise ToolError(f"id '{one_line(id_)}' {problem}")
    options = config.load(root)
    wanted = {f"{options.questions[0]}/{id_}.yaml": question}
    if source is not None:
        wanted[f"{options.visuals[0]}/{_bare(source_name or '')}"] = source
    for text in wanted.values():
        _require_short(text)
    disk = Disk(root)
    there = [path for path in wanted if os.path.lexists(root / path)]
    if there and not replace:
        raise ToolError(f"{there[0]} already exists; set replace to overwrite it")
    for path, text in wanted.items():
        if path in there:
            _rewrite(root, path, text.encode())
        else:
            disk.create(path, text.encode())
    return {"written": list(wanted), **_json(root, "lint", f"--id={id_}", fails=True)}


def _rewrite(root: Path, path: str, data: bytes) -> None:
    """Replace a regular file below its folder. Raises ToolError for a link, which may lead elsewhere."""
    place = root / path
    if os.path.realpath(place) != os.path.join(os.path.realpath(root), *PurePosixPath(path).parts):
        raise ToolError(f"{path} is a link, or is in a linked folder; figmill does not write there")
    if not files.rewrite(os.fspath(place), files.read(place, follow=False), data):
        raise ToolError(f"{path} has changed meanwhile; try again")


def _bare(name: str) -> str:
    """The name of a source. Raises ToolError unless it is a bare file name with a known suffix."""
    suffixes = {suffix for kind in KINDS.values() for suffix in kind.suffixes}
    is_plain = (
        name == PurePosixPath(name).name
        and not name.startswith(".")
        and name.isprintable()
        and "\\" not in name
    )
    if not is_plain or not name.endswith(tuple(suffixes)):
        raise ToolError(
            f"source_name '{one_line(name)}' must be a file name that ends in {', '.join(sorted(suffixes))}"
        )
    return name


@contextmanager
def _draft(source: str, suffix: str, kind: str, alt: str, params: Mapping[str, Any]) -> Iterator[Path]:
    """A temporary book with one figure."""
    with Scratch() as folder:
        book = Path(folder)
        disk = Disk(book)
        visual: dict[str, Any] = {"kind": kind, "source": f"{DRAFT}{suffix}", "alt": alt, "themes": ["light"]}
        if params:
            visual["params"] = dict(params)
        question = json.dumps({"id": DRAFT, "title": "Draft", "visual": visual}, indent=1)  # JSON is YAML
        for name, text in ((f"questions/{DRAFT}.yaml", question), (f"visuals/{DRAFT}{suffix}", source)):
            disk.create(name, text.encode())
        yield book


def _published(root: Path, id_: str) -> str:
    options = config.load(root)
    outputs = {row["id"]: row["output"] for row in figures(root)}
    if id_ not in outputs:
        raise ToolError(f"the book has no figure '{one_line(id_)}'")
    data = Disk(root, allowed=options.own_words).read(outputs[id_])
    if data is None:
        raise ToolError(f"{outputs[id_]} is not there; build the book first ({options.output}/)")
    return data.decode()


def book_at(root: Path | None) -> Path:
    """The book, if there is one. Raises ToolError."""
    if root is None:
        raise ToolError("there is no book here: start `figmill mcp` in one, or with --root; or pass an SVG")
    return root


def _require_short(text: str) -> None:
    if len(text) > LARGEST:
        raise ToolError(f"{len(text):,} characters; at most {LARGEST:,} are taken")


def _json(root: Path, *words: str, fails: bool = False) -> dict[str, Any]:
    """What a figmill command prints as JSON. fails: take the output whatever the exit code. Raises ToolError."""
    form = () if words[:1] in (("schema",), ("facts",)) else ("--format", "json")
    command = [this_python(), "-I", "-m", "figmill", "--root", str(root), *_formed(words, form)]
    try:
        ran = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise ToolError(f"it took longer than {SECONDS:g} s") from None
    try:
        result = json.loads(ran.stdout)
    except ValueError:
        result = None
    if not isinstance(result, dict) or (ran.returncode and not fails and "findings" not in result):
        raise ToolError(
            one_line(ran.stderr.decode("utf-8", "replace").strip()[-2000:]) or "figmill printed nothing"
        )
    return result


def _formed(words: tuple[str, ...], form: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments of a command with its format, which comes after the command's name."""
    is_command = bool(words) and not words[0].startswith("-")
    return (words[0], *form, *words[1:]) if is_command else (*form, *words)
