"""Settling: texts filled from facts, and what a question expects of the figure as drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.book import HAND, PLOT, Space
from helpers.cases import cases

from figmill.config import Options
from figmill.errors import AuthorError
from figmill.kind.job import Raw
from figmill.model import Expect, ExpectedFact, Fact, Origin, Visual
from figmill.publish.expectations import unmet
from figmill.publish.finalise import Settled, settle
from figmill.publish.placeholders import fill

AT = Origin("q.yaml", 7, 3)
FACTS: dict[str, Fact] = {
    "ranks": 8,
    "bubble": 3 / 7,
    "schedule": "gpipe",
    "ok": True,
    "none": None,
    "steps": [1, 2.5, "x"],
}


@cases(
    ("text", "filled"),
    [
        ("no facts at all", "no facts at all"),
        ("{ranks} ranks", "8 ranks"),
        ("{ranks}{ranks}", "88"),
        ("bubble {bubble:.2f}", "bubble 0.43"),
        ("bubble {bubble:.0%} of it", "bubble 43% of it"),
        ("{ranks:03d}", "008"),
        ("{schedule:>8}|", "   gpipe|"),
        ("{steps}", "[1, 2.5, 'x']"),
        ("{steps[0]} and {steps[1]:.2f}", "1 and 2.50"),
        ("{ok} {none}", "True None"),
        ("a set {1, 2} and {} and { x } stay", "a set {1, 2} and {} and { x } stay"),
        ("{a, b} and f{x.real} stay, } too", "{a, b} and f{x.real} stay, } too"),
        ("$T_{up} = \\frac{a}{b}(n^{k})$", "$T_{up} = \\frac{a}{b}(n^{k})$"),
        ("x_{ranks}", "x_8"),
        ("{{ranks}} and {{unknown}}", "{ranks} and {unknown}"),
        ("{{{ranks}}}", "{8}"),
        ("}}{{", "}{"),
        ("{schedule:{ranks}}", "{schedule:8}"),
    ],
)
def test_fields_become_facts_and_other_braces_stay(text: str, filled: str) -> None:
    assert fill(text, FACTS, AT) == filled


@cases(
    ("text", "message"),
    [
        ("{bubbel:.2f}", "'{bubbel:.2f}': the figure states no fact 'bubbel'; did you mean 'bubble'?"),
        ("{Ranks}", "'{Ranks}': the figure states no fact 'Ranks'; did you mean 'ranks'?"),
        (
            "a {utilisation}",
            "'{utilisation}': the figure states no fact 'utilisation'; it states ranks, bubble, "
            "schedule, ok, none, steps; for a brace write {{ or }}",
        ),
        ("x_{rank}", "'{rank}': the figure states no fact 'rank'; did you mean 'ranks'?"),
        ("{ ranks }", "'{ ranks }' is not a placeholder; write {ranks}, or {ranks:.2f} with a format"),
        ("{ranks!r}", "'{ranks!r}' is not a placeholder; write {ranks}, or {ranks:.2f} with a format"),
        ("{ranks[0]}", "'{ranks[0]}': 8 is not a list; leave [0] out"),
        ("{steps[3]}", "'{steps[3]}': the list has 3 items, counted from 0"),
        ("{bubble:.2f", "'{bubble:.2f' is not a placeholder; write {bubble}, or {bubble:.2f} with a format"),
    ],
)
def test_a_placeholder_of_no_fact_is_never_published(text: str, message: str) -> None:
    with pytest.raises(AuthorError) as caught:
        fill(text, FACTS, AT)
    assert str(caught.value) == f"q.yaml:7:3: {message}"


def test_a_misspelt_placeholder_fails_the_build_at_its_line(space: Space) -> None:
    space.write({"visuals/p.py": PLOT, "visuals/h.svg": HAND})
    space.question("one", "kind: matplotlib, source: p.py, alt: 'a line of {point} points'")
    space.question("two", "kind: matplotlib, source: p.py, alt: a line, caption: 'half is {haff:.1f}'")
    space.question("three", "source: h.svg, alt: 'a rank, {n} of them'")
    space.question("four", "source: h.svg, alt: 'a rank of the set {{n}}'")
    done = space.run()
    assert done.code == 1
    assert (
        "questions/one.yaml:4:47: '{point}': the figure states no fact 'point'; did you mean 'points'?"
        in done.err
    )
    assert (
        "questions/two.yaml:4:64: '{haff:.1f}': the figure states no fact 'haff'; did you mean 'half'?"
        in done.err
    )
    assert "questions/three.yaml:4:30: '{n}': the figure states no fact 'n'; it states none" in done.err
    assert "a rank of the set {n}</desc>" in space.read("build/global/four.svg")


@pytest.mark.parametrize("text", ["{schedule:.2f}", "{bubble:d}", "{none:.1f}", "{steps:.1f}", "{ranks:~}"])
def test_a_fact_that_cannot_be_shown_so_is_told_at_its_text(text: str) -> None:
    with pytest.raises(AuthorError) as caught:
        fill(text, FACTS, AT)
    assert str(caught.value).startswith(f"q.yaml:7:3: '{text}' cannot show the fact")


ORIGINS = {
    "": Origin("q.yaml", 1),
    "expect.nodes": Origin("q.yaml", 2),
    "expect.text.1": Origin("q.yaml", 3, 9),
    "expect.facts": Origin("q.yaml", 4),
    "expect.facts.bubble": Origin("q.yaml", 5, 5),
}


def visual(expect: Expect) -> Visual:
    return Visual("x", None, "global", None, "dot", "x.dot", "x.svg", "alt", None, ORIGINS, expect=expect)


def said(expect: Expect, facts: dict[str, Fact], *texts: str) -> list[str]:
    return [str(error) for error in unmet(visual(expect), facts, texts)]


@cases(
    ("expected", "drawn", "met"),
    [
        (ExpectedFact("bubble", 0.4286), 3 / 7, True),  # within 1e-3 of 0.4286
        (ExpectedFact("bubble", 0.43), 3 / 7, False),
        (ExpectedFact("bubble", 0.43, rel=0.01), 3 / 7, True),
        (ExpectedFact("bubble", 0.43, rel=0.0, abs=0.002), 3 / 7, True),
        (ExpectedFact("bubble", 0.43, rel=0.0, abs=0.001), 3 / 7, False),
        (ExpectedFact("bubble", 1000, rel=0.0), 1000, True),
        (ExpectedFact("bubble", 1000, rel=0.0), 1000.0001, False),
        (ExpectedFact("bubble", 1000), 1001, True),  # just on the tolerance
        (ExpectedFact("bubble", 1000), 1001.5, False),
        (ExpectedFact("bubble", -1000), -1000.5, True),
        (ExpectedFact("bubble", -1000), 1000, False),
        (ExpectedFact("bubble", 0), 1e-9, False),
        (ExpectedFact("bubble", 0, abs=1e-6), 1e-9, True),
        (ExpectedFact("bubble", "gpipe"), "gpipe", True),
        (ExpectedFact("bubble", "gpipe"), "1f1b", False),
        (ExpectedFact("bubble", 1), "1", False),
        (ExpectedFact("bubble", [1, 2]), [1, 2], True),
        (ExpectedFact("bubble", [1, 2]), [1, 3], False),
        (ExpectedFact("bubble", None), None, True),
        (ExpectedFact("bubble", True), True, True),
        (ExpectedFact("bubble", True), False, False),
        (ExpectedFact("bubble", True), 1, False),
        (ExpectedFact("bubble", 1), True, False),
    ],
)
def test_a_stated_number_is_held_to_its_tolerance(expected: ExpectedFact, drawn: Fact, met: bool) -> None:
    errors = said(Expect(facts=(expected,)), {"bubble": drawn})
    assert (errors == []) is met
    assert all(error.startswith("q.yaml:5:5: bubble: expected ") for error in errors)


@cases(
    ("expect", "facts", "texts", "errors"),
    [
        (Expect({"nodes": 3, "edges": 2}), {"nodes": 3, "edges": 2}, (), []),
        (Expect({"nodes": 4}), {"nodes": 3}, (), ["q.yaml:2: expected 4 nodes, drawn: 3"]),
        (Expect({"nodes": 0}), {"nodes": 1}, (), ["q.yaml:2: expected 0 nodes, drawn: 1"]),
        (Expect({"edges": 1}), {}, (), ["q.yaml:1: expected 1 edges, drawn: None"]),
        (Expect(text=("Bubble = 0.43",)), {}, ("Bubble = 0.43",), []),
        (Expect(text=("Bubble  =\n0.43",)), {}, ("Bubble = 0.43",), []),
        (Expect(text=("a b",)), {}, ("a", "b"), []),
        (Expect(text=("a", "c")), {}, ("a b",), ["q.yaml:3:9: the text 'c' is not in the figure"]),
        (
            Expect(facts=(ExpectedFact("bubble", 1),)),
            {"makespan": 3},
            (),
            ["q.yaml:5:5: the figure states no fact 'bubble'; it states: makespan"],
        ),
        (
            Expect(facts=(ExpectedFact("other", 1),)),
            {},
            (),
            ["q.yaml:4: the figure states no fact 'other'; it states: none"],
        ),
    ],
)
def test_what_is_expected_and_not_drawn_is_told_at_its_own_line(
    expect: Expect, facts: dict[str, Fact], texts: tuple[str, ...], errors: list[str]
) -> None:
    assert said(expect, facts, *texts) == errors


def test_a_warning_is_one_line_whatever_the_figure_says() -> None:
    text = "<text x='80' y='20'>runs\x9b31mout</text>"
    raw = Raw(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 40">{text}</svg>'.encode())
    settled = settle(visual(Expect()), raw, Options())
    assert isinstance(settled, Settled)
    assert "runs\\x9b31mout" in settled.warnings[0].message
    assert not any("\x9b" in warning.message for warning in settled.warnings)


@cases(
    ("text", "fact", "message"),
    [
        ("{x:>900000000}", 8, "at most 100"),
        ("{x:.900000000f}", 8, "at most 100"),
        ("{x:>101}", "gpipe", "at most 100"),
        ("{x:.101f}", 0.5, "at most 100"),
        ("{x:" + "9" * 5000 + "}", 8, "at most 100"),
        ("{x:c}", -1, "not in range"),
        ("{x:c}", 0xD800, "U+D800"),
        ("{x:c}", 27, "U+001B"),
        ("{x:c}", 10, "U+000A"),
        ("{x:\n>8}", 1, "U+000A"),
        ("{x:.2f}", 10**400, "too large"),
        ("{x}", "\ud800", "U+D800"),
        ("{x}", "a\nb", "U+000A"),
        ("{x:%Y}", 1, "not a format"),
        ("{x:s}", 1, "Unknown format code"),
        ("{x:>8}", [1], "unsupported format"),
    ],
)
def test_no_placeholder_breaks_a_line_or_takes_the_machine(text: str, fact: Fact, message: str) -> None:
    with pytest.raises(AuthorError) as caught:
        fill(text, {"x": fact}, AT)
    said = str(caught.value)
    assert said.startswith("q.yaml:7:3: ") and message in said and len(said) < 500


@pytest.mark.parametrize(
    "text", ["{x:100}", "{x:>100}", "{x:0100d}", "{x:*^+100,d}", "{x:.100f}", "{x:#0100_x}"]
)
def test_a_placeholder_may_be_a_hundred_wide(text: str) -> None:
    assert 100 <= len(fill(text, {"x": 8}, AT)) <= 102


def test_a_filled_text_has_the_limit_of_the_text_as_written() -> None:
    facts: dict[str, Fact] = {"x": "y" * 500, "l": ["y" * 1000] * 256}
    assert fill("{x}{x}{x}{x}", facts, AT) == "y" * 2000
    for text, length in (("{x}{x}{x}{x}.", "2,001"), ("{l}", "257,024"), ("{l}" * 100, "257,024")):
        with pytest.raises(
            AuthorError, match=f"^q.yaml:7:3: this text has {length} characters with its facts"
        ):
            fill(text, facts, AT)
    caption = replace(visual(Expect()), caption="{x}{x}")
    outcome = settle(caption, Raw(b"<svg/>", facts), Options())
    assert (
        isinstance(outcome, tuple)
        and "has 1,000 characters" in str(outcome[0])
        and "at most 600" in str(outcome[0])
    )


@pytest.mark.parametrize(
    ("expected", "drawn"),
    [
        (ExpectedFact("bubble", 10**399), 1),
        (ExpectedFact("bubble", -(10**399)), 0.5),
        (ExpectedFact("bubble", 10**399), "x" * 1000),
        (ExpectedFact("bubble", ["y" * 10**6]), ["x" * 1000] * 256),
        (ExpectedFact("bubble", 1e308, rel=0.0), -1e308),
        (ExpectedFact("bubble", 1), 10**99),
        (ExpectedFact("bubble", 1e308), 10**99),
    ],
)
def test_an_expectation_that_nothing_can_meet_is_one_line(expected: ExpectedFact, drawn: Fact) -> None:
    (error,) = said(Expect(facts=(expected,)), {"bubble": drawn})
    assert error.startswith("q.yaml:5:5: bubble: ") and len(error) < 400


def test_the_command_tells_each_of_these_at_its_place(space: Space) -> None:
    """By the real command: placeholders and expectations that ask for too much, and a figure that is well."""
    plot = PLOT.replace('"half": n / 2', '"half": n / 2, "minus": -1, "s": "x" * 1000')
    asked = {
        "wide": "alt: '{points:>900000000}'",
        "long": "alt: nothing, caption: '{points:.900000000f}'",
        "sign": "alt: 'a {minus:c}'",
        "much": "alt: '{s}{s}{s}'",
        "digits": f"alt: nothing, expect: {{facts: {{points: {10**399}}}}}",
        "nodes": f"alt: nothing, expect: {{nodes: {10**399}}}",
        "rel": f"alt: nothing, expect: {{facts: {{points: {{value: 1, rel: {10**399}}}}}}}",
        "well": "alt: 'half is {half:.1f}'",
    }
    space.write({"visuals/b.py": plot})
    for name, fields in asked.items():
        space.question(name, f"kind: matplotlib, source: b.py, {fields}")
    done = space.run("--format", "json")
    assert (done.code, done.err) == (1, "")
    rows = {row["id"]: row for row in done.json["figures"]}
    assert {name for name, row in rows.items() if row["status"] == "failed"} == {*asked} - {"well"}
    for name in asked.keys() - {"well"}:
        error = rows[name]["error"]
        assert error["file"] == f"questions/{name}.yaml" and error["line"] == 4, name
        assert len(error["message"]) < 500 and "\n" not in error["message"]


@pytest.mark.parametrize("switch", ["", "<!-- draw.io -->"])
def test_a_formula_in_an_export_is_told_in_every_build_at_its_line(space: Space, switch: str) -> None:
    feature = "http://www.w3.org/TR/SVG11/feature#Extensibility"
    label = '<div xmlns="http://www.w3.org/1999/xhtml">$$\\frac{1}{2}$$</div>'
    space.write(
        {
            "visuals/f.svg": f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 60">{switch}\n<g><switch>'
            f'<foreignObject x="50" width="90" height="40" requiredFeatures="{feature}">\n{label}</foreignObject>'
            '<text x="60" y="34">[Not supported by viewer]</text></switch></g></svg>\n'
        }
    )
    space.question("f", "source: f.svg, alt: half of a whole")
    for arguments in ((), ("lint",)):
        done = space.run(*arguments)
        assert "visuals/f.svg:3: the formula $$\\frac{1}{2}$$ stands as its source" in done.err + done.out
