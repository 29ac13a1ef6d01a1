"""What a host needs from a book: the files that `setup` writes, and the lines that it, or the author, adds. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from figmill.integrations.configuration import (
    UnsafeChangeError,
    with_export,
    with_extension,
    with_integration,
    with_item,
    with_settings,
    with_value,
)
from figmill.integrations.copies import Copy
from figmill.late_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines to add.

    - where: a file of the book, or the purpose of the lines.
    - added: returns the text of that file with the lines in it; None: the author adds them.
    - places: other paths of the file.
    - is_whole: the lines are all that the file needs, so a missing file is created.
    - least: as `added`, but without lines that change what the site shows besides figures.
    """

    where: str
    text: str
    added: Callable[[str], str] | None = None
    places: tuple[str, ...] = ()
    is_whole: bool = False
    least: Callable[[str], str] | None = None


@dataclass(frozen=True, slots=True)
class Host:
    """A program that makes pages."""

    copies: tuple[Copy, ...]
    lines: tuple[Lines, ...]
    needs: str = "figmill"  # the packages to install with pip


_CSS = ("/* ", " */")
_LUA, _MJS, _YAML = ("-- ", ""), ("// ", ""), ("# ", "")


def _assets(styles: str = "", scripts: str | None = None) -> tuple[Copy, ...]:
    """The style sheet and the two scripts of a page. styles, scripts: their folders; scripts: None: the same one."""
    scripts = styles if scripts is None else scripts
    return (
        Copy(f"{styles}figmill.css", "css/figmill.css", _CSS),
        *(Copy(f"{scripts}figmill-{name}.js", f"js/figmill-{name}.js", _CSS) for name in ("explore", "zoom")),
    )


_ZENSICAL = _assets("docs/stylesheets/", "docs/javascripts/")
_PAGE = Lines("a page", "![](figmill:ID)\n\nSee [](figmill:ID#FACT:.2f).")


def _head(address: str = "{}", separator: str = "") -> Lines:
    """The elements that load the assets. address: of a file, as a template writes it, with `{}` for the file's name."""
    styles = f'<link rel="stylesheet" href="{address.replace("{}", "figmill.css")}">'
    scripts = (
        f'<script src="{address.replace("{}", f"figmill-{name}.js")}" defer></script>'
        for name in ("explore", "zoom")
    )
    return Lines("the head of a page", separator.join((styles, *scripts)))


_STYLES = "stylesheets/figmill.css"
_SCRIPTS = ("javascripts/figmill-explore.js", "javascripts/figmill-zoom.js")


def _published(folder: str) -> Lines:
    """The setting that puts the figures where a site publishes files as they are."""
    value = f'"{folder}"'

    def added(text: str) -> str:
        if any(line.startswith(("[project", "[tool", "[build-system")) for line in text.splitlines()):
            return with_settings(text, "tool.figmill", {"output": value})
        return with_settings(text, "", {"output": value})

    return Lines("figmill.toml", f"output = {value}", added, ("pyproject.toml",))


def _of_site(*names: str, scripts: tuple[str, ...] = ("client",)) -> tuple[Copy, ...]:
    """The files of a site in JavaScript, in a folder of their own.

    Docusaurus compiles files named .js in such a way that spreading a list of elements into an array fails.
    """
    modules = ("page", "site", *names, *scripts)
    return (
        *(Copy(f"figmill/figmill-{name}.mjs", f"mjs/figmill-{name}.mjs", _MJS) for name in modules),
        Copy("figmill/figmill.css", "css/figmill.css", _CSS),
        Copy("figmill/figmill-explore.mjs", "js/figmill-explore.js", _CSS),
        Copy("figmill/figmill-zoom.mjs", "js/figmill-zoom.js", _CSS),
    )


def _in_book_toml(text: str) -> str:
    scripts = '["theme/figmill-explore.js", "theme/figmill-zoom.js"]'
    text = with_settings(text, "build", {"extra-watch-dirs": '["questions", "visuals"]'})
    text = with_settings(text, "preprocessor.figmill", {"command": '"figmill mdbook"', "optional": "true"})
    return with_settings(
        text, "output.html", {"additional-css": '["theme/figmill.css"]', "additional-js": scripts}
    )


_VITEPRESS_THEME = (
    'import DefaultTheme from "vitepress/theme";\n'
    'import { enhanceApp } from "../../figmill/figmill-client.mjs";\n\n'
    "export default { extends: DefaultTheme, enhanceApp };"
)


def _as_theme(text: str) -> str:
    """The theme of a VitePress site that has none. Raises RefusedError for a theme of its own."""
    if text and "figmill-client" not in text:
        raise UnsafeChangeError("it is a theme of your own")
    return text or f"{_VITEPRESS_THEME}\n"


def _in_mkdocs_yml(text: str) -> str:
    """The text of mkdocs.yml, as Zensical reads it, with figmill's lines."""
    for keys, item in (
        ("extra_css", _STYLES),
        *(("extra_javascript", script) for script in _SCRIPTS),
        ("markdown_extensions", "figmill"),
        ("watch", "questions"),
        ("watch", "visuals"),
    ):
        text = with_item(text, [keys], item)
    return text


def _in_myst_yml(text: str) -> str:
    text = with_item(text, ["project", "plugins"], "figmill.mjs")
    return with_value(text, ["site", "options", "style"], "figmill.css")


_OF_BOOK = ("questions", "visuals", "figmill.toml")  # what Jekyll would publish otherwise


def _in_config_yml(text: str) -> str:
    for name in _OF_BOOK:
        text = with_item(text, ["exclude"], name)
    return text


def _in_quarto_yml(text: str) -> str:
    return with_item(with_item(text, ["project", "resources"], "build"), ["filters"], "figmill")


HOSTS: Mapping[str, Host] = MappingProxyType(
    {
        "sphinx": Host(
            (),
            (
                Lines(
                    "conf.py",
                    'extensions = ["figmill.sphinx"]  # and those that are there\nnumfig = True',
                    lambda text: with_extension(text, "figmill.sphinx"),
                    ("docs/conf.py", "docs/source/conf.py", "source/conf.py", "doc/conf.py"),
                    least=lambda text: with_extension(text, "figmill.sphinx", numbers=False),
                ),
                Lines(
                    "a page", ".. figmill:: ID\n\nSee :figmill-fact:`ID#FACT:.2f`.   (MyST: ![](figmill:ID))"
                ),
            ),
            "figmill[sphinx]",
        ),
        "mkdocs": Host(
            (),
            (
                Lines(
                    "mkdocs.yml",
                    "plugins:\n  - search\n  - figmill",
                    lambda text: with_item(text, ["plugins"], "figmill", first=["search"]),
                ),
                _PAGE,
            ),
            "figmill[mkdocs]",
        ),
        "zensical": Host(
            _ZENSICAL,
            (
                Lines(
                    "zensical.toml",
                    '[project]\nextra_css = ["stylesheets/figmill.css"]\n'
                    'extra_javascript = ["javascripts/figmill-explore.js", "javascripts/figmill-zoom.js"]\n'
                    'watch = ["questions", "visuals"]\n\n'
                    "[project.markdown_extensions.figmill]",
                    lambda text: with_settings(
                        text,
                        "project",
                        {
                            "extra_css": f'["{_STYLES}"]',
                            "extra_javascript": f'["{_SCRIPTS[0]}", "{_SCRIPTS[1]}"]',
                            "watch": '["questions", "visuals"]',
                        },
                        ["project.markdown_extensions.figmill"],
                    ),
                ),
                _published("docs/figures"),
                _PAGE,
            ),
            "figmill zensical",
        ),
        "quarto": Host(
            (
                Copy("_extensions/figmill/_extension.yml", "quarto/_extension.yml", _YAML),
                Copy("_extensions/figmill/figmill.lua", "figmill.lua", _LUA),
                *_assets("_extensions/figmill/"),
            ),
            (
                Lines(
                    "_quarto.yml",
                    "project:\n  resources:\n    - build\nfilters:\n  - figmill",
                    _in_quarto_yml,
                ),
                Lines("a page", "![](figmill:ID){#fig-ID}\n\nSee [](figmill:ID#FACT:.2f)."),
            ),
        ),
        "pandoc": Host(
            (
                Copy("figmill.lua", "figmill.lua", _LUA),
                Copy("figmill.css", "css/figmill.css", _CSS),
            ),
            (
                Lines(
                    "the command line",
                    "figmill\n"
                    "pandoc page.md -s --lua-filter figmill.lua --css figmill.css -V document-css=1 -o page.html",
                ),
                _PAGE,
            ),
        ),
        "html": Host(
            _assets(),
            (
                _head(),
                Lines("the command line", "figmill show ID --format html"),
            ),
        ),
        "myst": Host(
            (
                Copy("figmill.mjs", "figmill.mjs", _MJS),
                Copy("figmill-page.mjs", "mjs/figmill-page.mjs", _MJS),
                Copy("figmill.css", "css/figmill.css", _CSS),
            ),
            (
                Lines(
                    "myst.yml",
                    "project:\n  plugins:\n    - figmill.mjs\nsite:\n  options:\n    style: figmill.css",
                    _in_myst_yml,
                ),
                Lines("the command line", "figmill\nmyst start"),
                _PAGE,
            ),
        ),
        "docusaurus": Host(
            _of_site("remark", "docusaurus", "loader"),
            (
                Lines(
                    "docusaurus.config.js",
                    'import figmill from "./figmill/figmill-docusaurus.mjs";\n\n'
                    "export default figmill({ /* what is there */ });",
                    lambda text: with_export(text, 'import figmill from "./figmill/figmill-docusaurus.mjs";'),
                    places=("docusaurus.config.ts", "docusaurus.config.mjs"),
                ),
                _published("static/figmill"),
                _PAGE,
            ),
        ),
        "vitepress": Host(
            _of_site("markdown-it", "vitepress"),
            (
                Lines(
                    ".vitepress/config.mjs",
                    'import figmill from "../figmill/figmill-vitepress.mjs";\n\n'
                    "export default figmill(defineConfig({ /* what is there */ }));",
                    lambda text: with_export(text, 'import figmill from "../figmill/figmill-vitepress.mjs";'),
                    places=(".vitepress/config.mts", ".vitepress/config.js", ".vitepress/config.ts"),
                ),
                Lines(
                    ".vitepress/theme/index.js",
                    _VITEPRESS_THEME,
                    _as_theme,
                    (".vitepress/theme/index.ts", ".vitepress/theme/index.mts", ".vitepress/theme/index.mjs"),
                    is_whole=True,
                ),
                _published("public/figmill"),
                _PAGE,
            ),
        ),
        "astro": Host(
            _of_site("remark", "astro", scripts=()),
            (
                Lines(
                    "astro.config.mjs",
                    'import figmill from "./figmill/figmill-astro.mjs";\n\n'
                    "// integrations: [figmill(), starlight({ ... })]",
                    lambda text: with_integration(text, 'import figmill from "./figmill/figmill-astro.mjs";'),
                    places=("astro.config.ts", "astro.config.js"),
                ),
                _published("public/figmill"),
                _PAGE,
            ),
        ),
        "mdbook": Host(
            _assets("theme/"),
            (
                Lines(
                    "book.toml",
                    '[build]\nextra-watch-dirs = ["questions", "visuals"]\n\n[preprocessor.figmill]\n'
                    'command = "figmill mdbook"\noptional = true\n\n[output.html]\n'
                    'additional-css = ["theme/figmill.css"]\n'
                    'additional-js = ["theme/figmill-explore.js", "theme/figmill-zoom.js"]',
                    _in_book_toml,
                ),
                _published("src/figmill"),
                _PAGE,
            ),
            "figmill[mdbook]",
        ),
        "hugo": Host(
            (
                Copy("layouts/shortcodes/figmill.html", "hugo/figmill.html", ("{{/* ", " */}}")),
                *_assets("static/"),
            ),
            (
                _head('{{ "{}" | relURL }}', "\n"),
                _published("static/figmill"),
                Lines("the command line", "figmill\nfigmill show --all --output data/figmill.json\nhugo"),
                Lines("a page", '{{< figmill "ID" >}}\n\nSee {{< figmill "ID#FACT:.2f" >}}.'),
            ),
        ),
        "jekyll": Host(
            (
                Copy("_includes/figmill.html", "jekyll/figmill.html", ("{% comment %}", "{% endcomment %}")),
                *_assets(),
            ),
            (
                _head('{{ "/{}" | relative_url }}', "\n"),
                Lines(
                    "_config.yml",
                    "exclude:\n" + "\n".join(f"  - {name}" for name in _OF_BOOK),
                    _in_config_yml,
                ),
                _published("figmill"),
                Lines(
                    "the command line",
                    "figmill\nfigmill show --all --output _data/figmill.json\njekyll build",
                ),
                Lines(
                    "a page",
                    '{% include figmill.html id="ID" %}\n\n{% include figmill.html id="ID" fact="FACT" form=".2f" %}.',
                ),
            ),
        ),
        "latex": Host(
            (Copy("figmill.sty", "latex/figmill.sty", ("%% ", "")),),
            (
                Lines(
                    "the command line",
                    "figmill export --to pdf\n"
                    "figmill show --all --format latex --base build --output figmill-figures.tex",
                ),
                Lines(
                    "the document",
                    "\\usepackage{figmill}\n\n\\figmill{ID}\n\nSee \\figmillfact[.2f]{ID}{FACT}.",
                ),
            ),
            "figmill[export]",
        ),
    }
)

# Zensical also reads the configuration of MkDocs, if it finds none of its own.
ZENSICAL_OF_MKDOCS = Host(
    _ZENSICAL,
    (
        Lines(
            "mkdocs.yml",
            "extra_css:\n  - stylesheets/figmill.css\nextra_javascript:\n  - javascripts/figmill-explore.js\n"
            "  - javascripts/figmill-zoom.js\n"
            "markdown_extensions:\n  - figmill\nwatch:\n  - questions\n  - visuals",
            _in_mkdocs_yml,
        ),
        _published("docs/figures"),
        _PAGE,
    ),
    "figmill zensical",
)


def host_of(name: str, is_there: Callable[[str], bool]) -> Host:
    """The host with this name, for a folder. is_there: whether the folder has a file."""
    if name == "zensical" and is_there("mkdocs.yml") and not is_there("zensical.toml"):
        return ZENSICAL_OF_MKDOCS
    return HOSTS[name]
