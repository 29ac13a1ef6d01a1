"""One reader for each setting: a TOML value in, the value of Options out.

Standard library only. Each raises WrongError, whose text follows the setting's name in the message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from figmill.checks import CHECKS, LEVELS
from figmill.config.limits import Limits
from figmill.errors import did_you_mean
from figmill.palette import ROLES, Role

LONG = 80  # characters of a value that a message shows


class WrongError(Exception):
    """A setting has a wrong value. keys: where, inside the setting; the text follows the setting's name."""

    def __init__(self, message: str, *keys: str) -> None:
        super().__init__(message)
        self.keys = keys


def _folder(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise WrongError(f"must be a folder, not {_shown(value)}")
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or re.search(r"[\\\x00-\x1f:]", value):
        raise WrongError(f"must be a folder inside the book, written with '/', not {_shown(value)}")
    if path.parts[:1] in ((".git",), (".figmill",)):
        raise WrongError(f"must not lie in {path.parts[0]}")
    return path.as_posix()


def _folders(value: object) -> tuple[str, ...]:
    folders = tuple(_folder(item) for item in (value if isinstance(value, list) else [value]))
    if not folders or len(set(folders)) < len(folders):
        raise WrongError("must name at least one folder, and none twice")
    return folders


def _output(value: object) -> str:
    folder = _folder(value)
    if folder == ".":
        raise WrongError("must be a folder of its own, not the book's root")
    return folder


def _themes(value: object) -> tuple[str, ...]:
    known = ("light", "dark")
    if not isinstance(value, list) or not value or not all(item in known for item in value):
        raise WrongError(f'must be a list of "light" and "dark", not {_shown(value)}')
    return tuple(theme for theme in known if theme in value)


def _families(value: object) -> str:
    """A CSS list of font families. It is written into every figure, so it may hold nothing but names."""
    if not isinstance(value, str):
        raise WrongError(f"must be font names with commas between them, not {_shown(value)}")
    names = [name.strip() for name in value.split(",")]
    for name in names:
        if not re.fullmatch(r"""(?P<quote>['"]?)[\w-]+(?: [\w-]+)*(?P=quote)""", name):
            raise WrongError(f"must be font names with commas between them; '{name}' is none")
    return ", ".join(names)


def _paths(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(map(_is_path, value)):
        raise WrongError(f"must be a list of files, not {_shown(value)}")
    return tuple(value)


def _outside(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise WrongError(f'must be a list of folders and files, like ["/data/sets"], not {_shown(value)}')
    for item in value:
        if not item.startswith("/") or item.strip("/.") == "" or "\0" in item or ".." in item.split("/"):
            raise WrongError(f'must name what has a full path, like "/data/sets", not {_shown(item)}')
    return tuple(value)


def _path(value: object) -> str:
    if not _is_path(value):
        raise WrongError(f"must be a folder, not {_shown(value)}")
    return str(value)


def _is_path(value: object) -> bool:
    return isinstance(value, str) and value != "" and "\0" not in value


def _public_key(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        raise WrongError(
            f"must be the 64 hexadecimal digits that a build with the key tells, not {_shown(value)}"
        )
    return value.lower()


def _variable(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        text = "must be the name of an environment variable, never the key itself"
        raise WrongError(f"{text}; a name is letters, digits and '_'")
    return value


def _one_of(*known: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in known:
            near = did_you_mean(value, known) if isinstance(value, str) else ""
            raise WrongError(f"must be {' or '.join(map(repr, known))}, not {_shown(value)}{near}")
        return str(value)

    return read


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 86_400:
        raise WrongError(f"must be a number of seconds above 0, at most 86400, not {_shown(value)}")
    return float(value)


_UNITS = MappingProxyType(
    {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
    | {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
)
_LEAST_MEMORY = 64 << 20


def _memory(value: object) -> int:
    size = _bytes(value)
    if size < _LEAST_MEMORY:
        raise WrongError(f'is too little for any figure: {_shown(value)}; give it at least "64 MiB"')
    return size


def _bytes(value: object) -> int:
    """Text like `2 GiB` as a number of bytes; units by IEC 80000-13."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?) ?([KMGT]i?B)", value) if isinstance(value, str) else None
    if match is None:
        raise WrongError(f'must be an amount like "2 GiB" or "500 MB", not {_shown(value)}')
    return int(float(match[1]) * _UNITS[match[2]])


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 10**9:
        raise WrongError(f"must be a whole number from 0 to 1000000000, not {_shown(value)}")
    return value


def _megapixels(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 50:
        raise WrongError(f"must be a number above 0, at most 50, not {_shown(value)}")
    return float(value)


def _picture_bytes(value: object) -> int:
    size = _bytes(value)
    if not 0 < size <= 3_000_000:  # a third is added in the SVG, which has at most 5 MB
        raise WrongError(f'must be above 0, at most "3 MB", not {_shown(value)}')
    return size


_LIMITS: Mapping[str, Callable[[object], Any]] = MappingProxyType(
    {"megapixels": _megapixels, "picture_bytes": _picture_bytes}
)


def _limits(value: object) -> Limits:
    if not isinstance(value, dict):
        raise WrongError("must be a table, like {megapixels = 4}")
    found: dict[str, Any] = {}
    for name, limit in value.items():
        if name not in _LIMITS:
            near = did_you_mean(name, _LIMITS) or f"; there are {', '.join(_LIMITS)}"
            raise WrongError(f"is no limit{near}", name)
        try:
            found[name] = _LIMITS[name](limit)
        except WrongError as wrong:
            raise WrongError(str(wrong), name) from None
    return Limits(**found)


_TONES = tuple(field.name for field in fields(Role) if field.name != "name")


def _palette(value: object) -> tuple[Role, ...]:
    """The built-in roles with the book's overrides, then the roles that the book adds."""
    if not isinstance(value, dict):
        raise WrongError('must be a table of roles, like compute = {fill = "#cfe2f3"}')
    roles = {role.name: role for role in ROLES}
    for name, tones in value.items():
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", name) or name in ("text", "muted", "grid", "page"):
            raise WrongError("is no name for a role", name)
        if not isinstance(tones, dict):
            raise WrongError('must be a table, like {fill = "#cfe2f3", line = "#4a90c4"}', name)
        for tone, colour in tones.items():
            if tone not in _TONES:
                near = did_you_mean(tone, _TONES) or f"; there are {', '.join(_TONES)}"
                raise WrongError(f"is no colour of a role{near}", name, tone)
            if not isinstance(colour, str) or not re.fullmatch(r"#(?:[0-9a-fA-F]{3}){1,2}", colour):
                raise WrongError(f'must be a colour like "#cfe2f3", not {_shown(colour)}', name, tone)
        lowered = {tone: _long(colour) for tone, colour in tones.items()}
        if name in roles:
            roles[name] = replace(roles[name], **lowered)
        elif missing := [tone for tone in _TONES if tone not in lowered]:
            raise WrongError(f"is a new role, so it needs {', '.join(missing)} too", name)
        else:
            roles[name] = Role(name, **lowered)
    return tuple(roles.values())


def _long(colour: str) -> str:
    digits = colour[1:].lower()
    return "#" + (digits if len(digits) == 6 else "".join(digit * 2 for digit in digits))


def _lint(value: object) -> tuple[tuple[str, str], ...]:
    levels = _one_of(*LEVELS)
    if not isinstance(value, dict):
        raise WrongError('must be a table of checks, like contrast = "off"')
    rows = []
    for check, level in value.items():
        if check not in CHECKS:
            near = did_you_mean(check, CHECKS) or f"; there are {', '.join(CHECKS)}"
            raise WrongError(f"is no check{near}", check)
        try:
            rows.append((check, levels(level)))
        except WrongError as wrong:
            raise WrongError(str(wrong), check) from None
    return tuple(rows)


def _shown(value: object) -> str:
    """A value as a message shows it; a long one is cut."""
    try:
        text = str(value)
    except ValueError:  # Python limits the digits that it converts
        text = "a number of thousands of digits"
    if len(text) > LONG:
        text = f"{text[:LONG]}..."
    return f'"{text}"' if isinstance(value, str) else text.lower() if isinstance(value, bool) else text


READERS: Mapping[str, Callable[[object], Any]] = MappingProxyType(
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
        "memory": _memory,
        "sandbox": _one_of("auto", "require", "off"),
        "sandbox_read": _outside,
        "cache": _path,
        "cache_key": _public_key,
        "cache_key_env": _variable,
        "rasterise": _count,
        "limits": _limits,
        "palette": _palette,
        "lint": _lint,
    }
)
