"""The allowed targets of an <image>: a file of the book by a relative path, or `data:` with the picture itself."""

from __future__ import annotations

import base64
import binascii
import re
from pathlib import PurePosixPath
from urllib.parse import unquote, unquote_to_bytes

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
BLANKS = re.compile(r"[ \t\r\n]+")
LONGEST = 1_000  # characters of a path


class HrefError(Exception):
    """The target is not allowed; the message says what is allowed."""


def is_data(href: str) -> bool:
    return href[:5].lower() == "data:"


def data_of(href: str) -> tuple[str, bytes]:
    """The media type of a `data:`, in lower case, and its bytes (RFC 2397). Raises HrefError."""
    head, comma, body = href[5:].partition(",")
    parts = [word.strip().lower() for word in head.split(";")]
    if not comma:
        raise HrefError("a picture in 'data:' lacks the comma before its bytes")
    if parts[-1] != "base64":
        return parts[0], unquote_to_bytes(body)
    try:
        return parts[0], base64.b64decode(BLANKS.sub("", unquote(body)), validate=True)
    except (binascii.Error, ValueError):
        raise HrefError("a picture in 'data:' is declared as base64, but is not valid base64") from None


def path_of(href: str) -> str:
    """A relative path of plain names. Raises HrefError."""
    shown = href if len(href) <= 60 else f"{href[:60]}…"
    if SCHEME.match(href) or href.startswith(("/", "\\", "#", "?")):
        raise HrefError(
            f"<image> refers to '{shown}'; only files of the book are allowed, by a relative path"
        )
    path = unquote(href)
    parts = PurePosixPath(path).parts
    is_odd = "\0" in path or "\\" in path or ":" in path or len(path) > LONGEST or not path.isprintable()
    if not parts or ".." in parts or PurePosixPath(path).is_absolute() or is_odd:
        raise HrefError(
            f"<image> refers to '{shown}'; a picture must lie beside its drawing or in a folder below"
        )
    return PurePosixPath(path).as_posix()
