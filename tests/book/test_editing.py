"""A parameter is changed in the text of its question: its line changes, and no other character."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import yaml
from helpers.book import REPOSITORY
from helpers.cases import cases
from hypothesis import given
from hypothesis import strategies as st

from figmill.book.editing.params import copied, with_params
from figmill.book.editing.values import Value, written
from figmill.errors import AuthorError
from figmill.host import files

FLOW = "id: a\nvisual:\n  kind: dot  # one\n  params: {n: 3, schedule: gpipe}   # two\n  alt: b\n"
BLOCK = """\
id: a  # the id
visual:
  source: p.py

  params:
    # how many
    n: 3     # stages
    schedule: "gpipe"

    list: [1, 2]
  alt: b
"""
BARE = "id: a\nvisual:\n  source: p.py\n  alt: >-\n    some\n    words\n\n# the end\n"


def change(
    text: str, params: dict[str, Value], removed: tuple[str, ...] = (), name: str | None = None
) -> str:
    return with_params("questions/a.yaml", text.encode(), name, params, removed).decode()


@cases(
    ("before", "params", "removed", "old", "new"),
    [
        (FLOW, {"n": 4}, (), "n: 3", "n: 4"),
        (FLOW, {"schedule": "zb-h1"}, (), "gpipe", "zb-h1"),
        (FLOW, {"schedule": "1f1b"}, (), "gpipe", "'1f1b'"),
        (FLOW, {"x": True}, (), "gpipe}", "gpipe, x: true}"),
        (FLOW, {}, ("n",), "n: 3, ", ""),
        (FLOW, {}, ("schedule",), ", schedule: gpipe", ""),
        (FLOW, {}, ("n", "schedule"), "  params: {n: 3, schedule: gpipe}   # two\n", ""),
        (FLOW, {"n": None, "x": 1e-5}, ("schedule",), "{n: 3, schedule: gpipe}", "{n: null, x: 1.0e-05}"),
        (BLOCK, {"n": 2.5}, (), "n: 3  ", "n: 2.5  "),
        (BLOCK, {"schedule": "no"}, (), '"gpipe"', '"no"'),
        (BLOCK, {"x": "a: b"}, (), "[1, 2]\n", "[1, 2]\n    x: 'a: b'\n"),
        (BLOCK, {}, ("n",), "    n: 3     # stages\n", ""),
        (BLOCK, {}, ("list",), "    list: [1, 2]\n", ""),
        (BARE, {"n": 4}, (), "  source: p.py\n", "  source: p.py\n  params: {n: 4}\n"),
        (BARE, {}, ("n",), "", ""),
        ("id: a\nvisual: {source: p.py}", {"n": 1}, (), "p.py}", "p.py, params: {n: 1}}"),
        ("id: a\nvisual:\n  alt: b", {"n": 1}, (), "alt: b", "alt: b\n  params: {n: 1}"),
        ("id: a\nvisual:\n  params:\n  alt: b\n", {"n": 1, "m": 2}, (), "params:", "params: {n: 1, m: 2}"),
        ("id: a\nvisual:\n  params: {}\n", {"n": 1}, (), "{}", "{n: 1}"),
        ("id: a\nvisual:\n  params:\n    n:\n    m: 1\n", {"n": 1}, (), "n:", "n: 1"),
        ("id: a\nvisual: {params: {n, m: 1}}\n", {"n": 1}, (), "{n,", "{n: 1,"),
        (
            "id: a\nvisual:\n  params:\n    n: |\n      x\n\n  alt: b\n",
            {"m": 1},
            (),
            "    n: |",
            "    m: 1\n    n: |",
        ),
    ],
)
def test_what_changes_is_the_parameter(
    before: str, params: dict[str, Value], removed: tuple[str, ...], old: str, new: str
) -> None:
    for text in (before, before.replace("\n", "\r\n"), "\ufeff" + before):
        end = "\r\n" if "\r" in text else "\n"
        expected = text.replace(old.replace("\n", end), new.replace("\n", end), 1)
        assert change(text, params, removed) == expected


def test_a_figure_of_a_list_is_found_by_its_name() -> None:
    text = "id: a\nvisuals:\n- params: {n: 1}\n  name: one\n- name: two\n  params: {n: 1}  # here\n"
    assert change(text, {"n": 2}, name="two") == text.replace("{n: 1}  #", "{n: 2}  #")
    assert change(text, {}, ("n",), name="one") == text.replace("- params: {n: 1}\n  name", "- name")


@pytest.mark.parametrize(
    ("params", "why", "line"),
    [
        ("&p {n: 1}\n  other: *p", "this is an anchor", 4),
        ("{n: &n 1, m: *n}", "this is an anchor", 4),
        ("{m: &n 1, n: *n}", "this is an alias", 4),
        ("{n: !!int '1'}", "this value has a tag", 4),
        ("\n    n: |\n      text\n", "the value of n is a block of text", 5),
        ("\n    n:\n    - 1\n    - 2\n", "the value of n is written over several lines", 6),
        ("[1]", "`params` is not a mapping", 4),
    ],
)
def test_what_cannot_be_cut_is_refused_with_its_place(params: str, why: str, line: int) -> None:
    text = f"id: a\nvisual:\n  alt: b\n  params: {params}\n"
    with pytest.raises(AuthorError, match=rf"questions/a.yaml:{line}:\d+: {why}") as caught:
        change(text, {"n": 4})
    assert caught.value.message.endswith("edit this place by hand")


def test_an_alias_before_a_new_parameter_stays() -> None:
    text = "id: a\nx: &x 1\nvisual:\n  params: {n: *x}\n  alt: b\n"
    assert change(text, {"m": 2}) == text.replace("*x}", "*x, m: 2}")
    text = "id: a\nx: &x 1\nvisual:\n  params:\n    n: *x  # shared\n  alt: b\n"
    assert change(text, {"m": 2}) == text.replace("shared\n", "shared\n    m: 2\n")


@pytest.mark.parametrize("params", ["{m: {a: 1}}", "\n    m:\n      a: 1\n\n"])
def test_a_parameter_is_added_behind_one_of_several_lines(params: str) -> None:
    text = f"id: a\nvisual:\n  params: {params}\n  alt: b\n"
    assert change(text, {"n": 2}) == text.replace("a: 1}", "a: 1}, n: 2").replace(
        "a: 1\n", "a: 1\n    n: 2\n"
    )


@pytest.mark.parametrize("text", ["id: a\nvisual: {ref: b}\n", "id: a\n", "id: a\nvisuals: [{name: x}]\n"])
def test_a_figure_that_is_not_there_is_told(text: str) -> None:
    with pytest.raises(AuthorError, match=r"there is no figure y here|has no `visuals`"):
        change(text, {"n": 1}, name="y")


def test_a_comment_between_two_parameters_is_not_lost() -> None:
    text = "id: a\nvisual:\n  params: {n: 1, # keep me\n    m: 2}\n"
    with pytest.raises(AuthorError, match=r"a.yaml:3:12: there is a comment between"):
        change(text, {}, ("n",))


VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)


@given(VALUES)
def test_a_value_is_read_back_as_it_was(value: Value) -> None:
    for text in (written(value), written(value, "'"), written(value, '"')):
        read = yaml.safe_load(f"{{a: {text}, b: 0}}")["a"]
        assert type(read) is type(value)
        assert read == value and (
            not isinstance(value, float) or math.copysign(1, read) == math.copysign(1, value)
        )


QUESTIONS = sorted((REPOSITORY / "questions").rglob("*.yaml"))


@cases("path", QUESTIONS, ids=lambda path: path.stem)
def test_real_questions_change_in_one_line(path: Path) -> None:
    """Every scalar parameter of the showcase, one after the other, and a new one."""
    data = path.read_bytes()
    params = yaml.safe_load(data)["visual"].get("params") or {}
    for name, value in [*params.items(), ("brand_new", 1)]:
        if isinstance(value, list | dict):
            continue
        lines = with_params("q", data, None, {name: "other"}).splitlines()
        old = data.splitlines()
        assert len(set(lines) - set(old)) == 1
        assert len(lines) - len(old) <= (1 if name == "brand_new" else 0)
        back = with_params("q", data, None, {}, [name]) if name in params else data
        assert name not in (yaml.safe_load(back)["visual"].get("params") or {})


def test_a_copy_has_another_id_and_claims_no_output_twice() -> None:
    text = "# head\nid: 'a'\nvisual:\n  rendered: a.svg  # out\n  alt: b\n"
    assert copied("q", text.encode(), "b-2").decode() == "# head\nid: 'b-2'\nvisual:\n  alt: b\n"


def test_a_file_is_rewritten_only_as_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    path.write_bytes(b"mine")
    path.chmod(0o600)
    (tmp_path / "link.yaml").symlink_to(path)
    assert files.rewrite(str(tmp_path / "link.yaml"), b"mine", b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)
    assert not files.rewrite(str(path), b"mine", b"late")
    assert path.read_bytes() == b"new"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.yaml", "q.yaml"]
