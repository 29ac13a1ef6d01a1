"""What the pages of an existing site show that may become figures, and the settings for it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from figmill.book.pages import images
from figmill.book.pages.images import PageImage
from figmill.book.pages.languages import blocks
from figmill.config import DOCS, Options
from figmill.late_dataclasses import dataclass

# Images that no kind draws, or that are photographs nearly always: they become figures only where the author says so.
LEFT_ALONE = ("jpg", "jpeg", "webp", "gif", "avif", "bmp", "tif", "tiff", "eps", "pdf", "mp4", "ico")


@dataclass(frozen=True, slots=True)
class ShownImage:
    """An image that a page shows."""

    page: str
    image: PageImage
    file: str | None  # its path in the book; None: there is none
    suffix: str

    @property
    def at(self) -> str:
        return f"{self.page}:{self.image.line}"


@dataclass(frozen=True, slots=True)
class Survey:
    """What pages show.

    - fences: (page, line, language) of each code block in a language that figmill draws.
    """

    pages: tuple[str, ...]
    images: tuple[ShownImage, ...]
    fences: tuple[tuple[str, int, str], ...]

    def files(self, suffixes: Collection[str]) -> set[str]:
        """The files with these suffixes that pages show."""
        return {each.file for each in self.images if each.file and each.suffix in suffixes}

    def of_suffix(self) -> Counter[str]:
        """The files that exist by their suffix."""
        return Counter(
            suffix for _, suffix in {(each.file, each.suffix) for each in self.images if each.file}
        )

    def of_language(self) -> Counter[str]:
        return Counter(language for *_, language in self.fences)


def survey(
    pages: Mapping[str, str],
    folders: Iterable[str],
    suffixes: Collection[str],
    languages: Collection[str],
    is_there: Callable[[str], bool],
) -> Survey:
    """What these pages show.

    pages: path -> text. folders: of pages, as in the settings. suffixes, languages: those that figmill draws.
    """
    every = tuple(dict.fromkeys((*suffixes, *LEFT_ALONE)))
    shown: list[ShownImage] = []
    fences: list[tuple[str, int, str]] = []
    folders = tuple(folders)
    for page, text in pages.items():
        folder = images.folder_of(page, folders)
        for image in images.images(page, text, every):
            places = images.places(page, image, folder)
            file = next(filter(is_there, places), None)
            shown.append(ShownImage(page, image, file, _suffix(image.address, every)))
        fences += ((page, block.start, block.language) for block in blocks(page, text, languages))
    return Survey(tuple(pages), tuple(shown), tuple(fences))


def _suffix(address: str, suffixes: Iterable[str]) -> str:
    """The longest suffix of an address."""
    name = address.casefold()
    return max((suffix for suffix in suffixes if name.endswith(f".{suffix}")), key=len, default="")


def page_folders(options: Options, folders: Iterable[str]) -> tuple[str, ...]:
    """The folders of pages with these added, without those that are inside another one."""
    every = dict.fromkeys((*options.page_folders, *folders))
    return tuple(name for name in every if not any(_holds(other, name) for other in every if other != name))


def _holds(folder: str, other: str) -> bool:
    return folder == "." or PurePosixPath(other).is_relative_to(folder)


def settings(
    options: Options, folders: tuple[str, ...], suffixes: Iterable[str], fences: Iterable[str]
) -> dict[str, list[str]]:
    """The settings that make figures of these, and differ from the present ones."""
    wanted = {
        "images": [*dict.fromkeys((*options.images, *suffixes))],
        "fences": [*dict.fromkeys((*options.fences, *fences))],
        "pages": [] if folders == (DOCS,) and not options.pages else [*folders],
    }
    return {key: value for key, value in wanted.items() if value and tuple(value) != getattr(options, key)}


def unshown(files: Iterable[str], survey: Survey, suffixes: Collection[str]) -> Iterator[str]:
    """The drawings among the files of a site that no page shows."""
    shown = {each.file for each in survey.images}
    return (path for path in files if path not in shown and _suffix(path, suffixes))
