"""Sites that are no Python programs: their plugins, run as the hosts run them, on the page of the contract."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.book import REPOSITORY, CopyOf, Space
from helpers.hosts import BAD, BIN, FILES, PAGE, PANDOC, Ran, book, environment, figures, node, prose, run

from figmill.integrations.hosts import HOSTS

MODULES = REPOSITORY / ".venv" / "node_modules"
REMARK = """
import { readFileSync } from "node:fs";
import { remark } from "remark";
import { remarkFigmill } from "./figmill/figmill-remark.mjs";
for (const format of %s) {
  const about = () => ({ format, options: {}, site: %s });
  const tree = remark().parse(readFileSync("docs/index.md", "utf-8"));
  await remark().use(remarkFigmill, { about }).run(tree, { path: "docs/index.md" });
  console.log(JSON.stringify(tree));
}
"""
MARKDOWN_IT = """
import { readFileSync } from "node:fs";
import markdownIt from "markdown-it";
import { markdownItFigmill } from "./figmill/figmill-markdown-it.mjs";
const about = ({ path }) => ({ path, options: {}, site: %s });
const md = markdownIt({ html: true }).use(markdownItFigmill, { about });
console.log(md.render(readFileSync("docs/index.md", "utf-8"), { path: "docs/index.md" }));
"""
SITE = json.dumps({"public": {"folder": "public", "address": "/base/"}, "pages": {"folder": "docs"}})
SCRIPTS = {"markdown-it": MARKDOWN_IT % SITE, "remark": REMARK % ([""], SITE)}
FILES_SHOWN = [
    ("graph.svg", "graph.dark.svg"),
    ("plot.svg", "plot.dark.svg"),
    ("graph.svg", "graph.dark.svg"),
]


def with_files(space: Space) -> Space:
    book(space, "public/figmill")
    for name in ("docusaurus", "vitepress", "astro"):
        assert run([BIN / "figmill", "setup", name], space.root).code == 0
    (space.root / "node_modules").symlink_to(MODULES)
    return space


@pytest.fixture
def site(copy_of: CopyOf) -> Space:
    """A book whose figures a site publishes, with the files of all sites in JavaScript."""
    return copy_of(with_files)


def ran(site: Space, script: str, page: str, **env: str) -> Ran:
    site.write({"docs/index.md": page, "work.mjs": script})
    done = subprocess.run(
        [node(), "work.mjs"],
        cwd=site.root,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=environment(**env),
    )
    return Ran(done.returncode, done.stderr, done.stdout)


def nodes(tree: Any) -> list[Any]:
    return [tree, *(element for child in tree.get("children", ()) for element in nodes(child))]


@pytest.mark.skipif(not (MODULES / "remark").is_dir(), reason="npm has installed no remark")
def test_remark_and_markdown_it_show_the_figures_of_a_page(site: Space) -> None:
    done = ran(site, MARKDOWN_IT % SITE, PAGE, NODE_ENV="production")
    assert (done.code, done.said) == (0, "")
    page_figures = figures(done.page)
    assert [figure.files for figure in page_figures] == FILES_SHOWN
    assert [figure.caption for figure in page_figures] == [
        "A chain of 3 nodes.",
        "Own words",
        "A chain of 3 nodes.",
    ]
    assert "<em>words</em></figcaption>" in done.page and 'src="/base/figmill/global/graph.svg"' in done.page
    text = prose(done.page)
    assert "About 2.0" in text and "So 4 points, 200.0%. See that." in text
    assert done.page.count('id="fig-graph"') == 1 and 'href="#fig-graph"' in done.page
    plain, mdx = map(json.loads, ran(site, REMARK % (["", "mdx"], SITE), PAGE).page.splitlines())
    page = "".join(element["value"] for element in nodes(plain) if element["type"] == "html")
    assert [figure.files for figure in figures(page)] == FILES_SHOWN
    images = [element for element in nodes(mdx) if element.get("name") == "img"]
    looks = [{pair["name"]: pair["value"] for pair in element["attributes"]} for element in images]
    assert [look["src"].rpartition("/")[2] for look in looks] == [
        name for pair in FILES_SHOWN for name in pair
    ]
    assert looks[0]["alt"] == 'a "sends" to b & c' and looks[0]["className"].startswith("figmill-light")
    assert not any(element["type"] == "html" for element in nodes(mdx))  # MDX has none


@pytest.mark.skipif(not (MODULES / "remark").is_dir(), reason="npm has installed no remark")
@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_a_missing_figure_ends_a_build_and_warns_while_serving(site: Space, script: str) -> None:
    line = "figmill: docs/index.md:15: there is no figure 'grpah'; did you mean 'graph'?"
    done = ran(site, script, BAD)
    assert done.code == 0 and line in done.said.splitlines(), done.said
    assert "figmill:grpah</strong>" in done.page
    done = ran(site, script, BAD, NODE_ENV="production")
    assert done.code != 0 and f"Error: {line}" in done.said


@pytest.mark.skipif(sys.platform == "win32", reason="a PATH without figmill")
@pytest.mark.skipif(not (MODULES / "remark").is_dir(), reason="npm has installed no remark")
def test_a_page_stays_readable_without_figmill(site: Space) -> None:
    for script in SCRIPTS.values():
        done = ran(site, script, PAGE, PATH=str(Path(node()).parent / "none"), NODE_ENV="production")
        assert done.code == 0 and done.said.count("the command figmill is not found") == 1, done.said
        assert (
            'src="figmill:' not in done.page and "figmill:graph" in done.page and '"image"' not in done.page
        )


@pytest.mark.skipif(not (MODULES / "remark").is_dir(), reason="npm has installed no remark")
def test_figures_outside_the_published_folder_are_one_line(site: Space) -> None:
    site.write({"pyproject.toml": '[tool.figmill]\noutput = "build"\n'})
    done = ran(site, MARKDOWN_IT % SITE, PAGE)
    assert 'the site publishes the files in public/ only: set output = "public/figmill"' in done.said


@pytest.mark.skipif(not (MODULES / "remark").is_dir(), reason="npm has installed no remark")
def test_a_fence_is_a_figure(site: Space) -> None:
    site.write({"pyproject.toml": '[tool.figmill]\noutput = "public/figmill"\nfences = ["dot"]\n'})
    page = '# One\n\n```dot {#fig-own alt="A to B."}\ndigraph { a -> b }\n```\n\n```python\nx\n```\n'
    done = ran(site, MARKDOWN_IT % SITE, page, NODE_ENV="production")
    assert [figure.files for figure in figures(done.page)] == [("own.svg", "own.dark.svg")], done.said
    assert 'id="fig-own"' in done.page and "language-python" in done.page


OF_PAGE = """\
# One

![A *queue*](img/a.svg)

In a line ![it](img/a.svg), not `![it](img/a.svg)` and ![gone](img/b.svg).
"""
DRAWN = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40"/></svg>'


def of_page(page: str) -> list[str]:
    """The alt text of each light picture that was an image of the page, and the addresses of the others."""
    names = re.findall(
        r'<img class="figmill-light[^"]*" src="[^"]*/img-a-[0-9a-f]{8}\.svg" alt="([^"]*)"', page
    )
    return [*names, *re.findall(r'<img src="(?:\./)?(img/[^"]*)"', page)]


@pytest.mark.skipif(not (MODULES / "remark").is_dir(), reason="npm has installed no remark")
def test_an_image_of_a_page_is_a_figure(site: Space) -> None:
    settings = '[tool.figmill]\noutput = "public/figmill"\nimages = ["svg"]\n'
    site.write({"pyproject.toml": settings, "docs/img/a.svg": DRAWN})
    done = ran(site, MARKDOWN_IT % SITE, OF_PAGE, NODE_ENV="production")
    assert of_page(done.page) == ["A queue", "it", "img/b.svg"], done.said
    done = ran(site, REMARK % (["md", "mdx"], SITE), OF_PAGE, NODE_ENV="production")
    trees = done.page.splitlines()
    assert len(trees) == 2
    for tree in trees:
        images = [each["url"] for each in nodes(json.loads(tree)) if each["type"] == "image"]
        assert images == ["img/b.svg"], done.said
        assert tree.count("figmill-light") == 2 and "fig-img-a-" in tree
    site.write(
        {"pyproject.toml": settings.replace("public", "src") + 'pages = ["src"]\n', "src/img/a.svg": DRAWN}
    )
    done = mdbook(site, OF_PAGE)
    assert of_page(as_html(done.page)) == ["A queue", "it", "img/b.svg"], done.said


def mdbook(space: Space, page: str, **settings: Any) -> Ran:
    """What the preprocessor makes of a book with one chapter, as mdBook hands it over."""
    chapter = {
        "name": "One",
        "content": page,
        "number": [1],
        "sub_items": [],
        "path": "one.md",
        "source_path": "one.md",
        "parent_names": [],
    }
    nested = {"Chapter": {**chapter, "content": "# Draft", "path": None, "sub_items": [{"Chapter": chapter}]}}
    context = {
        "root": str(space.root),
        "renderer": "html",
        "mdbook_version": "0.5.4",
        "config": {"book": {"src": "src", "language": "fr"}, "preprocessor": {"figmill": settings}},
    }
    space.write({"src/one.md": page})
    book = {"items": ["Separator", nested], "__non_exhaustive": None}
    done = space.run("mdbook", given=json.dumps([context, book]))
    if done.code:
        return Ran(done.code, done.err)
    items = done.json["items"]
    return Ran(0, done.err, items[1]["Chapter"]["sub_items"][0]["Chapter"]["content"])


def as_html(markdown: str) -> str:
    command = [PANDOC, "-f", "commonmark", "-t", "html"]
    return subprocess.run(command, input=markdown, capture_output=True, text=True, check=True).stdout


def test_mdbook_gets_its_chapters_with_figures(hosted: Space) -> None:
    hosted.write({"pyproject.toml": '[tool.figmill]\noutput = "src/figmill"\n'})
    more = (
        "- item\n\n  ![In *a* list](figmill:graph)\n\n> ![](figmill:plot)\n\n"
        "An icon ![](figmill:graph) and `![](figmill:x)`.\n"
    )
    done = mdbook(hosted, PAGE + "\n" + more)
    assert "Description et données" in done.page
    assert (done.code, done.said) == (0, "")
    page = as_html(done.page)
    page_figures = figures(page)
    assert [figure.files for figure in page_figures] == [
        *FILES_SHOWN,
        ("graph.svg", "graph.dark.svg"),
        ("plot.svg", "plot.dark.svg"),
    ]
    assert [figure.caption for figure in page_figures][1::2] == ["Own words", "In a list"]
    assert "<em>words</em>" in page and "figmill/global/graph.svg" in page
    text = prose(page)
    assert "About 2.0" in text and "So 4 points, 200.0%. See that." in text and "![](figmill:x)" in text
    done = mdbook(hosted, BAD)
    assert done.code == 1
    assert (
        done.said.splitlines()[0]
        == "figmill: src/one.md:15: there is no figure 'grpah'; did you mean 'graph'?"
    )
    done = mdbook(hosted, BAD, strict=False)
    assert done.code == 0 and "figmill:grpah" in done.page


def test_mdbook_asks_which_renderers_are_served(space: Space) -> None:
    for renderer, code in (("html", 0), ("markdown", 1)):
        assert run([BIN / "figmill", "mdbook", "supports", renderer], space.root).code == code
    done = space.run("mdbook", given="{}")
    assert done.code == 2 and "[preprocessor.figmill]" in done.err


def test_docutils_alone_has_the_directive_and_the_role(hosted: Space) -> None:
    page = (
        "Page\n====\n\n.. figmill:: plot\n   :name: own\n   :width: 300\n\n   Own words.\n\n"
        "So :figmill-fact:`plot#half:.1%`.\n"
    )
    hosted.write({"page.rst": page})
    command = [sys.executable, "-m", "figmill.docutils"]
    done = run([*command, "page.rst", "page.html"], hosted.root)
    assert (done.code, done.said) == (0, "")
    text = hosted.read("page.html")
    assert [(figure.files, figure.caption) for figure in figures(text)] == [(FILES_SHOWN[1], "Own words.")]
    assert 'id="fig-plot"' in text and 'id="own"' in text and "So 200.0%." in prose(text)
    assert ".figmill-picture" in text  # its style sheet
    hosted.write({"page.rst": "Page\n====\n\n.. figmill:: plott\n"})
    done = run([*command, "--exit-status=3", "page.rst", "page.html"], hosted.root)
    assert done.code == 13
    assert done.said == "page.rst:4: (ERROR/3) figmill: there is no figure 'plott'; did you mean 'plot'?\n"


def test_a_notebook_shows_both_themes(hosted: Space) -> None:
    script = (
        "import figmill\none = figmill.show('graph')\nprint(repr(one))\nprint(one._repr_html_())\n"
        "print(one._repr_svg_()[:4])\nfigmill.show('grpah')\n"
    )
    hosted.write({"work.py": script})
    done = run([sys.executable, "work.py"], hosted.root)
    first, *rest = done.said.splitlines()
    assert first == '<figure graph: a "sends" to b & c>'
    assert "<svg" in rest
    assert "there is no figure 'grpah'; did you mean 'graph'?" in rest[-1]
    html = "\n".join(rest)
    assert html.count("data:image/svg+xml;base64,") == 2 and html.count('; display: none"') == 1
    assert html.count('alt="a &quot;sends&quot; to b &amp; c"') == 2 and "A chain of 3 nodes." in html


def test_all_figures_as_data_for_templates(hosted: Space) -> None:
    assert hosted.run("--quiet", "--to", "pdf").code == 0
    done = run([BIN / "figmill", "embed", "--all"], hosted.root)
    data = json.loads(done.said)
    assert list(data["figures"]) == ["graph", "plot"]
    assert data["figures"]["plot"]["facts"]["half"][".1%"] == "200.0%"
    text = data["figures"]["graph"]["html"]
    assert 'src="figmill-base:global/graph.svg"' in text and figures(text)[0].caption == "A chain of 3 nodes."
    done = run([BIN / "figmill", "embed", "--all", "--output", "_data/figmill.json"], hosted.root)
    assert done.said == "wrote _data/figmill.json\n"
    assert json.loads((hosted.root / "_data/figmill.json").read_bytes()) == data
    assert run([BIN / "figmill", "embed", "--all", "--output", "_data/figmill.json"], hosted.root).code == 0
    hosted.write({"mine.json": "{}"})
    done = run([BIN / "figmill", "embed", "--all", "--output", "mine.json"], hosted.root)
    assert (
        done.code == 2 and "--output mine.json: a file that figmill did not make already exists" in done.said
    )
    done = run([BIN / "figmill", "embed", "graph", "--output", "mine.json"], hosted.root)
    assert done.code == 2 and "--output is for --all; one figure is printed" in done.said
    done = run([BIN / "figmill", "embed", "--all", "--format", "latex", "--base", "build"], hosted.root)
    assert r"\csname figmill@graph\endcsname{\begin{figure}" in done.said
    assert r"\csname figmill@plot@half@.1p\endcsname{200.0\%}" in done.said
    done = run([BIN / "figmill", "embed", "--all", "--format", "rst"], hosted.root)
    assert done.code == 2 and "--all is for --format html or latex" in done.said


def test_setup_writes_files_that_node_can_read(site: Space) -> None:
    for path in sorted((site.root / "figmill").glob("*.mjs")):
        assert run([node(), "--check", path], site.root).code == 0, path
    for name in HOSTS:
        assert run([BIN / "figmill", "setup", name], site.root).code == 0
        for copy in HOSTS[name].copies:
            assert (site.root / copy.target).read_bytes().endswith((FILES / copy.source).read_bytes())


IN_DOCUSAURUS = """
import { readFileSync } from "node:fs";
import { remark } from "remark";
import figmill from "./figmill/figmill-docusaurus.mjs";
const config = figmill({ baseUrl: "/base/", staticDirectories: ["public"], presets: [["classic", { docs: {} }]] });
const [plugin, given] = config.presets[0][1].docs.beforeDefaultRemarkPlugins[0];
const tree = remark().parse(readFileSync("docs/index.md", "utf-8"));
await remark().use(plugin, given).run(tree, { path: "docs/index.md" });
console.log(JSON.stringify(tree));
"""
IN_VITEPRESS = """
import markdownIt from "markdown-it";
import figmill from "./figmill/figmill-vitepress.mjs";
const md = markdownIt();
await figmill().markdown.config(md);
console.log(md.renderInline("A *title*", { references: {} }));
"""
IN_ASTRO = """
import { EventEmitter } from "node:events";
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import figmill from "./figmill/figmill-astro.mjs";
const folder = (name) => pathToFileURL(`${process.cwd()}/${name}`);
const processor = { options: { mdastPlugins: [] } };
const folders = { root: folder(""), cacheDir: folder("c/"), publicDir: folder("public/") };
const config = { ...folders, base: "/", markdown: { processor } };
const { hooks } = figmill();
hooks["astro:config:setup"]({ config, injectScript() {} });
const watcher = Object.assign(new EventEmitter(), { add: (names) => (watcher.names = names) });
const states = [processor.options.mdastPlugins[0].name];
const refreshContent = async () => states.push(processor.options.mdastPlugins[0].name);
hooks["astro:server:setup"]({ server: { watcher, environments: {} }, refreshContent });
writeFileSync(watcher.names[0], "{}");
watcher.emit("all", "change", watcher.names[0]);
console.log(new Set(states).size);
"""


EDITIONS = """
import docusaurus from "./figmill/figmill-docusaurus.mjs";
import vitepress from "./figmill/figmill-vitepress.mjs";
import astro from "./figmill/figmill-astro.mjs";
import { pathToFileURL } from "node:url";
import { remark } from "remark";
import markdownIt from "markdown-it";
const said = [];
const words = (page) => said.push(/Description (?:and data|et données)/.exec(page)?.[0]);
const page = "![](figmill:graph)\\n";
const html = async (plugin, given, path) => {
  const tree = remark().parse(page);
  await remark().use(plugin, given).run(tree, { path });
  words(JSON.stringify(tree));
};

const { presets, plugins } = docusaurus({ staticDirectories: ["public"], presets: [["classic", {}]] });
const [plugin, given] = presets[0][1].docs.beforeDefaultRemarkPlugins[0];
for (const locales of [["en"], ["en", "fr"]]) {
  plugins.at(-1)[0]({ siteDir: process.cwd(), i18n: { locales, currentLocale: locales.at(-1) } });
  await html(plugin, given, "docs/index.md");
}

const locales = { root: { lang: "en" }, fr: { lang: "fr-CA" } };
const md = markdownIt({ html: true });
await vitepress({ locales }).markdown.config(md);
for (const relativePath of ["index.md", "fr/index.md"])
  words(md.render(page, { path: `${process.cwd()}/${relativePath}`, relativePath }));

const folder = (name) => pathToFileURL(`${process.cwd()}/${name}`);
const processor = { options: { remarkPlugins: [] } };
const folders = { root: folder(""), cacheDir: folder("c/"), publicDir: folder("public/") };
const { hooks } = astro({ pages: { folder: "docs" } });
hooks["astro:config:setup"]({ config: { ...folders, base: "/", markdown: { processor } }, injectScript() {} });
const i18n = { defaultLocale: "en", locales: ["en", { path: "fr", codes: ["fr-FR"] }] };
hooks["astro:config:done"]({ config: { i18n } });
const [added] = processor.options.remarkPlugins;
for (const name of ["index.md", "fr/index.md"]) await html(...added, `${process.cwd()}/docs/${name}`);
console.log(JSON.stringify(said));
"""


@pytest.mark.skipif(not (MODULES / "remark").is_dir(), reason="npm has installed no remark")
def test_each_edition_of_a_site_has_its_language(site: Space) -> None:
    labels = json.loads(ran(site, EDITIONS, PAGE).page)
    assert labels == ["Description and data", "Description et données"] * 3


@pytest.mark.skipif(not (MODULES / "remark").is_dir(), reason="npm has installed no remark")
def test_servers_show_a_changed_book(site: Space) -> None:
    for env, ends in (("development", r"svg\?v=[\d.]+"), ("production", "svg")):
        all_nodes = nodes(json.loads(ran(site, IN_DOCUSAURUS, PAGE, NODE_ENV=env).page))
        pairs = [
            pair for element in all_nodes if element.get("name") == "img" for pair in element["attributes"]
        ]
        sources = [pair["value"] for pair in pairs if pair["name"] == "src"]
        assert len(sources) == 6
        assert [source for source in sources if not re.fullmatch(f"/base/figmill/.*{ends}", source)] == []
    assert ran(site, IN_ASTRO, PAGE).page.split() == ["2"]  # its store of pages is told of the new state


@pytest.mark.skipif(not (MODULES / "remark").is_dir(), reason="npm has installed no remark")
def test_vitepress_renders_the_title_of_a_container_that_belongs_to_no_page(site: Space) -> None:
    done = ran(site, IN_VITEPRESS, PAGE)
    assert (done.code, done.page.strip()) == (0, "A <em>title</em>"), done.said
