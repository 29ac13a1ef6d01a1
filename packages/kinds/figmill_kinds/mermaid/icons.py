"""Icons from packages that the book has: `@iconify-json/*` in a `node_modules` at the source or above it, in the book.

Mermaid itself draws those that stand beside labels, in nodes and services; formulas.py draws those within labels, which
Mermaid leaves to fonts of a page. Each file that was looked for is an input, so a new package draws a figure again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from lxml import etree

from figmill.kind import AuthorError, Job, Origin, Remark, did_you_mean, drawn_text, inside
from figmill_kinds.mermaid.text import body_of

SVG = "{http://www.w3.org/2000/svg}"
FOLDER = "node_modules/@iconify-json"
LARGEST = 64 << 20  # bytes of one package's icons
_SOLID, _REGULAR, _BRANDS = (
    tuple(f"{pack}{kind}" for pack in ("fa6", "fa7", "fa")) for kind in ("-solid", "-regular", "-brands")
)
# Font Awesome's prefixes, with the packages that have its icons; the first one is advised.
PACKAGES: Mapping[str, tuple[str, ...]] = {
    "fa": (*_SOLID, *_REGULAR, *_BRANDS, "fa"),
    "fas": _SOLID,
    "fa-solid": _SOLID,
    "far": _REGULAR,
    "fa-regular": _REGULAR,
    "fab": _BRANDS,
    "fa-brands": _BRANDS,
    "fal": (),  # are sold
    "fak": (),
}
_WITHIN = re.compile(r"(?<![\w:-])(fa[bklrs]?):fa-([a-z0-9-]+)")
_NAME = r"([a-z0-9]+(?:-[a-z0-9]+)*):([a-z0-9]+(?:-[a-z0-9]+)*)"
_BESIDE = (
    re.compile(rf"\bicon\s*:\s*[\"']?{_NAME}"),
    re.compile(rf"^\s*(?:service|group)\s+[\w-]+\s*\({_NAME}\)"),
    re.compile(rf"\bicon\({_NAME}\)"),
)
_ANY = re.compile(r"icon|:fa-|\$sprite|^\s*(?:service|group)\s", re.MULTILINE)
_SPRITE = re.compile(r"\$sprite\s*=")
_BEFORE = re.compile(r"\bicon\s*:\s*[\"']?$")
_OF_NODE = re.compile(r"^\s*::icon\(\s*([^)]+?)\s*\)\s*$")
_INNER = re.compile(r"^(\s*[^\s(\[{)]*(?:\(\(\(?|\(\[?|\[\[?|\{\{|\)\)?)\s*[\"'`]*)(?=\S)|^(\s*)(?=\S)")
_ID = re.compile(r"(\bid=\"|url\(#|href=\"#)([^\")]+)")
UNIT = 100.0


@dataclass(frozen=True, slots=True)
class Icon:
    """One icon of a package, in a label as high as its font."""

    body: str
    left: float
    top: float
    across: float
    down: float
    turned: str  # an SVG transform

    ascent: float = 0.875 * UNIT
    descent: float = 0.125 * UNIT

    @property
    def width(self) -> float:
        return self.across / self.down * UNIT

    def as_given(self) -> dict[str, Any]:
        """As Mermaid takes it."""
        body = f'<g transform="{self.turned}">{self.body}</g>' if self.turned else self.body
        return {"body": body, "left": self.left, "top": self.top, "width": self.across, "height": self.down}

    def drawn(self, size: float, left: float, baseline: float, fill: str) -> Iterator[etree._Element]:
        """Its elements, those without a colour of their own in `fill`. left, baseline: where it begins."""
        by = size / self.down
        prefix = f"icon-{left:.0f}-{baseline:.0f}-"
        body = _ID.sub(lambda match: f"{match[1]}{prefix}{match[2]}", self.body).replace("currentColor", fill)
        head = '<g xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        group = drawn_text.tree(drawn_text.encoded(f"{head}{body}</g>"))
        top = baseline - 0.875 * size
        moved = f"translate({left - self.left * by:.3f} {top - self.top * by:.3f}) scale({by:.5g})"
        group.set("transform", f"{moved} {self.turned}".strip())
        _painted(group, {"fill": "#000000", "stroke": "none", "stroke-width": "1"})
        yield group


def _painted(node: etree._Element, above: Mapping[str, str]) -> None:
    """Write colours where no rule for the shapes of a diagram changes them."""
    own = {name: str(node.get(name, value)) for name, value in above.items()}
    if len(node) == 0:
        style = "; ".join(f"{name}: {value} !important" for name, value in own.items())
        node.set("style", f"{node.get('style', '')}; {style}".lstrip("; "))
    for child in node:
        if isinstance(child.tag, str):
            _painted(child, own)


class Packs:
    """The packages of icons that a source names.

    - looked: the files that were looked for, below the book's root.
    """

    def __init__(self, job: Job, root: Path) -> None:
        self._job, self._root = job, root
        self.looked: dict[str, None] = {}
        self._missing: dict[str, Remark] = {}
        self._given: dict[str, dict[str, Any]] = {}

    def remarks(self) -> Iterator[Remark]:
        yield from self._missing.values()

    def given(self) -> list[dict[str, Any]]:
        """The icons that Mermaid itself draws, as its own packs."""
        return [{"name": name, "icons": pack} for name, pack in self._given.items()]

    def marked(self, text: str, free: Iterator[str]) -> tuple[str, dict[str, tuple[str, Icon]]]:
        """A source with a character for each icon in its labels that the book has; and by character the icon."""
        by_sign: dict[str, tuple[str, Icon]] = {}
        if _ANY.search(text) is None:
            return text, by_sign
        signs: dict[tuple[str, str], str] = {}

        def sign(prefix: str, name: str, number: int) -> str:
            icon = self.icon(prefix, name, number)
            if icon is None:
                return ""
            if (prefix, name) not in signs:
                signs[prefix, name] = next(free)
                by_sign[signs[prefix, name]] = ("", icon)
            return signs[prefix, name]

        lines, last = text.split("\n"), 0
        for number, line in list(body_of(text)):
            for pattern in _BESIDE:
                for match in pattern.finditer(line):
                    self._give(match[1], match[2], number)
            if _SPRITE.search(line):
                self._miss("$sprite", number, "sprites of C4 diagrams are left out: Mermaid has none")
            if (of_node := _OF_NODE.match(line)) is not None:
                mark = sign(*_named(of_node[1]), number)
                if mark:
                    lines[number - 1] = ""
                    lines[last - 1] = _INNER.sub(rf"\g<0>{mark} ", lines[last - 1], count=1)
                continue
            if line.strip() and not line.lstrip().startswith(":::"):
                last = number
            parts, end = [], 0
            for match in _WITHIN.finditer(line):
                is_beside = _BEFORE.search(line[: match.start()]) is not None
                mark = f"{match[1]}:{match[2]}" if is_beside else sign(match[1], match[2], number)
                parts += [line[end : match.start()], mark or match[0]]
                end = match.end()
            lines[number - 1] = "".join((*parts, line[end:]))
        return "\n".join(lines), by_sign

    def _give(self, prefix: str, name: str, number: int) -> None:
        if prefix.startswith("mermaid-"):  # Mermaid's own
            return
        pack, plain = self._holding(prefix, name.removeprefix("fa-"), number)
        icon = None if pack is None else _icon(pack, plain)
        if icon is not None:
            given = self._given.setdefault(prefix, {"prefix": prefix, "icons": {}})
            given["icons"][plain] = icon.as_given()

    def icon(self, prefix: str, name: str, number: int) -> Icon | None:
        """An icon of a label; None with a remark if the book does not have it."""
        pack, name = self._holding(prefix, name, number)
        return None if pack is None else _icon(pack, name)

    def _holding(self, prefix: str, name: str, number: int) -> tuple[dict[str, Any] | None, str]:
        """The package that has an icon, and the icon's name in it."""
        packages = PACKAGES.get(prefix, (prefix,))
        names: list[str] = []
        for package in packages:
            pack = self._read(package, number)
            if pack is not None and (name in pack["icons"] or name in pack.get("aliases", {})):
                return pack, name
            names += pack["icons"] if pack is not None else ()
        if not packages:
            self._miss(prefix, number, f"icons of '{prefix}' are left out: Font Awesome sells them")
        elif names:
            near = did_you_mean(name, names) or ""
            self._miss(
                f"{prefix}:{name}",
                number,
                f"the icon '{prefix}:{name}' is left out: its package has none such{near}",
            )
        else:
            what = "icons of Font Awesome" if packages[0].startswith("fa6") else f"icons of '{prefix}'"
            install = f"npm install @iconify-json/{packages[0]}"
            self._miss(prefix, number, f"{what} are left out; `{install}` in the book's folder brings them")
        return None, name

    def _miss(self, what: str, number: int, message: str) -> None:
        self._missing.setdefault(what, Remark("left-out", message, number))

    def _read(self, package: str, number: int) -> dict[str, Any] | None:
        folder, at = PurePosixPath(self._job.source).parent, Origin(self._job.source, number)
        for above in (folder, *folder.parents):
            path = (above / FOLDER / package / "icons.json").as_posix()
            self.looked[path] = None
            try:
                data = inside.read(self._root, path, LARGEST, (path,))
            except FileNotFoundError:
                continue
            except inside.RefusedError as error:
                raise AuthorError(at, f"{path} {error.phrase}") from None
            except OSError as error:
                raise AuthorError(at, f"{path} cannot be read: {error.strerror}") from None
            pack = _pack(data)
            if pack is None:
                raise AuthorError(
                    Origin(self._job.source, number), f"{path} is not a package of icons"
                ) from None
            return pack
        return None


@lru_cache(maxsize=4)
def _pack(data: bytes) -> dict[str, Any] | None:
    try:
        pack = json.loads(data)
    except ValueError:
        return None
    icons = pack.get("icons") if isinstance(pack, dict) else None
    return (
        pack if isinstance(icons, dict) and all(isinstance(icon, dict) for icon in icons.values()) else None
    )


def _icon(pack: Mapping[str, Any], name: str) -> Icon | None:
    rows: list[Mapping[str, Any]] = []
    for _ in range(8):  # of aliases of aliases
        rows.append(pack["icons"].get(name) or pack["aliases"].get(name, {}))
        if "body" in rows[-1]:
            break
        name = str(rows[-1].get("parent", ""))
    sides = {"left": 0, "top": 0, "width": 16, "height": 16}
    for row in (pack, *reversed(rows)):
        sides |= {side: row[side] for side in sides if isinstance(row.get(side), int | float)}
    left, top, across, down = (float(sides[side]) for side in ("left", "top", "width", "height"))
    body = rows[-1].get("body")
    if not isinstance(body, str) or not across > 0 or not down > 0:
        return None
    turned = []
    for row in rows:
        if row.get("hFlip"):
            turned.append(f"translate({2 * left + across:g} 0) scale(-1 1)")
        if row.get("vFlip"):
            turned.append(f"translate(0 {2 * top + down:g}) scale(1 -1)")
        if row.get("rotate"):
            turned.append(f"rotate({90 * int(row['rotate'])} {left + across / 2:g} {top + down / 2:g})")
    return Icon(body, left, top, across, down, " ".join(turned))


def _named(written: str) -> tuple[str, str]:
    """Prefix and name of `fa fa-book`, `mdi mdi-skull` and `logos:aws`."""
    prefix, colon, name = written.partition(":")
    if not colon:
        prefix, _, name = written.partition(" ")
        name = name.split(" ")[-1]
        family = "fa" if prefix in PACKAGES else prefix
        name = name.removeprefix(f"{family}-")
    return prefix, name.removeprefix("fa-") if prefix in PACKAGES else name
