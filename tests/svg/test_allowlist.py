"""Two tables: what is refused, with the words that say why, and what must be accepted beside it."""

from __future__ import annotations

import contextlib
import re
import time

import pytest
from helpers.cases import cases

from figmill.svg import Sheet, SvgError, in_themes, normalise

SHEET = Sheet("fig", "Title", "What it shows")
NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:x="urn:x"'


def svg(inside: str, root: str = "") -> str:
    return f'<svg {NAMESPACES} viewBox="0 0 100 100" {root}>{inside}</svg>'


HTML = '<foreignObject><h:div xmlns:h="http://www.w3.org/1999/xhtml">Rank 0</h:div></foreignObject>'

DECLARED = (
    "fill:red;stroke:red;opacity:1;fill-opacity:1;stroke-opacity:1;stroke-width:1;fill-rule:nonzero;"
    "clip-rule:nonzero;stroke-linecap:butt;stroke-linejoin:miter;stroke-miterlimit:1;visibility:visible"
)


def sized(html: str) -> str:
    """HTML with room to be seen in."""
    return (
        f'<foreignObject width="50" height="20" xmlns:h="http://www.w3.org/1999/xhtml">{html}</foreignObject>'
    )


def switch(html: str) -> str:
    """A label as draw.io writes it: HTML first, a drawing for readers without HTML after it."""
    inside = f'<h:div xmlns:h="http://www.w3.org/1999/xhtml">{html}</h:div>'
    return svg(f"<switch><foreignObject>{inside}</foreignObject><text>Rank 0</text></switch>")


def bomb(element: str, reference: str) -> str:
    """Ten references to a group of ten references to ..., nine times."""
    layers = "".join(f'<{element} id="b{n}">{reference.format(n + 1) * 10}</{element}>' for n in range(9))
    return svg(f'{layers}<{element} id="b9"/>{reference.format(0)}')


REFUSED = {
    # scripts, in any case, prefix or vocabulary
    "script": (svg("<script>a()</script>"), "<script> is not allowed"),
    "script in capitals": (svg("<SCRIPT/>"), "<SCRIPT> is not allowed"),
    "script with a prefix": (
        svg('<s:script xmlns:s="http://www.w3.org/2000/svg">a()</s:script>'),
        "<script> is not allowed",
    ),
    "script from elsewhere": (svg('<script href="https://e.org/a.js"/>'), "<script> is not allowed"),
    "script from a file, with a prefix": (svg('<script xlink:href="a.js"/>'), "<script> is not allowed"),
    "script of the HTML kind": (svg('<script src="a.js"/>'), "<script> is not allowed"),
    "script with a handler": (svg('<script onerror="a()"/>'), "<script> is not allowed"),
    "script in a script": (svg("<script><x:y/></script>"), "<script> is not allowed"),
    "script in a comment's dress": (
        svg("<script><!-- --><![CDATA[a()]]></script>"),
        "<script> is not allowed",
    ),
    "HTML": (
        svg('<h:b xmlns:h="http://www.w3.org/1999/xhtml"/>'),
        "namespace 'http://www.w3.org/1999/xhtml'",
    ),
    "no namespace": (svg('<script xmlns=""/>'), "<script> of no namespace"),
    "script of an unknown vocabulary": (svg("<x:Script/>"), "<Script> of namespace 'urn:x'"),
    "script in metadata": (svg("<metadata><x:script/></metadata>"), "<script> of namespace"),
    "handler in metadata": (svg('<metadata><x:y onload="a"/></metadata>'), "event handler"),
    "iframe in an editor's data": (svg("<x:y><x:iframe/></x:y>"), "<iframe>"),
    "XInclude": (
        svg('<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="/etc/passwd"/>'),
        "<include>",
    ),
    "HTML that is no label": (svg(f"<g>{sized('<h:input/>')}</g>"), "holds <input>, which text cannot show"),
    "HTML that stands elsewhere": (
        svg(sized('<h:div style="position: absolute">a</h:div>')),
        "holds `position: absolute`, which text cannot show; write the text as <text>",
    ),
    "script in a label": (svg(sized("<h:script>a()</h:script>")), "<script> of namespace"),
    "script of SVG in a label": (svg(sized("<script>a()</script>")), "<script> of namespace"),
    "handler in a label": (svg(sized('<h:b onclick="a()">b</h:b>')), "'onclick' is an event handler"),
    "handler on a label": (svg('<foreignObject onclick="a()"/>'), "'onclick' is an event handler"),
    "iframe in a label": (svg(sized('<h:iframe src="https://e.org/"/>')), "<iframe> of namespace"),
    "image in a label": (svg(sized('<h:img src="https://e.org/a.png"/>')), "a figure loads nothing"),
    "video in a label": (svg(sized("<h:video/>")), "<video> of namespace"),
    "form in a label": (svg(sized('<h:form action="https://e.org/"/>')), "<form> of namespace"),
    "MathML in a label": (
        svg(sized('<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"/>')),
        "<math> of namespace",
    ),
    "background in a label": (
        svg(sized('<h:b style="background: url(https://e.org/a.png)">b</h:b>')),
        "holds `background-image: url(https://e.org/a.png)`",
    ),
    "link in a label": (svg(sized('<h:a href="javascript:a()">b</h:a>')), "link to 'javascript:a()'"),
    "link in a label, hidden": (
        svg(sized('<h:a href=" java&#10;script&#58;a()">b</h:a>')),
        "link to 'javascript:a()'",
    ),
    "label in a label": (svg(sized(f"<h:div>{HTML}</h:div>")), "<foreignObject> of namespace"),
    "too many elements in a label": (svg(sized("<h:b>a</h:b>" * 2_001)), "holds more than 2,000 elements"),
    "too deep a label": (svg(sized("<h:b>" * 70 + "</h:b>" * 70)), "holds elements 60 deep"),
    "script beside a fallback": (switch("<h:script>a()</h:script>"), "<script> of namespace"),
    "handler beside a fallback": (switch('<h:div onclick="a()"/>'), "'onclick' is an event handler"),
    "iframe beside a fallback": (switch('<h:iframe src="https://e.org/"/>'), "<iframe> of namespace"),
    "image beside a fallback": (switch('<h:img src="x"/>'), "<img> loads 'x'"),
    "link beside a fallback": (switch('<h:a href="javascript:a()">b</h:a>'), "link to 'javascript:a()'"),
    "SVG beside a fallback": (switch("<foreignObject/>"), "<foreignObject> of namespace"),
    "raster": (svg('<image href="data:image/png;base64,AAAA"/>'), "is not a readable PNG, JPEG or WebP"),
    "raster in a filter": (svg('<filter id="f"><feImage/></filter>'), "<feImage> is not allowed"),
    "animation": (svg('<rect><animate attributeName="href" to="javascript:a"/></rect>'), "do not move"),
    "set": (svg('<rect><set attributeName="onclick" to="a"/></rect>'), "do not move"),
    "XML events": (svg('<e:listener xmlns:e="http://www.w3.org/2001/xml-events"/>'), "<listener>"),
    "XSLT": (svg('<t:template xmlns:t="http://www.w3.org/1999/XSL/Transform"/>'), "<template>"),
    "MathML": (svg('<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"/>'), "<math>"),
    "animation of a link": (
        svg('<a href="#a"><set attributeName="xlink:href" to="javascript:a()"/></a>'),
        "do not move",
    ),
    "animation of a handler": (svg('<g><animate attributeName="ONCLICK" values="a()"/></g>'), "do not move"),
    "animation of a style": (svg('<g><animate attributeName="style" values="a;b"/></g>'), "do not move"),
    "handler of an animation": (svg('<g><animate attributeName="x" onbegin="a()"/></g>'), "event handler"),
    "animation of something elsewhere": (
        svg('<animate href="https://e.org/#a" attributeName="x"/>'),
        "do not move",
    ),
    "script in an animation": (svg('<g><animate attributeName="x"><script/></animate></g>'), "<script>"),
    "an end that is no colour": (
        svg('<rect><set attributeName="fill" to="url(//e.org#a)" fill="freeze"/></rect>'),
        "leaves the figure",
    ),
    "an end that nobody knows": (
        svg('<rect><animate attributeName="x" by="3" fill="freeze"/></rect>'),
        "do not move",
    ),
    "script in a font": (svg("<font><glyph><script>a()</script></glyph></font>"), "<script>"),
    "handler in a font": (svg('<font><glyph onload="a()"/></font>'), "event handler"),
    "HTML in a font": (svg('<font><h:b xmlns:h="http://www.w3.org/1999/xhtml"/></font>'), "<b> of namespace"),
    # attributes
    "handler": (svg('<rect onclick="a"/>'), "'onclick' is an event handler"),
    "handler in capitals": (svg('<rect ONCLICK="a"/>'), "'ONCLICK' is an event handler"),
    "handler with a prefix": (svg('<rect x:onclick="a"/>'), "'onclick' is an event handler"),
    "a handler made up": (svg('<rect onwhatever="a"/>'), "event handler"),
    "handler on the root": (svg("", 'onload="a"'), "event handler"),
    "xml:base": (svg("", 'xml:base="http://e.org/"'), "xml:base"),
    "xml:id": (svg('<g xml:id="a"/>'), "use id"),
    # links
    "javascript": (svg('<a href="javascript:a()"/>'), "only absolute https://"),
    "javascript, hidden": (svg('<a xlink:href=" java&#10;script&#58;a()"/>'), "only absolute https://"),
    "javascript after tab": (svg('<a href="&#9;JaVaScRiPt:a()"/>'), "only absolute https://"),
    "data URL": (svg('<a href="data:text/html,&lt;script>"/>'), "only absolute https://"),
    "javascript in named parts": (
        svg('<a href="&#x6A;&#97;vascript&colon;a()"/>'),
        "Entity 'colon' not defined",
    ),
    "javascript after a control": (svg('<a href="&#1;javascript:a()"/>'), "not well-formed"),
    "http with a password": (svg('<a href="http://u:p@e.org/"/>'), "only absolute https://"),
    "a site without a scheme, backwards": (svg('<a href="\\\\e.org/"/>'), "only absolute https://"),
    "a site behind a backslash": (svg('<a href="/\\e.org/"/>'), "only absolute https://"),
    "a scheme in a place": (svg('<a href="a:b/c"/>'), "only absolute https://"),
    "mail with markup": (svg('<a href="mailto:a@e.org?subject=&lt;b&gt;"/>'), "only absolute https://"),
    "file": (svg('<a href="file:///etc/passwd"/>'), "only absolute https://"),
    "a figure that is none": (svg('<a href="figmill:../a"/>'), "only absolute https://"),
    "a site with letters": (svg('<a href="https://é.org/"/>'), "only absolute https://"),
    "vbscript": (svg('<a href="vbscript:a()"/>'), "only absolute https://"),
    "blob": (svg('<a href="blob:https://e.org/1"/>'), "only absolute https://"),
    "no scheme": (svg('<a href="//e.org/"/>'), "only absolute https://"),
    "a name and a password": (svg('<a href="https://u:p@e.org/"/>'), "only absolute https://"),
    "use of data": (svg('<use href="data:image/svg+xml,x#a"/>'), "only #id in the same file"),
    "gradient elsewhere": (svg('<linearGradient href="a.svg#b"/>'), "only #id in the same file"),
    "two links in one": (svg('<g id="a"/><a href="#a" xlink:href="javascript:a()"/>'), None),
    "external use": (svg('<use href="https://e.org/a.svg#b"/>'), "only #id in the same file"),
    "relative use": (svg('<use xlink:href="a.svg#b"/>'), "only #id in the same file"),
    "target by name": (svg('<a target="opener" href="https://e.org/"/>'), "target 'opener'"),
    # CSS
    "import": (svg("<style>@import 'x.css';</style>"), "@import"),
    "url in style": (svg('<rect style="fill:url(https://e.org/a.svg#b)"/>'), "leaves the figure"),
    "url in a rule": (svg("<style>rect{fill:url('//e.org/#a')}</style>"), "leaves the figure"),
    "url in an attribute": (svg('<rect fill="URL( https://e.org )"/>'), "leaves the figure"),
    "data URL in CSS": (svg('<rect mask="url(data:image/svg+xml,x)"/>'), "leaves the figure"),
    "escape": (svg('<rect style="fill:\\75rl(https://e.org)"/>'), "backslash"),
    "escape in an attribute": (svg('<rect fill="u\\72l(https://e.org)"/>'), "backslash"),
    "escape in a rule": (svg("<style>@\\69mport 'x'</style>"), "backslash"),
    "expression": (svg('<rect style="width:expression(a())"/>'), "expression() is not allowed"),
    "url in a property that is left out": (
        svg('<rect style="list-style:url(https://e.org/a)"/>'),
        "leaves the figure",
    ),
    "url in a variable": (svg('<rect style="--a:url(https://e.org/a);fill:var(--a)"/>'), "leaves the figure"),
    "url in what a variable falls back to": (
        svg('<rect fill="var(--a, url(https://e.org/a))"/>'),
        "leaves the figure",
    ),
    "expression in a variable": (
        svg('<g style="--a:expression(a())"><rect style="x:var(--a)"/></g>'),
        "expression() is not allowed",
    ),
    "escape in a variable": (svg('<rect style="--a:\\75rl(x)"/>'), "backslash"),
    "variables that laugh": (
        svg(
            '<g style="--a0:red red red red red">'
            + "".join(f'<g style="--a{n + 1}:{f"var(--a{n}) " * 10}">' for n in range(6))
            + '<rect style="fill:var(--a6)"/>'
            + "</g>" * 7
        ),
        "var() makes a value of more than",
    ),
    "url in a dark page's colour": (svg('<rect fill="light-dark(url(//e.org), red)"/>'), "leaves the figure"),
    "url under a condition": (
        svg("<style>@media screen{rect{fill:url(//e.org/#a)}}</style>"),
        "leaves the figure",
    ),
    "import under a condition": (svg("<style>@media screen{@import 'x';}</style>"), "@import"),
    "rules from a site that is no font's": (
        svg("<style>@import url(https://e.org/a.css);</style>"),
        "@import",
    ),
    "layer": (svg("<style>@layer a{rect{fill:red}}</style>"), "@layer"),
    "binding": (svg('<rect style="-ms-behavior:url(#a)"/>'), "'-ms-behavior' is not allowed"),
    "a property that moves": (svg('<rect style="translate:9px"/>'), "'translate' is not allowed"),
    "image-set": (svg("<rect style=\"mask:image-set('x' 1x)\"/>"), "image-set() is not allowed"),
    "behavior": (svg('<rect style="-moz-binding:url(#a)"/>'), "'-moz-binding' is not allowed"),
    "the root moved": (svg("", 'style="transform:scale(100)"'), "put it on a <g>"),
    "url after torn CSS": (
        svg("<style>a;b{} rect{fill:url(//e.org/#a) @x}</style>"),
        "leaves the figure",
    ),
    "url in a value that cannot be read": (
        svg('<rect style="fill: hsl(0, NaN%, url(//e.org/#a))"/>'),
        "leaves the figure",
    ),
    "url in an attribute that cannot be read": (svg('<rect fill="{url(//e.org/#a)}"/>'), "leaves the figure"),
    "url under a selector that cannot be read": (
        svg("<style>rect:nope{fill:url(//e.org/#a)}</style>"),
        "leaves the figure",
    ),
    "url in a mixture": (svg('<rect fill="color-mix(in srgb, url(//e.org/#a), red)"/>'), "leaves the figure"),
    "import in a <style> of HTML": (
        svg('<h:style xmlns:h="http://www.w3.org/1999/xhtml">@import "x.css";</h:style>'),
        "@import",
    ),
    "import in a label": (svg(sized("<h:style>@import 'x.css';</h:style>")), "@import"),
    "handler on a <style> of HTML": (
        svg('<h:style onload="a()" xmlns:h="http://www.w3.org/1999/xhtml"/>'),
        "'onload' is an event handler",
    ),
    "script in an unknown element": (svg("<rekt><script>a()</script></rekt>"), "<script> of namespace"),
    "handler on an unknown element": (svg('<rekt onclick="a()"/>'), "'onclick' is an event handler"),
    "handler in an unknown element": (
        svg('<rekt><g onclick="a()"/></rekt>'),
        "'onclick' is an event handler",
    ),
    "iframe of SVG": (svg('<iframe href="https://e.org/"/>'), "<iframe> is not allowed"),
    "picture from elsewhere in an unknown element": (
        svg('<rekt><image href="https://e.org/a.png"/></rekt>'),
        "<image> refers to 'https://e.org/a.png'",
    ),
    "url in an unknown element": (
        svg('<rekt><rect style="fill:url(//e.org/#a)"/></rekt>'),
        "leaves the figure",
    ),
    "HTML in an unknown element": (
        svg('<rekt><h:img xmlns:h="http://www.w3.org/1999/xhtml" src="x"/></rekt>'),
        "<img> of namespace",
    ),
    "script in a title": (svg("<title><script>a()</script></title>"), "<script> is not allowed"),
    "handler on a span outside text": (svg('<tspan onclick="a()"/>'), "'onclick' is an event handler"),
    "behaviour in a rule that matches nothing": (
        svg("<style>.nope{behavior:url(#a)}</style>"),
        "'behavior' is not allowed",
    ),
    "a property that moves, in a rule": (
        svg("<style>rect{scale:2}</style><rect/>"),
        "'scale' is not allowed",
    ),
    "a function that is seen": (svg('<rect style="width:min(1px, 2px)"/>'), "min() is not allowed"),
    "a rule in a rule": (svg("<style>g{rect{fill:red}}</style>"), "a rule inside a rule"),
    "import in capitals": (svg("<style>@IMPORT url(x)</style>"), "@"),
    "namespace rule": (svg("<style>@namespace h 'x';</style>"), "@namespace"),
    "URL as a string": (svg("<rect style=\"fill:url('https://e.org/a')\"/>"), "leaves the figure"),
    "src": (svg("<rect style=\"mask:src('x')\"/>"), "src() is not allowed"),
    "attr": (svg('<rect style="fill:attr(x)"/>'), "attr() is not allowed"),
    "behaviour of old browsers": (svg('<rect style="behavior:url(#a)"/>'), "'behavior' is not allowed"),
    # words
    "HTML inside a desc": (
        svg('<desc><p xmlns="http://www.w3.org/1999/xhtml">a</p></desc>'),
        "<p> of namespace",
    ),
    "HTML in a title": (svg('<title><b xmlns="http://www.w3.org/1999/xhtml"/></title>'), "<b> of namespace"),
    "bidi override": (svg("<text>a\u202eb</text>"), "U+202E"),
    "bidi override by reference": (svg("<text>a&#x2067;b</text>"), "U+2067"),
    "control": (svg("<text>\x1b[31m</text>"), "U+001B"),
    "NUL": (svg("<text>\0</text>"), "U+0000"),
    # the file
    "no namespace at all": (
        '<svg viewBox="0 0 1 1"/>',
        'it must be <svg xmlns="http://www.w3.org/2000/svg">',
    ),
    "another root": ("<html/>", "the root is <html>"),
    "not XML": (svg("<g>"), "not well-formed XML"),
    "undeclared prefix": (svg("<y:g/>"), "not well-formed XML"),
    "undeclared entity": (svg("<text>&nbsp;</text>"), "Entity 'nbsp' not defined"),
    "nothing": ("", "not well-formed XML"),
    "file entity": ('<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + svg(""), "internal subset"),
    "a cursor from elsewhere": (
        svg('<rect cursor="url(https://e.org/c.png), pointer"/>'),
        "url(https://e.org/c.png) leaves the figure",
    ),
    "a cursor from elsewhere in a style": (
        svg('<rect style="cursor: url(https://e.org/c.png), pointer"/>'),
        "url(https://e.org/c.png) leaves the figure",
    ),
    "a cursor from elsewhere in a rule": (
        svg("<style>rect{cursor:url(c.cur)}</style>"),
        "url(c.cur) leaves the figure",
    ),
    "external DTD": ('<!DOCTYPE svg SYSTEM "http://e.org/a.dtd">' + svg(""), "remove the DOCTYPE"),
    "foreign public DTD": (
        '<!DOCTYPE svg PUBLIC "-//X//Y" "http://e.org/a.dtd">' + svg(""),
        "remove the DOCTYPE",
    ),
    "stylesheet": ('<?xml-stylesheet href="a.css"?>' + svg(""), "<?xml-stylesheet?>"),
    "instruction inside": (svg("<?php a ?>"), "<?php?>"),
    "instruction after": (svg("") + "<?php a ?>", "<?php?>"),
    "declared UTF-7": (
        '<?xml version="1.0" encoding="UTF-7"?>' + svg("+ADw-script+AD4-"),
        "save the file as UTF-8",
    ),
    "declared UTF-16": ('<?xml version="1.0" encoding="UTF-16"?>' + svg(""), "UTF-8"),
    "entity that holds markup": (
        '<!DOCTYPE svg [<!ENTITY a "<script>a()</script>">]>' + svg("&a;"),
        "internal subset",
    ),
    "entity that holds markup as numbers": (
        '<!DOCTYPE svg [<!ENTITY a "&#60;script>a()&#60;/script>">]>' + svg("&a;"),
        "internal subset",
    ),
    "entity with a control": ('<!DOCTYPE svg [<!ENTITY a "&#x202e;">]>' + svg("<text>&a;</text>"), "U+202E"),
    "public entity": (
        '<!DOCTYPE svg [<!ENTITY a PUBLIC "x" "http://e.org/a">]>' + svg(""),
        "is external",
    ),
    "unparsed entity": (
        '<!DOCTYPE svg [<!NOTATION n SYSTEM "n"><!ENTITY a SYSTEM "x" NDATA n>]>' + svg(""),
        "is external",
    ),
    "attribute of the DOCTYPE": (
        '<!DOCTYPE svg [<!ATTLIST svg onload CDATA "a()">]>' + svg(""),
        "internal subset gives attribute 'onload' a value",
    ),
    "one long entity, many times": (
        f'<!DOCTYPE svg [<!ENTITY a "{"a" * 10_000}">]>' + svg(f"<text>{'&a;' * 1000}</text>"),
        "with its entities expanded",
    ),
    "link in an entity": (
        '<!DOCTYPE svg [<!ENTITY a "javascript:a()">]>' + svg('<a href="&a;"/>'),
        "only absolute https://",
    ),
    "parameter entity": ('<!DOCTYPE svg [<!ENTITY % a SYSTEM "x"> %a;]>' + svg(""), "internal subset"),
    "billion laughs": (
        '<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>' + svg("<text>&b;</text>"),
        "internal subset",
    ),
    "stylesheet inside": (svg('<?xml-stylesheet href="a.css"?>'), "<?xml-stylesheet?>"),
    # limits
    "a huge attribute": (svg(f'<path d="{"M0 0" * 1_300_000}"/>'), "5,000,000"),
    "deep": (svg("<g>" * 200 + "</g>" * 200), "more than 200 deep"),
    "wide": (svg("<g/>" * 100_000), "more than 100,000 elements"),
    "attributes": (svg("<g " + " ".join(f'a{n}=""' for n in range(501)) + "/>"), "more than 500 attributes"),
    "large": (svg("<!--" + " " * 5_000_000 + "-->"), "5,000,000"),
    "use bomb": (bomb("g", '<use href="#b{}"/>'), "more than 20,000 elements"),
    "pattern bomb": (bomb("pattern", '<rect fill="url(#b{})"/>'), "more than 20,000 elements"),
    "clip bomb": (bomb("clipPath", '<rect clip-path="url(#b{})"/>'), "more than 20,000 elements"),
    "many uses": (
        svg(f'<g id="a">{"<g/>" * 20}</g>' + '<use href="#a"/>' * 953),
        "more than 20,000 elements",
    ),
    "circle": (svg('<g id="a"><use href="#a"/></g>'), "in a circle"),
    "circle through url": (
        svg(
            '<mask id="a"><rect mask="url(#b)"/></mask><mask id="b"><rect mask="url(#a)"/></mask><g mask="url(#a)"/>'
        ),
        "in a circle",
    ),
    "long chain": (
        svg("".join(f'<g id="a{n}"><use href="#a{n + 1}"/></g>' for n in range(300)) + '<g id="a300"/>'),
        "more than 200",
    ),
    "deep CSS": (svg(f'<rect style="fill:{"(" * 5000}"/>'), "nested too deep"),
    "deep CSS in a rule": (svg(f"<style>rect{{fill:{'(' * 5000}}}</style>"), "nested too deep"),
    "too many rules": (
        svg(f"<style>{f'g{{{DECLARED}}}' * 450}</style>" + "<g/>" * 2000),
        "450 CSS rules are too many for 2,002 elements",
    ),
    "too many steps": (
        # Each alone may be matched: the rules for <g>, and the one that looks at siblings.
        svg(
            f"<style>{f'g{{{DECLARED}}}' * 320}a~b~path{{fill:red}}</style>"
            + "<path/>" * 2000
            + "<g/>" * 2000
        ),
        "321 CSS rules are too many for 4,002 elements",
    ),
    "too many selectors": (
        svg(f"<style>{'.a,' * 20_000}g{{fill:red}}</style>"),
        "more than 20,000 selectors",
    ),
    "too much CSS": (svg(f"<style>{'.a{fill:red}' * 100_000}</style>"), "more than 1,000,000 characters"),
    "too many declarations": (
        svg(f'<g style="{"fill:red;" * 200_000}"/>'),
        "a style of 1,800,000 characters",
    ),
    "too many stops": (
        svg(f'<linearGradient id="a">{"<stop/>" * 40_000}</linearGradient>'),
        "40,000 stops; at most 1,000",
    ),
    "no size": (f"<svg {NAMESPACES}/>", "give the root a viewBox"),
    "empty size": (svg("", 'width="0"'), "not a size that a figure can have"),
    "empty view": (f'<svg {NAMESPACES} viewBox="0 0 0 1"/>', "viewBox"),
}

ACCEPTED = {
    "an empty label": svg("<foreignObject/>"),
    "a label in a group": svg(f"<g>{HTML}<text>Rank 0</text></g>"),
    "a label alone in a switch": svg(f"<switch>{HTML}</switch>"),
    "a label that is never shown": svg(f"<switch><text>Rank 0</text>{HTML}</switch>"),
    "a label below a choice": svg(f"<switch><g>{HTML}</g><text>Rank 0</text></switch>"),
    "a label before no drawing": svg(f"<switch>{sized('<h:p>Rank 0</h:p>')}<title>Rank 0</title></switch>"),
    "HTML that is no label, with a drawing to fall back to": switch("<h:input/>"),
    "HTML with a drawing to fall back to": switch('<h:font color="#333">Rank<h:br/>0</h:font>'),
    "Illustrator's own data with a drawing to fall back to": svg(
        '<switch><foreignObject requiredExtensions="urn:x"><x:pgfRef xlink:href="#p"/></foreignObject><g/></switch>'
    ),
    "a switch without HTML": svg('<switch><text systemLanguage="de">a</text><text>b</text></switch>'),
    "notes of drawing tools to themselves": svg('<rect data-name="Layer 1" data-hx-get="/x"/>'),
    "public DOCTYPE": '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd">' + svg(""),
    "bare DOCTYPE": "<!DOCTYPE svg>" + svg(""),
    "byte order mark": "\ufeff" + svg(""),
    "declared UTF-8": '<?xml version="1.0" encoding="utf-8" standalone="no"?>' + svg(""),
    "comments": svg("<!-- <script/> -->") + "<!-- -->",
    "RDF": svg(
        '<metadata><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><x:title/></r:RDF></metadata>'
    ),
    "editor's data": svg('<x:namedview x:zoom="2"><x:grid/></x:namedview><g x:label="a"/>'),
    "words that HTML would take for markup": svg(
        "<title>&lt;/title&gt;&lt;b&gt;</title><desc>&lt;p&gt;a</desc>"
    ),
    "words about scripts": svg("<title>javascript:a() onload=x</title><text>@import url(x)</text>"),
    "a long attribute": svg(f'<path d="{"M0 0" * 100_000}"/>'),
    "an inner figure": svg('<svg viewBox="0 0 1 1"><rect/></svg>'),
    "a filter of its own": svg(
        '<filter id="f"><feGaussianBlur stdDeviation="1"/></filter><g filter="url(#f)"/>'
    ),
    "a link without a target, in words": svg("<text><a>Rank 0</a></text>"),
    "angle brackets in words": svg("<desc>&lt;script&gt;</desc><text>&lt;b onclick=a&gt;</text>"),
    "web link": svg('<a xlink:href="https://e.org/a?b=c#d" target="_blank"><rect/></a>'),
    "link inside": svg('<g id="a"/><a href="#a"><rect/></a>'),
    "url with quotes and blanks": svg('<linearGradient id="a"/><rect fill=" url( \'#a\' ) red "/>'),
    "unreferenced ids twice": svg('<g id="a"/><g id="a"/>'),
    "paint to nowhere": svg('<rect fill="url(#nope)"/>'),
    "two paints to nowhere": svg('<rect fill="url(#nope)url(#a)"/>'),
    "words of CSS in text": svg("<text>url(https://e.org) @import \\75</text>"),
    "one clip for all": svg(
        f'<clipPath id="c">{"<rect/>" * 20}</clipPath>' + '<path clip-path="url(#c)"/>' * 1_050
    ),
    "one gradient on another": svg(
        '<linearGradient id="a"><stop/></linearGradient><linearGradient id="b" href="#a"/>'
        + '<path fill="url(#b)"/>' * 3
    ),
    "200 deep": svg("<g>" * 199 + "</g>" * 199),
    "filter functions": svg('<g filter="blur(2) drop-shadow(1px 2px 3px #000)"/>'),
    "CDATA and comments in CSS": svg("<style><![CDATA[/* a */ rect { fill: red } ]]></style><rect/>"),
    "style of another language": svg('<style type="text/less">@a: 1;</style>'),
    "Illustrator's root": svg(
        "", 'style="overflow:visible;enable-background:new 0 0 9 9;" xml:space="preserve"'
    ),
}


@cases("name", [name for name, (_, message) in REFUSED.items() if message])
def test_refused(name: str) -> None:
    drawing, message = REFUSED[name]
    with pytest.raises(SvgError) as error:
        normalise(drawing.encode(), SHEET)
    assert message is not None
    assert message in error.value.message


@pytest.mark.parametrize("use", ["<text>&a;</text>", '<rect\n class="&a;"/>', "<rect/>"])
def test_an_entity_from_outside_is_refused_where_it_is_declared(use: str) -> None:
    drawing = '<!DOCTYPE svg [\n<!ENTITY a SYSTEM "file:///etc/passwd">\n]>\n' + svg(use)
    with pytest.raises(SvgError, match=r"^2:39: entity 'a' in the DOCTYPE's internal subset is external"):
        normalise(drawing.encode(), SHEET)


@cases("name", ACCEPTED)
def test_accepted(name: str) -> None:
    normalise(ACCEPTED[name].encode(), SHEET)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
def test_only_utf8(encoding: str) -> None:
    with pytest.raises(SvgError):
        normalise(svg("<text>\u00e9</text>").encode(encoding), SHEET)


def test_only_the_link_that_counts_survives() -> None:
    """Where both are there, href wins, and what it hides is gone."""
    drawing = svg('<g id="a"/><a href="#a" xlink:href="javascript:a()"><rect/></a>')
    assert b"javascript" not in normalise(drawing.encode(), SHEET).svg


def test_only_the_drawing_of_a_label_survives() -> None:
    result = normalise(switch("<h:b>Rank</h:b> 0").encode(), SHEET)
    assert b"foreignObject" not in result.svg and b"xhtml" not in result.svg and b"div" not in result.svg
    assert result.texts == ("Rank 0",)
    ((line, message, check),) = (warning for warning in result.warnings if warning[2] == "left-out")
    assert (line, message.split(";")[0], check) == (
        1,
        "<foreignObject> is left out because it has no width or no height",
        "left-out",
    )


def test_a_link_without_a_target_keeps_its_words_readable() -> None:
    """<g> may not stand in <text>: browsers show nothing of it."""
    result = normalise(svg("<text>a <a>Rank 0</a></text>").encode(), SHEET)
    assert b"<tspan>Rank 0</tspan>" in result.svg
    assert result.texts == ("a Rank 0",)


def test_figures_in_one_page_never_share_an_id() -> None:
    """Nor can a figure take the name of something in the page around it."""
    drawing = svg(
        '<g id="main"/><linearGradient id="a"><stop/></linearGradient><rect fill="url(#a)"/><use href="#main"/>'
    )
    pages = [
        normalise(drawing.encode(), Sheet(figure, "Title", "What it shows", theme=theme)).svg.decode()
        for figure in ("one", "two", "one-light")
        for theme in ("light", "dark")
    ]
    ids = [id_ for page in pages for id_ in re.findall(r' id="([^"]*)"', page)]
    assert len(ids) == len(set(ids)) == 6 * 4
    assert all(re.fullmatch(r"(?:one|two|one-light)-(?:light|dark)-\d+", name) for name in ids)
    for page in pages:
        own = set(re.findall(r' id="([^"]*)"', page))
        assert set(re.findall(r'(?:url\(#|href="#)([^")]*)', page)) <= own


PATIENCE = {
    "digits": svg(f'<rect x="{"1" * 1_000_000}x y"/>'),
    "blanks": svg(f'<g transform="{" " * 1_000_000}x"/>'),
    "minus": svg(f'<polygon points="{"-" * 1_000_000}"/>'),
    "unclosed": svg(f'<g aria-label="{"url(#" * 200_000}"/>'),
    "path": svg(f'<path d="M{" 1,1" * 200_000} x"/>'),
    "nested groups, each used": svg(
        "".join(f'<g id="g{n}">' for n in range(150))
        + "</g>" * 150
        + "".join(f'<use href="#g{n}"/>' for n in range(150))
    ),
    "unknown attributes": svg("".join(f'<g a{n}="" b{n}=""/>' for n in range(20_000))),
    "unknown elements": svg("".join(f"<rekt{n}/>" for n in range(20_000))),
    "properties that move": svg("".join(f'<g style="translate:{n}px"/>' for n in range(20_000))),
    "a long animation": svg(f"<style>*{{animation:{'a ' * 50_000}forwards}}</style>" + "<g/>" * 5_000),
    "many variables": svg(
        "<style>*{" + "".join(f"--a{n}:var(--b{n});" for n in range(2_000)) + "}</style>" + "<g/>" * 5_000
    ),
    "a variable, many times": svg("<style>*{--a:1;opacity:var(--a)}</style>" + "<g/>" * 20_000),
    "brackets in a variable": svg(f'<rect fill="var(--a, {"(" * 5_000})"/>'),
    "brackets in a condition": svg(f'<style media="{"(" * 5_000}">rect{{fill:red}}</style>'),
    "brackets in a rule's condition": svg(f"<style>@media {'(' * 5_000}{{}}</style>"),
    "conditions in conditions": svg(f"<style>{'@media screen{' * 5_000}</style>"),
    "links to nowhere": svg('<text><a href="#nope">a</a></text>' * 5_000),
    "films": svg('<g><g><animate attributeName="display" to="inline"/></g></g>' * 10_000),
    "warnings": svg('<rect fill="url(#nope)"/>' * 5_000),
}


@pytest.mark.parametrize("name", PATIENCE)
def test_no_input_takes_long(name: str) -> None:
    """Nothing here is wrong enough to be refused before it is read; it must not cost more for that."""
    before = time.process_time()
    with contextlib.suppress(SvgError):
        normalise(PATIENCE[name].encode(), SHEET)
    assert time.process_time() - before < 3


def test_an_error_has_its_line_and_column() -> None:
    drawing = svg('\n<g>\n  <rect onclick="a"/></g>')
    with pytest.raises(SvgError) as error:
        normalise(drawing.encode(), SHEET)
    assert (error.value.line, error.value.column) == (3, 3)


def test_lines_are_told_beyond_65535() -> None:
    drawing = svg("\n" * 70_000 + "<script>a()</script>")
    with pytest.raises(SvgError) as error:
        normalise(drawing.encode(), SHEET)
    assert error.value.line == 70_001


def test_a_title_cannot_smuggle_markup_or_ids() -> None:
    sheet = Sheet("fig", "</title><script>a()</script>", 'b" onload="a()\u202e')
    result = normalise(svg("").encode(), sheet).svg
    assert b"<script" not in result
    assert normalise(result, sheet).svg == result


def test_a_processing_instruction_is_told_at_its_own_line() -> None:
    with pytest.raises(SvgError) as error:
        normalise(svg("\n<g>\n<rect/>\n  <?php a ?></g>").encode(), SHEET)
    assert (error.value.line, error.value.column) == (4, 3)


def test_a_link_that_opens_a_page_gives_it_no_hold_of_this_one() -> None:
    for rel in ("", ' rel="opener"'):
        drawing = svg(f'<a href="https://e.org/" target="_blank"{rel}><rect/></a>')
        assert b'rel="noopener" target="_blank"' in normalise(drawing.encode(), SHEET).svg


# What says nothing in a still picture: what it is called when it is told, and what must not be left of it.
LEFT_OUT = {
    "empty script": ("<script/>", "empty <script>", "script"),
    "empty script of a type": (
        '<script type="text/javascript"><![CDATA[ ]]></script>',
        "empty <script>",
        "script",
    ),
    "empty script with a prefix": (
        '<s:script xmlns:s="http://www.w3.org/2000/svg"/>',
        "empty <script>",
        "script",
    ),
    "motion": (
        '<rect><animateMotion path="M0 0L9 9"><mpath href="#a"/></animateMotion></rect>',
        "animation (<animateMotion>)",
        "nimate",
    ),
    "spinning": (
        '<g><animateTransform attributeName="transform" type="rotate" values="0;9" repeatCount="indefinite"/></g>',
        "animation (<animateTransform>)",
        "rotate",
    ),
    "what waits for the reader": (
        '<g><set attributeName="fill" to="#123456" begin="a.click" fill="freeze"/></g>',
        "(<set>)",
        "#123456",
    ),
    "unknown attribute": ('<rect widht="7"/>', "'widht'; did you mean 'width'?", "widht"),
    "chart's notes": ('<g seriesName="Sales" rel2="1"/>', "unknown attribute 'seriesName'", "seriesName"),
    "font-face": (
        "<style>@font-face{font-family:x;src:url(data:font/woff2;base64,AAAA)}</style>",
        "embedded font (@font-face)",
        "base64",
    ),
    "SVG font": (
        '<font horiz-adv-x="9"><font-face font-family="x"><font-face-src><font-face-uri href="//e.org/x"/>'
        '</font-face-src></font-face><glyph unicode="a" d="M0 0"/></font>',
        "embedded font (<font>)",
        "e.org",
    ),
    "fonts from elsewhere": (
        "<style>@import url(https://fonts.googleapis.com/css2?family=Virgil);</style>",
        "web font (@import)",
        "googleapis",
    ),
    "position": ('<rect style="position:fixed;z-index:9"/>', "CSS position, CSS z-index", "fixed"),
    "size of a page's picture": ('<g style="max-width: 100%; padding: 2px"/>', "CSS max-width", "100%"),
    "transition": ('<g style="transition: all .2s cubic-bezier(0,0,1,1)"/>', "CSS transition", "cubic"),
    "hover": ("<style>rect:hover{fill:#123456}</style><rect/>", "rules for :hover", "#123456"),
    "pseudo-element": (
        "<style>rect::before{content:'#123456'}</style><rect/>",
        "rules for ::before",
        "#123456",
    ),
    "scroll bar": (
        "<style>*::-webkit-scrollbar{fill:#123456}</style><rect/>",
        "::-webkit-scrollbar",
        "#123456",
    ),
    "paper": ('<style media="print">rect{fill:#123456}</style><rect/>', "<style> for other media", "#123456"),
    "paper in a rule": (
        "<style>@media print{rect{fill:#123456}}</style><rect/>",
        "rules for other media (@media)",
        "#123456",
    ),
    "a dark page": (
        "<style>@media (prefers-color-scheme: dark){rect{fill:#123456}}</style><rect/>",
        "colours for light or dark pages (@media)",
        "#123456",
    ),
    "frames": (
        "<style>@keyframes a{to{fill:#123456}}rect{animation:a 1s infinite}</style><rect/>",
        "animation",
        "#123456",
    ),
    "a place in a player": ('<view id="v" viewBox="0 0 1 1"/>', "<view>", "view "),
    "unknown element": ("<rekt/>", "unknown element <rekt>; did you mean 'rect'?", "rekt"),
    "what an unknown element holds": (
        '<rekt><rect fill="#123456"/></rekt>',
        "unknown element <rekt>",
        "#123456",
    ),
    "elements of no namespace": (
        '<trio xmlns=""><rect xmlns="" fill="#123456"/></trio><frobnicate/>',
        "<frobnicate>",
        "#123456",
    ),
    "mpath": ("<rect><mpath/></rect>", "unknown element <mpath>", "mpath"),
    "words outside text": ("<g>lost</g>", "words in <g>, outside <text>", "lost"),
    "span outside text": ("<tspan>lost</tspan>", "<tspan> outside <text>", "lost"),
    "markup in a title": ("<title><g/></title>", "<g> in words", "<g"),
    "at-rule in a colour": ("""<rect fill="@import 'x';red"/>""", "fill that cannot be read", "import"),
    "block in a colour": ('<stop stop-color="{x:y}"/>', "stop-color that cannot be read", "x:y"),
    "no number in a colour": ('<rect fill="hsl(240, 100%, NaN%)"/>', "fill that cannot be read", "NaN"),
    "no number in a rule": (
        "<style>rect{stroke:hsl(240, 100%, NaN%)}</style><rect/>",
        "CSS stroke: hsl(240, 100%, NaN%)",
        "NaN",
    ),
    "a negative width": (
        '<path d="M 0 0 h 9" stroke-width="-1"/>',
        "stroke-width that cannot be read",
        '"-1"',
    ),
    "a negative width in a rule": (
        "<style>path{stroke-width:-1}</style><path d='M 0 0 h 9'/>",
        "CSS stroke-width: -1",
        '"-1"',
    ),
    "no function": ('<rect style="fill: colour(red)"/>', "CSS fill: colour(red)", "colour("),
    "torn CSS": ("<style>rect</style>", "CSS that cannot be read", "style"),
    "torn declaration": ('<rect style="stroke; opacity: 0.5"/>', "CSS that cannot be read", "stroke"),
    "unknown selector": (
        "<style>rect:nope{fill:#123456}</style><rect/>",
        "rules for 'rect:nope', a selector that cannot be read",
        "#123456",
    ),
    "the other direction": (
        "<style>rect:dir(rtl){fill:#123456}</style><rect/>",
        "rules for :dir(rtl)",
        "#123456",
    ),
    "unknown at-rule": ("<style>@frobnicate a{rect{fill:#123456}}</style><rect/>", "@frobnicate", "#123456"),
    "no movement": ('<rect style="scale: 1; translate: none"/>', "CSS scale, CSS translate", "scale"),
    "flowed nothing": (
        "<flowRoot><flowRegion><rect/></flowRegion><flowPara/></flowRoot>",
        "<flowRoot>",
        "flow",
    ),
}


@cases("name", LEFT_OUT)
def test_left_out_and_told(name: str) -> None:
    drawing, told, trace = LEFT_OUT[name]
    result = normalise(svg(drawing).encode(), SHEET)
    (message,) = (message for _, message, check in result.warnings if check == "dropped")
    assert told in message
    assert trace not in result.svg.decode()
    again = normalise(result.svg, SHEET)
    assert again.svg == result.svg
    assert not [warning for warning in again.warnings if warning[2] == "dropped"]


# What is seen is turned into what every reader understands.
REWRITTEN = {
    "variable": ('<g style="--x: #123456"><rect fill="var(--x)"/></g>', 'fill="#123456"'),
    "variable of a rule": ("<style>:root{--x: #123456}rect{fill:var(--x)}</style><rect/>", 'fill="#123456"'),
    "variable of a variable": (
        "<style>svg{--x: #123456;--y:var(--x)}rect{stroke:var(--y)}</style><rect/>",
        'stroke="#123456"',
    ),
    "variable that is not there": ('<rect fill="var(--x, #123456)"/>', 'fill="#123456"'),
    "variables in a circle": (
        "<style>g{--x:var(--y);--y:var(--x)}rect{fill:var(--x, #123456)}</style><g><rect/></g>",
        'fill="#123456"',
    ),
    "variable in a shorthand": (
        "<style>text{--s:9px;font:bold var(--s) Arial}</style><text>a</text>",
        'font-weight="bold"',
    ),
    "a variable nearer by": (
        '<g style="--x: red"><g style="--x: #123456"><rect style="fill:var(--x)"/></g></g>',
        'fill="#123456"',
    ),
    "a light page": ('<rect style="fill: light-dark(#123456, red)"/>', 'fill="#123456"'),
    "a screen": (
        "<style>@media screen and (prefers-color-scheme:light){rect{fill:#123456}}</style><rect/>",
        "#123456",
    ),
    "not for print": ("<style>@media not print{rect{fill:#123456}}</style><rect/>", "#123456"),
    "what is known": (
        "<style>@supports (fill: red) and (not (grid-gap: 1px)){rect{fill:#123456}}</style><rect/>",
        "#123456",
    ),
    "an end that stays": (
        "<style>@keyframes a{to{opacity:0.5}}g{opacity:0;animation:a 1s forwards}</style><g><rect/></g>",
        'opacity="0.5"',
    ),
    "an end that stays, in parts": (
        "<style>@keyframes a{from{fill:red}100%{fill:#123456}}rect{animation-name:a;animation-fill-mode:both}</style>"
        "<rect/>",
        "#123456",
    ),
    "an end that stays, of an attribute": (
        '<rect><animate attributeName="fill" values="red;#123456" fill="freeze"/></rect>',
        "#123456",
    ),
    "an end over a style": (
        '<rect style="fill:red"><set attributeName="fill" to="#123456" fill="freeze"/></rect>',
        "#123456",
    ),
    "a turn that stays": (
        '<g transform="scale(2)"><animateTransform attributeName="transform" type="rotate" to="45" additive="sum"'
        ' fill="freeze"/><rect/></g>',
        'transform="scale(2) rotate(45)"',
    ),
    "flowed text": (
        '<flowRoot style="font-size:10px"><flowRegion><rect x="5" y="10" width="60" height="50"/></flowRegion>'
        "<flowPara>Words that need <flowSpan style='font-weight:bold'>three lines</flowSpan></flowPara></flowRoot>",
        '<tspan x="5" y="19.7">Words that</tspan>',
    ),
    "a place beside this one": ('<a href="chapter-2.html#part"><rect/></a>', 'href="chapter-2.html#part"'),
    "a place above": ('<a href="../a%20b/?c=d"><rect/></a>', 'href="../a%20b/?c=d"'),
    "a part of the page": ('<a href="#part"><rect/></a>', 'href="#part"'),
    "a figure": ('<a href="figmill:other-1"><rect/></a>', 'href="figmill:other-1"'),
    "an address as authors write it": (
        '<a href="Überblick 2.html?q=a b#ende"><rect/></a>',
        'href="%C3%9Cberblick%202.html?q=a%20b#ende"',
    ),
    "http": ('<a href="http://e.org/"><rect/></a>', 'href="http://e.org/"'),
    "mail": (
        '<a href="mailto:a@e.org?subject=Figure%201"><rect/></a>',
        'href="mailto:a@e.org?subject=Figure%201"',
    ),
    "a <style> of HTML": (
        '<h:style xmlns:h="http://www.w3.org/1999/xhtml">rect{fill:#123456}</h:style><rect/>',
        'fill="#123456"',
    ),
    "a <style> in a label": (
        sized("<h:style>rect{fill:#123456}</h:style><h:div>a</h:div>") + "<rect/>",
        'fill="#123456"',
    ),
    "a <style> in an unknown element": (
        "<rekt><style>rect{fill:#123456}</style></rekt><rect/>",
        'fill="#123456"',
    ),
    "a sheet that ends in the middle": (
        "<style>rect{fill:#123456; stroke: red</style><rect/>",
        'fill="#123456"',
    ),
    "a rule after a torn one": ("<style>a;b{} rect{fill:#123456}</style><rect/>", 'fill="#123456"'),
    "a declaration after a torn one": ("<style>rect{x y; fill:#123456}</style><rect/>", 'fill="#123456"'),
    "a rule after a stray quote": (
        "<style>@import url(https://fonts.googleapis.com/css2?family=X);'\n.a{fill:red} rect{fill:#123456}</style>"
        '<rect class="a"/>',
        'fill="#123456"',
    ),
    "this direction": ("<style>rect:dir(ltr){fill:#123456}</style><rect/>", 'fill="#123456"'),
    "an encoding of rules": ("<style>@charset 'utf-7'; rect{fill:#123456}</style><rect/>", 'fill="#123456"'),
    "a namespace of rules": (
        "<style>@namespace 'http://www.w3.org/2000/svg'; rect{fill:#123456}</style><rect/>",
        'fill="#123456"',
    ),
    "a rule for nobody that moves": (
        "<style>.nope{scale:2} rect{fill:#123456}</style><rect/>",
        'fill="#123456"',
    ),
    "a filter that is not there": (
        '<g filter="url(#nope)"><rect fill="#123456"/></g>',
        '<g>\n    <rect fill="#123456"',
    ),
    "a filter beside one that is not there": (
        '<g filter="url(#nope) blur(2px)"><rect/></g>',
        'filter="blur(2px)"',
    ),
    "a mixture": ('<rect fill="color-mix(in srgb, #3366cc 40%, white)"/>', 'fill="#adc2eb"'),
    "a mixture with transparency": (
        '<rect style="fill: color-mix(in srgb, red 20%, transparent)"/>',
        'fill="rgba(255, 0, 0, 0.2)"',
    ),
    "a mixture with the current colour": (
        '<g color="#3366cc"><rect style="fill: color-mix(in srgb, currentColor 40%, white)"/></g>',
        'fill="#adc2eb"',
    ),
    "a mixture of mixtures": (
        '<rect fill="color-mix(in oklab, color-mix(in srgb, red, white) 30%, green)"/>',
        'fill="#738636"',
    ),
    "a mixture of a variable": (
        '<g style="--x: #3366cc"><rect style="fill: color-mix(in srgb, var(--x) 40%, white)"/></g>',
        'fill="#adc2eb"',
    ),
    "a number beyond all bounds": ('<rect x="1e999"/>', 'x="1000000000"'),
    "a number beyond all bounds in a path": ('<path d="M 0 -9000000000"/>', "M 0 -1000000000"),
    "a number beyond all bounds in CSS": ('<rect style="stroke-width: 1e999"/>', 'stroke-width="1000000000"'),
    "a number beyond all bounds in a transform": (
        '<g transform="scale(1e999)"><rect/></g>',
        "scale(1000000000)",
    ),
    "use of nothing": ('<use href="#nope"/><rect fill="#123456"/>', "#123456"),
}


@cases("name", REWRITTEN)
def test_rewritten_as_every_reader_understands(name: str) -> None:
    drawing, kept = REWRITTEN[name]
    result = normalise(svg(drawing).encode(), SHEET).svg
    assert kept in result.decode()
    for trace in ("var(", "light-dark", "<use", "<flow", "<animate", "<set", "nope"):
        assert trace not in result.decode()
    assert normalise(result, SHEET).svg == result


PROLOGS = {
    "entity": ('<!DOCTYPE svg [<!ENTITY a "Rank 0">]>', "<text>&a;</text>"),
    "Illustrator": (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/'
        'Graphics/SVG/1.1/DTD/svg11.dtd" [\n  <!ENTITY ns_flows "http://ns.adobe.com/Flows/1.0/">\n'
        '  <!ENTITY ns_x "urn:y">\n]>\n',
        '<g xmlns:f="&ns_flows;" f:a="b"><text>Rank 0</text></g>',
    ),
    "quotes and brackets": ("""<!DOCTYPE svg [<!ENTITY q '">'>]>""", '<text aria-label="&q;">Rank 0</text>'),
    "an entity of a number": ('<!DOCTYPE svg [<!ENTITY sp "&#32;">]>', "<text>Rank&sp;0</text>"),
    "an entity of XML's own": (
        '<!DOCTYPE svg [<!ENTITY a "k">]>',
        "<text>Ran&a; 0<!-- &b; --></text><desc><![CDATA[&a;]]></desc>",
    ),
    "an empty subset": ("<!DOCTYPE svg [\n]>", "<text>Rank 0</text>"),
    "an attribute without a value": (
        "<!DOCTYPE svg [<!ATTLIST svg xmlns:a CDATA #IMPLIED>]>",
        "<text>Rank 0</text>",
    ),
    "a program's note": ("<?mso-application progid='x'?>", "<text>Rank 0<?drawing note?></text>"),
    "an encoding before UTF-8": ('<?xml version="1.0" encoding="iso-8859-1"?>', "<text>Rank 0</text>"),
}


@cases("name", PROLOGS)
def test_what_may_stand_before_a_drawing(name: str) -> None:
    prolog, drawing = PROLOGS[name]
    result = normalise((prolog + svg(drawing)).encode("latin-1"), SHEET)
    assert result.texts == ("Rank 0",)
    assert b"<!" not in result.svg and b"<?" not in result.svg
    assert normalise(result.svg, SHEET).svg == result.svg


def test_an_old_encoding_is_read_as_it_says() -> None:
    drawing = '<?xml version="1.0" encoding="ISO-8859-1"?>' + svg("<text>été</text>")
    assert normalise(drawing.encode("latin-1"), SHEET).texts == ("été",)


def test_all_that_is_wrong_is_told_at_once_and_in_order() -> None:
    drawing = "<?xml-stylesheet href='a.css'?>\n" + svg(
        '\n<rect onclick="a()"/>\n<a href="javascript:a()"/>\n<script>a()</script><script>b()</script>\n'
        "<style>@layer a{}\nrect{fill:url(//e.org)}</style>\n<use href='//e.org/#a'/>\n<iframe/>"
    )
    with pytest.raises(SvgError) as error:
        normalise(drawing.encode(), SHEET)
    errors = [error.value, *error.value.others]
    assert [told.line for told in errors] == [1, 3, 4, 5, 6, 6, 8, 9]
    assert "(and in 1 more place)" in errors[3].message
    assert len({told.message for told in errors}) == 8


def test_each_theme_takes_its_own_colours() -> None:
    """A drawing that says what it looks like on a dark page is not darkened by us as well."""
    drawing = svg(
        "<style>@media (prefers-color-scheme: dark){text{fill:#abcdef}}</style><rect width='100' height='100'"
        ' fill="#ffffff" style="fill: light-dark(#ffffff, var(--page, #121212))"/>'
        '<rect width="50" height="50" style="fill:light-dark(#dae8fc, #1d293b);stroke:light-dark(#6c8ebf, #5c79a3)"/>'
        '<text y="20">a</text>'
    ).encode()
    sheet = Sheet("fig", "Title", "What it shows", background="none")
    light, dark = in_themes(drawing, sheet, ("light", "dark"))
    assert b"#abcdef" not in light.svg and b"#1d293b" not in light.svg and b"#dae8fc" in light.svg
    assert b"#abcdef" in dark.svg and b"#1d293b" in dark.svg and b"#5c79a3" in dark.svg
    assert b"#121212" not in dark.svg and b"#dae8fc" not in dark.svg
    for theme, form in (("light", light), ("dark", dark)):
        assert in_themes(form.svg, sheet, (theme,))[0].svg == form.svg


HARMLESS = {
    "white-space": ('<text white-space="pre">a  b</text>', "a\u00a0\u00a0b"),
    "blend mode": ('<rect style="mix-blend-mode: multiply"/>', "mix-blend-mode: multiply"),
    "XHTML in metadata": ('<metadata><p xmlns="http://www.w3.org/1999/xhtml">a</p></metadata>', "</svg>"),
    "yFiles": ('<rect only_selected="a"/>', "<rect/>"),
    "Illustrator": (
        '<linearGradient id="g"><stop midPointStop="0"/></linearGradient><path fill="url(#g)"/>',
        "<stop/>",
    ),
    "a unit that looks like an exponent": ('<rect style="font-size: 1e"/>', 'font-size="1e"'),
    "a shorthand where no reader knows it": (
        '<marker id="m"/><path d="M0 0H9" marker="url(#m)"/>',
        '<path d="M 0 0 H 9"/>',
    ),
    "the same in a shorthand": ('<rect style="font: 1e a"/>', 'font-size="1e"'),
    "a quote in a string": ("""<text style='text-overflow: "it&apos;s"'>a</text>""", "it's"),
    "the other quote in a string": ("""<text style="text-overflow: '&quot;'">a</text>""", "'&quot;'"),
}


@cases("name", HARMLESS)
def test_harmless_and_a_fixed_point(name: str) -> None:
    drawing, kept = HARMLESS[name]
    result = normalise(svg(drawing).encode(), SHEET).svg
    assert kept in result.decode()
    assert normalise(result, SHEET).svg == result
