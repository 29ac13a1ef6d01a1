"""remark, for Docusaurus and Astro: a page of mdast nodes with its figures.

Each replaced node is replaced by one node, so that the host can keep all others, with the data that JSON lacks. A
figure is a node `html`; in MDX, which has none, it is an element of JSX.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element

from figmill.integrations import leftover, lookup
from figmill.integrations.documents.request import PageAnswer, PageRequest, text_of, tree
from figmill.integrations.documents.web_page import WebPage, WebUse, Wishes, fences_of, page_path
from figmill.integrations.lookup import Target
from figmill.integrations.opened import BookFinder
from figmill.integrations.paste import one_line

RemarkNode: TypeAlias = dict[str, Any]
# The attributes that React spells differently.
REACT: Mapping[str, str] = MappingProxyType({"class": "className", "tabindex": "tabIndex"})
REFERENCES: Mapping[str, str] = MappingProxyType({"imageReference": "image", "linkReference": "link"})


def answered(request: PageRequest, book_of: BookFinder) -> PageAnswer:
    """The page with its figures and facts."""
    book = book_of(page_path(request).parent, None)
    is_mdx = request.format == "mdx"
    site = WebPage(request, book, fences_of(request, book), in_blocks=not is_mdx, in_lines=not is_mdx)
    root = tree(request.document)
    addresses = dict(_definitions(root))
    site.check(leftover.of_mdast(root))
    root = _settled(root, addresses, site)
    site.expect(_uses(root, is_by_itself=False))
    placer = _Placer(site, is_mdx=is_mdx)
    return PageAnswer(
        text_of(placer.placed(root, is_in_heading=False)), tuple(site.messages.values()), site.watched
    )


def _definitions(node: RemarkNode) -> Iterator[tuple[str, str]]:
    """(identifier, address) of each definition that names a figure or a fact."""
    if node["type"] == "definition" and lookup.target(str(node.get("url", ""))):
        yield node["identifier"], node["url"]
    for child in node.get("children", ()):
        yield from _definitions(child)


def _settled(node: RemarkNode, addresses: Mapping[str, str], site: WebPage) -> RemarkNode:
    """The page with an image in place of every code block that is a figure, and of every reference to one."""
    kind = node["type"]
    if kind == "code" and (target := site.fence(node.get("lang") or "", node["value"])):
        image = {"type": "image", "url": str(target), "alt": ""}
        return {"type": "paragraph", "children": [image]}
    if kind in REFERENCES and node.get("identifier") in addresses:
        node = {**node, "type": REFERENCES[kind], "url": addresses[node["identifier"]]}
    if kind == "image" and (target := site.image(str(node.get("url", "")), node.get("alt") or "")):
        return {**node, "url": str(target), "alt": ""}
    if "children" in node:
        return {**node, "children": [_settled(child, addresses, site) for child in node["children"]]}
    return node


def _target(node: RemarkNode, kind: str) -> Target | None:
    """What an image or a link names."""
    return lookup.target(str(node.get("url", ""))) if node["type"] == kind else None


def _by_itself(node: RemarkNode) -> RemarkNode | None:
    """The image that is the whole of a paragraph."""
    children = node.get("children", ())
    is_alone = node["type"] == "paragraph" and len(children) == 1 and _target(children[0], "image")
    return children[0] if is_alone else None


def _uses(node: RemarkNode, *, is_by_itself: bool) -> Iterator[WebUse]:
    if target := _target(node, "image"):
        yield WebUse(target.label, is_by_itself)
    for child in node.get("children", ()):
        yield from _uses(child, is_by_itself=_by_itself(node) is child)


class _Placer:
    """Puts figures and facts into nodes.

    - is_mdx: the nodes are JSX for React.
    """

    def __init__(self, site: WebPage, *, is_mdx: bool) -> None:
        self.site, self.is_mdx = site, is_mdx

    def placed(self, node: RemarkNode, *, is_in_heading: bool) -> RemarkNode:
        if image := _by_itself(node):
            return self._figure(image, is_by_itself=True)
        if _target(node, "image"):
            return self._figure(node, is_by_itself=False)
        if target := _target(node, "link"):
            if target.fact is not None or not node.get("children"):
                return self._fact(target, is_in_heading=is_in_heading)
            node = {**node, "url": self.site.link(target)}
        if "children" in node:
            is_heading = is_in_heading or node["type"] == "heading"
            below = [self.placed(child, is_in_heading=is_heading) for child in node["children"]]
            return {**node, "children": below}
        return node

    def _figure(self, node: RemarkNode, *, is_by_itself: bool) -> RemarkNode:
        target = _target(node, "image")
        assert target is not None
        shown = self.site.shown(target, Wishes.of(node.get("alt"), {}), is_by_itself=is_by_itself)
        return self._node(shown, is_block=is_by_itself)

    def _fact(self, target: Target, *, is_in_heading: bool) -> RemarkNode:
        fact = self.site.fact(target, is_in_heading=is_in_heading)
        return _text(fact) if isinstance(fact, str) else self._node((fact,), is_block=False)

    def _node(self, elements: Iterable[Element], *, is_block: bool) -> RemarkNode:
        """Elements of HTML as one node."""
        if not self.is_mdx:
            return {"type": "html", "value": self.site.html(elements)}
        nodes = [_jsx(part) for part in elements]
        if len(nodes) == 1 and not is_block:
            return nodes[0]
        return {"type": "mdxJsxFlowElement", "name": None, "attributes": [], "children": nodes}


def _jsx(markup: Element) -> RemarkNode:
    """An element as JSX that stays as it is: MDX does not replace it by a component of the site.

    An id is put on an `a` inside: apart from headings, Docusaurus accepts only these as targets of links.
    """
    id_ = markup.get("id") if markup.tag == "figure" else None
    attributes = [
        {"type": "mdxJsxAttribute", "name": REACT.get(name, name), "value": one_line(value)}
        for name, value in markup.attrib.items()
        if not (name == "id" and id_)
    ]
    children: list[RemarkNode] = []
    if id_:
        end = {"hName": "a", "hProperties": {"id": id_}}
        children.append({"type": "figmillAnchor", "data": end, "children": []})
    if markup.text:
        children.append(_text(one_line(markup.text)))
    for child in markup:
        children.append(_jsx(child))
        if child.tail:
            children.append(_text(child.tail))
    node = {"type": "mdxJsxTextElement", "name": markup.tag, "attributes": attributes, "children": children}
    return {**node, "data": {"_mdxExplicitJsx": True}}


def _text(text: str) -> RemarkNode:
    return {"type": "text", "value": text}
