"""Finds the source file of a figure from its declaration and the names of the book's files.

Knows the folders of sources, the suffixes of each kind, and that existing vaults name the product instead of the
source. Reads only scripts without a kind, through a function that the caller passes in. Unaware of whether a file can
be drawn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from heapq import nlargest
from pathlib import PurePosixPath
from types import MappingProxyType
from unicodedata import normalize

from figmill.book.catalogues import Catalogues, is_one
from figmill.book.question import Declaration, Question, label_of
from figmill.config import Options
from figmill.errors import AuthorError, ToolError, did_you_mean, joined
from figmill.kinds import KINDS, fits, is_script, kind_of_name, kinds_of_script, siblings
from figmill.late_dataclasses import dataclass
from figmill.model import Origin


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of the visuals folders, looked up by bare name."""

    roots: tuple[str, ...]
    paths: Mapping[str, str]  # by the path in NFC: macOS may spell an accent as two characters
    folders: Mapping[str, tuple[str, ...]]  # the file names in each folder
    unusable: Mapping[str, str]  # paths that cannot be sources -> the reason
    read: Callable[[str], bytes | None]  # reads a script, whose imports show its kind
    hidden: Callable[[str], str | None]  # whether a hidden file may be an input, see `resolve`
    image: Callable[[str], str | None]  # whether a page may show a file
    # scripts -> the kinds that were read from them
    inferred: dict[str, tuple[str, ...]] = field(default_factory=dict)
    catalogues: Catalogues = field(default_factory=lambda: Catalogues("", lambda _: None))

    @classmethod
    def of(
        cls,
        files: Iterable[str],
        options: Options,
        unusable: Mapping[str, str],
        read: Callable[[str], bytes | None],
        hidden: Callable[[str], str | None],
        image: Callable[[str], str | None],
    ) -> Sources:
        folders: dict[str, list[str]] = defaultdict(list)
        for path in sorted(files):
            folder, _, name = path.rpartition("/")
            folders[folder].append(name)
        paths = {normalize("NFC", path): path for path in files}
        by_folder = {folder: tuple(names) for folder, names in folders.items()}

        def catalogue(path: str) -> bytes | None:
            if path in unusable:
                raise ToolError(f"{path} {unusable[path]}")
            return read(path) if path in paths else None

        catalogues = Catalogues(options.visuals[0], catalogue)
        return cls(options.visuals, paths, by_folder, unusable, read, hidden, image, catalogues=catalogues)

    def places(self, track: str) -> tuple[str, ...]:
        """The folders of a track's sources, in search order."""
        return tuple(join(root, track) for root in self.roots) + self.roots

    def find(self, folder: str, name: str) -> str | None:
        return self.paths.get(normalize("NFC", join(folder, name)))

    def find_first(self, name: str, track: str) -> str | None:
        paths = (self.find(folder, name) for folder in self.places(track))
        return next((path for path in paths if path), None)

    def find_input(self, name: str, track: str) -> str | None:
        """A file under `inputs`, which may be hidden: the listing of the folders has no hidden files."""
        path = self.find_first(name, track)
        if path is None and is_hidden(name):
            places = (join(folder, name) for folder in self.places(track))
            path = next((place for place in places if self.hidden(place) == ""), None)
        return path

    def kinds_of(self, path: str) -> tuple[str, ...]:
        """The possible kinds of a script, by its imports."""
        if path not in self.inferred:
            self.inferred[path] = kinds_of_script(self.read(path) or b"")
        return self.inferred[path]

    def are_outdated(self, paths: Iterable[str]) -> bool:
        """Whether the imports of one of these scripts now show another kind than before, or one is a catalogue."""
        paths = list(paths)
        if any(map(is_one, paths)):
            return True
        scripts = [path for path in paths if path in self.inferred]
        return any(kinds_of_script(self.read(path) or b"") != self.inferred[path] for path in scripts)

    def missing(self, name: str, track: str, suffixes: tuple[str, ...], is_input: bool = False) -> str:
        """The message for a missing file."""
        places = self.places(track)
        if is_input and is_hidden(name) and (phrase := self._refusal(join(place, name) for place in places)):
            return phrase
        for path in (join(place, name) for place in places):
            if path in self.unusable:
                why = self.unusable[path]  # which may already name the cure
                return f"'{path}' {why}" + ("" if ";" in why else "; a source is a regular file in the book")
        message = f"there is no file '{name}' in {' or '.join(places)}"
        bare = name.rpartition("/")[2]
        elsewhere = [folder for folder, names in self.folders.items() if bare in names]
        if elsewhere:
            below = (join(elsewhere[0], bare).removeprefix(f"{place}/") for place in places)
            path = min(below, key=len)
            return f"{message}; there is one in {elsewhere[0]}" + (
                f", called '{path}' here" if path != bare else ""
            )
        folder = name.rpartition("/")[0]
        nearby = [self.folders.get(join(place, folder) if folder else place, ()) for place in places]
        fitting = [join(folder or ".", n) for names in nearby for n in names if n.endswith(suffixes)]
        return message + near(name, fitting)

    def _refusal(self, paths: Iterable[str]) -> str | None:
        """Why the first of these hidden files that exists is not read."""
        phrases = ((path, self.hidden(path)) for path in paths)
        return next((f"'{path}' {phrase}" for path, phrase in phrases if phrase), None)


@dataclass(frozen=True, slots=True)
class Source:
    """The source file of a figure, and the resulting kind."""

    path: str
    kind: str
    old_product: str | None = None


def find_source(question: Question, declaration: Declaration, sources: Sources) -> Source:
    """The source of a figure. Raises AuthorError if there is none, or if it does not fit the kind."""
    if declaration.fence is not None:
        assert declaration.kind is not None
        return Source(question.path, declaration.kind)
    if declaration.image:
        return _of_image(declaration, sources)
    path = declaration.path
    name, key = declaration.source, "source"
    if name is None and path is not None and not is_svg(path):
        name, key = path, "path"
    elif name is not None and path is not None and (declaration.rendered or not is_svg(path)):
        raise AuthorError(declaration.at("path"), "path repeats source and rendered; leave it out")
    if name is None:
        return _inferred(question, declaration, sources)
    at = declaration.at(key)
    kind = declaration.kind
    if kind is None and kind_of_name(name) is None and is_script(name):
        return _of_script(name, sources.find_first(name, question.track), sources, question.track, at)
    kind = kind or kind_of_name(name)
    if kind is None:
        suffixes = ", ".join(sorted({suffix for row in KINDS.values() for suffix in row.suffixes}))
        refusal = f"figmill cannot draw '{name}'"
        raise AuthorError(at, joined(refusal, _instead(name) or f"sources end in {suffixes}"))
    if not fits(kind, name):
        fitting = " or ".join(KINDS[kind].suffixes)
        refusal = f"kind {kind} is drawn from {fitting}, not from '{name}'"
        raise AuthorError(at, joined(refusal, _instead(name)))
    source = sources.find_first(name, question.track)
    if source is None:
        raise AuthorError(at, sources.missing(name, question.track, KINDS[kind].suffixes))
    return Source(source, kind)


def is_there(declaration: Declaration, sources: Sources) -> bool:
    """Whether the image that a page shows exists. A page may name one that its host makes: that is no mistake."""
    return not declaration.image or any(sources.image(path) is not None for path in declaration.image)


def _of_image(declaration: Declaration, sources: Sources) -> Source:
    """The source of an image that a page shows, which may be anywhere in the book."""
    at = declaration.at()
    path, phrase = next(
        (path, phrase) for path in declaration.image if (phrase := sources.image(path)) is not None
    )
    if phrase:
        raise AuthorError(at, f"'{path}' {phrase}")
    kind = kind_of_name(path)
    if kind is None and is_script(path):
        return _of_script(path, path, sources, "", at)
    if kind is None:
        raise AuthorError(
            at, f"figmill cannot draw '{path}'; leave its suffix out of `images` in the settings"
        )
    return Source(path, kind)


def _of_script(name: str, path: str | None, sources: Sources, track: str, at: Origin) -> Source:
    """The source for a script without a kind: its imports show the kind."""
    if path is None:
        raise AuthorError(at, sources.missing(name, track, (PurePosixPath(name).suffix,)))
    kinds = sources.kinds_of(path)
    if len(kinds) == 1:
        return Source(path, kinds[0])
    libraries = {
        kind: row.scripts.libraries[0].decode() for kind, row in KINDS.items() if row.scripts.libraries
    }
    if kinds:
        why = f"imports {' and '.join(libraries[kind] for kind in kinds)}"
    else:
        why = f"imports none of {', '.join(libraries.values())}"
    choices = " or ".join(f"`kind: {kind}`" for kind in kinds or libraries)
    raise AuthorError(at, f"'{name}' {why}; add {choices}")


# Suffixes of files that people name as a source -> what to do with such a file.
_INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        "png jpg jpeg webp": "write its suffix in small letters",
        "gif bmp tif tiff avif heic ico": "save it as PNG, JPEG or WebP",
        "wsd tldr vsdx pptx odg odp tex tikz fig ai pdf eps": (
            "save it as SVG in the program that it comes from, and name the SVG"
        ),
        "typ": "save its picture as SVG with `typst compile --format svg`, and name the SVG",
        "r jl m gp plt": "save its figure as SVG, and name the SVG",
        "csv tsv json xlsx parquet": "name a script that reads it and draws",
    }
)


def _instead(name: str) -> str:
    """What to do with a file that is not a source; empty if that is unknown."""
    suffix = PurePosixPath(name).suffix[1:].casefold()
    return next((advice.format(name) for row, advice in _INSTEAD.items() if suffix in row.split()), "")


def _inferred(question: Question, declaration: Declaration, sources: Sources) -> Source:
    """The source if the question names only the product: the file beside it, or the product itself."""
    product = declaration.path if declaration.path and is_svg(declaration.path) else None
    product = product or rendered_name(question, declaration)
    stem = product.removesuffix(".svg")
    candidates = siblings(declaration.kind)
    for folder in sources.places(question.track):
        old = sources.find(folder, product)
        for suffix, kind in candidates:
            if source := sources.find(folder, stem + suffix):
                return Source(source, kind, old)
        if old and (drawn_by_hand := kind_of_name(product)) and declaration.kind in (None, drawn_by_hand):
            return Source(old, drawn_by_hand)
    if declaration.path or declaration.rendered:
        at = declaration.at("path" if declaration.path else "rendered")
        suffixes = (*(suffix for suffix, _ in candidates), ".svg")
        detail = f"there is also no {' or '.join(stem + suffix for suffix, _ in candidates)} to build it from"
        raise AuthorError(at, sources.missing(product, question.track, suffixes), detail)
    raise AuthorError(
        declaration.at(), "a figure needs a source: the .dot, .gv, .py or .svg file that draws it"
    )


def rendered_name(question: Question, declaration: Declaration) -> str:
    """The file name of the light SVG."""
    path = declaration.path.rpartition("/")[2] if declaration.path and is_svg(declaration.path) else None
    return declaration.rendered or path or label_of(question.id, declaration.name) + ".svg"


def is_hidden(name: str) -> bool:
    """Whether a file or one of its folders is hidden."""
    return any(part.startswith(".") for part in name.split("/"))


def is_svg(name: str) -> bool:
    return name.endswith(".svg")


def join(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def folded(path: str) -> str:
    """A path with case and accents folded: equal for two paths that some file system treats as one."""
    if path.isascii():  # nearly always; the other way takes ten times as long
        return path.lower()
    return normalize("NFC", normalize("NFD", path).casefold())


def near(word: str, names: Iterable[str]) -> str:
    """`did_you_mean` for thousands of names: compares only the most likely ones, since comparing is slow."""
    return did_you_mean(word, nlargest(100, names, key=lambda name: _begin(word, name) + _end(word, name)))


def _begin(a: str, b: str) -> int:
    """The length of the common prefix of two words."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _end(a: str, b: str) -> int:
    return _begin(a[::-1], b[::-1])
