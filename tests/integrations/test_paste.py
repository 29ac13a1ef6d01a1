"""What `embed` prints, judged by each format's own reader: the words of a book are text, whatever they are."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from unicodedata import normalize

import html5lib
import markdown
import pytest
import typst
from docutils import nodes
from docutils.core import publish_doctree
from helpers.book import Space
from helpers.cases import cases
from helpers.examples import examples
from helpers.hosts import PANDOC
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from figmill.errors import ToolError
from figmill.integrations import figures
from figmill.integrations.lookup import Embedding, Target, show
from figmill.integrations.paste import FACTS, FORMATS, Paste

HOSTILE = (
    "plain words",
    "* \\ _x_ **b** `code` $x$ ~y~ ^z^ #1 %d & <b> {x} [a](b) |s| \"q\" 'q' don't",
    "one\n\n.. include:: /etc/passwd\n   :literal:\n\ntwo",
    "..",
    ".. raw:: html\n\n   <script>alert(1)</script>",
    ".. _x: javascript:alert(1)",
    "`a <javascript:alert(1)>`_",
    "javascript:alert(1) http://a.example mailto:a@b.example a@b.example file:///etc/passwd",
    "a_ b__ |c|_ [1]_ [x]_",
    "- item",
    "1. item",
    "(1) item",
    "#. item",
    "A. Name",
    "iv) x",
    "-o FILE",
    "--option=x  y",
    "/V  x",
    ":field: x",
    "====",
    "----",
    "| line",
    ">>> 1 + 1",
    "+---+\n| a |\n+---+",
    "=== ===\na   b\n=== ===",
    "text::\n\n   literal",
    "\n\n# heading\n\n[x](javascript:alert(1))",
    "a\n\n    indented",
    "a\n\n```js\nx\n```",
    "<!-- c -->",
    "</figcaption>",
    '"><script>alert(1)</script>',
    "</figure><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "]]>",
    "&lt;b&gt; &#60;",
    "{alert(1)}",
    "{{ 7*7 }} {% include 'x' %} {{< figure >}} {{% x %}}",
    "`${alert(1)}`",
    "*/ alert(1) /*",
    "\\u003c \\n \\",
    "import x from 'y'\n\nexport const z = 1",
    '"}<b>{"',
    "a\u2028b\u2029c\x85d",
    "\u202eabc",
    "end\\",
    "\\",
    '"',
    "'",
    '#eval("1")',
    "= Heading",
    "@ref <label>",
    "// comment",
    "/* comment */",
    "]; #panic()",
    "$ x $",
    '") #panic("',
    "}\\input{/etc/passwd}",
    "\\end{figure}\\write18{id}",
    "100 % of",
    "a -- b --- c ,, d ''e'' ``f`` <<g>> ?`",
    "^^M ^^5c",
    "\\begin{verbatim}",
    "~ ^ _ & # $",
    "é \u00a0 \u4e2d\u6587 \U0001f600",
    "+++\ntitle: x\n+++",
    "---\ntitle: x\n---",
)


# A row of the manifest with nothing in it but what it must have.
ROW = {
    "id": "a",
    "name": None,
    "title": None,
    "alt": "a",
    "caption": None,
    "status": "current",
    "facts": {},
    "files": [],
}


def pasted(caption: str | None, alt: str, number: int = 0) -> Paste:
    files = [
        {"theme": theme, "format": form, "path": f"t/a{number}{dark}.{form}", "width": 40, "height": 20}
        for theme, dark in (("light", ""), ("dark", ".dark"))
        for form in ("svg", "pdf")
    ]
    row = {**ROW, "id": f"a{number}", "title": "A", "alt": "alt", "files": files}
    figure = replace(figures.figure(row), alt=alt, caption=caption)
    embedding = show(figures.Catalogue(None, {figure.label: figure}), Target(figure.label))  # type: ignore[arg-type]
    assert isinstance(embedding, Embedding)
    return Paste(embedding, ".")


def one_line(text: str) -> str:
    """The words that a reader must see."""
    return re.sub(r" *(?:[\x00-\x1f\x7f-\x9f\u2028\u2029] *)+", " ", text).strip()


def seen_in_html(page: str) -> tuple[str, set[str]]:
    """The caption and the alts of the one figure of a page; AssertionError if it has any other element."""
    tree = html5lib.parse(page, treebuilder="lxml", namespaceHTMLElements=False)
    tags = {"html", "head", "body", "figure", "div", "img", "figcaption", "picture", "source", "p", "canvas"}
    elements = [element.tag for element in tree.iter()]
    assert set(elements) <= tags, elements
    assert not {name for e in tree.iter() for name in e.attrib if name.startswith("on")}
    caption = next(tree.iter("figcaption"), None)
    assert "".join(tree.getroot().itertext()).strip() == ("" if caption is None else caption.text)
    return "" if caption is None else caption.text, {image.get("alt") for image in tree.iter("img")}


def as_it_is(text: str) -> tuple[str, set[str]]:
    assert not re.search(r"{[{%<]|^\s*$", text), "it would be a template, or end HTML"
    return seen_in_html(text)


def by_commonmark(text: str) -> tuple[str, set[str]]:
    return seen_in_html(
        MarkdownIt("commonmark")
        .render(f"before\n\n{text}\n\nafter")[len("<p>before</p>\n") :]
        .removesuffix("<p>after</p>\n")
    )


def by_python_markdown(text: str) -> tuple[str, set[str]]:
    return seen_in_html(markdown.markdown(text, extensions=["extra"]))


TAG = re.compile(
    r"</?(\w+)((?: \w+=(?:\"[^\"{}<>&]*\"|{\"(?:[^\"\\]|\\.)*\"}))*)( /)?>|{(\"(?:[^\"\\]|\\.)*\")}"
)


def by_jsx(text: str) -> tuple[str, set[str]]:
    """MDX's grammar as far as `embed` needs it: tags, quoted or braced attributes, and strings in braces."""
    caption, alts, at = "", set(), 0
    assert "\n" not in text
    while at < len(text):
        match = TAG.match(text, at)
        assert match, text[at:]
        at = match.end()
        if match[4]:
            caption += json.loads(match[4])
        for braced, quoted in re.findall(r" alt=(?:{(\"(?:[^\"\\]|\\.)*\")}|\"([^\"]*)\")", match[2] or ""):
            alts.add(json.loads(braced) if braced else quoted)
        assert match[4] is None or not re.search(r"[<>{}`]", match[4])
    return caption, alts


def by_docutils(text: str) -> tuple[str, set[str]]:
    page = f"Before.\n\n{text}\n\nAfter.\n"
    tree = publish_doctree(
        page, settings_overrides={"report_level": 1, "halt_level": 2, "warning_stream": False}
    )
    assert [type(node) for node in tree.children] == [nodes.paragraph, nodes.figure, nodes.paragraph]
    figure = tree.children[1]
    assert isinstance(figure, nodes.figure)
    assert {type(node) for node in figure.findall()} <= {nodes.figure, nodes.image, nodes.caption, nodes.Text}
    image, *rest = figure.children
    return rest[0].astext() if rest else "", {image.get("alt", "")}  # type: ignore[attr-defined]


READERS: list[tuple[str, Callable[[str], tuple[str, set[str]]]]] = [
    ("html", as_it_is),
    ("html", by_commonmark),
    ("html", by_python_markdown),
    ("md", as_it_is),
    ("md", by_commonmark),
    ("md", by_python_markdown),
    ("mdx", by_jsx),
    ("rst", by_docutils),
]


def judge(caption: str, alt: str) -> None:
    for form, reader in READERS:
        text = FORMATS[form](pasted(caption, alt))
        assert reader(text) == (one_line(caption), {one_line(alt)}), (form, text)


@cases("text", HOSTILE)
def test_words_are_text_to_each_reader(text: str) -> None:
    judge(text, text)


ODD = st.lists(
    st.sampled_from([*"*_`|[]<>:\\@#$%&{}()-+=.~^\"'/! \n\n19aA", "..", "::", "javascript:", "\u00a0", "é"]),
    max_size=12,
).map("".join)


@examples(40, 400, ODD, st.text(st.characters(codec="utf-8"), max_size=12), always_the_same=True)
def test_any_words_are_text(caption: str, alt: str) -> None:
    judge(caption.strip("\u00a0"), re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", alt).strip())


def test_words_are_text_to_typst(space: Space) -> None:
    texts = [FORMATS["typst"](pasted(text, text, n)) for n, text in enumerate(HOSTILE)]
    facts = [f"[{FACTS['typst'](text)}]" for text in HOSTILE]
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    space.write({f"t/a{n}.svg": drawing for n in range(len(HOSTILE))})
    space.write({"page.typ": "#set smartquote(enabled: false)\n" + "\n\n".join([*texts, *facts])})
    elements = json.loads(typst.query(str(space.root / "page.typ"), "figure", root=str(space.root)))
    assert [figure["body"]["alt"] for figure in elements] == [one_line(text) for text in HOSTILE]
    assert [figure["caption"]["body"]["text"] for figure in elements] == [one_line(text) for text in HOSTILE]


def by_pandoc(form: str, text: str) -> list[Any]:
    done = subprocess.run(
        [PANDOC, "-f", form, "-t", "json"], input=text, capture_output=True, text=True, check=True
    )
    blocks: list[Any] = json.loads(done.stdout)["blocks"]
    return blocks


def words_of(inlines: list[Any]) -> str:
    """The text of pandoc's inlines; AssertionError if there is anything but text."""
    assert {inline["t"] for inline in inlines} <= {"Str", "Space", "SoftBreak", "Quoted"}, inlines
    return "".join(
        "'" + words_of(inline["c"][1]) + "'" if inline["t"] == "Quoted" else inline.get("c", " ")
        for inline in inlines
    )


def plainly(text: str) -> str:
    """Text without what typography changes: quotes, and which space it is."""
    return re.sub(r"\s+", " ", re.sub("[\u2018\u2019\u201c\u201d]", "'", normalize("NFC", text))).strip()


def test_words_are_text_to_latex() -> None:
    texts = "\n\n".join(FORMATS["latex"](pasted(text, text, n)) for n, text in enumerate(HOSTILE))
    grave = r"\textasciigrave{}"  # which pandoc does not know
    blocks = by_pandoc("latex", texts.replace(grave, "GRAVE"))
    assert [block["t"] for block in blocks] == ["Figure"] * len(HOSTILE)
    captions = [words_of(block["c"][1][1][0]["c"]) for block in blocks]
    assert [plainly(caption) for caption in captions] == [
        plainly(one_line(text)).replace("`", "GRAVE") for text in HOSTILE
    ]
    with pytest.raises(ToolError, match="LaTeX does not accept '%' in a path"):
        FORMATS["latex"](replace(pasted("a", "b"), base="100%"))


LINES: Mapping[str, Callable[[str], str]] = {
    "html": lambda text: text_of(f"<p>{text}</p>"),
    "md": lambda text: text_of(MarkdownIt("commonmark").render(text)),
    "rst": lambda text: publish_doctree(
        text, settings_overrides={"report_level": 1, "halt_level": 2}
    ).astext(),
    "mdx": lambda text: "".join(json.loads(line[1:-1]) if line[:1] == "{" else line for line in [text]),
}


def text_of(page: str) -> str:
    tree = html5lib.parse(page, treebuilder="lxml", namespaceHTMLElements=False)
    assert {element.tag for element in tree.iter()} <= {"html", "head", "body", "p"}, page
    return "".join(tree.getroot().itertext()).strip()


@cases("text", [*HOSTILE, "42.9%", "-7", "1,234", "gpipe"])
def test_a_fact_is_text_in_a_line(text: str) -> None:
    for form, reader in LINES.items():
        assert reader(FACTS[form](text)) == one_line(text), (form, FACTS[form](text))


def test_a_number_stands_as_it_is() -> None:
    for form, text in FACTS.items():
        assert text("1,234.5") == "1,234.5", form
    assert FACTS["latex"]("42.9%") == r"42.9\%"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", "a\n\n.. include:: x"),
        ("id", "../a"),
        ("name", '"><b>'),
        ("caption", "a\x02b"),
        ("alt", "\u202e"),
    ],
)
def test_a_forged_manifest_is_none(key: str, value: str) -> None:
    figures.figure(ROW)
    with pytest.raises(ValueError, match=r"."):
        figures.figure({**ROW, key: value})


@pytest.mark.parametrize("path", ["/etc/passwd", "javascript:alert(1)", "a\n\n.. raw:: html", "a\\b"])
def test_a_forged_path_is_none(path: str) -> None:
    file = {"theme": "light", "format": "svg", "path": path, "width": 1, "height": 1}
    with pytest.raises(ValueError, match=r"."):
        figures.figure({**ROW, "files": [file]})
