"""Grammars in four notations: read, drawn in the palette, counted; a mistake at its line and column."""

from __future__ import annotations

import json
import re

import pytest
from helpers.book import Space

from figmill_kinds.railroad import reading

pytest.importorskip("railroad")

GRAMMARS = {
    "iso": (
        '(* numbers *) number part = [ "-" ], digit, { digit | "_" }, 3 * "x" ;\ndigit = "0" | ? others ? ;\n',
        {"rules": 2, "terminals": 4, "nonterminals": 1},
    ),
    "w3c": (
        "[1] Char ::= #x9 | [#x20-#xD7FF] | [^<&] /* one */\nTarget ::= Name - ('X' | 'x')\n",
        {"rules": 2, "terminals": 3, "nonterminals": 1},
    ),
    "python": (
        'if_stmt ::= "if" expression_of_a_long_name ":" suite_of_statements\n'
        '            ("elif" expression_of_a_long_name ":" suite_of_statements)*\n'
        '            ["else" ":" suite_of_statements]\ndigit: "0"..."9"\n',
        {"rules": 2, "terminals": 5, "nonterminals": 2},
    ),
    "go": (
        'Block = "{" List "}" .\nList = { Statement ";" } .\nLetter = "a" … "z" .\n',
        {"rules": 3, "terminals": 4, "nonterminals": 2},
    ),
}


@pytest.mark.parametrize(
    "again", [("--id", "iso"), pytest.param((), marks=pytest.mark.soak)], ids=["one", "all"]
)
def test_grammars_are_drawn_counted_and_the_same_again(space: Space, again: tuple[str, ...]) -> None:
    for name, (text, _) in GRAMMARS.items():
        space.write({f"visuals/{name}.ebnf": text})
        space.question(name, f"source: {name}.ebnf, alt: The grammar of {name}")
    done = space.run()
    assert (done.code, done.err) == (0, "")
    rows = {row["id"]: row["facts"] for row in json.loads(space.read("build/manifest.json"))["figures"]}
    assert rows == {name: facts for name, (_, facts) in GRAMMARS.items()}
    light, dark = space.read("build/global/iso.svg"), space.read("build/global/iso.dark.svg")
    assert "number part" in light and "#cfe2f3" in light and "#1d3b56" in dark
    first = space.outputs()
    assert space.run("--force", *again).code == 0 and space.outputs() == first


def test_rows_within_choices_have_room(space: Space) -> None:
    """Checks report text that other text or a box covers."""
    row = " , ".join(f"'word {number}' long_name_of_a_part" for number in range(8))
    text = f"a = [ {row} ] | {{ {row} , [ {row} ] }} | {row} ;\nb = 'next' ;\n".replace(" , ", ", ")
    space.write({"visuals/rows.ebnf": text})
    space.question("rows", "source: rows.ebnf, alt: A grammar of long rows")
    done = space.run()
    assert (done.code, done.err) == (0, "")
    svg = space.root / "build/global/rows.svg"
    texts = re.findall(r"<text ", svg.read_text())
    assert len(texts) == 4 * 16 + 3
    linted = space.run("lint", str(svg))
    assert "text-" not in linted.out, linted.out


def test_a_question_mark_and_a_bracket_are_read_by_what_stands_before() -> None:
    (rule,) = reading.rules("a ::= b ( 'c' ? )? [_a-zA-Z0-9]? [d]")
    assert [word.text for word in reading.names(rule.part)] == ["b", "c", "[_a-zA-Z0-9]", "d"]


MISTAKES = [
    ('a = "x" ;\nb = ( c\nd = "y" ;', 2, 5, "'(' is not closed; ')' is missing"),
    ('a = "x', 1, 5, "does not end"),
    ('a = "x" ]', 1, 9, "']' is not expected here, in the rule 'a'"),
    ('a = "x", ;', 1, 10, "after ',' another part must follow"),
    ("some text", 1, 1, "a rule must begin here"),
    ("a = " + "(" * 100, 1, 65, "more than 60 brackets"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), MISTAKES)
def test_a_mistake_has_a_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(reading.GrammarError, match=re.escape(message)) as caught:
        reading.rules(text)
    assert (caught.value.line, caught.value.column) == (line, column)
