"""`setup --apply`: figmill's lines in a host's own configuration, of which all else stays as it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from difflib import ndiff
from pathlib import Path

import pytest
from helpers.book import Space
from helpers.cases import cases
from helpers.hosts import BIN, run

from figmill.integrations.configuration import (
    UnsafeChangeError,
    with_export,
    with_extension,
    with_integration,
    with_item,
    with_settings,
    with_value,
)


def plugins(text: str) -> str:
    return with_item(text, ["plugins"], "figmill", first=["search"])


def added(before: str, after: str) -> list[str]:
    """The lines that are new; AssertionError if one is gone."""
    rows = list(ndiff(before.splitlines(keepends=True), after.splitlines(keepends=True)))
    assert not [row for row in rows if row.startswith("- ")], rows
    return [row[2:] for row in rows if row.startswith("+ ")]


# mkdocs.yml -> the lines that are added to it
MKDOCS = {
    "": ["plugins:\n", "  - search\n", "  - figmill\n"],
    "site_name: A book  # of mine\n": ["plugins:\n", "  - search\n", "  - figmill\n"],
    "plugins:\n  - search\n": ["  - figmill\n"],
    "plugins:\n- search\nnav: []\n": ["- figmill\n"],
    "plugins:\r\n  - search\r\nnav: []\r\n": ["  - figmill\r\n"],
    "plugins:\n  - search:\n      lang: en\n  # the last\n  - tags  # why\n\nnav: []\n": ["  - figmill\n"],
    "plugins:\n  - search:\n      lang: [en, de]\ntheme: {name: x}\n": ["  - figmill\n"],
    "plugins:\n  search: {}\n  tags:\n    tags_file: a.md\n": ["  figmill: {}\n"],
    "x: !!python/name:a.b\ny: !ENV [A, b]\nplugins:\n  - search\n": ["  - figmill\n"],
    "a: &a [1]\nb: *a\nplugins:\n  - search\n": ["  - figmill\n"],
    "plugins:\n  - search\n  - figmill:\n      strict: true\n": [],
    "plugins: [search, figmill]\n": [],
}


@cases("before", MKDOCS)
def test_lines_are_added_to_yaml_and_all_else_stays(before: str) -> None:
    after = plugins(before)
    assert added(before, after) == MKDOCS[before]
    assert plugins(after) == after


FLOW = {
    "plugins: [search]  # one\n": "plugins: [search, figmill]  # one\n",
    "plugins: []\n": "plugins: [figmill]\n",
    "plugins: [search,]\n": "plugins: [search, figmill]\n",
    'plugins: ["search", {tags: {a: 1}}]\nnav: []\n': 'plugins: ["search", {tags: {a: 1}}, figmill]\nnav: []\n',
    "plugins: [\n  search\n]\n": "plugins: [\n  search, figmill\n]\n",
}


@pytest.mark.parametrize("before", FLOW)
def test_a_list_in_one_line_gets_an_item(before: str) -> None:
    assert plugins(before) == FLOW[before]


PARTED = "if a:\n    extensions = ['b']\nelse:\n    extensions = ('c',)\nnumfig = True\n"
REFUSED: tuple[tuple[Callable[[str], str], str], ...] = (
    (plugins, "plugins: {search: {}}\n"),
    (plugins, "plugins: search\n"),
    (plugins, "INHERIT: ../base.yml\nsite_name: x\n"),
    (lambda text: with_extension(text, "figmill.sphinx"), "from shared import *\nproject = 'x'\n"),
    (plugins, "plugins:\n"),
    (plugins, "{site_name: x}\n"),
    (plugins, "- a\n"),
    (plugins, "plugins: [\n"),
    (plugins, "plugins:\n  - hooks: |\n      text\n"),
    (
        lambda text: with_value(text, ["site", "options", "style"], "figmill.css"),
        "site:\n  options: {style: a.css}\n",
    ),
    (lambda text: with_extension(text, "figmill.sphinx"), "extensions = [\n"),
    (lambda text: with_settings(text, "project", {"watch": '["a"]'}), "[project]\nwatch = 'b'\n"),
    (lambda text: with_settings(text, "project", {"watch": '["a"]'}), "project.name = 'b'\n"),
    (lambda text: with_settings(text, "project", {"watch": '["a"]'}), "[project\n"),
)


@cases(("change", "text"), REFUSED)
def test_what_cannot_be_changed_safely_is_refused(change: Callable[[str], str], text: str) -> None:
    with pytest.raises(UnsafeChangeError, match=r"\w"):
        change(text)


AFTER_ALL = 'extensions = [*extensions, "figmill.sphinx"]\n'
CONF = {
    "project = 'x'\n": [
        "\n",
        'extensions = ["figmill.sphinx"]\n',
        "numfig = True  # numbers the figures of all pages\n",
    ],
    'extensions = [\n    "a",\n    "b",  # why\n]\nnumfig = False\n': ['    "figmill.sphinx",\n'],
    'extensions = ["a"]\nextensions += ["b"]\nnumfig = True\n': ["\n", AFTER_ALL],
    "from x import extensions\nnumfig = True\nextensions = list(y)\n": ["\n", AFTER_ALL],
    'extensions = ["figmill.sphinx"]\nnumfig = True': [],
}


def test_an_extension_is_added_to_whatever_there_is() -> None:
    after = with_extension(PARTED, "figmill.sphinx")
    for a in (True, False):
        namespace: dict[str, object] = {"a": a}
        exec(after, namespace)
        assert namespace["extensions"] == ["b" if a else "c", "figmill.sphinx"]


@pytest.mark.parametrize("before", CONF)
def test_an_extension_is_added_to_conf_py(before: str) -> None:
    after = with_extension(before, "figmill.sphinx")
    if '"b",  # why' in before:  # the comma comes before the comment
        assert after == before.replace('"b",', '"b",\n    "figmill.sphinx",')
    else:
        assert added(before, after) == CONF[before]
    assert with_extension(after, "figmill.sphinx") == after


def test_an_extension_in_a_list_of_one_line() -> None:
    for before, after in (
        ('extensions = ["ä", "b"]', '"ä", "b", "figmill.sphinx"]'),
        ("extensions = []", '["figmill.sphinx"]'),
    ):
        text = with_extension(f"{before}\n", "figmill.sphinx")
        expected = after if after.startswith("[") else f"[{after}"
        assert text == f"extensions = {expected}\nnumfig = True  # numbers the figures of all pages\n"


def test_a_table_of_toml() -> None:
    before = "[project]  # mine\nsite_name = 'x'\n\n[project.theme]\nname = 'y'\n"
    after = with_settings(before, "project", {"watch": '["a"]'}, ["project.more.figmill"])
    assert added(before, after) == ['watch = ["a"]\n', "\n", "[project.more.figmill]\n"]
    assert with_settings(after, "project", {"watch": '["a"]'}, ["project.more.figmill"]) == after
    assert with_settings("", "tool.figmill", {"output": '"x"'}) == '[tool.figmill]\noutput = "x"\n'


# host -> its configuration before, and how its pages are made
MODULE = (sys.executable, "-m")
SITES: dict[str, tuple[str, str, Sequence[str]]] = {
    "mkdocs": (
        "mkdocs.yml",
        "site_name: x\ntheme: {name: mkdocs}\n",
        (*MODULE, "mkdocs", "build", "--strict"),
    ),
    "zensical": (
        "mkdocs.yml",
        "site_name: x\nmarkdown_extensions:\n  - toc\n",
        (str(BIN / "zensical"), "build"),
    ),
    "sphinx": (
        "docs/conf.py",
        'extensions = ["myst_parser"]\n',
        (*MODULE, "sphinx", "-q", "-W", "docs", "site"),
    ),
}


@pytest.mark.parametrize("host", SITES)
def test_a_site_shows_its_figures_once_the_lines_are_applied(hosted: Space, host: str) -> None:
    name, before, command = SITES[host]
    hosted.write({name: before, "docs/index.md": "# Words\n\n![](figmill:graph)\n"})
    (hosted.root / "pyproject.toml").unlink(missing_ok=True)
    stamps = hosted.stamps()
    dry = hosted.run("setup", host, "--apply", "--dry-run")
    assert (dry.code, hosted.stamps()) == (0, stamps)
    assert f"would change {name}:\n    --- a/{name}\n    +++ b/{name}\n" in dry.out
    ran = hosted.run("setup", host, "--apply")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Install: pip install ") and f"changed {name}:\n" in ran.out
    assert "figmill" in hosted.read(name)
    assert "![](figmill:plot)" in ran.out and "plot#half:.2f" in ran.out  # the book's own
    again = hosted.run("setup", host, "--apply")
    assert f"{name} already names figmill" in again.out and "changed" not in again.out
    assert hosted.run("--quiet").code == 0
    outcome = run(list(command), hosted.root)
    assert outcome.code == 0, outcome.said
    assert "figmill-light" in hosted.read("site/index.html")


def test_a_file_that_cannot_be_changed_is_left_with_the_advice(hosted: Space) -> None:
    text = "plugins: {search: {}}\n"
    hosted.write({"mkdocs.yml": text})
    ran = hosted.run("setup", "mkdocs", "--apply")
    assert (ran.code, hosted.read("mkdocs.yml")) == (0, text)
    assert "mkdocs.yml is left as it is: plugins is not a list" in ran.out
    assert "Add to mkdocs.yml:\n    plugins:\n      - search\n      - figmill\n" in ran.out
    (hosted.root / "mkdocs.yml").unlink()
    assert "there is no mkdocs.yml yet" in hosted.run("setup", "mkdocs", "--apply").out
    assert not (hosted.root / "mkdocs.yml").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes are POSIX")
def test_a_link_and_a_mode_stay(hosted: Space, tmp_path: Path) -> None:
    hosted.write({"mkdocs.yml": "site_name: x\n"})
    (hosted.root / "mkdocs.yml").chmod(0o640)
    assert hosted.run("setup", "mkdocs", "--apply").code == 0
    assert os.stat(hosted.root / "mkdocs.yml").st_mode & 0o777 == 0o640
    outside = tmp_path / "outside.yml"
    outside.write_text("site_name: x\n")
    (hosted.root / "mkdocs.yml").unlink()
    (hosted.root / "mkdocs.yml").symlink_to(outside)
    ran = hosted.run("setup", "mkdocs", "--apply")
    assert outside.read_text() == "site_name: x\n" and "mkdocs.yml is left as it is" in ran.out


IMPORT = 'import figmill from "./figmill/figmill.mjs";'
EXPORTS = {
    "import a from 'a';\nconst c = {};\n\nexport default c;\n": "\nexport default figmill(c);\n",
    "// @ts-check\nimport a from 'a'\n\nexport default {\n  b: {},\n}\n": "\nexport default figmill({\n  b: {},\n})\n",
    "import a from 'a'\nexport default defineConfig({\n})\n": "\nexport default figmill(defineConfig({\n}))\n",
}


@pytest.mark.parametrize("before", EXPORTS)
def test_a_default_export_passes_through_figmill(before: str) -> None:
    after = with_export(before, IMPORT)
    assert after.endswith(EXPORTS[before]) and after.count(IMPORT) == 1
    assert after.index(IMPORT) == before.index("import")
    assert with_export(after, IMPORT) == after


def test_an_integration_comes_first_in_astro() -> None:
    line = "import a from 'a';\nexport default defineConfig({ x: 1,\n  integrations: [%sstarlight()] });\n"
    after = with_integration(line % "", IMPORT)
    assert after == f"{IMPORT}\n{line % 'figmill(), '}"
    assert with_integration(after, IMPORT) == after


@pytest.mark.parametrize(
    "text",
    [
        "module.exports = {};\n",
        "import a from 'a';\nexport default a;\nmore();\n",
        "const c = {};\nexport default c;\n",
        "import a from 'a';\nexport default function () {}\n",
        "import a from 'a';\nexport default withMermaid({ b: 1 });\n",
    ],
)
def test_a_module_of_another_form_is_refused(text: str) -> None:
    for change in (with_export, with_integration):
        with pytest.raises(UnsafeChangeError):
            change(text, IMPORT)


def test_setup_gives_a_vitepress_site_a_theme_and_leaves_one_that_is_there(space: Space) -> None:
    space.write({".vitepress/config.mts": "import { a } from 'a'\nexport default a({\n})\n"})
    done = run([BIN / "figmill", "setup", "vitepress", "--apply"], space.root)
    assert done.code == 0 and ".vitepress/config.mts is left as it is" in done.said
    theme = ".vitepress/theme/index.js"
    assert "extends: DefaultTheme" in space.read(theme) and not (space.root / "vitepress").exists()
    space.write({theme: "export default {};\n"})
    done = run([BIN / "figmill", "setup", "vitepress", "--apply"], space.root)
    assert done.code == 0 and f"{theme} is left as it is: it is a theme of your own" in done.said
    assert space.read(theme) == "export default {};\n"
