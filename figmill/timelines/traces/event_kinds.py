"""The kind of a recorded event, guessed from the words of its name and its category."""

from __future__ import annotations

import re
from functools import lru_cache

GPU_CATEGORIES = frozenset({"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"})

_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "communication",
        re.compile(
            r"nccl|rccl|all_?reduce|all_?gather|reduce_?scatter|broadcast|all_?to_?all|\bsend|\brecv", re.I
        ),
    ),
    ("fetch", re.compile(r"data_?loader|prefetch|\bfetch", re.I)),
    ("optimizer", re.compile(r"optimi[sz]er|adam(?![a-z])|adamw|\bsgd\b|\blamb\b", re.I)),
    ("memory", re.compile(r"memcpy|memset", re.I)),
    ("backward_weight", re.compile(r"backward_?w|wgrad|weight_?grad", re.I)),
    ("backward_input", re.compile(r"backward_?(input|d)\b|dgrad", re.I)),
    ("backward", re.compile(r"backward|\bbwd", re.I)),
    ("forward", re.compile(r"forward|\bfwd", re.I)),
)
_MICROBATCH = re.compile(r"(?:micro_?batch|\bmb)[ _#=:]*(\d+)", re.I)


@lru_cache(maxsize=1 << 16)
def what_is(name: str, category: str = "") -> tuple[str, str, int]:
    """(kind, label, microbatch) of an event; microbatch is -1 where the name has none."""
    number = _MICROBATCH.search(name)
    microbatch = int(number[1]) if number else -1
    for kind, words in _WORDS:
        if words.search(name):
            return kind, str(microbatch) if number else "", microbatch
    known = "compute" if category in GPU_CATEGORIES or category == "" else "other"
    return known, str(microbatch) if number else "", microbatch
