"""What the site adds to the pages of docs/: pages from the repository's root, a gallery, and figures by figmill.

On a forge, a page shows the light picture in docs/pictures/. On the site it refers to the figure, and shows the current
drawing in both themes. A link to a file that is not a page of the site becomes its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

import copies
import gallery
import twins
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from figmill.errors import ToolError
from figmill.integrations.figures import Catalogue, load

# File of the repository outside docs/ -> page of the site.
ROOT = {
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "figmill/agents/SKILL.md": "skill.md",
}
README, HOME = "README.md", "index.md"
# The twins of the pages that were read so far, by their files.
TWINS: dict[str, twins.Twin] = {}
# The folder of the site's settings -> the figures, as the last build of the book has left them.
DRAWN: dict[Path, Catalogue] = {}
# A line of a page -> what the site has in its place, and the twin.
MADE: Mapping[str, tuple[Callable[[Catalogue], str], Callable[[Catalogue], str]]] = {
    "<!-- figures -->": (gallery.cards, lambda _: ""),
    "`make docs` puts the figures here.": (gallery.page, partial(gallery.page, has_facts=False)),
}
# On the home page, below the source of the figure.
FIRST, FIRST_FIGURE = "<!-- the figure of this source, in both themes -->", "cache-aside"
COPIES = "`make docs` puts the figures here, from `docs/copy/`."
# A code block, code in a line, or a link: (image?, words, address).
PARTS = re.compile(r"(?ms)^( *)```.*?^ *```|`[^`\n]+`|(!?)\[([^\]]*)\]\(([^)\s]+)\)")


@event_priority(-50)  # after figmill has built the book
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs/."""
    root = Path(str(config.config_file_path)).parent
    DRAWN[root] = drawn(root)
    for name, page in ROOT.items():
        files.append(File.generated(config, page, abs_src_path=str(root / name)))
    for name, path in copies.pictures(root):
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


@event_priority(50)
def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point every link at a page of the site, and replace each picture of the showcase with its figure."""
    root = Path(str(config.config_file_path)).parent
    inside = page.file.src_uri
    origin = next((name for name, other in ROOT.items() if other == inside), f"docs/{inside}")
    catalogue = DRAWN[root]
    for_readers = for_programs = markdown
    for line, (shown, said) in MADE.items():
        if line in markdown:
            for_readers = for_readers.replace(line, shown(catalogue))
            for_programs = for_programs.replace(line, said(catalogue))
    if FIRST in markdown:
        for_readers = for_readers.replace(FIRST, copies.in_both_themes(root, FIRST_FIGURE))
        for_programs = for_programs.replace(FIRST, copies.in_words(root, FIRST_FIGURE))
    if COPIES in markdown:
        every = copies.copied(root, catalogue)
        for_readers = for_readers.replace(COPIES, copies.page(root, every))
        for_programs = for_programs.replace(COPIES, copies.told(root, every, inside))

    def lead(image: bool, words: str, target: str) -> str:
        return _led(image, words, target, origin, files, catalogue)

    sections = [ancestor.title for ancestor in page.ancestors]
    section = str(sections[-1]) if sections else "Start" if page.next_page else twins.LAST
    told = twins.text(rewritten(for_programs, lead), catalogue, inside)
    TWINS[inside] = twins.Twin(inside, str(page.title), section, told)
    return rewritten(for_readers, lead)


def on_post_build(config: MkDocsConfig) -> None:
    """Write the twins of all pages, and `llms.txt`."""
    made = twins.files(config.site_name, str(config.site_description), list(TWINS.values()))
    for name, text in made.items():
        place = Path(config.site_dir) / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def drawn(root: Path) -> Catalogue:
    """The figures of the repository's book; none if it could not be built, which the plugin has reported."""
    try:
        return load(root / "build")
    except ToolError:
        return Catalogue(root / "build", {})


def rewritten(markdown: str, lead: Callable[[bool, str, str], str]) -> str:
    """The text with each link outside code replaced by the result of `lead`."""

    def part(match: re.Match[str]) -> str:
        return match[0] if match[4] is None else lead(bool(match[2]), match[3], match[4])

    return PARTS.sub(part, markdown)


def _led(image: bool, words: str, target: str, origin: str, files: Files, catalogue: Catalogue) -> str:
    """A link in the form of the site. origin: the page's file, relative to the repository's root."""
    as_written = f"{'!' if image else ''}[{words}]({target})"
    name, _, anchor = target.partition("#")
    if not name or re.match(r"[a-z]+:", target):
        return as_written
    path = normpath(PurePosixPath(origin).parent / name)
    figure = PurePosixPath(path).stem
    if image and path.startswith("docs/pictures/") and path.endswith(".svg") and figure in catalogue.figures:
        return f"![](figmill:{figure})"
    inside = HOME if path == README else ROOT.get(path) or path.removeprefix("docs/")
    there = files.get_file_from_path(inside)
    is_ours = (
        (path in (README, *ROOT) or path.startswith("docs/"))
        and there is not None
        and there.inclusion.is_included()
    )
    if not is_ours:
        is_known = (Path(catalogue.folder).parent / path).exists()
        return words if is_known and not image else as_written  # which the check of links then finds
    here = ROOT.get(origin) or origin.removeprefix("docs/")
    address = relpath(inside, PurePosixPath(here).parent)
    return f"{'!' if image else ''}[{words}]({address}{'#' + anchor if anchor else ''})"
