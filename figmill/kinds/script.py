"""Run an author's Python: a generator's draw(), or a classic script as a whole.

Runs in a process of its own, inside the limits that sandbox.py has set. What goes wrong is told at the
author's line: the last frame of the traceback that lies in the book.
"""

from __future__ import annotations

import itertools
import os
import random
import sys
import traceback
import types
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from pathlib import Path
from typing import Any, NoReturn

from figmill.errors import AuthorError
from figmill.kinds import answer
from figmill.kinds.job import Job, memory_limit
from figmill.model import Fact, Origin
from figmill.paths import PACKAGE


@dataclass(frozen=True, slots=True)
class Made:
    """What a generator returned, and the line of its draw()."""

    result: Any
    line: int | None


def run_draw(job: Job, root: Path) -> Made:
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
    code = getattr(draw, "__code__", None)
    return Made(result, code.co_firstlineno if code else None)


def run_script(job: Job, root: Path) -> None:
    """Run the script as `__main__`, as `python script.py` would."""
    sys.argv = [str(root / job.source)]
    _run(_module(job, root, "__main__"), job, root)


def _module(job: Job, root: Path, name: str) -> types.ModuleType:
    """An empty module in whose name the script will run, with everything seeded and importable."""
    _seed(job.seed)
    for folder in (str(Path(job.source).parent), *job.folders):
        place = str(root / folder)
        if place not in sys.path:
            sys.path.append(place)  # never first: a book cannot shadow a library
    module = types.ModuleType(name)
    module.__file__ = str(root / job.source)
    sys.modules[name] = module
    return module


class _SourceLoader(SourceFileLoader):
    """Compiles what stands in the file now: bytecode is matched by whole seconds, and a book is edited faster."""

    def path_stats(self, path: str) -> NoReturn:
        raise OSError("bytecode is neither read nor kept")


def import_from_source(root: Path) -> None:
    """From now on, what is imported from the book comes from its sources, and libraries as ever."""
    folder = str(root) + os.sep
    finder = FileFinder.path_hook((ExtensionFileLoader, EXTENSION_SUFFIXES), (_SourceLoader, SOURCE_SUFFIXES))

    def of_the_book(path: str) -> Any:
        if not _is_authors(os.path.join(path, ""), folder):
            raise ImportError("not a folder of the book")
        return finder(path)

    sys.path_hooks.insert(0, of_the_book)
    sys.path_importer_cache.clear()


def _seed(seed: int) -> None:
    """Every source of chance that a script may take without naming a seed."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return
    numpy.random.seed(seed)
    seeds = itertools.count(seed)
    made = getattr(numpy.random.default_rng, "unseeded", numpy.random.default_rng)

    def default_rng(seed: Any = None) -> Any:
        return made(next(seeds) if seed is None else seed)

    default_rng.unseeded = made  # type: ignore[attr-defined]  # the next figure of this process wraps it anew
    numpy.random.default_rng = default_rng


def _run(module: types.ModuleType, job: Job, root: Path) -> None:
    path = root / job.source
    with _Blame(job, root):
        exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), module.__dict__)


class _Blame:
    """Turns whatever the author's code raises into an AuthorError at the author's line."""

    def __init__(self, job: Job, root: Path) -> None:
        self.job, self.root = job, str(root) + os.sep

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        if error is None:
            return False
        if isinstance(error, SystemExit) and error.code in (None, 0):
            return True  # a script may end itself
        if isinstance(error, AuthorError):
            return False
        raise _author_error(error, self.job, self.root) from None


def _author_error(error: BaseException, job: Job, root: str) -> AuthorError:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if _is_authors(f.filename, root)]
    if isinstance(error, SyntaxError) and error.filename and error.filename.startswith(root):
        origin = Origin(_relative(error.filename, root), error.lineno, error.offset)
    elif frames:
        origin = Origin(_relative(frames[-1].filename, root), frames[-1].lineno)
    else:
        origin = Origin(job.source)
    return AuthorError(origin, _says(error, job), _detail(error, frames, root))


def _is_authors(filename: str, root: str) -> bool:
    """In the book, and not of a library or of figmill, which a checkout or an environment may have there, too."""
    libraries = (str(PACKAGE.parent) + os.sep, sys.prefix + os.sep)
    return filename.startswith(root) and not filename.startswith(libraries)


def _relative(filename: str, root: str) -> str:
    return Path(filename[len(root) :]).as_posix()


def out_of_memory(job: Job) -> str:
    return f"ran out of memory: {memory_limit(job)}"


def _says(error: BaseException, job: Job) -> str:
    if isinstance(error, MemoryError):
        return out_of_memory(job)
    if isinstance(error, SystemExit):
        return f"the script ended itself with exit code {error.code}"
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


def _detail(error: BaseException, frames: list[traceback.FrameSummary], root: str) -> str:
    """The author's frames, innermost last, and the rest of a long message."""
    lines = [f"{_relative(f.filename, root)}:{f.lineno}, in {f.name}: {f.line}" for f in frames[-6:]]
    return "\n".join([*lines, *str(error).strip().splitlines()[1:12]])


def checked_facts(facts: Mapping[str, Any], job: Job, line: int | None) -> dict[str, Fact]:
    """The facts as JSON has them; numpy's scalars, fractions and decimals become Python's numbers.

    The parent looks at them again by the same schema (answer.py); here a mistake is told at the line of draw().
    """
    at = Origin(job.source, line)
    if not isinstance(facts, Mapping):
        raise AuthorError(
            at, f"facts must be a mapping of names to numbers or text, not {type(facts).__name__}"
        )
    try:
        return answer.facts_of({name: _plain(name, value) for name, value in facts.items()})
    except answer.WrongAnswerError as error:
        raise AuthorError(at, str(error)) from None


def _plain(name: object, value: Any) -> Any:
    """A fact in Python's own types, as far as there are any for it."""
    items = value.tolist() if hasattr(value, "tolist") else value
    return (
        [_number(name, item) for item in items] if isinstance(items, list | tuple) else _number(name, items)
    )


def _number(name: object, value: Any) -> Any:
    plain = value.item() if hasattr(value, "item") else value
    if plain is None or isinstance(plain, bool | int | float | str | list | tuple | Mapping):
        return plain
    if not hasattr(plain, "__float__"):
        return plain
    try:
        return float(plain)  # of a fraction or a decimal
    except (OverflowError, ValueError, TypeError) as error:
        raise answer.WrongAnswerError(f"fact '{name}' is no number that can be stated: {error}") from None
