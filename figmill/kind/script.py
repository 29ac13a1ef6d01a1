"""Runs an author's Python: a generator's draw(), or a whole script.

Runs in its own process, within the limits of sandbox.py. An error is reported at the author's line: the last frame of
the traceback inside the book.
"""

from __future__ import annotations

import errno
import itertools
import os
import random
import re
import socket
import sys
import tempfile
import traceback
import types
from collections.abc import Iterator, Mapping
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from pathlib import Path
from typing import Any, NoReturn

from figmill.enclosure import limits
from figmill.errors import AuthorError, ToolError, did_you_mean, joined
from figmill.kind import answer, named, notebook, script_facts, tables
from figmill.kind.job import Job, as_written, out_of_memory, source
from figmill.late_dataclasses import dataclass
from figmill.model import Drawing, Fact, FigureTable, Origin
from figmill.paths import LIBRARIES, PACKAGE, relative

UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EAFNOSUPPORT)
# Modules of Python that put something into shared memory.
SHARERS = tuple(
    os.path.join("multiprocessing", f"{name}.py") for name in ("synchronize", "heap", "shared_memory")
)
FULL = (errno.ENOSPC, errno.EFBIG)
NOTEBOOK = ("get_ipython", "display")  # names that IPython gives every script
TOO_DEEP = (
    "calls or names lie deeper in each other than Python follows; does a function call itself without an end?"
)
MOST = 12  # nested errors looked at, and column names listed in a message


@dataclass(frozen=True, slots=True)
class Returned:
    """What draw() returned, without facts if it stated none, and the line of its definition."""

    drawing: Drawing
    line: int | None


def run_draw(job: Job, root: Path) -> Returned:
    """Import the script and call its draw(**params)."""
    module = _module(job, root, "__figure__")
    _run(module, job, root)
    draw = getattr(module, "draw", None)
    if not callable(draw):
        raise AuthorError(
            Origin(job.source), "its `draw` is not a function; define draw(...) at the top level"
        )
    with _Blame(job, root):
        result = draw(**job.params)
        drawing = result if isinstance(result, Drawing) else Drawing(result)  # asks an object what it is
    code = getattr(draw, "__code__", None)
    return Returned(drawing, code.co_firstlineno if code else None)


def run_script(job: Job, root: Path) -> None:
    """Run the script as `__main__`, like `python script.py`."""
    sys.argv = [str(root / job.source)]
    _run(_module(job, root, "__main__"), job, root)


def run_cells(job: Job, root: Path) -> Iterator[notebook.Cell]:
    """Run a notebook cell by cell; each is yielded before it runs."""
    path = root / job.source
    sys.argv = [str(path)]
    module = _module(job, root, "__main__")
    for cell in notebook.cells(source(job, root), job.source):
        yield cell
        with _Blame(job, root):
            exec(compile(cell.placed, str(path), "exec", dont_inherit=True), module.__dict__)


def text_of(job: Job, root: Path) -> bytes:
    """The Python of a script or a notebook, each line under its number."""
    data = source(job, root)
    return notebook.as_script(data, job.source) if notebook.is_notebook(job.source) else data


def _module(job: Job, root: Path, name: str) -> types.ModuleType:
    """An empty module for the script to run in; random numbers are seeded, and the book's folders are importable."""
    _seed(job.seed)
    for folder in (str(Path(job.source).parent), *job.folders):
        place = str(root / folder)
        if place not in sys.path:
            sys.path.append(place)  # at the end, so that the book cannot shadow a library
    module = types.ModuleType(name)
    module.__file__ = str(root / job.source)
    sys.modules[name] = module
    return module


class _SourceLoader(SourceFileLoader):
    """Always compiles the source: bytecode is matched by whole-second times, and an author may edit faster."""

    def path_stats(self, path: str) -> NoReturn:
        raise OSError("bytecode is neither read nor kept")


def import_from_source(root: Path) -> None:
    """From now on, import the book's modules from source, never from bytecode; libraries as usual."""
    folder = str(root) + os.sep
    finder = FileFinder.path_hook((ExtensionFileLoader, EXTENSION_SUFFIXES), (_SourceLoader, SOURCE_SUFFIXES))

    def of_the_book(path: str) -> Any:
        if not _is_authors(os.path.join(path, ""), folder):
            raise ImportError("not a folder of the book")
        return finder(path)

    sys.path_hooks.insert(0, of_the_book)
    sys.path_importer_cache.clear()


def _seed(seed: int) -> None:
    """Seed every random generator that a script may use without its own seed."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return
    numpy.random.seed(seed)
    seeds = itertools.count(seed)
    unseeded = getattr(numpy.random.default_rng, "unseeded", numpy.random.default_rng)

    def default_rng(seed: Any = None) -> Any:
        return unseeded(next(seeds) if seed is None else seed)

    default_rng.unseeded = unseeded  # type: ignore[attr-defined]  # the next figure of this process wraps it again
    numpy.random.default_rng = default_rng


def _run(module: types.ModuleType, job: Job, root: Path) -> None:
    path = root / job.source
    with _Blame(job, root):
        exec(compile(as_written(job, root), str(path), "exec", dont_inherit=True), module.__dict__)


def blamed(job: Job, root: Path) -> _Blame:
    """A context that attributes any exception to the author, at the author's line if the traceback has one."""
    return _Blame(job, root)


class _Blame:
    """Turns any exception of the author's code into an AuthorError at the author's line."""

    def __init__(self, job: Job, root: Path) -> None:
        self.job, self.root = job, str(root) + os.sep

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        if error is None:
            return False
        if isinstance(error, SystemExit) and error.code in (None, 0):
            return True  # a script may end itself
        is_machine = isinstance(error, ToolError) and not _authors_frames(error, self.root)
        if isinstance(error, AuthorError) or is_machine or _is_ours(type(error).__module__):
            return False
        try:
            described = _author_error(error, self.job, self.root)
        except Exception:  # its message is also the author's code
            described = AuthorError(
                Origin(self.job.source), "raised an exception whose message cannot be read"
            )
        raise described from None


def _is_ours(module: str) -> bool:
    """Whether an exception from that module is figmill's fault. Those of libraries for scripts mean wrong input."""
    return module.startswith("figmill.") and not module.startswith((*LIBRARIES, ToolError.__module__))


def no_show(*_: object, **__: object) -> NoReturn:
    """Replaces `figmill.show` in scripts: showing a figure would build the book in the middle of a build."""
    raise ToolError("figmill.show() shows a built figure in a notebook; leave it out of a figure's script")


def _authors_frames(error: BaseException, root: str) -> list[traceback.FrameSummary]:
    return [frame for frame in traceback.extract_tb(error.__traceback__) if _is_authors(frame.filename, root)]


def _author_error(error: BaseException, job: Job, root: str) -> AuthorError:
    frames = _authors_frames(error, root)
    if isinstance(error, SyntaxError) and error.filename and error.filename.startswith(root):
        origin = Origin(_relative(error.filename, root), error.lineno, error.offset)
    elif frames:
        origin = Origin(_relative(frames[-1].filename, root), frames[-1].lineno)
    else:
        origin = Origin(job.source)
    line = (frames[-1].line or "") if frames else ""
    message = joined(_message(error, job, root, line), _from_where(error, job, root))
    return AuthorError(origin, message, _detail(error, frames, root))


def _is_authors(filename: str, root: str) -> bool:
    """Whether a file is the author's: in the book, but not part of figmill or an installed library."""
    libraries = (str(PACKAGE.parent) + os.sep, sys.prefix + os.sep)
    return filename.startswith(root) and not filename.startswith(libraries)


def _relative(filename: str, root: str) -> str:
    return Path(filename[len(root) :]).as_posix()


def _message(error: BaseException, job: Job, root: str, line: str) -> str:
    """An exception as text. line: the author's code, shown for an exception without a message."""
    if isinstance(error, MemoryError):
        return out_of_memory(job)
    if isinstance(error, SystemExit):
        how = f" with exit code {error.code}" if isinstance(error.code, int) else f": {error.code}"
        return f"the script exited{how}"
    if isinstance(error, ToolError):
        return str(error)
    if isinstance(error, RecursionError):
        return TOO_DEEP
    name = type(error).__name__
    if _is_of_network(error):
        why = "a script has no network, so that its figure stays the same"
        return (
            f"{name}: {why}; save the file in the book once, and read it with Path(__file__).parent / 'NAME'"
        )
    if isinstance(error, KeyError) and len(error.args) == 1:
        return f"{name}: {_no_key(error)}"
    if isinstance(error, OSError) and _is_of_shared_memory(error):
        return (
            f"{name}: multiprocessing needs shared memory, which a script has only in a sandbox; "
            "install bubblewrap, or use threads"
        )
    if isinstance(error, OSError) and error.errno in FULL:
        most, per_file = limits.SCRATCH >> 20, limits.FILE_SIZE >> 20
        return f"{name}: {error.strerror}; a script may write {most} MiB of temporary files, and {per_file} MiB to one"
    if outside := _outside(error, job, root):
        where = f"cannot open '{outside}', because a script sees only the book"
        return f"{where}; copy the file into the book, or name its folder in the setting `sandbox_read`"
    text = str(error).strip().splitlines()
    if isinstance(error, ModuleNotFoundError) and error.name:
        module = error.name.partition(".")[0]
        text = [f"no module '{error.name}'; install it beside figmill, or put {module}.py beside the script"]
    elif isinstance(error, NameError) and error.name in NOTEBOOK:
        text = [f"`{error.name}` exists only in IPython; leave the line out"]
    elif isinstance(error, EOFError) and "input(" in line:
        text = ["input() does not work here; make the answer a parameter of draw()"]
    return f"{name}: {text[0]}" if text else f"{name} at `{line[:80]}`" if line else name


def _is_of_network(error: BaseException) -> bool:
    """Whether the cause was an unreachable address. Libraries wrap the system's error in errors of their own."""
    waiting: list[object] = [error]
    for each in waiting:
        if isinstance(each, socket.gaierror) or getattr(each, "errno", None) in UNREACHABLE:
            return True
        inner = (getattr(each, name, None) for name in ("__cause__", "__context__", "reason"))
        waiting += [cause for cause in inner if isinstance(cause, BaseException) and len(waiting) < MOST]
    return False


def _is_of_shared_memory(error: OSError) -> bool:
    """Whether multiprocessing failed to get shared memory, or a lock, which needs shared memory too."""
    if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    return any(frame.filename.endswith(SHARERS) for frame in frames)


def _no_key(error: KeyError) -> str:
    """A KeyError as text. Python's own message is only the key; for a table, the text also lists its columns."""
    key = error.args[0]
    if isinstance(key, str) and " " in key.strip():
        return key.strip().splitlines()[0]  # a sentence from the code that raised it
    columns = _columns(error.__traceback__)
    there = f"; there are {', '.join(columns[:MOST])}" if columns else ""
    return f"there is no {key!r:.80}{did_you_mean(str(key), columns) or there}"


def _columns(trace: types.TracebackType | None) -> list[str]:
    """The column names of the pandas table in which the lookup failed."""
    columns: list[str] = []
    while trace is not None:
        table: Any = trace.tb_frame.f_locals.get("self")
        is_table = type(table).__module__.partition(".")[0] == "pandas" and hasattr(table, "columns")
        if is_table and trace.tb_frame.f_code.co_name == "__getitem__":
            columns = [str(name) for name in list(table.columns)[: 10 * MOST]]
        trace = trace.tb_next
    return columns


def _file_of(error: BaseException) -> str | None:
    """The path that an error is about; None if it names none."""
    name = getattr(error, "filename", None)
    if name is None and isinstance(error, FileNotFoundError):
        quoted = re.search("'([^']+)'|^(.+) not found\\.$", str(error))
        name = quoted and (quoted[1] or quoted[2])  # in messages of C libraries and of numpy
    return name if isinstance(name, str) else None


def _outside(error: BaseException, job: Job, root: str) -> str:
    """The path outside the book that a script tried to open; empty if it tried something else."""
    name = _file_of(error)
    if name is None or not isinstance(error, FileNotFoundError | PermissionError):
        return ""
    path = os.path.normpath(os.path.join(root, os.path.dirname(job.source), name))
    visible = (root, *(os.path.join(place, "") for place in (sys.prefix, "/usr", tempfile.gettempdir())))
    return "" if path.startswith(visible) else path


def _from_where(error: BaseException, job: Job, root: str) -> str:
    """For a missing file with a relative name: where figmill looks for it, and what to write."""
    name = _file_of(error)
    if not isinstance(error, FileNotFoundError) or name is None or os.path.isabs(name):
        return ""
    if _outside(error, job, root):
        return ""
    here = os.path.join(root, os.path.dirname(job.source))
    places = (here, *(os.path.join(root, folder) for folder in (*job.folders, ".")))
    file = next(
        (path for place in places if os.path.isfile(path := os.path.normpath(f"{place}/{name}"))), None
    )
    rule = "figmill looks for a relative name beside the script"
    if file is None:
        return f"{rule}{_near_name(os.path.normpath(f'{here}/{name}'), root)}"
    if not file.startswith(root):
        return rule
    return f"{rule}: write Path(__file__).parent / '{relative(file, here)}'"


def _near_name(path: str, root: str) -> str:
    """`; did you mean ...?` with a file of the same folder of the book; empty if none has a similar name."""
    folder, name = os.path.split(path)
    if not path.startswith(root):
        return ""
    try:
        return did_you_mean(name, sorted(os.listdir(folder)))
    except OSError:
        return ""


def _detail(error: BaseException, frames: list[traceback.FrameSummary], root: str) -> str:
    """The author's frames, innermost last, and the further lines of the message."""
    lines = [f"{_relative(f.filename, root)}:{f.lineno}, in {f.name}: {f.line}" for f in frames[-6:]]
    return "\n".join([*lines, *str(error).strip().splitlines()[1:12]])


def checked_facts(facts: Mapping[str, Any], job: Job, line: int | None) -> dict[str, Fact]:
    """The facts of draw() as JSON values.

    The parent process checks them again by the same schema (answer.py). Here an error gets the line of draw().
    """
    at = Origin(job.source, line)
    if not isinstance(facts, Mapping):
        raise AuthorError(
            at, f"facts must be a mapping of names to numbers or text, not {type(facts).__name__}"
        )
    try:
        return script_facts.plain(facts)
    except answer.WrongAnswerError as error:
        raise AuthorError(at, str(error)) from None


def printed_facts(text: str, job: Job) -> dict[str, Fact]:
    """The facts in what a script printed, see `named.printed`. Raises AuthorError."""
    try:
        return named.printed(text)
    except ValueError as error:
        raise AuthorError(Origin(job.source), str(error)) from None


def checked_tables(value: Any, job: Job, line: int | None) -> tuple[FigureTable, ...]:
    """The tables that draw() states. Raises AuthorError at its line."""
    if not value and isinstance(value, Mapping):
        return ()
    try:
        return tables.fitting(tables.stated(value))
    except tables.WrongTableError as error:
        raise AuthorError(Origin(job.source, line), str(error)) from None
