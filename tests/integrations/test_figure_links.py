"""Links of drawings in pages: each host shows such a drawing itself, leads its links as those of its text, and tells
of dead ones."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from helpers.book import Space
from helpers.hosts import BIN, PANDOC, Ran, markdown, mkdocs, myst, pandoc, prose, run, sphinx, zensical
from helpers.hosts import book as plain_book

from figmill.errors import ToolError
from figmill.integrations import links
from figmill.integrations.picture_content import targets

LIVE = ("other.md#two", "#part", "figmill:graph", "https://example.org/x?a=1&b=2")
DEAD = ("gone.md", "other.md#nope", "#nope", "figmill:gone")
PAGE = "# One\n\n![](figmill:graph)\n\n## Part\n\n![](figmill:linked)\n"
DEAD_PAGE = "# One\n\n![](figmill:linked)\n\n![](figmill:dead)\n\n![](figmill:graph)\n\n## Part\n"
OTHER = "# Other\n\n## Two\n\nWords.\n"
TOC = "\n```{toctree}\nother\n```\n"
NEVER = "the links of figure 'linked' cannot be followed: the page shows it as an image (inline: never)"


def drawing(targets: tuple[str, ...]) -> str:
    boxes = "".join(
        f'<a href="{escape(target)}"><rect x="{90 * at + 5}" y="5" width="80" height="30" fill="#ddeeff"/>'
        f'<text x="{90 * at + 10}" y="25">link {at}</text></a>'
        for at, target in enumerate(targets)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 380 40" width="380" height="40">{boxes}</svg>'
    )


def with_links(space: Space) -> Space:
    plain_book(space)
    space.write({"visuals/l.svg": drawing(LIVE), "visuals/d.svg": drawing(DEAD), "docs/other.md": OTHER})
    space.question("linked", "source: l.svg, alt: four boxes with links, caption: Boxes.")
    return space.question("dead", "source: d.svg, alt: four boxes with dead links")


@pytest.fixture
def linked(copy_of: Callable[[Callable[[Space], Space]], Space]) -> Space:
    """A book with a figure whose links live, one whose links are dead, and figures without links."""
    return copy_of(with_links)


def addresses(page: str) -> list[list[str]]:
    """The addresses of the links in each drawing of a page."""
    return [
        re.findall(r'<a\b[^>]*? href="([^"]*)"', svg)
        for svg in re.findall(r"<svg[^>]*aria-labelledby.*?</svg>", page, re.S)
    ]


def of_sphinx(space: Space, page: str, strict: bool = False) -> Ran:
    return sphinx(space, page + TOC, strict)


def of_pandoc(space: Space, page: str, strict: bool = False) -> Ran:
    return pandoc(space, page, strict, "page.html", "-s", "-M", "title=A")


# Host -> what builds a page, and the address of a part of the other page.
HOSTS: dict[str, tuple[Callable[..., Ran], str]] = {
    "sphinx": (of_sphinx, "other.html#two"),
    "mkdocs": (mkdocs, "other/#two"),
    "zensical": (zensical, "other/#two"),
    "markdown": (markdown, "other.md#two"),
    "pandoc": (of_pandoc, "other.md#two"),
}


@pytest.mark.parametrize("host", HOSTS)
def test_a_drawing_with_links_stands_in_the_page_and_its_links_lead_there(host: str, linked: Space) -> None:
    build, other = HOSTS[host]
    linked.write({"other.md": OTHER} if host == "markdown" else {})
    ran = build(linked, PAGE, strict=True)
    assert ran.code == 0, ran.said
    light, dark = addresses(ran.page)
    assert light == dark == [other, "#part", "#fig-graph", "https://example.org/x?a=1&amp;b=2"]
    assert 'role="group"' in ran.page and "graph.svg" in ran.page and "linked.svg" not in ran.page
    assert ran.page.count(">four boxes with links</desc>") == 2


# Host -> what it says of each dead link.
TOLD = {
    "sphinx": (
        "index.md:5: WARNING: unknown document: '/gone' [ref.doc]",
        "index.md:5: WARNING: figmill: a link of the figure leads to 'other.md#nope', and the page has no such part",
        "index.md:5: WARNING: undefined label: 'nope' [ref.ref]",
        "index.md:5: WARNING: figmill: there is no figure 'gone'",
    ),
    "mkdocs": (
        "Doc file 'index.md' contains a link 'gone.md', but the target is not found among documentation files.",
        "Doc file 'index.md' contains a link 'other.md#nope', but the doc 'other.md' does not contain an anchor",
        "Doc file 'index.md' contains a link '#nope', but there is no such anchor on this page.",
        "figmill: docs/index.md:5: there is no figure 'gone'",
    ),
    "zensical": (
        "docs/index.md:5: a link of the figure leads to 'gone.md', and there is no such page",
        "docs/index.md:5: a link of the figure leads to '#nope', and the page has no such part",
        "docs/index.md:5: there is no figure 'gone'",
    ),
    "markdown": ("line 5: there is no figure 'gone'",),
    "pandoc": ("page.md:5: there is no figure 'gone'",),
}


@pytest.mark.parametrize("host", HOSTS)
def test_a_dead_link_is_told_as_the_host_tells_of_its_own(host: str, linked: Space) -> None:
    build = HOSTS[host][0]
    ran = build(linked, DEAD_PAGE)
    assert ran.code == 0, ran.said
    text = " ".join(ran.said.split())
    for line in TOLD[host]:
        assert text.count(line) == 1, (line, ran.said)
    assert "linked" not in text
    assert build(linked, DEAD_PAGE, strict=True).code != 0


def test_an_image_whose_links_are_dead_is_one_line_and_no_warning(linked: Space) -> None:
    ran = mkdocs(linked, PAGE, strict=True, more="plugins: [{figmill: {inline: never}}]\n")
    assert ran.code == 0 and ran.said.count(f"INFO    -  figmill: docs/index.md:7: {NEVER}") == 1, ran.said
    assert "<svg" not in ran.page
    said = sphinx(linked, PAGE + TOC, strict=True, conf="figmill_inline = False\n").said
    assert said == ""  # with -q, Sphinx says nothing but warnings
    command = [sys.executable, "-m", "sphinx", "-E", "-W", "-b", "html", "docs", "out/html"]
    assert run(command, linked.root).said.count(f"docs/index.md:7: figmill: {NEVER}") == 1
    ran = zensical(linked, PAGE, strict=True, more="[project.markdown_extensions.figmill.markdown]\n")
    setting = linked.read("zensical.toml").replace("figmill.markdown]", "figmill.markdown]\ninline = 'never'")
    linked.write({"zensical.toml": setting})
    ran = run([BIN / "zensical", "build", "--clean", "--strict"], linked.root)
    assert ran.code == 0 and ran.said.count(f"Note: docs/index.md:7: {NEVER}") == 1, ran.said
    page = f"---\nfigmill: {{inline: never}}\n---\n{PAGE}"
    ran = pandoc(linked, page, True)
    assert ran.code == 0 and ran.said.count(f"[INFO] figmill: page.md:10: {NEVER}") == 1, ran.said
    assert "<svg" not in ran.page


@pytest.mark.parametrize("output", ["gfm", "latex", "myst"])
def test_what_shows_images_alone_says_so(output: str, linked: Space) -> None:
    if output == "myst":
        ran, place = myst(linked, PAGE, strict=True), "page.md:7 figmill:"
    else:
        name = "page.md" if output == "gfm" else "page.tex"
        ran, place = pandoc(linked, PAGE, True, name, "-t", output), "[INFO] figmill: page.md:7:"
    said = "the links of figure 'linked' cannot be followed: this output shows figures as images"
    assert ran.code == 0 and ran.said.count(f"{place} {said}") == 1, ran.said


def test_a_page_without_links_keeps_its_bytes(linked: Space) -> None:
    page = "# One\n\n![](figmill:graph)\n\nA ![](figmill:plot) in a line.\n"
    settings = ("", "plugins: [{figmill: {inline: never}}]\n")
    auto, never = (mkdocs(linked, page, strict=True, more=more).page for more in settings)
    strip = re.compile("<!--.*?-->|[0-9]{4}-[0-9]{2}-[0-9]{2}[^<]*", re.S)
    assert strip.sub("", auto) == strip.sub("", never) and "<svg" not in auto


def test_one_figure_has_its_own_wish(linked: Space) -> None:
    page = PAGE.replace("(figmill:linked)", "(figmill:linked){ inline=never }")
    page = page.replace("(figmill:graph)", "(figmill:graph){ inline=always }")
    ran = mkdocs(linked, page, strict=True)
    assert addresses(ran.page) == [[], []] and NEVER in ran.said and "linked.svg" in ran.page
    rst = ".. figmill:: linked\n   :inline: never\n\n.. figmill:: graph\n   :inline:\n"
    linked.write(
        {"docs/index.rst": f"One\n===\n\n{rst}", "docs/conf.py": 'extensions = ["figmill.sphinx"]\n'}
    )
    (linked.root / "docs/index.md").unlink()
    done = run([sys.executable, "-m", "sphinx", "-E", "-b", "html", "docs", "out"], linked.root)
    assert addresses(linked.read("out/index.html")) == [[], []] and NEVER in done.said


def test_a_picture_in_a_line_of_sphinx_is_told_of_once(linked: Space) -> None:
    page = "One\n===\n\nA |x| in a line.\n\n.. |x| image:: figmill:dead\n\n.. toctree::\n\n   other\n"
    linked.write({"docs/index.rst": page, "docs/conf.py": 'extensions = ["myst_parser", "figmill.sphinx"]\n'})
    done = run([sys.executable, "-m", "sphinx", "-E", "-q", "-b", "html", "docs", "out"], linked.root)
    assert [done.said.count(line) for line in ("undefined label: 'nope'", "unknown document: '/gone'")] == [
        1,
        1,
    ]
    assert len(addresses(linked.read("out/index.html"))) == 2


def test_a_wish_that_does_not_exist_is_one_line(linked: Space) -> None:
    said = "inline is one of auto, always, never, not 'sometimes'"
    ran = mkdocs(linked, PAGE, more="plugins: [{figmill: {inline: sometimes}}]\n")
    assert ran.code != 0 and said in ran.said and "Traceback" not in ran.said
    linked.write({"page.md": PAGE})
    program = (
        "import markdown; markdown.markdown(open('page.md').read(), extensions=['figmill.markdown'], "
        "extension_configs={'figmill.markdown': {'inline': 'sometimes'}})"
    )
    ran = run([sys.executable, "-c", program], linked.root)
    assert f"Warning: {said}" in ran.said and "Traceback" not in ran.said
    ran = sphinx(linked, PAGE, conf="figmill_inline = 'sometimes'\n")
    assert f"figmill_{said}" in ran.said and "Traceback" not in ran.said


def test_a_chapter_of_mdbook_has_the_addresses_of_its_pages(linked: Space) -> None:
    linked.write({"pyproject.toml": '[tool.figmill]\noutput = "src/figmill"\n'})
    linked.write({"src/other.md": OTHER, "src/one.md": PAGE})
    chapter = {
        "name": "One",
        "content": PAGE + "\nA ![](figmill:linked) too.\n",
        "path": "one.md",
        "sub_items": [],
    }
    context = {
        "root": str(linked.root),
        "renderer": "html",
        "mdbook_version": "0.5.4",
        "config": {"book": {}},
    }
    asked = json.dumps([context, {"items": [{"Chapter": chapter}]}])
    done = linked.run("mdbook", given=asked)
    assert done.code == 0, done.err
    content = done.json["items"][0]["Chapter"]["content"]
    command = [PANDOC, "-f", "commonmark", "-t", "html"]
    page = subprocess.run(command, input=content, capture_output=True, text=True, check=True).stdout
    assert (
        addresses(page)
        == [["other.html#two", "#part", "#fig-graph", "https://example.org/x?a=1&amp;b=2"]] * 2
    )
    assert "cannot be followed: this output shows figures as images" in done.err  # the one in a line


def test_docutils_leaves_links_as_they_are_written(linked: Space) -> None:
    linked.write({"page.rst": "One\n===\n\n.. figmill:: linked\n\n.. figmill:: graph\n"})
    command = [sys.executable, "-m", "figmill.docutils", "page.rst", "page.html"]
    done = subprocess.run(command, cwd=linked.root, capture_output=True, text=True, check=True)
    light, dark = addresses(linked.read("page.html"))
    assert light == dark == ["other.md#two", "#part", "#fig-graph", "https://example.org/x?a=1&amp;b=2"], done


def test_a_link_without_words_is_named_once_for_a_keyboard() -> None:
    path, text = '<a href="a.md"><path d="M0 0"/></a>', '<a href="a.md"><text>a</text></a>'
    alone = '<a href="b.md"><path d="M0 0"/></a>'
    svg = f'<svg role="img" aria-labelledby="t"><desc id="t">old</desc>{path}{text}{alone}</svg>'
    led = links.led(svg, {"a.md": "a/?x=1&y", "b.md": "b/"}, "new <words>")
    assert led == (
        '<svg role="group" aria-labelledby="t"><desc id="t">new &lt;words&gt;</desc>'
        '<a href="a/?x=1&amp;y" tabindex="-1" aria-hidden="true"><path d="M0 0"/></a>'
        '<a href="a/?x=1&amp;y"><text>a</text></a><a href="b/" aria-label="b.md"><path d="M0 0"/></a></svg>'
    )


def test_what_leads_into_the_drawing_stays() -> None:
    svg = (
        '<svg><a href="#own-light-1"><rect/></a><g id="own-light-1"/><a href="#part"><text>p</text></a></svg>'
    )
    assert links.outward(svg) == ("#part",)
    assert targets(svg) == ("#own-light-1", "#part")


@pytest.mark.parametrize(
    ("value", "wish"), [(True, "always"), (False, "never"), ("auto", "auto"), ("true", "always")]
)
def test_the_older_values_of_the_setting_are_known(value: object, wish: str) -> None:
    assert links.wish(value) == wish
    with pytest.raises(ToolError, match="inline is one of auto, always, never, not 'no'"):
        links.wish("no")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("gone.md", "a link of the figure leads to 'gone.md', and there is no such page"),
        ("other.md#two", None),
        ("#nope", "a link of the figure leads to '#nope', and the page has no such part"),
        ("#here", None),
        ("#%68ere", None),
        ("page.html", None),
        ("https://example.org/a.md", None),
        ("/gone.md", None),
    ],
)
def test_what_the_sources_tell_of_a_link(target: str, said: str | None, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text(OTHER)
    assert links.lost(target, tmp_path / "page.md", {"here"}) == said


def test_text_beside_the_links_is_found_by_a_search(linked: Space) -> None:
    ran = mkdocs(linked, PAGE, strict=True, more="plugins: [search, figmill]\n")
    assert ran.code == 0, ran.said
    index = json.loads(linked.read("site/search/search_index.json"))
    assert "link 2" in " ".join(part["text"] for part in index["docs"])
    assert "other.md" not in prose(ran.page)  # nothing is left of the links that MkDocs resolved


def test_text_to_paste_says_that_its_links_are_dead(linked: Space) -> None:
    said = "figmill: the links of figure{} cannot be followed: this output shows figures as images"
    assert linked.run("--quiet").code == 0
    ran = linked.run("embed", "linked")
    assert ran.code == 0 and said.format(" 'linked'") in ran.err and "<img" in ran.out
    assert said.format("s 'dead', 'linked'") in linked.run("embed", "--all").err
    assert linked.run("embed", "graph").err == ""


PUBLISHED = '[tool.figmill]\noutput = "public/figmill"\n'
SITE = {"public": {"folder": "public", "address": "/base/"}, "pages": {"folder": "docs"}}


def answered(space: Space, host: str, document: object, **more: object) -> tuple[object, list[str]]:
    """What a host gets for a document, and the messages."""
    request = {"version": 1, "host": host, "document": json.dumps(document), "sources": ["docs/index.md"]}
    done = space.run("page", "--json", given=json.dumps({**request, "build": True, **SITE, **more}))
    assert done.code == 0, done.err
    answer = done.json
    told = [
        f"{message['level']}: {message['file'].rpartition('/')[2]}:{message['line']}: {message['message']}"
        for message in answer["messages"]
    ]
    return json.loads(answer["document"]), told


def token(kind: str, **keys: object) -> dict[str, object]:
    return {
        "type": kind,
        "tag": "",
        "attrs": None,
        "level": 0,
        "nesting": 0,
        "children": None,
        "content": "",
        **keys,
    }


def tokens(label: str) -> list[dict[str, object]]:
    image = token("image", attrs=[["src", f"figmill:{label}"], ["alt", ""]], children=[])
    return [
        token("paragraph_open", nesting=1),
        token("inline", children=[image]),
        token("paragraph_close", nesting=-1),
    ]


def test_markdown_it_gets_the_links_of_a_drawing_as_its_own(linked: Space) -> None:
    linked.write({"pyproject.toml": PUBLISHED, "docs/index.md": DEAD_PAGE})
    document, told = answered(linked, "markdown-it", [*tokens("graph"), *tokens("linked"), *tokens("dead")])
    assert isinstance(document, list)
    assert document[0]["type"] == "html_block" and "<svg" not in document[0]["content"]
    parts = next(block for block in document if block["type"] == "inline")["children"]
    opened = [dict(part["attrs"])["href"] for part in parts if part["type"] == "link_open"]
    assert opened == ["other.md#two", "#part", "#fig-graph", "https://example.org/x?a=1&b=2"] * 2
    assert sum(part["nesting"] for part in parts) == 0
    assert "".join(part["content"] for part in parts if part["type"] == "html_inline").count("<svg") == 2
    assert told == [
        "warning: index.md:5: a link of the figure leads to 'gone.md', and there is no such page",
        "error: index.md:5: there is no figure 'gone'",
    ]


def mdast(label: str) -> dict[str, object]:
    image = {"type": "image", "url": f"figmill:{label}", "alt": ""}
    return {"type": "root", "children": [{"type": "paragraph", "children": [image]}]}


def test_remark_has_the_addresses_of_a_site_and_mdx_says_that_links_are_dead(linked: Space) -> None:
    linked.write({"pyproject.toml": PUBLISHED, "docs/index.md": PAGE})
    pages = {"folder": "docs", "address": "/base/"}
    document, told = answered(linked, "remark", mdast("linked"), pages=pages)
    text = json.dumps(document).replace('\\"', '"')
    assert addresses(text)[0] == [
        "/base/other/#two",
        "#part",
        "/base/#fig-graph",
        "https://example.org/x?a=1&amp;b=2",
    ]
    assert told == []
    document, told = answered(linked, "remark", mdast("linked"), format="mdx")
    assert "mdxJsxTextElement" in json.dumps(document) and "<svg" not in json.dumps(document)
    assert told == [
        "note: index.md:7: the links of figure 'linked' cannot be followed: this output shows figures as images"
    ]
    document, told = answered(linked, "remark", mdast("linked"), inline="never")
    assert "<svg" not in json.dumps(document) and told == [f"note: index.md:7: {NEVER}"]
