"""A still copy of an active export: scripts, handlers and remote references are removed and reported.

For an author who calls `import`, never part of a build: a build refuses active content. The copy is a source like any
other, and all rules are checked again. Unaware of files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from lxml import etree

from figmill.svg.document import SVG
from figmill.svg.spec import SvgError
from figmill.svg.xml import prolog, vocabulary
from figmill.svg.xml.names import XHTML, XLINK, is_handler, split
from figmill.svg.xml.parser import ACTIVE_INSTRUCTIONS
from figmill.svg.xml.references import LINK
from figmill.svg.xml.unseen import LOOKS

ACTIVE = vocabulary.ACTIVE_ELEMENTS - {"foreignobject"} | vocabulary.words("discard audio video canvas")
DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
ROOT = re.compile(rb"""<svg(?=[\s/>])(?:[^"'>]|"[^"]*"|'[^']*')*>""")
NAMESPACES = {b"xmlns": SVG.encode(), b"xmlns:xlink": XLINK.encode()}
URL = re.compile(r"""url\(\s*(["']?)([^)"']*)\1\s*\)""", re.I)
TORN = re.compile(r"""url\((?!\s*["']?#)""", re.I)
RULES = re.compile(rf"@font-face\s*\{{[^}}]*\}}|@import[^;]*;?|{URL.pattern}", re.I)
REMOTE_FONT = re.compile(r"font|typekit", re.I)
XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"


@dataclass(slots=True)
class Still:
    """The copy, and what was removed from it: each kind with its line numbers."""

    svg: bytes = b""
    added: list[str] = field(default_factory=list)  # what the drawing lacked
    taken: dict[str, list[int]] = field(default_factory=dict)

    def tell(self, what: str, line: int) -> None:
        self.taken.setdefault(what, []).append(line)

    def told(self) -> Iterator[str]:
        """One line per kind."""
        for what, lines in self.taken.items():
            places = ", ".join(map(str, sorted(set(lines))[:5]))
            more = ", …" if len(set(lines)) > 5 else ""
            count = "" if len(lines) == 1 else f", {len(lines):,} times"
            yield f"{what}{count} (line {places}{more})"


def still_copy(data: bytes) -> Still:
    """The drawing without active content. Raises SvgError if the file cannot be read as a drawing.

    A drawing without active content comes back unchanged, but for the namespaces that it lacks.
    """
    found = Still()
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
            found.tell("a DOCTYPE that leads out of the file, or holds more than plain entities", 1)
    for target, line, _ in before.instructions:
        if target.casefold() in ACTIVE_INSTRUCTIONS:
            found.tell(f"<?{target}?>", line)
    whole = _named(text, before.offset, found)
    root = _parsed(prolog.written_out(whole[before.offset :], before), before.line, refused)
    _take_out(root, found)
    if not found.taken:
        found.svg = whole if found.added else data
        return found
    # Only the XML declaration could be needed before the root, and for UTF-8 it is not.
    found.svg = etree.tostring(root, encoding="unicode").rstrip().encode() + b"\n"
    return found


def _named(text: bytes, at: int, found: Still) -> bytes:
    """The drawing with the namespaces that its root lacks: without them, no reader takes it for a picture.

    at: the byte at which the root begins. Drawings that were copied out of a page lack them.
    """
    tag = ROOT.match(text, at)
    if tag is None:
        return text
    added = b""
    for name, space in NAMESPACES.items():
        is_used = name == b"xmlns" or name.removeprefix(b"xmlns:") + b":" in text[at:]
        if is_used and not re.search(rb"\s" + name + rb"\s*=", tag[0]):
            added += b' %s="%s"' % (name, space)
            found.added.append(f'{name.decode()}="{space.decode()}"')
    return text[: at + len(b"<svg")] + added + text[at + len(b"<svg") :]


def _parsed(data: bytes, line: int, refused: SvgError | None) -> etree._Element:
    """The elements. refused: what is wrong with the DOCTYPE that was taken out, whose entities may be missed now."""
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        return etree.fromstring(b"\n" * (line - 1) + data, parser)
    except etree.XMLSyntaxError as error:
        if refused is not None and "Entity" in (error.msg or ""):
            raise refused from None
        raise SvgError(f"not well-formed XML: {error.msg}", *error.position) from None


def _take_out(root: etree._Element, found: Still) -> None:
    ids = {element.get("id") for element in root.iter() if element.get("id")}
    for element in list(root.iter()):
        if element is not root and (what := _acts(element)):
            found.tell(what, _line(element))
            _remove(element)
    for element in root.iter(etree.Element):
        _still_attributes(element, ids, found)
        if split(element.tag) == (SVG, "style"):
            element.text = _still_rules(element.text or "", ids, found, _line(element))
            for comment in element:
                comment.tail = _still_rules(comment.tail or "", ids, found, _line(element))


def _acts(element: etree._Element) -> str:
    """A description of an element that acts or is fetched; empty if it may stay."""
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


def _still_attributes(element: etree._Element, ids: set[str | None], found: Still) -> None:
    tag = split(str(element.tag))[1]
    for name, value in list(element.attrib.items()):
        local = split(str(name))[1]
        if is_handler(local):
            found.tell(f"event handler '{local}' of <{tag}>", _line(element))
        elif name == XML_BASE:
            found.tell("xml:base", _line(element))
        elif local == "href" and tag == "a" and not _may_lead(str(value)):
            found.tell(f"link to '{str(value).strip()[:60]}'", _line(element))
        elif (
            local == "href"
            and tag in ("linearGradient", "radialGradient", "pattern", "filter", "textPath")
            and not (str(value).strip().startswith("#"))
        ):
            found.tell(f"<{tag}> that is taken from '{str(value).strip()[:60]}'", _line(element))
        else:
            if "url(" not in str(value).lower() or local in ("content", "d"):
                continue
            own = _own(str(value), ids, found, _line(element))
            if not TORN.search(own):
                element.set(name, own)
                continue
            found.tell(f"{local} of <{tag}>, whose url() cannot be read", _line(element))
            del element.attrib[name]
            continue
        del element.attrib[name]


def _may_lead(target: str) -> bool:
    target = target.strip()
    return bool(LINK.fullmatch(target)) or (target.startswith("#") and len(target) > 1)


def _own(text: str, ids: set[str | None], found: Still, line: int) -> str:
    """The text with external url() references replaced by their fragment, if the drawing has that id, or by `none`."""

    def replaced(match: re.Match[str]) -> str:
        place, _, name = match[2].strip().partition("#")
        if not place:
            return match[0]
        if name in ids:
            found.tell(f"the address {place[:60]} before a reference to the drawing itself", line)
            return f"url(#{name})"
        found.tell(f"url({match[2].strip()[:60]})", line)
        return "none"

    return URL.sub(replaced, text)


def _still_rules(text: str, ids: set[str | None], found: Still, line: int) -> str:
    """The text of a <style> without remote content. Fonts stay, because a build drops them anyway."""

    def kept(match: re.Match[str]) -> str:
        rule = match[0].lower()
        if rule.startswith("@font-face"):
            return match[0]
        if not rule.startswith("@import"):
            return _own(match[0], ids, found, line)
        if REMOTE_FONT.search(rule):
            return match[0]
        found.tell(match[0].strip()[:80], line)
        return ""

    return RULES.sub(kept, text)
