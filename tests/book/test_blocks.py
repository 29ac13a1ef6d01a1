"""Which code blocks in a page are figures, what their authors say of them, and where they stand."""

from __future__ import annotations

import pytest
from helpers.cases import cases

from figmill.book.pages import languages, questions
from figmill.book.pages.blocks import key_of
from figmill.kinds import of_fences
from figmill.model import is_made

KINDS = of_fences()
NO_FILES = dict[str, bytes]().get  # what a book without files reads
LANGUAGES = ("mermaid", "dot")


def found(text: str, path: str = "docs/page.md") -> list[tuple[str, int, int, str]]:
    """Language, first line of the source, column, and the source of each block."""
    blocks = languages.blocks(path, text, LANGUAGES)
    return [(block.language, block.first, block.column, block.text) for block in blocks]


MARKDOWN = {
    "plain": ("```mermaid\na\n\nb\n```\n", [("mermaid", 2, 0, "a\n\nb\n")]),
    "tildes, after a longer one": ("~~~~\n~~~\n~~~~\n~~~ dot\na\n~~~\n", [("dot", 5, 0, "a\n")]),
    "braces": ("``` {.dot #x .y}\na\n```\n", [("dot", 2, 0, "a\n")]),
    "a directive of colons": (":::{mermaid}\na\n:::\n::: dot\nb\n:::\n", [("mermaid", 2, 0, "a\n")]),
    "in a list": ("- a\n\n  ```dot\n  a\n    b\n  ```\n", [("dot", 4, 2, "a\n  b\n")]),
    "as an item": ("1. ```dot\n   a\n   ```\n", [("dot", 2, 3, "a\n")]),
    "in a quotation": ("> > ```dot\n> > a\n> > ```\n", [("dot", 2, 4, "a\n")]),
    "a quotation that ends": ("> ```dot\n> a\n\n```dot\nb\n```\n", [("dot", 5, 0, "b\n")]),
    "in an admonition": ("!!! note\n\n    ```dot\n    a\n    ```\n", [("dot", 4, 4, "a\n")]),
    "in a tab of an admonition": (
        '??? note\n\n    === "T"\n\n        ```dot\n\ta\n        ```\n',
        [("dot", 6, 1, "\ta\n"[1:])],
    ),
    "indented code": ("text\n\n    ```dot\n    a\n    ```\n", []),
    "an example": ("````markdown\n```dot\na\n```\n````\n", []),
    "a cell of code": ("```{python}\nx = '''\n```\n```dot\na\n```\n", [("dot", 5, 0, "a\n")]),
    "in a directive": (
        "````{note}\n```dot\na\n```\n````\n```dot\nb\n```\n",
        [("dot", 3, 0, "a\n"), ("dot", 7, 0, "b\n")],
    ),
    "in a comment": ("<!-- old\n```dot\na\n```\n-->\n<!-- x -->\n```dot\nb\n```\n", [("dot", 8, 0, "b\n")]),
    "never closed": ("```dot\na\n", []),
    "another language": ("```mermaids\na\n```\n```\nb\n```\n", []),
    "options of a directive": ("```{mermaid}\n:alt: x\n  y\n\na\n```\n", [("mermaid", 4, 0, "\na\n")]),
    "front matter of the source": (
        "```{mermaid}\n---\ntitle: T\n---\na\n```\n",
        [("mermaid", 2, 0, "---\ntitle: T\n---\na\n")],
    ),
    "options in YAML": ("```{mermaid}\n---\nalt: x\n---\na\n```\n", [("mermaid", 5, 0, "a\n")]),
    "options in comments": ("```dot\n//| fig-alt: x\n//| fig-cap: y\na\n```\n", [("dot", 4, 0, "a\n")]),
    "front matter of the page": ("---\na: |\n  ```dot\n  ```\n---\n```dot\na\n```\n", [("dot", 7, 0, "a\n")]),
}
REST = {
    "a directive": (
        "T\n=\n\n.. mermaid::\n   :alt: x\n\n   a\n     b\n\nc\n",
        [("mermaid", 7, 3, "a\n  b\n")],
    ),
    "code": (".. code-block:: dot\n\n   a\n\n   b\n", [("dot", 3, 3, "a\n\nb\n")]),
    "a file": (".. mermaid:: a.mmd\n\n   a\n", []),
    "in a directive": (".. note::\n\n   .. dot::\n\n      a\n", [("dot", 5, 6, "a\n")]),
    "an example": (
        ".. code-block:: rst\n\n   .. dot::\n\n      a\n\nLike this::\n\n   .. dot::\n\n      a\n",
        [],
    ),
    "a comment": (".. no\n\n   .. dot::\n\n      a\n\n..\n\n   .. dot::\n\n      b\n", []),
    "empty": (".. dot::\n\ntext\n", []),
}


@cases("name", MARKDOWN)
def test_the_blocks_of_a_page_in_markdown(name: str) -> None:
    text, blocks = MARKDOWN[name]
    assert found(text) == blocks


@pytest.mark.parametrize("name", REST)
def test_the_blocks_of_a_page_in_restructuredtext(name: str) -> None:
    text, blocks = REST[name]
    assert found(text, "docs/page.rst") == blocks


def read(
    text: str, *chosen: str, path: str = "docs/page.md"
) -> tuple[list[tuple[str, str, str | None]], list[str]]:
    """Id, alt and caption of each figure, and the problems."""
    asked, problems = questions.read(
        path, text.encode(), questions.PageSources(chosen or LANGUAGES), KINDS, NO_FILES
    )
    rows = [(question.id, each.alt, each.caption) for question in asked for each in question.declarations]
    return rows, [str(problem.error) for problem in problems]


@pytest.mark.parametrize(
    "fence",
    [
        '```mermaid {#fig-a alt="b, \\"c\\"" caption="d: e" width=50%}\nx\n```',
        '```{.mermaid #a .big alt=\'b, "c"\' caption="d: e" title="T"}\nx\n```',
        '```mermaid\n%%| label: fig-a\n%%| fig-alt: \'b, "c"\'\n%%| fig-cap: "d: e"\nx\n```',
        '```mermaid\n%%| fig-cap: |\n%%|   d: e\n%%| label: fig-a\n%%| fig-alt: >-\n%%|   b,\n%%|   "c"\n%%\nx\n```',
        '```{mermaid}\n:name: fig-a\n:alt: b, "c"\n:caption: d: e\n:align: left\nx\n```',
        '```{mermaid}\n---\nlabel: a\nalt: \'b, "c"\'\ncaption: "d: e"\n---\nx\n```',
    ],
)
def test_an_author_says_the_same_in_each_way(fence: str) -> None:
    assert read(fence) == ([("a", 'b, "c"', "d: e")], [])


def test_a_cell_whose_source_is_a_file_says_what_to_write() -> None:
    _, (problem,) = read("```dot\n//| label: fig-a\n//| file: flow.dot\n```\n")
    assert problem == (
        "docs/page.md:3: a code block holds its source itself; for flow.dot, write a question with `source`"
    )


def test_an_id_comes_from_the_page_and_what_stands_in_the_block() -> None:
    block = "```dot\ndigraph {a}\n```\n"
    (first,), _ = read(block)
    assert first[0].startswith("docs-page-")
    (moved,), _ = read(f"# T\n\ntext\n\n- a\n\n  {block.replace(chr(10), chr(10) + '  ')}")
    assert moved == first
    (edited,), _ = read(block.replace("{a}", "{b}"))
    (other,), _ = read(block, path="docs/other.md")
    assert len({first[0], edited[0], other[0]}) == 3
    twice, _ = read(block * 2)
    assert [row[0] for row in twice] == [first[0], f"{first[0]}-2"]
    assert all(is_made(row[0]) for row in twice) and not is_made("flow-of-bytes")


def test_a_page_chooses_its_own_languages() -> None:
    text = "---\nfigmill: {{fences: {}}}\n---\n```dot\na\n```\n```mermaid\nb\n```\n"
    assert len(read(text.format("[dot]"))[0]) == 1
    assert len(read(text.format("mermaid"))[0]) == 1
    assert read(text.format("false")) == ([], [])
    assert read(text.format("[dit]"))[1][0].startswith(
        "docs/page.md:2:20: fences: figmill draws no code blocks called 'dit'; did you mean 'dot'?"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ('expct="{nodes: 1}"', "unknown option 'expct'; did you mean 'expect'?"),
        ("widht=420", "unknown option 'widht'; did you mean 'width'?"),
        ('expect="{nodes: many}"', "expect.nodes must be a whole number from 0, not many"),
        ('expect="{nodes: 1"', "the { is never closed, or a comma is missing"),
        ("#fig-a:b", "id 'a:b' must be 1 to 64 of"),
        ('alt=""', "alt is empty"),
    ],
)
def test_a_wrong_option_is_told_at_its_line(options: str, message: str) -> None:
    rows, wrong = read(f"text\n\n```dot {{{options}}}\na\n```\n\n```dot\nb\n```\n")
    assert len(rows) == 1 and len(wrong) == 1
    assert wrong[0].startswith("docs/page.md:3") and message in wrong[0]


def test_what_hosts_change_in_a_block_does_not_change_its_name() -> None:
    same = ("a\n  b", "\n\na  \n\tb\n\n".replace("\t", "  "), "  a\n    b\n", "---\ntitle: T\n---\na\n  b\n")
    assert len({key_of("dot", body) for body in same}) == 1
    assert key_of("dot", "a\n\tb") == key_of("dot", "a\n    b")
    assert key_of("dot", "a") != key_of("dot", "b") != key_of("mermaid", "b")


def test_the_title_is_that_of_the_section() -> None:
    text = "# One `a`\n\n```dot\na\n```\n\n## Two [b](c) {#x}\n\n```dot\nb\n```\n"
    asked, _ = questions.read(
        "docs/page.md", text.encode(), questions.PageSources(LANGUAGES), KINDS, NO_FILES
    )
    assert [question.title for question in asked] == ["One a", "Two b"]
    asked, _ = questions.read(
        "docs/page.rst",
        b"Three\n-----\n\n.. dot::\n\n   a\n",
        questions.PageSources(LANGUAGES),
        KINDS,
        NO_FILES,
    )
    assert [question.title for question in asked] == ["Three"]
