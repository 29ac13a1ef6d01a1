"""The words with which authors name what figures state: a small table in place of a language model. Pure; English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

# Words of one meaning -> the word for it here. Stems, as `stem` makes them.
_SAME = {
    "idle": "bubble idle idleness idling lose lost loss waste wast",
    "device": "device gpu rank processor accelerator",
    "stage": "stage",
    "takes": "take took last end makespan span duration length long finish run total",
    "compute": "compute computing computation comput",
    "wait": "wait waiting",
    "load": "load utilisation utilization",
    "hidden": "hidden hide hid",
    "microbatch": "microbatch microbatche",
    "edge": "edge arrow link connection relation",
    "node": "node box vertex state",
    "message": "message",
    "byte": "byte memory",
    "share": "share fraction part proportion percentage percent",
    "most": "peak most maximum max largest highest",
    "least": "least minimum min smallest lowest",
    "mean": "mean average averag",
    "cell": "cell slot",
    "fast": "fast faster speedup speed",
    "reject": "reject refuse refus turn",
    "cross": "cross crossing crosse",
}
_MEANING: Mapping[str, str] = MappingProxyType(
    {word: key for key, text in _SAME.items() for word in text.split()}
)
# Words that say nothing about which quantity is meant.
COMMON = frozenset(
    """a an the of in on at to by for from with per and or as is are be its it all each every both than that this
    one only own share fraction ratio value number count time percent under above below over""".split()  # noqa: SIM905
)
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:'s)?")


@cache
def stem(word: str) -> str:
    """A word without the endings of plurals and verbs."""
    word = word.lower().removesuffix("'s")
    if word in ("gpus", "cpus", "tpus"):
        return word[:-1]
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@cache
def meaning(word: str) -> str:
    """The word that stands for all of its meaning: `gpus` and `ranks` are `device`."""
    base = stem(word)
    return _MEANING.get(base, base)


@cache
def naming(word: str) -> str:
    """The meaning of a word that may name a quantity; empty for one that says nothing about which."""
    return "" if word.lower() in COMMON else meaning(word)
