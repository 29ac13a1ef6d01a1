"""The files of explorations: values in their names, safe and different on every file system."""

from __future__ import annotations

import random
import string
from unicodedata import normalize

import pytest

from figmill.book.explore.pictures import names
from figmill.book.names import file_name_problem


def test_plain_values_stand_as_they_are() -> None:
    assert names({"schedule": ("gpipe", "zb-h1"), "microbatches": (4, 8)}) == [
        "gpipe-4",
        "gpipe-8",
        "zb-h1-4",
        "zb-h1-8",
    ]
    assert names({"n": (-1, 0.5, True, None, 1e-05)}) == ["-1", "0.5", "true", "none", "1e-05"]


HARD = [
    {"a": ("1/2", "1_2", "a b", "a_b")},
    {"a": ("A", "a", "ä", "Ä", "a\u0308")},
    {"a": ("a-b", "a"), "b": ("c", "b-c")},
    {"a": ("con", "nul", "com1", "aux.b", "..", ".", "x.dark", "x")},
    {"a": ("x" * 64, "X" * 64), "b": ("y" * 64, "z" * 64)},
    {"a": (None, "none", True, "true", 1, "1", "?", "*", "<", ">", "|", '"', ":", "\\")},
]


def are_safe(file_names: list[str]) -> bool:
    folded = {normalize("NFC", normalize("NFD", name).casefold()) for name in file_names}
    files = [f"{name}{theme}.svg" for name in file_names for theme in ("", ".dark")]
    return (
        len(folded) == len(file_names)
        and len({file.casefold() for file in files}) == len(files)
        and not any(file_name_problem(file) for file in files)
        and all(file.isascii() and len(file) < 120 for file in files)
    )


@pytest.mark.parametrize("explore", HARD)
def test_names_are_safe_and_different(explore: dict[str, tuple[object, ...]]) -> None:
    file_names = names(explore)  # type: ignore[arg-type]
    assert are_safe(file_names), file_names
    assert names(explore) == file_names  # type: ignore[arg-type]


def test_any_words_are_safe() -> None:
    source = random.Random(7)
    letters = string.ascii_letters + string.digits + "-._ /\\:äßİıﬁ🐟%"
    for _ in range(300):
        values = {"".join(source.choices(letters, k=source.randint(1, 6))) for _ in range(8)}
        assert are_safe(names({"a": tuple(sorted(values)), "b": (1, 2)})), values
