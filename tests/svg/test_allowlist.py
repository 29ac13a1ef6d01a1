"""Two tables: what is refused, with the words that say why, and what must be accepted beside it."""

from __future__ import annotations

import contextlib
import re
import time

import pytest

from figmill.svg import Sheet, SvgError, normalise

SHEET = Sheet("fig", "Title", "What it shows")
NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:x="urn:x"'


def svg(inside: str, root: str = "") -> str:
    return f'<svg {NAMESPACES} viewBox="0 0 100 100" {root}>{inside}</svg>'


HTML = '<foreignObject><h:div xmlns:h="http://www.w3.org/1999/xhtml">Rank 0</h:div></foreignObject>'


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
        svg('<s:script xmlns:s="http://www.w3.org/2000/svg"/>'),
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
    "foreignObject": (svg("<foreignObject/>"), "write the words as <text>"),
    "foreignObject in a group": (svg(f"<g>{HTML}<text>Rank 0</text></g>"), "write the words as <text>"),
    "foreignObject alone in a switch": (svg(f"<switch>{HTML}</switch>"), "write the words as <text>"),
    "foreignObject that comes last": (
        svg(f"<switch><text>Rank 0</text>{HTML}</switch>"),
        "write the words as <text>",
    ),
    "foreignObject below a choice": (
        svg(f"<switch><g>{HTML}</g><text>Rank 0</text></switch>"),
        "write the words as <text>",
    ),
    "foreignObject before no drawing": (
        svg(f"<switch>{HTML}<title>Rank 0</title></switch>"),
        "write the words as <text>",
    ),
    "script beside a fallback": (switch("<h:script>a()</h:script>"), "<script> of namespace"),
    "handler beside a fallback": (switch('<h:div onclick="a()"/>'), "'onclick' is an event handler"),
    "iframe beside a fallback": (switch('<h:iframe src="https://e.org/"/>'), "<iframe> of namespace"),
    "image beside a fallback": (switch('<h:img src="x"/>'), "<img> of namespace"),
    "link beside a fallback": (switch('<h:a href="javascript:a()">b</h:a>'), "<a> of namespace"),
    "SVG beside a fallback": (switch("<foreignObject/>"), "<foreignObject> of namespace"),
    "raster": (svg('<image href="data:image/png;base64,AAAA"/>'), "is no PNG, JPEG or WebP that can be read"),
    "raster in a filter": (svg('<filter id="f"><feImage/></filter>'), "<feImage> is not allowed"),
    "animation": (svg('<rect><animate attributeName="href" to="javascript:a"/></rect>'), "stand still"),
    "set": (svg('<rect><set attributeName="onclick" to="a"/></rect>'), "stand still"),
    "unknown element": (svg("<rekt/>"), "did you mean 'rect'?"),
    "rules for other languages": (svg('<h:style xmlns:h="http://www.w3.org/1999/xhtml"/>'), "namespace"),
    "XML events": (svg('<e:listener xmlns:e="http://www.w3.org/2001/xml-events"/>'), "<listener>"),
    "XSLT": (svg('<t:template xmlns:t="http://www.w3.org/1999/XSL/Transform"/>'), "<template>"),
    "MathML": (svg('<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"/>'), "<math>"),
    "motion": (svg("<rect><animateMotion/></rect>"), "stand still"),
    "mpath": (svg("<rect><mpath/></rect>"), "<mpath> is not allowed"),
    # attributes
    "handler": (svg('<rect onclick="a"/>'), "'onclick' is an event handler"),
    "handler in capitals": (svg('<rect ONCLICK="a"/>'), "'ONCLICK' is an event handler"),
    "handler with a prefix": (svg('<rect x:onclick="a"/>'), "'onclick' is an event handler"),
    "a handler made up": (svg('<rect onwhatever="a"/>'), "event handler"),
    "handler on the root": (svg("", 'onload="a"'), "event handler"),
    "unknown attribute": (svg('<rect widht="1"/>'), "did you mean 'width'?"),
    "xml:base": (svg("", 'xml:base="http://e.org/"'), "xml:base"),
    "xml:id": (svg('<g xml:id="a"/>'), "use id"),
    "at-rule in a colour": (svg("""<rect fill="@import 'x';red"/>"""), "cannot be read at '@import'"),
    "block in a colour": (svg('<stop stop-color="{x:y}"/>'), "cannot be read at '{x:y}'"),
    # links
    "javascript": (svg('<a href="javascript:a()"/>'), "only absolute https://"),
    "javascript, hidden": (svg('<a xlink:href=" java&#10;script&#58;a()"/>'), "only absolute https://"),
    "javascript after tab": (svg('<a href="&#9;JaVaScRiPt:a()"/>'), "only absolute https://"),
    "data URL": (svg('<a href="data:text/html,&lt;script>"/>'), "only absolute https://"),
    "http": (svg('<a href="http://e.org/"/>'), "only absolute https://"),
    "relative link": (svg('<a href="chapter-2.html"/>'), "only absolute https://"),
    "javascript in named parts": (
        svg('<a href="&#x6A;&#97;vascript&colon;a()"/>'),
        "Entity 'colon' not defined",
    ),
    "javascript after a control": (svg('<a href="&#1;javascript:a()"/>'), "not well-formed"),
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
    "nowhere": (svg('<use href="#nope"/>'), "'#nope', which is not in the figure"),
    "filter to nowhere": (svg('<rect filter="url(#nope)"/>'), "filter '#nope' is not in the figure"),
    "ambiguous": (svg('<g id="a"/><g id="a"/><use href="#a"/>'), "id 'a' is there twice"),
    # CSS
    "import": (svg("<style>@import 'x.css';</style>"), "@import"),
    "font-face": (svg("<style>@font-face{font-family:x;src:url(x)}</style>"), "@font-face"),
    "url in style": (svg('<rect style="fill:url(https://e.org/a.svg#b)"/>'), "leaves the figure"),
    "url in a rule": (svg("<style>rect{fill:url('//e.org/#a')}</style>"), "leaves the figure"),
    "url in an attribute": (svg('<rect fill="URL( https://e.org )"/>'), "leaves the figure"),
    "data URL in CSS": (svg('<rect mask="url(data:image/svg+xml,x)"/>'), "leaves the figure"),
    "escape": (svg('<rect style="fill:\\75rl(https://e.org)"/>'), "backslash"),
    "escape in an attribute": (svg('<rect fill="u\\72l(https://e.org)"/>'), "backslash"),
    "escape in a rule": (svg("<style>@\\69mport 'x'</style>"), "backslash"),
    "expression": (svg('<rect style="width:expression(a())"/>'), "expression() is not allowed"),
    "image-set": (svg("<rect style=\"mask:image-set('x' 1x)\"/>"), "image-set() is not allowed"),
    "variable": (svg('<rect fill="var(--x)"/>'), "var() is not allowed"),
    "custom property": (svg('<rect style="--x: 1"/>'), "'--x' is not allowed"),
    "position": (svg('<rect style="position:fixed"/>'), "'position' is not allowed"),
    "behavior": (svg('<rect style="-moz-binding:url(#a)"/>'), "'-moz-binding' is not allowed"),
    "hover": (svg("<style>rect:hover{fill:red}</style>"), "depends on the reader"),
    "pseudo-element": (svg("<style>rect::before{fill:red}</style>"), "::before"),
    "media": (svg('<style media="print">rect{fill:red}</style>'), "some media only"),
    "torn CSS": (svg("<style>rect</style>"), "cannot be read"),
    "the root moved": (svg("", 'style="transform:scale(100)"'), "put it on a <g>"),
    "import in capitals": (svg("<style>@IMPORT url(x)</style>"), "@"),
    "charset": (svg("<style>@charset 'utf-7';</style>"), "@charset"),
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
    "a table inside a title": (svg("<title><table/></title>"), "holds words only"),
    "markup in a title": (svg("<title><g/></title>"), "holds words only"),
    "HTML in a title": (svg('<title><b xmlns="http://www.w3.org/1999/xhtml"/></title>'), "<b> of namespace"),
    "words outside text": (svg("<g>lost</g>"), "use <text>"),
    "span outside text": (svg("<tspan>lost</tspan>"), "outside <text>"),
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
    "entity": ('<!DOCTYPE svg [<!ENTITY a "b">]>' + svg("<text>&a;</text>"), "internal subset"),
    "file entity": ('<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + svg(""), "internal subset"),
    "external DTD": ('<!DOCTYPE svg SYSTEM "http://e.org/a.dtd">' + svg(""), "leave the DOCTYPE out"),
    "foreign public DTD": (
        '<!DOCTYPE svg PUBLIC "-//X//Y" "http://e.org/a.dtd">' + svg(""),
        "leave the DOCTYPE out",
    ),
    "stylesheet": ('<?xml-stylesheet href="a.css"?>' + svg(""), "<?xml-stylesheet?>"),
    "instruction inside": (svg("<?php a ?>"), "<?php?>"),
    "instruction after": (svg("") + "<?php a ?>", "<?php?>"),
    "declared UTF-7": (
        '<?xml version="1.0" encoding="UTF-7"?>' + svg("+ADw-script+AD4-"),
        "a figure is UTF-8",
    ),
    "declared UTF-16": ('<?xml version="1.0" encoding="UTF-16"?>' + svg(""), "UTF-8"),
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
    "many uses": (svg('<g id="a"/>' + '<use href="#a"/>' * 20_001), "more than 20,000 elements"),
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
    "too many rules": (svg(f"<style>{'g{fill:red}' * 3000}</style>" + "<g/>" * 2000), "too many"),
    "too many steps": (
        svg("<style>a~b~path{fill:red}</style>" + "<path/>" * 6000),
        "too many for 6,002 elements",
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
        "40,000 stops; 1,000",
    ),
    "infinite": (svg('<rect x="1e999"/>'), "is too large; numbers in a figure go up to"),
    "infinite in a path": (svg('<path d="M 0 1e999"/>'), "is too large; numbers in a figure go up to"),
    "infinite in CSS": (
        svg('<rect style="stroke-width: 1e999"/>'),
        "is too large; numbers in a figure go up to",
    ),
    "infinite in a transform": (
        svg('<g transform="scale(1e999)"/>'),
        "is too large; numbers in a figure go up to",
    ),
    "no size": (f"<svg {NAMESPACES}/>", "give the root a viewBox"),
    "empty size": (svg("", 'width="0"'), "no size for a figure"),
    "empty view": (f'<svg {NAMESPACES} viewBox="0 0 0 1"/>', "viewBox"),
}

ACCEPTED = {
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
    "one clip for all": svg('<clipPath id="c"><rect/></clipPath>' + '<path clip-path="url(#c)"/>' * 21_000),
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


@pytest.mark.parametrize("name", [name for name, (_, words) in REFUSED.items() if words])
def test_refused(name: str) -> None:
    drawing, words = REFUSED[name]
    with pytest.raises(SvgError) as error:
        normalise(drawing.encode(), SHEET)
    assert words is not None
    assert words in error.value.message


@pytest.mark.parametrize("name", ACCEPTED)
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
    assert (line, message.split(";")[0], check) == (1, "<foreignObject> is left out", "left-out")


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
    ids = [found for page in pages for found in re.findall(r' id="([^"]*)"', page)]
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
    drawing = svg("\n" * 70_000 + "<script/>")
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


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_and_a_fixed_point(name: str) -> None:
    drawing, kept = HARMLESS[name]
    result = normalise(svg(drawing).encode(), SHEET).svg
    assert kept in result.decode()
    assert normalise(result, SHEET).svg == result
