"""The tools of `figmill mcp`: each takes and returns plain values. Unaware of the protocol.

Whatever draws runs as a figmill command in a process of its own, so that a source has the limits and the sandbox of
every figure, and nothing that it prints reaches the protocol's stream. A script runs in the sandbox or not at all,
because an agent may have written it. An SVG is read in a process with a figure's limits. Only `write_question` writes,
and only new files or named old ones below questions/ and visuals/.
"""

from __future__ import annotations

import glob
import io
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from figmill import config
from figmill.book.names import new_id_problem
from figmill.book.question import read as read_question
from figmill.config import Options
from figmill.engine.load import look
from figmill.engine.plan import target
from figmill.errors import AuthorError, ToolError
from figmill.host import files
from figmill.host.lines import one_line
from figmill.house_style import NONE, Style
from figmill.kind.job import Raw
from figmill.kinds import KINDS, is_script
from figmill.lint.drawings import lint_drawings, looked_at, sheet_of
from figmill.lint.mending import mend
from figmill.lint.receipt import receipt
from figmill.paths import this_python
from figmill.render.pool import Pool
from figmill.render.results import Drawn, FollowUp, FollowUpAnswer
from figmill.render.temp_dirs import Scratch
from figmill.report.json_ import lint_json
from figmill.store.disk import Disk
from figmill.svg import SvgError

Styled: TypeAlias = tuple[Style, Mapping[str, str]]

LARGEST = 1_000_000  # characters of a source or a question
SECONDS = 300.0  # for one command
LIMITS = Options()  # time and memory for an SVG: those of a figure
DRAFT = "draft"  # the id of a trial figure
LONGEST_WORD, LONGEST_LINE = 4_000, 100_000  # characters of an argument, and of all; Linux takes 128 KiB
PHONES = '[lint]\nsmall-on-phone = "warn"\n'  # the settings of a trial: what a page on a phone would show


def figures(root: Path) -> list[dict[str, Any]]:
    """Every figure of the book: id, name, kind, title, source, output and alt text."""
    options = config.load(root)
    state = look(root, options)
    return [
        {
            "id": visual.id,
            "name": visual.name,
            "kind": visual.kind,
            "title": visual.title,
            "source": visual.source,
            "output": target(visual, options),
            "alt": visual.alt,
        }
        for visual in (step.visual for step in state.requested)
    ]


def schema(root: Path, source: str | None) -> dict[str, Any]:
    """The JSON Schema of a question, or of a generator's params."""
    return _json(root, "schema", *(() if source is None else ("--source", source)))


def facts(root: Path, id_: str) -> dict[str, Any]:
    """The numbers that a built figure states."""
    return _json(root, "facts", "--", id_)


def layout(root: Path | None, svg: str | None, id_: str | None) -> dict[str, Any]:
    """The receipt of an SVG, or of a built figure of the book."""
    if svg is None:
        return _json(book_at(root), "facts", "--layout", "--", id_ or "")
    _, receipt_ = _in_child(partial(_received, style=_style(root)), svg)
    result: dict[str, Any] = json.loads(receipt_)
    return result


def claims(root: Path, files: list[str]) -> dict[str, Any]:
    """The numbers in texts about figures, each with its verdict. files: paths in the book; empty: all."""
    return _json(root, "claims", "--", *(str(root / name) for name in files), fails=True)


def lint(root: Path | None, svg: str | None, ids: list[str]) -> dict[str, Any]:
    """The findings on one SVG, or on figures of the book (all of them without ids)."""
    if svg is not None:
        result: dict[str, Any] = json.loads(_in_child(partial(_judged, style=_style(root)), svg)[1])
        return result
    return _drawn(book_at(root), "lint", ids=ids)


def fix(svg: str) -> dict[str, Any]:
    """The SVG, repaired without redrawing it; the changes; and what is left."""
    header, mended = _in_child(_mended, svg)
    return {"svg": mended.decode(), **header}


def draw(source: str, kind: str, alt: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """A source as figmill would publish it: the light SVG with findings, or errors. Keeps nothing."""
    _require_fit(source)
    if kind not in KINDS:
        raise ToolError(f"there is no kind '{one_line(kind)}'; choose one of {', '.join(KINDS)}")
    suffix = KINDS[kind].suffixes[0]
    with _draft(source, suffix, kind, alt, params) as book:
        built = _drawn(book)
        (figure,) = built["figures"]
        if figure.get("error"):
            return {"svg": None, "errors": figure.get("errors", [figure["error"]]), "findings": []}
        svg = (book / "build/global" / f"{DRAFT}.svg").read_text(encoding="utf-8")
        findings = _drawn(book, "lint")["findings"]
    kept = [{key: row[key] for key in ("check", "line", "message")} for row in findings]
    return {"svg": svg, "errors": [], "findings": kept}


def preview(root: Path | None, svg: str | None, id_: str | None) -> bytes:
    """A PNG of an SVG, or of a built figure of the book."""
    from figmill.compare import pictures  # needs numpy, which figmill alone does not

    pictures.require()
    return _in_child(_pictured, _published(book_at(root), id_ or "") if svg is None else svg)[1]


def diff(root: Path, against: str | None) -> dict[str, Any]:
    """What a build would change, figure by figure; against: a git commit to compare with."""
    more = () if against is None else (f"--against={against}",)
    return _drawn(root, "--check", *more)


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
        _require_fit(text)
    _require_id(next(iter(wanted)), question, id_)
    disk = Disk(root)
    there = [path for path in wanted if os.path.lexists(root / path)]
    if there and not replace:
        raise ToolError(f"{there[0]} already exists; set replace to overwrite it")
    for path, text in wanted.items():
        if path in there:
            _rewrite(root, path, text.encode())
        else:
            disk.create(path, text.encode())
    try:
        return {"written": list(wanted), **_drawn(root, "lint", ids=[id_])}
    except ToolError as error:
        raise ToolError(f"{' and '.join(wanted)} written, but not checked: {error}") from None


def _require_id(path: str, question: str, id_: str) -> None:
    """Raise the error of a question that cannot be read, or that states another id. Nothing is written then."""
    read, problems = read_question(path, question.encode())
    if read is None and problems:
        raise problems[0].error
    if read is None or read.id != id_:
        stated = "has no figure" if read is None else f"has the id '{read.id}'"
        raise ToolError(f"the question {stated}, and the figure is '{id_}'; write `id: {id_}` in it")


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
        files_ = {
            "figmill.toml": PHONES,
            f"questions/{DRAFT}.yaml": question,
            f"visuals/{DRAFT}{suffix}": source,
        }
        for name, text in files_.items():
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


def _require_fit(text: str, most: int = LARGEST) -> None:
    """Raise ToolError for a text that is too long, or that is not Unicode."""
    if len(text) > most:
        raise ToolError(f"{len(text):,} characters; at most {most:,} are taken")
    if half := re.search("[\ud800-\udfff]", text):
        raise ToolError(f"the text has half of a character, U+{ord(half[0]):04X}; send whole characters")


def _in_child(work: Callable[[Raw], FollowUpAnswer], svg: str, options: Options = LIMITS) -> FollowUpAnswer:
    """What a function makes of an SVG, within the limits of a figure. Raises ToolError."""
    _require_fit(svg)
    follow_up = FollowUp(work, "read", "drawing.svg", options.timeout, options.memory)
    with Scratch() as folder, Pool(Path(folder)) as pool:
        (result,) = pool.draw_all([Raw(svg.encode())], [[follow_up]])
    assert isinstance(result, Drawn)
    (answer,) = result.answers
    if isinstance(answer, AuthorError):
        raise ToolError(f"the drawing {answer.message.partition('; `timeout')[0]}", detail=answer.trace)
    if "refused" in answer[0]:
        raise ToolError(f"the drawing is refused: {answer[0]['refused']}")
    return answer


def _style(root: Path | None) -> Styled:
    """The house style of the book, if there is one, with the levels of its checks."""
    return (NONE, {}) if root is None else config.house_style(root)


def _judged(raw: Raw, style: Styled) -> FollowUpAnswer:
    stated, levels = style
    return {}, lint_json(lint_drawings([("drawing.svg", raw.svg)], levels, style=stated)).encode()


def _received(raw: Raw, style: Styled) -> FollowUpAnswer:
    stated, levels = style
    try:
        answer = receipt(None, "drawing.svg", raw.svg, {}, style=stated, chosen=levels)
    except SvgError as error:
        return {"refused": str(error)}, b""
    return {}, json.dumps(answer).encode()


def _mended(raw: Raw) -> FollowUpAnswer:
    try:
        result = mend("drawing.svg", raw.svg)
    except SvgError as error:
        return {"refused": str(error)}, b""
    left = [{"check": finding.check, "message": finding.message} for finding in result.left]
    return {"changes": list(result.changes), "left": left}, result.svg


def _pictured(raw: Raw) -> FollowUpAnswer:
    from PIL import Image

    from figmill.compare import pictures

    try:
        form, _ = looked_at(raw.svg, sheet_of(frozenset()))
    except SvgError as error:
        return {"refused": str(error)}, b""
    data = io.BytesIO()
    Image.fromarray(pictures.pixels(form.svg, "light", scale=pictures.scale(form.svg))).save(data, "PNG")
    return {}, data.getvalue()


def _drawn(root: Path, *arguments: str, ids: Sequence[str] = ()) -> dict[str, Any]:
    """What a figmill command that draws prints as JSON, whatever its exit code. Raises ToolError.

    The one place where tools draw: scripts run in the sandbox or not at all.
    """
    state = look(root, config.load(root), tuple(map(glob.escape, ids)))
    scripts = any(is_script(step.visual.source) for step in state.requested)
    sandbox = ("--sandbox=require",) if scripts else ()
    return _json(root, *arguments, *sandbox, *(f"--id={id_}" for id_ in ids), fails=True)


def _json(root: Path, *arguments: str, fails: bool = False) -> dict[str, Any]:
    """What a figmill command prints as JSON. fails: take the output whatever the exit code. Raises ToolError."""
    for argument in arguments:
        _require_fit(argument, LONGEST_WORD)
    if (count := sum(map(len, arguments))) > LONGEST_LINE:
        raise ToolError(f"the ids have {count:,} characters; at most {LONGEST_LINE:,} are taken at a time")
    if any("\0" in argument for argument in arguments):
        raise ToolError("an argument has the character U+0000, which no name has")
    form = () if arguments[:1] in (("schema",), ("facts",)) else ("--format", "json")
    command = [this_python(), "-I", "-m", "figmill", "--root", str(root), *_formed(arguments, form)]
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


def _formed(arguments: tuple[str, ...], form: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments of a command with its format, which comes after the command's name."""
    is_command = bool(arguments) and not arguments[0].startswith("-")
    return (arguments[0], *form, *arguments[1:]) if is_command else (*form, *arguments)
