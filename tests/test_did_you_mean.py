"""`did you mean` is said of what is near, and of nothing else."""

from __future__ import annotations

from helpers.cases import cases

from figmill.errors import did_you_mean
from figmill.host.lines import LONGEST
from figmill.model import Origin, Warned

KEYS = (
    "alt",
    "caption",
    "engine",
    "expect",
    "inputs",
    "kind",
    "params",
    "path",
    "source",
    "themes",
    "timeout",
)


@cases(
    ("word", "names", "near"),
    [
        ("dto", ("dot", "svg"), "dot"),
        ("captoin", KEYS, "caption"),
        ("Caption", KEYS, "caption"),
        ("sorce", KEYS, "source"),
        ("enigne", KEYS, "engine"),
        ("parms", KEYS, "params"),
        ("bubble_fractoin", ("bubble_fraction", "fill"), "bubble_fraction"),
        ("cloud-2848", ("cloud-2849", "edge-1"), "cloud-2849"),
        ("matplot-lib", ("dot", "matplotlib"), "matplotlib"),
        ("label", KEYS, None),
        ("d2Version", ("version", "viewBox"), None),
        ("myalt", KEYS, None),
        ("aversion", ("version", "viewBox"), "version"),
        ("text", KEYS, None),
        ("timestamp", KEYS, None),
        ("graph", ("digraph", "strict"), None),
        ("queue", ("source", "cause"), None),
        ("on", ("of", "in"), None),
        ("a", ("b", "c"), None),
        ("A", ("a", "c"), "a"),
        ("network", ("netto", "work"), None),
        ("", ("a", "abc"), None),
    ],
)
def test_only_what_is_near_is_meant(word: str, names: tuple[str, ...], near: str | None) -> None:
    assert did_you_mean(word, names) == (f"; did you mean '{near}'?" if near else "")


def test_the_nearest_of_many_is_meant() -> None:
    assert did_you_mean("pipeline_buble", ("pipeline_bubbles", "pipeline_bubble", "pipeline_bumble")) == (
        "; did you mean 'pipeline_bubble'?"
    )


def test_the_word_itself_is_never_meant() -> None:
    """Whoever asks has found another fault in it."""
    assert (
        did_you_mean("caption", KEYS) == "" and did_you_mean("Caption", KEYS) == "; did you mean 'caption'?"
    )
    assert did_you_mean("@startebnf", ("@startebnf", "@startebnd")) == "; did you mean '@startebnd'?"


def test_a_finding_is_as_short_as_an_error() -> None:
    """Whatever label it quotes: a message has one bound."""
    finding = Warned(Origin("x.dot", 3), f"the text '{'a' * 9000}' lies over another", "text-overlap")
    assert len(finding.message) <= LONGEST + 3 and finding.message.endswith("lies over another")
