"""`[tool.figmill]` of a book's pyproject.toml, or its figmill.toml -> Options.

Standard library only, because every start of the command waits for it. Whether a folder that is named
here exists is for those to say who use it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from figmill.checks import CHECKS, LEVELS
from figmill.errors import ToolError, did_you_mean
from figmill.host import files
from figmill.palette import ROLES, Role

FILES = ("figmill.toml", "pyproject.toml")  # the first that has a table counts


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of a book. Paths are relative to its root."""

    questions: tuple[str, ...] = ("questions",)
    visuals: tuple[str, ...] = ("visuals",)
    output: str = "build"  # or IN_PLACE
    themes: tuple[str, ...] = ("light", "dark")
    font: str = "Helvetica Neue, Helvetica, Arial, sans-serif"
    mono: str = "SFMono-Regular, Menlo, Consolas, monospace"
    fonts: tuple[str, ...] = ()
    background: str = "page"  # or "none"
    timeout: float = 60.0  # seconds a figure
    memory: int = 2 << 30  # bytes a figure, beyond the libraries
    sandbox: str = "auto"  # or "require", "off"
    sandbox_read: tuple[str, ...] = ()  # files and folders outside the book that scripts may read
    cache: str | None = None
    cache_key: str | None = None  # hexadecimal: what signatures in the cache are checked with
    cache_key_env: str | None = None  # the environment variable with the secret that signs
    palette: tuple[Role, ...] = ROLES
    lint: tuple[tuple[str, str], ...] = ()  # (check, level)

    @property
    def folders(self) -> list[str]:
        """Where questions and sources are."""
        return [*self.questions, *self.visuals]

    @property
    def in_place(self) -> bool:
        """Whether the SVGs stand beside their sources."""
        return self.output == IN_PLACE


IN_PLACE = "in-place"
LONG = 80  # characters of a value that a message shows
_LONG_NUMBER = re.compile(r"[0-9_]{4000}")


def find_root(start: Path) -> Path:
    """The nearest folder from `start` upwards that has questions. Raises ToolError where there is none."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / "questions").is_dir():
            return folder
        if any((folder / name).is_file() for name in FILES):
            named = _read(folder)
            if named and any((folder / questions).is_dir() for questions in _options(named).questions):
                return folder
    raise ToolError(
        f"no questions/ in {start} or above it; run this inside a book, say where it is with --root, "
        "or begin one with `render-visuals new ID --kind dot`"
    )


def load(root: Path) -> Options:
    """The settings of the book at `root`; defaults where it has none. Raises ToolError with file and line."""
    found = _read(root)
    return _options(found) if found else Options()


@dataclass(frozen=True, slots=True)
class _File:
    """A configuration file and the part of it that is ours."""

    name: str
    text: str
    prefix: tuple[str, ...]  # the table that holds our keys
    table: Mapping[str, Any]

    def error(self, keys: tuple[str, ...], message: str) -> ToolError:
        line = line_of(self.text, (*self.prefix, *keys))
        return ToolError(f"{self.name}:{line}: {message}" if line else f"{self.name}: {message}")


def _read(root: Path) -> _File | None:
    for name in FILES:
        try:
            text = files.read(root / name, files.SETTINGS).decode("utf-8-sig")
        except FileNotFoundError:
            continue
        except OSError as error:
            raise ToolError(f"{name}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise ToolError(f"{name}: is no UTF-8, which TOML is written in: {error.reason}") from None
        if name == "pyproject.toml" and "figmill" not in text:
            continue
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            place = re.search(r" \(at line (\d+), column (\d+)\)", str(error))
            where = f"{name}:{place[1]}:{place[2]}" if place else f"{name}:{len(text.splitlines())}"
            raise ToolError(f"{where}: {re.sub(r' [(]at .*', '', str(error))}") from None
        except ValueError:  # Python reads no number of more digits than it would show
            line = next((n for n, row in enumerate(text.splitlines(), 1) if _LONG_NUMBER.search(row)), 1)
            raise ToolError(f"{name}:{line}: a number has too many digits") from None
        except RecursionError:
            raise ToolError(f"{name}: lists or tables are nested too deep to be settings") from None
        tool = document.get("tool")
        table = tool.get("figmill") if isinstance(tool, dict) else None
        if isinstance(table, dict):
            return _File(name, text, ("tool", "figmill"), table)
        if table is not None:
            raise ToolError(f"{name}: tool.figmill must be a table, like [tool.figmill]")
        if name == "figmill.toml":
            return _File(name, text, (), document)
    return None


def _options(file: _File) -> Options:
    known = [field.name for field in fields(Options)]
    found: dict[str, Any] = {}
    for key, value in file.table.items():
        if key not in known:
            near = did_you_mean(key, known) or f"; there are {', '.join(known)}"
            raise file.error((key,), f"unknown setting '{key}'{near}")
        try:
            found[key] = _READERS[key](value)
        except _WrongError as wrong:
            raise file.error((key, *wrong.keys), f"{'.'.join((key, *wrong.keys))} {wrong}") from None
    options = Options(**found)
    for key in ("cache_key", "cache_key_env"):
        if key in found and options.cache is None:
            raise file.error((key,), f"{key} goes with cache, the folder that is shared; name that, too")
    if not options.in_place:
        _hold_apart(file, options)
    return options


def _hold_apart(file: _File, options: Options) -> None:
    """The output folder can be emptied at any time, so nothing of the author's may lie in it."""
    output = PurePosixPath(options.output)
    for folder in map(PurePosixPath, options.folders):
        if folder.is_relative_to(output):
            raise file.error(
                ("output",), f"output '{output}' would hold '{folder}'; give it a folder of its own"
            )
    for folder in map(PurePosixPath, options.visuals):
        if output.is_relative_to(folder):
            raise file.error(
                ("output",), f"output '{output}' lies in '{folder}'; give it a folder of its own"
            )


class _WrongError(Exception):
    """A setting's value is wrong, under `keys` inside the setting; the text follows the setting's name."""

    def __init__(self, message: str, *keys: str) -> None:
        super().__init__(message)
        self.keys = keys


def _folder(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _WrongError(f"must be a folder, not {_shown(value)}")
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or re.search(r"[\\\x00-\x1f:]", value):
        raise _WrongError(f"must be a folder inside the book, written with '/', not {_shown(value)}")
    if path.parts[:1] in ((".git",), (".figmill",)):
        raise _WrongError(f"must not lie in {path.parts[0]}")
    return path.as_posix()


def _folders(value: object) -> tuple[str, ...]:
    folders = tuple(_folder(item) for item in (value if isinstance(value, list) else [value]))
    if not folders or len(set(folders)) < len(folders):
        raise _WrongError("must name at least one folder, and none twice")
    return folders


def _output(value: object) -> str:
    folder = _folder(value)
    if folder == ".":
        raise _WrongError("must be a folder of its own, not the book's root")
    return folder


def _themes(value: object) -> tuple[str, ...]:
    known = ("light", "dark")
    if not isinstance(value, list) or not value or not all(item in known for item in value):
        raise _WrongError(f'must be a list of "light" and "dark", not {_shown(value)}')
    return tuple(theme for theme in known if theme in value)


def _families(value: object) -> str:
    """A CSS list of font families; it goes into every figure, so that nothing but names may be in it."""
    if not isinstance(value, str):
        raise _WrongError(f"must be font names with commas between them, not {_shown(value)}")
    names = [name.strip() for name in value.split(",")]
    for name in names:
        if not re.fullmatch(r"""(?P<quote>['"]?)[\w-]+(?: [\w-]+)*(?P=quote)""", name):
            raise _WrongError(f"must be font names with commas between them; '{name}' is none")
    return ", ".join(names)


def _paths(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(map(_is_path, value)):
        raise _WrongError(f"must be a list of files, not {_shown(value)}")
    return tuple(value)


def _outside(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _WrongError(f'must be a list of folders and files, like ["/data/sets"], not {_shown(value)}')
    for item in value:
        if not item.startswith("/") or item.strip("/.") == "" or "\0" in item or ".." in item.split("/"):
            raise _WrongError(f'must name what has a full path, like "/data/sets", not {_shown(item)}')
    return tuple(value)


def _path(value: object) -> str:
    if not _is_path(value):
        raise _WrongError(f"must be a folder, not {_shown(value)}")
    return str(value)


def _is_path(value: object) -> bool:
    return isinstance(value, str) and value != "" and "\0" not in value


def _public_key(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        raise _WrongError(
            f"must be the 64 hexadecimal digits that a build with the key tells, not {_shown(value)}"
        )
    return value.lower()


def _variable(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        text = "must be the name of an environment variable, never the key itself"
        raise _WrongError(f"{text}; a name is letters, digits and '_'")
    return value


def _one_of(*known: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in known:
            near = did_you_mean(value, known) if isinstance(value, str) else ""
            raise _WrongError(f"must be {' or '.join(map(repr, known))}, not {_shown(value)}{near}")
        return str(value)

    return read


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 86_400:
        raise _WrongError(f"must be a number of seconds above 0, at most 86400, not {_shown(value)}")
    return float(value)


_UNITS = MappingProxyType(
    {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
    | {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
)
_LEAST_MEMORY = 64 << 20


def _bytes(value: object) -> int:
    """`2 GiB` in bytes; decimal and binary units are as IEC 80000-13 has them."""
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?) ?([KMGT]i?B)", value) if isinstance(value, str) else None
    if found is None:
        raise _WrongError(f'must be an amount like "2 GiB" or "500 MB", not {_shown(value)}')
    size = int(float(found[1]) * _UNITS[found[2]])
    if size < _LEAST_MEMORY:
        raise _WrongError(f'is too little for any figure: {_shown(value)}; give it at least "64 MiB"')
    return size


_TONES = tuple(field.name for field in fields(Role) if field.name != "name")


def _palette(value: object) -> tuple[Role, ...]:
    """The built-in roles as the book overrides them, then the roles that it adds."""
    if not isinstance(value, dict):
        raise _WrongError('must be a table of roles, like compute = {fill = "#cfe2f3"}')
    roles = {role.name: role for role in ROLES}
    for name, tones in value.items():
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", name) or name in ("text", "muted", "grid", "page"):
            raise _WrongError("is no name for a role", name)
        if not isinstance(tones, dict):
            raise _WrongError('must be a table, like {fill = "#cfe2f3", line = "#4a90c4"}', name)
        for tone, colour in tones.items():
            if tone not in _TONES:
                near = did_you_mean(tone, _TONES) or f"; there are {', '.join(_TONES)}"
                raise _WrongError(f"is no colour of a role{near}", name, tone)
            if not isinstance(colour, str) or not re.fullmatch(r"#(?:[0-9a-fA-F]{3}){1,2}", colour):
                raise _WrongError(f'must be a colour like "#cfe2f3", not {_shown(colour)}', name, tone)
        lowered = {tone: _long(colour) for tone, colour in tones.items()}
        if name in roles:
            roles[name] = replace(roles[name], **lowered)
        elif missing := [tone for tone in _TONES if tone not in lowered]:
            raise _WrongError(f"is a new role, so it needs {', '.join(missing)} too", name)
        else:
            roles[name] = Role(name, **lowered)
    return tuple(roles.values())


def _long(colour: str) -> str:
    digits = colour[1:].lower()
    return "#" + (digits if len(digits) == 6 else "".join(digit * 2 for digit in digits))


def _lint(value: object) -> tuple[tuple[str, str], ...]:
    levels = _one_of(*LEVELS)
    if not isinstance(value, dict):
        raise _WrongError('must be a table of checks, like contrast = "off"')
    found = []
    for rule, level in value.items():
        if rule not in CHECKS:
            near = did_you_mean(rule, CHECKS) or f"; there are {', '.join(CHECKS)}"
            raise _WrongError(f"is no check{near}", rule)
        try:
            found.append((rule, levels(level)))
        except _WrongError as wrong:
            raise _WrongError(str(wrong), rule) from None
    return tuple(found)


def _shown(value: object) -> str:
    """A value as a message tells it; a long one is cut."""
    try:
        text = str(value)
    except ValueError:  # a hexadecimal number may have more digits than Python shows
        text = "a number of thousands of digits"
    if len(text) > LONG:
        text = f"{text[:LONG]}..."
    return f'"{text}"' if isinstance(value, str) else text.lower() if isinstance(value, bool) else text


_READERS: Mapping[str, Callable[[object], Any]] = MappingProxyType(
    {
        "questions": _folders,
        "visuals": _folders,
        "output": _output,
        "themes": _themes,
        "font": _families,
        "mono": _families,
        "fonts": _paths,
        "background": _one_of("page", "none"),
        "timeout": _seconds,
        "memory": _bytes,
        "sandbox": _one_of("auto", "require", "off"),
        "sandbox_read": _outside,
        "cache": _path,
        "cache_key": _public_key,
        "cache_key_env": _variable,
        "palette": _palette,
        "lint": _lint,
    }
)

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def line_of(text: str, keys: tuple[str, ...]) -> int | None:
    """The line where a key of a TOML file stands, or what is nearest around it; None where neither is seen.

    tomllib tells no lines. This looks for table headers and for keys at the beginnings of lines: good for
    telling a person where to look, and never used for a value.
    """
    table: tuple[str, ...] = ()
    best, nearest = 0, None
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            here = table = _parts(header[1])
        elif key := _KEY.match(line):
            here = (*table, *_parts(key[1]))
        else:
            continue
        if len(here) > best and keys[: len(here)] == here:
            best, nearest = len(here), number
    return nearest


def _parts(dotted: str) -> tuple[str, ...]:
    found = re.findall(r"""[\w-]+|"[^"]*"|'[^']*'""", dotted)
    return tuple(part.strip("\"'") for part in found)
