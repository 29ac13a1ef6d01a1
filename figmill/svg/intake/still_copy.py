"""Makes a still copy of an active export: removes and reports scripts, handlers and remote references.

The commands that bring drawings in use it. A build never does: it refuses active content. The copy is a source like
any other, and all rules are checked again. Knows nothing of files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from lxml import etree

from figmill.svg.document import SVG
from figmill.svg.spec import StillCopy, SvgError
from figmill.svg.xml import prolog, vocabulary
from figmill.svg.xml.animations import LOOKS
from figmill.svg.xml.names import XHTML, XLINK, is_handler, split
from figmill.svg.xml.parser import ACTIVE_INSTRUCTIONS
from figmill.svg.xml.references import LINK

ACTIVE = vocabulary.ACTIVE_ELEMENTS - {"foreignobject"} | vocabulary.words("discard audio video canvas")
DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
ROOT = re.compile(rb"""<svg(?=[\s/>])(?:[^"'>]|"[^"]*"|'[^']*')*>""")
NAMESPACES = {b"xmlns": SVG.encode(), b"xmlns:xlink": XLINK.encode()}
URL = re.compile(r"""url\(\s*(["']?)([^)"']*)\1\s*\)""", re.I)
TORN = re.compile(r"""url\((?!\s*["']?#)""", re.I)
RULES = re.compile(rf"@font-face\s*\{{[^}}]*\}}|@import[^;]*;?|{URL.pattern}", re.I)
REMOTE_FONT = re.compile(r"font|typekit", re.I)
XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"


class Removals:
    """What was removed from a drawing: the line numbers of each kind."""

    def __init__(self) -> None:
        self._lines: dict[str, list[int]] = {}

    def add(self, what: str, line: int) -> None:
        self._lines.setdefault(what, []).append(line)

    def summary(self) -> Iterator[str]:
        """One line per kind."""
        for what, lines in self._lines.items():
            places = ", ".join(map(str, sorted(set(lines))[:5]))
            more = ", …" if len(set(lines)) > 5 else ""
            count = "" if len(lines) == 1 else f", {len(lines):,} times"
            yield f"{what}{count} (line {places}{more})"


def still_copy(data: bytes) -> StillCopy:
    """The drawing without active content. Raises SvgError if the file cannot be read as a drawing.

    A drawing without active content is returned unchanged, except that namespaces which it lacks are added.
    """
    removals = Removals()
    data = prolog.unpacked(data)
    if len(data) > prolog.MAX_BYTES:
        raise SvgError(f"the file has {len(data):,} bytes; a figure may have {prolog.MAX_BYTES:,}")
    text = prolog.decoded(data)
    refused: SvgError | None = None
    try:
        before = prolog.read(text)
    except SvgError as error:
        refused = error
        text, count = DOCTYPE.subn(lambda match: b"\n" * match[0].count(b"\n"), text, count=1)
        before = prolog.read(text)
        if count:
            removals.add("a DOCTYPE that refers to other files, or contains more than plain entities", 1)
    for target, line, _ in before.instructions:
        if target.casefold() in ACTIVE_INSTRUCTIONS:
            removals.add(f"<?{target}?>", line)
    whole, added = _with_namespaces(text, before.offset)
    root = _parsed(prolog.written_out(whole[before.offset :], before), before.line, refused)
    _remove_active(root, removals)
    removed = tuple(removals.summary())
    if not removed:
        return StillCopy(whole if added else data, added)
    # Of everything before the root, only an XML declaration could be needed, and UTF-8 does not need one.
    svg = etree.tostring(root, encoding="unicode").rstrip().encode() + b"\n"
    return StillCopy(svg, added, removed)


def _with_namespaces(text: bytes, at: int) -> tuple[bytes, tuple[str, ...]]:
    """The drawing with the namespace declarations that its root lacks, and these declarations.

    at: the offset of the root. Drawings copied from a web page lack them, and no viewer shows such a file as a picture.
    """
    tag = ROOT.match(text, at)
    if tag is None:
        return text, ()
    added = []
    for name, space in NAMESPACES.items():
        is_used = name == b"xmlns" or name.removeprefix(b"xmlns:") + b":" in text[at:]
        if is_used and not re.search(rb"\s" + name + rb"\s*=", tag[0]):
            added.append(f'{name.decode()}="{space.decode()}"')
    after = at + len(b"<svg")
    declarations = "".join(f" {declaration}" for declaration in added).encode()
    return text[:after] + declarations + text[after:], tuple(added)


def _parsed(data: bytes, line: int, refused: SvgError | None) -> etree._Element:
    """The root element. refused: the error of a removed DOCTYPE, whose entities the drawing may need."""
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        return etree.fromstring(b"\n" * (line - 1) + data, parser)
    except etree.XMLSyntaxError as error:
        if refused is not None and "Entity" in (error.msg or ""):
            raise refused from None
        raise SvgError(f"not well-formed XML: {error.msg}", *error.position) from None


def _remove_active(root: etree._Element, removals: Removals) -> None:
    ids = {element.get("id") for element in root.iter() if element.get("id")}
    for element in list(root.iter()):
        if element is not root and (what := _acts(element)):
            removals.add(what, _line(element))
            _remove(element)
    for element in root.iter(etree.Element):
        _still_attributes(element, ids, removals)
        if split(element.tag) == (SVG, "style"):
            element.text = _still_rules(element.text or "", ids, removals, _line(element))
            for comment in element:
                comment.tail = _still_rules(comment.tail or "", ids, removals, _line(element))


def _acts(element: etree._Element) -> str:
    """A description of an element that is active or loads something; empty if it may stay."""
    if isinstance(element, etree._ProcessingInstruction):
        target = str(element.target)
        return f"<?{target}?>" if target.casefold() in ACTIVE_INSTRUCTIONS else ""
    if not isinstance(element.tag, str):
        return ""  # a comment
    space, local = split(element.tag)
    if local.casefold() in ACTIVE:
        size = len(element.text or "")
        source = _href(element) or element.get("src", "")
        whose = f" of {source[:60]}" if source else f" of {size:,} characters" if size else ""
        return f"<{local}>{whose}"
    if space in vocabulary.ACTIVE_NAMESPACES and not (space == XHTML and _is_label(element)):
        return f"<{local}> of the namespace '{space}'"
    if space == XHTML and local == "img" and not element.get("src", "").startswith("data:"):
        return f"<img> of {element.get('src', '')[:60]}"
    if space != SVG:
        return ""
    target = _href(element)
    if local in vocabulary.ANIMATIONS:
        name = element.get("attributeName", "transform").strip()
        is_look = name in LOOKS and target[:1] in ("", "#")
        return "" if is_look else f"<{local}> of '{name[:40]}'"
    if target and local in ("image", "feImage") and re.match(r"\s*(?:[a-z][a-z0-9+.\-]*:|//)", target, re.I):
        return "" if target.strip().startswith("data:image/") else f"<{local}> of {target.strip()[:60]}"
    if target and local in ("use", "tref", "mpath") and not target.strip().startswith("#"):
        return f"<{local}> of {target.strip()[:60]}"
    return ""


def _line(element: etree._Element) -> int:
    return cast(int, element.sourceline or 1)


def _is_label(element: etree._Element) -> bool:
    """Whether an HTML element is inside a <foreignObject>."""
    return any(split(str(around.tag))[1] == "foreignObject" for around in element.iterancestors())


def _href(element: etree._Element) -> str:
    return element.get("href") or element.get(f"{{{XLINK}}}href") or ""


def _remove(element: etree._Element) -> None:
    """Remove an element but keep the text after it."""
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    tail = element.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)


def _still_attributes(element: etree._Element, ids: set[str | None], removals: Removals) -> None:
    tag = split(str(element.tag))[1]
    for name, value in list(element.attrib.items()):
        local = split(str(name))[1]
        if is_handler(local):
            removals.add(f"event handler '{local}' of <{tag}>", _line(element))
        elif name == XML_BASE:
            removals.add("xml:base", _line(element))
        elif local == "href" and tag == "a" and not _may_lead(str(value)):
            removals.add(f"link to '{str(value).strip()[:60]}'", _line(element))
        elif (
            local == "href"
            and tag in ("linearGradient", "radialGradient", "pattern", "filter", "textPath")
            and not (str(value).strip().startswith("#"))
        ):
            removals.add(f"<{tag}> that is taken from '{str(value).strip()[:60]}'", _line(element))
        else:
            if "url(" not in str(value).lower() or local in ("content", "d"):
                continue
            own = _own(str(value), ids, removals, _line(element))
            if not TORN.search(own):
                element.set(name, own)
                continue
            removals.add(f"{local} of <{tag}>, whose url() cannot be read", _line(element))
            del element.attrib[name]
            continue
        del element.attrib[name]


def _may_lead(target: str) -> bool:
    target = target.strip()
    return bool(LINK.fullmatch(target)) or (target.startswith("#") and len(target) > 1)


def _own(text: str, ids: set[str | None], removals: Removals, line: int) -> str:
    """The text with external url() references replaced by their fragment, if the drawing has that id, or by `none`."""

    def replaced(match: re.Match[str]) -> str:
        place, _, name = match[2].strip().partition("#")
        if not place:
            return match[0]
        if name in ids:
            removals.add(f"the address {place[:60]} before a reference to the drawing itself", line)
            return f"url(#{name})"
        removals.add(f"url({match[2].strip()[:60]})", line)
        return "none"

    return URL.sub(replaced, text)


def _still_rules(text: str, ids: set[str | None], removals: Removals, line: int) -> str:
    """The text of a <style> without remote content. Fonts stay here, because a build drops them."""

    def kept(match: re.Match[str]) -> str:
        rule = match[0].lower()
        if rule.startswith("@font-face"):
            return match[0]
        if not rule.startswith("@import"):
            return _own(match[0], ids, removals, line)
        if REMOTE_FONT.search(rule):
            return match[0]
        removals.add(match[0].strip()[:80], line)
        return ""

    return RULES.sub(kept, text)
