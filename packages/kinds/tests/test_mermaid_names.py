"""Names with characters that Mermaid's grammars do not take: the character at its column, and what the type offers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from figmill.errors import AuthorError
from figmill.kind.job import Job
from figmill_kinds.mermaid import renderer

# A source of each type whose grammar is strict about the name NAME, and one with what the message offers.
STRICT = {
    "flowchart": ("flowchart LR\n  foo-->NAME\n", 'flowchart LR\n  foo-->n1["NAME"]\n'),
    "graph": ("graph LR\n  NAME-->foo\n", 'graph LR\n  n1["NAME"]-->foo\n'),
    "classDiagram": ("classDiagram\n A --> NAME\n", "classDiagram\n A --> `NAME`\n"),
    "gitGraph": (
        "gitGraph\n commit\n branch NAME\n commit\n",
        'gitGraph\n commit\n branch "NAME"\n commit\n',
    ),
    "xychart": ("xychart\n x-axis [NAME, b]\n bar [1, 2]\n", 'xychart\n x-axis ["NAME", b]\n bar [1, 2]\n'),
    "packet": ("packet\n0-15: NAME\n", 'packet\n0-15: "NAME"\n'),
    "architecture": (
        "architecture-beta\n service NAME(server)[S]\n",
        'architecture-beta\n service n1(server)["NAME"]\n',
    ),
    "radar": ("radar-beta\n axis NAME, b, c\n curve x{1, 2, 3}\n", 'radar-beta\n axis n1["NAME"], b, c\n'),
    "usecase": ('usecase-beta\n NAME("b")\n', 'usecase-beta\n n1("NAME")\n'),
    "venn": ("venn-beta\n set NAME\n", 'venn-beta\n set "NAME"\n'),
    "wardley": (
        "wardley-beta\n title T\n component NAME [0.5, 0.5]\n",
        'wardley-beta\n title T\n component "NAME" [0.5, 0.5]\n',
    ),
    "cynefin": ("cynefin-beta\n complex\n  NAME\n", 'cynefin-beta\n complex\n  "NAME"\n'),
    "C4": ("C4Context\n Person(a, NAME)\n", 'C4Context\n Person(a, "NAME")\n'),
    "treemap": ('treemap-beta\nNAME\n  "b": 3\n', 'treemap-beta\n"NAME"\n  "b": 3\n'),
    "pie": ("pie\n NAME : 3\n", 'pie\n "NAME" : 3\n'),
    "sankey": ("sankey-beta\n\nNAME,b,3\n", ""),
    "eventmodeling": ("eventmodeling\n\ntf 01 ui NAME\n", ""),
    "railroad": ('railroad-beta\n NAME = "a" ;\n', ""),
    "railroad-ebnf": ('railroad-ebnf-beta\n NAME = "a" ;\n', ""),
}
# Types whose message names the first column of the text, for any text without quotes.
WHOLE = ("C4", "treemap", "pie")


def drawn(source: str) -> bytes:
    return renderer.render(Job("mermaid", "a.mmd", "file", text=source), Path()).svg


@pytest.mark.parametrize("name", ["b、a、r", "a（b）", "🚀x", "a@b"])
@pytest.mark.parametrize("kind", STRICT)
def test_an_odd_character_is_named_at_its_column_with_what_the_type_offers(kind: str, name: str) -> None:
    source, offered = STRICT[kind]
    if kind == "sankey" and name.isascii():
        return
    with pytest.raises(AuthorError) as error:
        drawn(source.replace("NAME", name))
    message = str(error.value)
    line = next(n for n, row in enumerate(source.split("\n"), 1) if "NAME" in row)
    sign = re.search(r"[^\w]|[^\x00-\x7e]", name)
    assert sign is not None and "too early" not in message
    begin = source.split("\n")[line - 1].index("NAME") + 1
    column = begin if kind in WHOLE else begin + sign.start()
    assert message.startswith(f"a.mmd:{line}:{column}: ")
    if kind not in WHOLE:
        assert f"'{sign[0]}' cannot stand in a name" in message
    if offered:
        form = re.search(r'n1\S*NAME"[\])]|[`"]NAME[`"]', offered)
        assert form is not None and form[0].replace("NAME", name) in message
        drawn(offered.replace("NAME", name))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("gitGraph\n commit\n branch “dev”\n", "a.mmd:3:9: '“' is not a sign of Mermaid; write '\"'"),
        ("flowchart LR\n a → b\n", "a.mmd:2:4: '→' is not a sign of Mermaid; write '-->'"),
        (
            "gitGraph\n commit\n branch a→b\n",
            "a.mmd:3:10: '→' cannot stand in a name; write the text in quotes",
        ),
        (
            "sequenceDiagram\n participant a@b\n",
            "a.mmd:2:15: '@' cannot stand in a name; write a short name, and",
        ),
        (
            "erDiagram\n BOOK ||--o{ a@b : has\n",
            "a.mmd:2:15: '@' cannot stand in a name; write the text in quotes",
        ),
        (
            "erDiagram\n BOOK {\n  string a@b\n }\n",
            "a.mmd:3:11: '@' cannot stand in a name; write the name in",
        ),
    ],
)
def test_signs_that_look_like_others_and_those_of_a_place(source: str, told: str) -> None:
    with pytest.raises(AuthorError) as error:
        drawn(source)
    assert str(error.value).startswith(told)
