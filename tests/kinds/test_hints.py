"""Versions of a source that `lint --fix --layout` tries."""

from __future__ import annotations

import pytest
from helpers.cases import cases

from figmill.kinds import KINDS

FRONT = "---\ntitle: T\n---\nflowchart TD\n  a --> b\n"
CONFIG = "---\nconfig:\n  theme: base\n---\nflowchart TD\n"


@cases(
    ("kind", "source", "what", "text"),
    [
        ("dot", "digraph {a -> b}", "overlap=false", "digraph {\n  overlap=false;a -> b}"),
        (
            "dot",
            "digraph {rankdir=LR overlap=x nodesep=1 ranksep=1}",
            "rankdir=TB",
            "digraph {rankdir=TB overlap=x nodesep=1 ranksep=1}",
        ),
        (
            "dot",
            '// {\ngraph "{" {\n a -- b [color=red, label="x"]}',
            "xlabel instead of label for edges",
            '// {\ngraph "{" {\n a -- b [color=red, xlabel="x"]}',
        ),
        (
            "dot",
            'digraph { a [label="A"]; a:n -> b:s:e [label="x"] b -> c d [label="D"] }',
            "xlabel instead of label for edges",
            'digraph { a [label="A"]; a:n -> b:s:e [xlabel="x"] b -> c d [label="D"] }',
        ),
        (
            "mermaid",
            "flowchart TD\n  a --> b\n",
            "layout: elk",
            "---\nconfig:\n  layout: elk\n---\nflowchart TD\n  a --> b\n",
        ),
        ("mermaid", FRONT, "layout: elk", FRONT.replace("---\n", "---\nconfig:\n  layout: elk\n", 1)),
        ("mermaid", CONFIG, "layout: elk", CONFIG.replace("config:\n", "config:\n  layout: elk\n")),
        ("mermaid", FRONT, "direction LR", FRONT.replace("TD", "LR")),
        (
            "d2",
            "a -> b\n",
            "engine: elk",
            "vars: {\n  d2-config: {\n    layout-engine: elk\n  }\n}\na -> b\n",
        ),
        ("d2", "direction: left\na -> b\n", "direction: up", "direction: up\na -> b\n"),
        (
            "d2",
            "classes: {\n  a: {\n  }\n}\nx -> n.a: b {\n}\nt: |md\n  z {\n|\nn: Net {\n  a\n}\n",
            "label.near: bottom-center in n",
            "classes: {\n  a: {\n  }\n}\nx -> n.a: b {\n}\nt: |md\n  z {\n|\n"
            "n: Net {\n  label.near: bottom-center\n  a\n}\n",
        ),
    ],
)
def test_a_hint_is_one_change(kind: str, source: str, what: str, text: str) -> None:
    assert text == dict(KINDS[kind].hints(source))[what]


@pytest.mark.parametrize(
    ("kind", "source"),
    [("mermaid", "sequenceDiagram\n  a->>b: hi\n"), ("dot", "no graph"), ("svg", "<svg/>")],
)
def test_a_source_without_a_layout_has_no_hint(kind: str, source: str) -> None:
    assert list(KINDS[kind].hints(source)) == []
