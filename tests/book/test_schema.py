"""The JSON Schema says what the reader says: the same files pass, the same files fail."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from helpers.book import REPOSITORY
from helpers.cases import cases
from jsonschema import Draft7Validator

from figmill.book.fields import FIGURE
from figmill.book.question import read
from figmill.book.schema import schema

VALIDATOR = Draft7Validator(schema())


def fits(text: str) -> bool:
    return bool(VALIDATOR.is_valid(yaml.safe_load(text)))


def test_it_is_a_schema() -> None:
    Draft7Validator.check_schema(schema())
    assert json.loads(json.dumps(schema())) == schema()


@cases("path", sorted((REPOSITORY / "questions").rglob("*.yaml")), ids=lambda path: path.stem)
def test_the_books_own_questions_fit(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert fits(text)
    assert read(path.name, text.encode())[1] == ()


@cases(
    "text",
    [
        "id: a",
        "id: a\nvisual: null",
        "id: Cloud",
        "id: a\nvisual: {alt: x, source: a/b.dot}",
        "id: a\nvisuals: [{name: X, alt: x}]",
        "id: a\nvisual: null\nvisuals: []",
        "id: a\nother: {any: thing}\ntitle: 1984",
        "id: a\nvisual: {ref: b}",
        "id: a\nvisual: {alt: x, source: a.dot}",
        "id: a\nvisuals: [{name: x, alt: x, path: a.svg}, {name: y, ref: b}]",
        "id: a\nvisual: {alt: x, source: a.py, kind: dot, engine: neato, inputs: [t.csv, data/u.csv]}",
        "id: a\nvisual: {alt: x, themes: [dark], timeout: 1}",
        "id: a\nvisual: {alt: x, params: {a: [1, {b: null}]}, rendered: x.svg, caption: y}",
        "id: a\nvisual: {alt: x, expect: {nodes: 1, edges: 0, text: [a]}}",
        "id: a\nvisual: {alt: x, expect: {facts: {a: 1, b: [x, 2], c: {value: 1, rel: 0.1, abs: 0}}}}",
    ],
)
def test_good_files_fit(text: str) -> None:
    assert fits(text)
    assert read("q.yaml", text.encode())[1] == ()


@cases(
    "text",
    [
        "visual: {alt: x}",
        "id: 2848",
        "id: a\ntrack: a/b",
        "id: a\nvisual: {}",
        "id: a\nvisual: {ref: b, alt: x}",
        "id: a\nvisual: {ref: b}\nvisuals: []",
        "id: a\nvisual: {alt: x, captoin: y}",
        "id: a\nvisual: {alt: ''}",
        "id: a\nvisual: {alt: x, kind: dott}",
        "id: a\nvisual: {alt: x, rendered: x.png}",
        "id: a\nvisual: {alt: x, engine: neat}",
        "id: a\nvisual: {alt: x, themes: []}",
        "id: a\nvisual: {alt: x, timeout: 0}",
        "id: a\nvisual: {alt: x, inputs: t.csv}",
        "id: a\nvisual: {alt: x, inputs: [/t.csv]}",
        "id: a\nvisual: {alt: x, params: [1]}",
        "id: a\nvisual: {alt: x, expect: {node: 1}}",
        "id: a\nvisual: {alt: x, expect: {nodes: -1}}",
        "id: a\nvisual: {alt: x, expect: {facts: {a: {rel: 1}}}}",
        "id: a\nvisual: {alt: x, expect: {facts: {a: [[1]]}}}",
        "id: a\nvisuals: [{alt: x}]",
        "id: a\nvisuals: [{name: x/y, alt: x}]",
        "id: a\nvisuals: {name: x}",
    ],
)
def test_bad_files_do_not(text: str) -> None:
    assert not fits(text)
    assert read("q.yaml", text.encode())[1] != ()


def test_every_field_has_a_hover_text() -> None:
    assert all(field.about for field in FIGURE.table.values())
