"""The documentation as a site: it is strict, loads nothing from elsewhere, and every address leads somewhere."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers.book import REPOSITORY, Space, believed
from helpers.hosts import BIN, Ran, figures, run
from lxml import html
from playwright.sync_api import Browser

pytestmark = pytest.mark.site

SHIFTS = """() => { window.shifts = []; new PerformanceObserver((list) => { for (const entry of list.getEntries())
    window.shifts.push([entry.value, ...entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 200))]); })
    .observe({ type: "layout-shift", buffered: true }) }"""
# What draws or styles a page: none of it may come over the network. Links of an <a> may.
LOADED = ("script", "img", "link", "iframe", "source", "object", "use")


@pytest.fixture(scope="module")
def site(showcase: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the documentation, with the showcase, which is built already."""
    root = tmp_path_factory.mktemp("checkout") / "checkout"
    shutil.copytree(showcase, root, symlinks=True)
    believed(root)
    shutil.copytree(REPOSITORY / "docs", root / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for path in [*REPOSITORY.glob("*.md"), REPOSITORY / "mkdocs.yml", REPOSITORY / "pyproject.toml"]:
        shutil.copy(path, root)
    # Links to these files become words.
    for name in ("figmill", "packages", "tests", "benchmarks", "hatch_build.py"):
        (root / name).symlink_to(REPOSITORY / name)
    ran = built(root)
    assert (ran.code, "WARNING" in ran.said) == (0, False), ran.said
    return root


def built(root: Path) -> Ran:
    return run([BIN / "mkdocs", "build", "--strict"], root)  # with --quiet, warnings would not count


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Any]:
    """Each page of the site, parsed."""
    return {
        path: html.document_fromstring(path.read_text(encoding="utf-8"))
        for path in sorted((site / "dist/docs").rglob("*.html"))
        if path.name != "404.html"
    }


def test_every_page_of_docs_is_a_page_of_the_site(site: Path, pages: dict[Path, Any]) -> None:
    sources = {path.relative_to(site / "docs") for path in (site / "docs").rglob("*.md")}
    expected = {
        path.with_name("index.md") if path.name == "README.md" else path
        for path in sources
        if path.parts[0] not in ("demos", "examples", "site", "starters")
    }
    paths = {path.relative_to(site / "dist/docs").with_suffix(".md") for path in pages}
    more = {"security.md", "contributing.md", "changelog.md", "skill.md"}
    assert paths == expected | {Path(name) for name in more}


def test_the_pictures_of_the_showcase_are_figures(site: Path) -> None:
    for name, files in {
        "index": [("cloud-2878.svg", "cloud-2878.dark.svg")],
        "developers/architecture": [
            (f"figmill-{n}.svg", f"figmill-{n}.dark.svg") for n in ("way", "states", "processes")
        ],
    }.items():
        text = (site / f"dist/docs/{name}.html").read_text(encoding="utf-8")
        assert [figure.files for figure in figures(text)] == files
    gallery = (site / "dist/docs/gallery.html").read_text(encoding="utf-8")
    assert len(figures(gallery)) == len([*(site / "questions").rglob("*.yaml")]) > 20
    assert "<td>0.428571</td>" in gallery


def test_each_figure_to_copy_stands_beside_the_source_that_drew_it(
    site: Path, pages: dict[Path, Any]
) -> None:
    tree = pages[site / "dist/docs/figures-to-copy.html"]
    pairs = tree.xpath("//div[@class='pair']")
    assert len(pairs) >= 30
    for pair in pairs:
        themes = [image.get("class") for image in pair.xpath("figure//img")]
        assert [names.split()[0] for names in themes] == ["figmill-light", "figmill-dark"]
        assert pair.xpath("figure//img/@alt")[0]
    shown = [pair.xpath("div//code")[-1].text_content() for pair in pairs]
    every = "\n".join(code.text_content() for code in tree.xpath("//div[@class='pair']//pre/code"))
    for path in sorted((site / "docs/copy/visuals").iterdir()):
        assert path.read_text(encoding="utf-8").strip("\n") in every, path.name
    assert all("visual:" in text for text in shown)


def test_the_home_page_shows_a_source_beside_its_figure_in_both_themes(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto((site / "dist/docs/index.html").as_uri())
    source = (site / "docs/copy/visuals/cache-aside.mmd").read_text(encoding="utf-8")
    assert page.locator(".first pre code").text_content() == source
    figure = page.locator(".themes")
    dark, handle = figure.locator(".dark"), figure.get_by_role("slider")
    edge = "image => getComputedStyle(image).clipPath"
    assert dark.evaluate(edge) == "inset(0px 0px 0px 50%)"
    handle.press("Home")
    handle.press("ArrowRight")
    assert dark.evaluate(edge) == "inset(0px 0px 0px 1%)"
    assert figure.locator("img").evaluate_all("images => images.every((image) => image.naturalWidth > 300)")
    for part in (figure, page.locator(".figmill-controls")):
        box = part.bounding_box()
        assert box and box["y"] + box["height"] < 800  # on the first screen
    lengths = page.locator("article p:not(figure p)").evaluate_all("all => all.map((p) => p.offsetWidth)")
    assert max(lengths) <= 720
    assert page.locator(".cards li").count() == 8
    page.close()


@pytest.mark.parametrize("name", ["index", "guide/install", "sources", "reference/commands"])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_axe_finds_nothing_and_nothing_moves(
    site: Path, browser: Browser, name: str, theme: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme)  # type: ignore[arg-type]
    page.add_init_script(f"({SHIFTS})()")
    page.goto((site / f"dist/docs/{name}.html").as_uri())
    assert page.locator(f"body[data-md-color-scheme={'slate' if theme == 'dark' else 'default'}]").count()
    page.evaluate("document.querySelectorAll('.md-typeset pre').forEach((code) => code.scrollIntoView())")
    page.wait_for_timeout(500)  # Material adds its buttons when a block comes into view
    shifts = page.evaluate("window.shifts")
    assert sum(value for value, *_ in shifts) <= 0.02, shifts
    results = Axe().run(page).response
    assert results["passes"]
    assert [
        f"{rule['id']}: {node['html'][:200]}" for rule in results["violations"] for node in rule["nodes"]
    ] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.close()


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Any]) -> None:
    loaded = [
        (path.name, address)
        for path, tree in pages.items()
        for element in tree.iter(*LOADED)
        for name in ("src", "href", "data", "srcset")
        if (address := element.get(name)) and element.get("rel") != "canonical"
    ]
    assert len(loaded) > 300
    assert [(name, address) for name, address in loaded if re.match(r"(?:[a-z]+:)?//", address)] == []
    styles = "".join(path.read_text(encoding="utf-8") for path in (site / "dist/docs").rglob("*.css"))
    assert re.findall(r"(?:url\(|@import )['\"]?(?:https?:)?//[^)]*", styles) == []


def test_every_address_leads_somewhere(pages: dict[Path, Any]) -> None:
    ids: dict[Path, set[str]] = {
        path: {e.get("id") for e in tree.iter() if e.get("id")} for path, tree in pages.items()
    }
    dead, seen = [], 0
    for path, tree in pages.items():
        for element in tree.iter("a", *LOADED):
            address = element.get("href") or element.get("src")
            if not address or re.match(r"(?:[a-z]+:)?//|[a-z]+:", address):
                continue
            name, anchor = urldefrag(unquote(address))
            target = (path.parent / name).resolve() if name and name != "." else path
            target = target / "index.html" if target.is_dir() else target
            seen += 1
            if not target.exists() or (anchor and target in ids and anchor not in ids[target] | {"__skip"}):
                dead.append((path.name, address))
    assert seen > 1000
    assert dead == []


def test_a_dead_link_and_a_missing_figure_are_errors(site: Path, tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    shutil.copytree(site, root, symlinks=True, ignore=shutil.ignore_patterns("dist"))
    believed(root)
    believed(root / "docs/copy")
    for path in (root / "docs").rglob("*.md"):  # whose pages take long
        if path.name not in ("text.md", "mermaid.md", "index.md"):
            path.unlink()
    page = Space(root).read("docs/text.md")
    wrong = (
        "[no page](nowhere.md)",
        "[no place](mermaid.md#nowhere)",
        "![](figmill:figmill-wey)",
        "![](pictures/none.svg)",
    )
    Space(root).write({"docs/text.md": "\n\n".join((page, *wrong))})
    ran = built(root)
    assert ran.code != 0
    for message in (
        "'nowhere.md'",
        "'mermaid.md#nowhere'",
        f"docs/text.md:{page.count(chr(10)) + 7}: there is no figure 'figmill-wey'; did you mean 'figmill-way'?",
        "'pictures/none.svg'",
    ):
        assert message in ran.said, ran.said
