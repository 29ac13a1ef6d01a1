"""The readers of settings: each turns a TOML value into the value for Options.

Standard library only. Each raises WrongError, whose text follows the setting's name in the message. The table of
settings is in settings.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from figmill.checks import CHECKS, LEVELS, LONGEST
from figmill.errors import did_you_mean
from figmill.host.inside import is_secret
from figmill.late_dataclasses import dataclass
from figmill.palette import ROLES, Role

LONG = 80  # characters shown of a value in a message
# The upper limits of settings. base64 in the SVG adds a third to a picture's bytes, and an SVG has at most 5 MB.
MOST_SECONDS, MOST_COUNT, MOST_MEGAPIXELS, MOST_PICTURE_BYTES = 86_400, 10**9, 50, 3_000_000


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    - read: checks and converts a value; raises WrongError.
    - type: the valid values, in words.
    - example: a value in TOML.
    """

    read: Callable[[object], Any]
    type: str
    about: str
    example: str


class WrongError(Exception):
    """A setting has a wrong value.

    - keys: the place inside the setting; the text follows the setting's name.
    """

    def __init__(self, message: str, *keys: str) -> None:
        super().__init__(message)
        self.keys = keys


def _folder(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise WrongError(f"must be a folder, not {shown(value)}")
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or re.search(r"[\\\x00-\x1f:]", value):
        raise WrongError(f"must be a folder inside the book, written with '/', not {shown(value)}")
    if not _is_short(value):
        raise WrongError(
            f"must be a folder that a file system can hold; this name is too long: {shown(value)}"
        )
    if (secret := next(filter(is_secret, path.parts), None)) is not None:
        raise WrongError(f"must not be inside {secret}")
    return path.as_posix()


def folders(value: object) -> tuple[str, ...]:
    folders = tuple(_folder(item) for item in (value if isinstance(value, list) else [value]))
    if not folders or len(set(folders)) < len(folders):
        raise WrongError("must name at least one folder, and none twice")
    return folders


def languages(value: object) -> tuple[str, ...]:
    """The languages of code blocks. The kinds decide which of them can be drawn."""
    names = value if isinstance(value, list) else [value]
    if not all(isinstance(name, str) and re.fullmatch(r"[A-Za-z][\w+#.-]*", name) for name in names):
        raise WrongError(f'must be a list of names, like ["mermaid", "dot"], not {shown(value)}')
    return tuple(dict.fromkeys(map(str, names)))


def suffixes(value: object) -> tuple[str, ...]:
    """The suffixes of images, with or without the dot. The kinds decide which of them can be drawn."""
    names = value if isinstance(value, list) else [value]
    if not all(
        isinstance(name, str) and re.fullmatch(r"\.?[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)?", name) for name in names
    ):
        raise WrongError(f'must be a list of suffixes, like ["svg", "png"], not {shown(value)}')
    return tuple(dict.fromkeys(str(name).removeprefix(".").casefold() for name in names))


def names(value: object) -> tuple[str, ...]:
    """Keys of questions."""
    keys = value if isinstance(value, list) else [value]
    if not all(isinstance(key, str) and key for key in keys):
        raise WrongError(f'must be a list of keys, like ["scenario", "answer"], not {shown(value)}')
    return tuple(dict.fromkeys(map(str, keys)))


LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")


# Languages of prose, by ISO 639-1. A key `language` may also name one of programs: go, js, ts.
_OF_PROSE = frozenset(
    """af ar bg bn ca cs cy da de el eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lt lv mk ml
    mn mr ms nb ne nl nn no pa pl pt ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh""".split()  # noqa: SIM905
)


def other_than_english(code: str) -> bool:
    """Whether a code is that of a language of prose other than English."""
    return code.casefold().replace("_", "-").partition("-")[0] in _OF_PROSE


def language(value: object) -> str:
    if not isinstance(value, str) or not LANGUAGE.fullmatch(value):
        raise WrongError(f'must be the code of a language, like "de" or "pt-BR", not {shown(value)}')
    return value


def tongues(value: object) -> tuple[str, ...]:
    """Codes of languages."""
    names = value if isinstance(value, list) else [value]
    codes = tuple(map(language, names))
    if len({code.casefold().replace("_", "-") for code in codes}) < len(codes):
        raise WrongError("must name no language twice")
    return codes


def words(value: object) -> tuple[tuple[str, Mapping[str, str]], ...]:
    """Texts of figmill in pages, by language; the languages in lower case with hyphens."""
    from figmill import page_words  # few books need it

    if not isinstance(value, dict):
        raise WrongError('must be a table of languages, like {sv = {"Data:" = "Data:"}}')
    tables = []
    for code, texts in value.items():
        language(code)
        if not isinstance(texts, dict) or not all(isinstance(text, str) and text for text in texts.values()):
            raise WrongError("must be a table of texts, each a string", code)
        for english, text in texts.items():
            if english not in (listed := page_words.english()):
                near = did_you_mean(english, listed) or f"; it has {len(listed)} texts, like {listed[0]!r}"
                raise WrongError(f"has no text {shown(english)}{near}", code)
            remainder = text
            for place in re.findall(r"{\w*}", english):
                remainder = remainder.replace(place, "")
            if "{" in remainder or "}" in remainder:
                raise WrongError(f"has a brace in {shown(text)} that {shown(english)} does not have", code)
        tables.append((code.casefold().replace("_", "-"), dict(texts)))
    return tuple(tables)


def output(value: object) -> str:
    folder = _folder(value)
    if folder == ".":
        raise WrongError("must be a folder of its own, not the book's root")
    return folder


def file(value: object) -> str:
    try:
        name = _folder(value)
    except WrongError as error:
        raise WrongError(str(error).replace("a folder", "a file")) from None
    if name == ".":
        raise WrongError("must be a file, not the book's root")
    return name


def themes(value: object) -> tuple[str, ...]:
    choices = ("light", "dark")
    if not isinstance(value, list) or not value or not all(item in choices for item in value):
        raise WrongError(f'must be a list of "light" and "dark", not {shown(value)}')
    return tuple(theme for theme in choices if theme in value)


def families(value: object) -> str:
    """A CSS list of font families. It is written into every figure, so it may contain only names."""
    if not isinstance(value, str):
        raise WrongError(f"must be font names with commas between them, not {shown(value)}")
    names = [name.strip() for name in value.split(",")]
    for name in names:
        if not re.fullmatch(r"""(?P<quote>['"]?)[\w-]+(?: [\w-]+)*(?P=quote)""", name):
            raise WrongError(f"must be font names with commas between them; '{name}' is not one")
    return ", ".join(names)


def paths(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(map(_is_path, value)):
        raise WrongError(f"must be a list of files, not {shown(value)}")
    return tuple(value)


def outside(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise WrongError(f'must be a list of folders and files, like ["/data/sets"], not {shown(value)}')
    for item in value:
        if not item.startswith("/") or item.strip("/.") == "" or "\0" in item or ".." in item.split("/"):
            raise WrongError(f'must list full paths, like "/data/sets", not {shown(item)}')
        if any(map(_is_of_the_machine, (item, os.path.realpath(item)))):  # the sandbox shows both
            message = "must list folders and files of data; a sandbox has devices and processes of its own"
            raise WrongError(f"{message}, and cannot show {shown(item)}")
    return tuple(value)


def _is_of_the_machine(place: str) -> bool:
    """Whether a path leads to the whole machine, to its devices, or to its processes."""
    path = PurePosixPath(f"/{place.strip('/')}")
    is_own = any(map(path.is_relative_to, ("/dev", "/proc"))) and not path.is_relative_to("/dev/shm")
    return is_own or path == PurePosixPath("/")


def path(value: object) -> str:
    if not _is_path(value):
        raise WrongError(f"must be a folder, not {shown(value)}")
    return str(value)


# The addresses of shared stores. No other protocol: it could run a program, or chain others. No colon: no password.
STORE = re.compile(r"(s3|gs|gcs|az|abfs|file)://[\w.@$~/-]+")


def folder_or_store(value: object) -> str:
    if isinstance(value, str) and "://" in value and not STORE.fullmatch(value):
        raise WrongError(
            f"must be a folder, or an address that begins with s3://, gs://, az:// or file://, not {shown(value)}"
        )
    return path(value)


def _is_path(value: object) -> bool:
    return isinstance(value, str) and value != "" and "\0" not in value and _is_short(value)


def _is_short(path: str) -> bool:
    """Whether a file system accepts a path: 255 bytes per name, and 4096 in all, including the book's own path."""
    return len(path.encode()) <= 2048 and all(len(part.encode()) <= 255 for part in path.split("/"))


def public_key(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        raise WrongError(
            f"must be the 64 hexadecimal digits that a build with the key prints, not {shown(value)}"
        )
    return value.lower()


VARIABLE = "FIGMILL_"  # the prefix of the variable's name: settings can name no other secret of a build


def variable(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        text = "must be the name of an environment variable, never the key itself"
        raise WrongError(f"{text}; a name is letters, digits and '_'")
    if not value.startswith(VARIABLE):
        raise WrongError(
            f'must be the name of a variable that begins with {VARIABLE}, like "FIGMILL_CACHE_KEY"'
        )
    return value


def one_of(*choices: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in choices:
            near = did_you_mean(value, choices) if isinstance(value, str) else ""
            raise WrongError(f"must be {' or '.join(map(repr, choices))}, not {shown(value)}{near}")
        return str(value)

    return read


def seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MOST_SECONDS:
        raise WrongError(f"must be a number of seconds above 0, at most {MOST_SECONDS}, not {shown(value)}")
    return float(value)


_UNITS = MappingProxyType(
    {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
    | {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
)
LEAST_MEMORY, MOST_MEMORY = 64 << 20, 64 << 40  # an address space has 128 TiB


def memory(value: object) -> int:
    size = _bytes(value)
    if size < LEAST_MEMORY:
        raise WrongError(
            f'is too little for any figure: {shown(value)}; give it at least "{amount(LEAST_MEMORY)}"'
        )
    if size > MOST_MEMORY:
        raise WrongError(
            f'is more than any machine has: {shown(value)}; give it at most "{amount(MOST_MEMORY)}"'
        )
    return size


def _bytes(value: object) -> int:
    """Text like `2 GiB` as a number of bytes; units by IEC 80000-13."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?) ?([KMGT]i?B)", value) if isinstance(value, str) else None
    if match is None:
        raise WrongError(f'must be an amount like "2 GiB" or "500 MB", not {shown(value)}')
    return int(float(match[1]) * _UNITS[match[2]])


def amount(size: int) -> str:
    """A number of bytes as written in a book's settings: `2 GiB`, `500 MB`."""
    unit = next((name for name, of in reversed(list(_UNITS.items())) if size % of == 0), "")
    return f"{size // _UNITS[unit]} {unit}" if unit else f"{size} bytes"


def count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_COUNT:
        raise WrongError(f"must be a whole number from 0 to {MOST_COUNT}, not {shown(value)}")
    return value


def megapixels(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MOST_MEGAPIXELS:
        raise WrongError(f"must be a number above 0, at most {MOST_MEGAPIXELS}, not {shown(value)}")
    return float(value)


def picture_bytes(value: object) -> int:
    size = _bytes(value)
    if not 0 < size <= MOST_PICTURE_BYTES:
        raise WrongError(f'must be above 0, at most "{amount(MOST_PICTURE_BYTES)}", not {shown(value)}')
    return size


def characters(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LONGEST:
        raise WrongError(f"must be a number from 1 to {LONGEST}, not {shown(value)}")
    return value


_TONES = tuple(field.name for field in fields(Role) if field.name != "name")


def palette(value: object) -> tuple[Role, ...]:
    """The built-in roles with the book's overrides, then the roles that the book adds."""
    if not isinstance(value, dict):
        raise WrongError('must be a table of roles, like compute = {fill = "#cfe2f3"}')
    roles = {role.name: role for role in ROLES}
    for name, tones in value.items():
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", name) or name in ("text", "muted", "grid", "page"):
            raise WrongError("is not a valid name for a role", name)
        if not isinstance(tones, dict):
            raise WrongError('must be a table, like {fill = "#cfe2f3", line = "#4a90c4"}', name)
        for tone, colour in tones.items():
            if tone not in _TONES:
                near = did_you_mean(tone, _TONES) or f"; choose one of {', '.join(_TONES)}"
                raise WrongError(f"is not a colour of a role{near}", name, tone)
            if not isinstance(colour, str) or not re.fullmatch(r"#(?:[0-9a-fA-F]{3}){1,2}", colour):
                raise WrongError(f'must be a colour like "#cfe2f3", not {shown(colour)}', name, tone)
        lowered = {tone: long_colour(colour) for tone, colour in tones.items()}
        if name in roles:
            roles[name] = replace(roles[name], **lowered)
        elif missing := [tone for tone in _TONES if tone not in lowered]:
            raise WrongError(f"is a new role, so it needs {', '.join(missing)} too", name)
        else:
            roles[name] = Role(name, **lowered)
    return tuple(roles.values())


def long_colour(colour: str) -> str:
    digits = colour[1:].lower()
    return "#" + (digits if len(digits) == 6 else "".join(digit * 2 for digit in digits))


def table_of(settings: Mapping[str, Setting], value: object, noun: str, example: str) -> dict[str, Any]:
    """The values of a table of settings, by their names. noun: what each of them is."""
    if not isinstance(value, dict):
        raise WrongError(f"must be a table, like {example}")
    values: dict[str, Any] = {}
    for name, item in value.items():
        if name not in settings:
            near = did_you_mean(name, settings) or f"; choose one of {', '.join(settings)}"
            raise WrongError(f"is not a {noun}{near}", name)
        try:
            values[name] = settings[name].read(item)
        except WrongError as wrong:
            raise WrongError(str(wrong), name, *wrong.keys) from None
    return values


def lint(value: object) -> tuple[tuple[str, str], ...]:
    levels = one_of(*LEVELS)
    if not isinstance(value, dict):
        raise WrongError('must be a table of checks, like contrast = "off"')
    rows = []
    for check, level in value.items():
        if check not in CHECKS:
            near = did_you_mean(check, CHECKS) or f"; choose one of {', '.join(CHECKS)}"
            raise WrongError(f"is not a check{near}", check)
        try:
            rows.append((check, levels(level)))
        except WrongError as wrong:
            raise WrongError(str(wrong), check) from None
    return tuple(rows)


def shown(value: object) -> str:
    """A value for a message, cut if long."""
    try:
        text = str(value)
    except ValueError:  # Python limits the number of digits it converts
        text = "a number of thousands of digits"
    if len(text) > LONG:
        text = f"{text[:LONG]}..."
    return f'"{text}"' if isinstance(value, str) else text.lower() if isinstance(value, bool) else text
