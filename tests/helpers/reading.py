"""What may stand in a published figure, read independently of figmill: written from SVG's and HTML's own
specifications, with a reader (html5lib) and tables of its own. Nothing of figmill is imported here.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from typing import Any

import html5lib
from lxml import etree

SVG = "{http://www.w3.org/2000/svg}"
PAINTED = "path rect circle ellipse line polyline polygon text tspan textPath use g svg switch a image"
DEFINED = "defs symbol marker clipPath mask pattern linearGradient radialGradient stop filter title desc"
EFFECTS = """feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting
    feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge
    feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence"""
ELEMENTS = frozenset(f"{PAINTED} {DEFINED} {EFFECTS}".split())
# Spoken or shown as they are, never read as anything else.
SPOKEN = frozenset({"aria-label", "aria-roledescription"})
# What holds words, in which no number is expected: an unknown colour is passed over by every reader.
WORDED = frozenset(
    {"font-family", "class", "fill", "stroke", "color", "stop-color", "flood-color", "lighting-color"}
)
TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
CSS = re.compile(r"expression\(|@import|behavior|binding|\\|image-set|src\(", re.I)
SCHEMES = re.compile(r"javascript:|vbscript:|data:", re.I)
# Attributes that are read as CSS, and those that are read as links or as what to change. To every reader the others
# are numbers and names, and whatever else stands there is nothing.
STYLED = frozenset(
    """style fill stroke filter mask clip-path marker marker-start marker-mid marker-end cursor color stop-color
    flood-color lighting-color font-family""".split()  # noqa: SIM905
)
LINKED = frozenset({"href", "src", "attributeName", "values", "to", "from", "by", "begin"})
# A page, a part of one, a mailbox, or a place beside this one: neither another scheme nor another site without one.
LINK = re.compile(
    r"https?://[\w.-]+(?::\d+)?(?:[/?#][^\s\\\"<>]*)?|mailto:[^\s\\:\"<>]+|(?!//)[^\s:\\\"<>?#]+(?:[?#][^\s\\\"<>]*)?|[?#][^\s\\\"<>]*"
)

Tree = tuple[str, dict[str, str], str, tuple[Any, ...]]


def as_tree(element: Any) -> Tree:
    # html5lib's table of SVG names is older than feDropShadow
    tag = element.tag.removeprefix(SVG).replace("fedropshadow", "feDropShadow")
    attributes = {name: value for name, value in element.attrib.items() if not name.endswith("}xmlns")}
    children = tuple((as_tree(child), child.tail or "") for child in element)
    return (tag, attributes, element.text or "", children)


def as_xml(data: bytes) -> Tree:
    return as_tree(etree.fromstring(data))


def as_html(data: bytes) -> Tree:
    """The figure inside a page; whatever it opens it must close, too."""
    page = html5lib.parse("<!doctype html><p>before</p>" + data.decode() + "<p>after", treebuilder="lxml")
    body = page.getroot()[1]
    assert [child.tag.rpartition("}")[2] for child in body] == ["p", "svg", "p"], (
        "it leaves its place in the page"
    )
    return as_tree(body[1])


def walk(node: Tree) -> list[Tree]:
    return [node, *(below for child, _ in node[3] for below in walk(child))]


def faults(data: bytes, prefix: str) -> list[str]:
    """What must not be in a figure whose ids begin with `prefix`; empty where it is clean to both readers."""
    text = data.decode()
    problems = [f"{sign!r} in the file" for sign in ("<!", "<?", "\r", "&#") if sign in text]
    problems += [f"character {match[0]!r}" for match in TEXT.finditer(text)]
    if problems:
        return problems  # not even readable as a tree of elements
    try:
        xml, html = as_xml(data), as_html(data)
    except (etree.XMLSyntaxError, AssertionError) as error:
        return [*problems, str(error)]
    if xml != html:
        problems.append("XML and HTML read it differently")
    nodes = walk(html)
    ids = Counter(attributes["id"] for _, attributes, _, _ in nodes if "id" in attributes)
    problems += [f"id {name} {count} times" for name, count in ids.items() if count > 1]
    problems += [
        f"id {name} may be another figure's" for name in ids if not re.fullmatch(prefix + r"-\d+", name)
    ]
    for tag, attributes, content, children in nodes:
        if tag not in ELEMENTS:
            problems.append(f"<{tag}>")
        if tag in ("title", "desc") and children:
            problems.append(f"markup in <{tag}>")
        content += "".join(tail for _, tail in children)
        if content.strip() and tag not in ("text", "tspan", "textPath", "a", "title", "desc"):
            problems.append(f"words in <{tag}>")
        for name, value in attributes.items():
            problems += [f"{name}={value!r} of <{tag}>: {why}" for why in wrong(tag, name, value, ids)]
    if html[1].get("role") != "img" or not {"width", "height", "viewBox", "aria-labelledby"} <= set(html[1]):
        problems.append("the root does not say what it is")
    return problems


def picture(href: str) -> list[str]:
    """What a picture in a figure must not be, or hold: written from the specifications of PNG and JPEG."""
    match = re.fullmatch(r"data:image/(png|jpeg);base64,([A-Za-z0-9+/]+={0,2})", href)
    if match is None:
        return ["a picture from outside, or of another kind"]
    data = base64.b64decode(match[2], validate=True)
    if match[1] == "jpeg":
        head = data[:2] + data[2:4] + data[6:11]
        others = [
            marker for marker in (b"\xff\xe1", b"\xff\xe2", b"\xff\xed", b"\xff\xfe") if marker in data[:2000]
        ]
        is_bare = head == b"\xff\xd8\xff\xe0JFIF\0" and data.endswith(b"\xff\xd9") and not others
        return [] if is_bare else ["a JPEG with more than its picture"]
    if not data.startswith(b"\x89PNG\r\n\x1a\n"):
        return ["no PNG"]
    at, chunks = 8, []
    while at < len(data):
        chunks.append(data[at + 4 : at + 8])
        at += 12 + int.from_bytes(data[at : at + 4])
    types = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
    return (
        []
        if set(chunks) <= types and chunks[-1:] == [b"IEND"] and at == len(data)
        else ["a PNG with more than pixels"]
    )


def wrong(tag: str, name: str, value: str, ids: Counter[str]) -> list[str]:
    """Why an attribute must not stand there."""
    problems = []
    if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9-]*", name):
        problems.append("a name with a prefix")
    if name.casefold().startswith("on"):
        problems.append("an event handler")
    if name in SPOKEN:
        return problems
    squeezed = re.sub(r"[\s\x00-\x20]", "", value)
    if name == "href" and tag == "image":
        problems += picture(value)
    elif name == "href":
        if not (value.startswith("#") and value[1:] in ids) and not (tag == "a" and LINK.fullmatch(value)):
            problems.append("a link to nowhere or to outside")
    elif (name in STYLED and CSS.search(squeezed)) or (name in LINKED and SCHEMES.search(squeezed)):
        problems.append("it could act or load")
    if name in STYLED:
        for target in re.findall(r"url\((.*?)\)", value, re.I | re.S):
            if not target.startswith("#") or (
                target[1:] not in ids and name not in ("fill", "stroke", "style")
            ):
                problems.append("url() to nowhere or to outside")
        if "url(" in squeezed.casefold() and value.casefold().count("url") != len(
            re.findall(r"url\(#", value)
        ):
            problems.append("url() written in another way")
    if name in ("aria-labelledby", "aria-describedby") and not set(value.split()) <= set(ids):
        problems.append("a label that is not there")
    if name == "style" and re.search(r"position|content|cursor|filter:url|--", value, re.I):
        problems.append("a style that reaches out of the figure")
    if re.search(r"\b(?:nan|inf(?:inity)?)\b", value, re.I) and name not in WORDED:
        problems.append("a number that is none")
    return problems
