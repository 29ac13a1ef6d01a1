"""Small drawings of our own in the manner of tools that write labels in HTML: what their exports have in common."""

from __future__ import annotations

XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'
SVG = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
HINT = (
    '<switch><g requiredFeatures="http://www.w3.org/TR/SVG11/feature#Extensibility"/><a transform="translate(0,-5)" '
    'xlink:href="https://www.drawio.com/doc/faq/svg-export-text-problems" target="_blank"><text text-anchor="middle" '
    'font-size="10px" x="50%" y="100%">Text is not SVG - cannot display</text></a></switch>'
)


def drawio(
    html: str,
    x: float,
    y: float,
    width: float,
    *,
    align: str = "center",
    valign: str = "center",
    colour: str = "rgb(0, 0, 0)",
    style: str = "white-space: normal; overflow-wrap: normal;",
    clip: str = "",
) -> str:
    """A label of draw.io: x, y and width of its box; y is its middle, or its top. Beside it a stub of the words."""
    across = {"left": "flex-start", "center": "center", "right": "flex-end"}[align]
    return (
        '<g transform="translate(-0.5 -0.5)"><switch><foreignObject pointer-events="none" width="100%" height="100%" '
        'requiredFeatures="http://www.w3.org/TR/SVG11/feature#Extensibility" style="overflow: visible; '
        f'text-align: left;"><div {XHTML} style="display: flex; align-items: unsafe {valign}; justify-content: unsafe '
        f'{across}; width: {width}px; height: 1px; padding-top: {y}px; margin-left: {x}px;"><div '
        f'data-drawio-colors="color: {colour}; " style="box-sizing: border-box; font-size: 0px; text-align: {align};'
        f'{clip}"><div style="display: inline-block; font-size: 12px; font-family: Helvetica; color: {colour}; '
        f'line-height: 1.2; pointer-events: all; {style}">{html}</div></div></div></foreignObject>'
        f'<text x="{x + width / 2}" y="{y + 4}" fill="{colour}" font-family="Helvetica" font-size="12px" '
        'text-anchor="middle">Stub...</text></switch></g>'
    )


def box(
    x: float, y: float, width: float, height: float, look: str = 'fill="#dae8fc" stroke="#6c8ebf"'
) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" {look} pointer-events="all"/>'


def sheet(inside: str, width: int, height: int, root: str = "") -> bytes:
    return (
        f'<svg {SVG} version="1.1" width="{width}px" height="{height}px" viewBox="-0.5 -0.5 {width} {height}" {root}>'
        f"<defs/><g>{inside}</g>{HINT}</svg>"
    ).encode()


CLASS = (
    '<p style="margin:0px;margin-top:4px;text-align:center;"><b>Account</b></p><hr size="1"/>'
    '<p style="margin:0px;margin-left:4px;">+ balance: int</p><hr size="1"/>'
    '<p style="margin:0px;margin-left:4px;">+ deposit(int): void</p>'
)
DRAWIO = sheet(
    box(10, 10, 120, 60)
    + drawio("A client that waits for its answer", 11, 40, 118)
    + box(190, 10, 140, 60, 'rx="9" fill="#d5e8d4" stroke="#82b366"')
    + drawio("<b>Server</b><br/>port <i>443</i>, x<sup>2</sup> and H<sub>2</sub>O", 191, 40, 138)
    + '<path d="M 130 40 L 190 40" fill="none" stroke="#000000"/>'
    + drawio("sends", 160, 32, 1, style="background-color: rgb(255, 255, 255); white-space: nowrap;")
    + box(10, 100, 120, 90, 'fill="#ffffff" stroke="#000000"')
    + drawio("<ul><li>first</li><li>second</li></ul><ol><li>one</li></ol>", 15, 145, 110, align="left")
    + box(190, 100, 140, 80, 'fill="#ffffff" stroke="#000000"')
    + drawio(CLASS, 190, 105, 140, align="left", valign="flex-start", clip=" width: 140px;")
    + drawio(
        '<h1 style="margin-top: 0px;">Heading</h1><p>Some words in a text box, set below it.</p>',
        15,
        205,
        170,
        align="left",
        valign="flex-start",
        clip=" max-height: 110px; overflow: hidden;",
    )
    + drawio(
        '<font color="#cc0000" style="font-size: 16px;">Large</font>&#160;<u>and</u> <s>struck</s>',
        200,
        240,
        120,
    ),
    345,
    300,
    'content="&lt;mxfile/&gt;" style="background-color: rgb(255, 255, 255);"',
)
SCHEMED = sheet(
    '<rect fill="#ffffff" width="100%" height="100%" x="0" y="0" style="fill: light-dark(#ffffff, '
    'var(--ge-dark-color, #121212));"/>'
    + box(10, 10, 120, 60, 'fill="#dae8fc" style="fill: light-dark(rgb(218, 232, 252), rgb(29, 41, 59));"')
    + drawio("In both themes", 11, 40, 118, colour="light-dark(#000000, #ffffff)"),
    140,
    80,
    'style="background: #ffffff; background-color: light-dark(#ffffff, #121212); color-scheme: light dark;"',
)
DARKENED = sheet(
    "<style>svg.ge-export-svg-dark &gt; * { filter: invert(100%) hue-rotate(180deg); }</style>"
    + box(10, 10, 120, 60, 'fill="#ffffff" stroke="#000000"')
    + drawio("On a dark page", 11, 40, 118)
    + drawio("beside it", 140, 40, 60),
    220,
    80,
    'class="ge-export-svg-dark" style="background-color: rgb(18, 18, 18);"',
)


def mermaid(inside: str, style: str, size: str = "0 0 420 110") -> bytes:
    rules = (
        '#m{font-family:"trebuchet ms",verdana,arial,sans-serif;font-size:16px;fill:#333;}'
        "#m .label{color:#333;}#m .node rect{fill:#ECECFF;stroke:#9370DB;stroke-width:1px;}"
        "#m .edgeLabel{background-color:rgba(232,232,232, 0.8);text-align:center;}"
        "#m .edgeLabel p{background-color:rgba(232,232,232, 0.8);}"
        "#m .labelBkg{background-color:rgba(232, 232, 232, 0.5);}#m p{margin:0;}"
        "#m .node .label{text-align:center;}#m .flowchart-link{stroke:#333333;fill:none;}" + style
    )
    return (
        f'<svg {SVG} id="m" width="100%" style="max-width: 420px;" viewBox="{size}" role="graphics-document document">'
        f"<style>{rules}</style><g>{inside}</g></svg>"
    ).encode()


def node(x: float, y: float, width: float, label: str) -> str:
    """A node of Mermaid around x, y, as wide as its label in the tool's own font, and 30 px more."""
    side = width + 30
    return (
        f'<g transform="translate({x}, {y})" class="node default"><rect x="{-side / 2}" y="-27" width="{side}" '
        f'height="54" class="basic label-container"/><g transform="translate({-width / 2}, -12)" class="label"><rect/>'
        f"{label}</g></g>"
    )


def place(width: float, height: float, html: str, style: str) -> str:
    return (
        f'<foreignObject width="{width}" height="{height}"><div {XHTML} {style}>{html}</div></foreignObject>'
    )


CELL = 'style="display: table-cell; white-space: nowrap; line-height: 1.5; max-width: 200px; text-align: center;"'
MERMAID_11 = mermaid(
    node(80, 50, 92, place(92, 24, '<span class="nodeLabel"><p>Read input</p></span>', CELL))
    + '<path d="M 141 50 L 290 50" class="flowchart-link"/>'
    + '<g class="edgeLabel" transform="translate(215, 50)"><g class="label" transform="translate(-36, -12)">'
    + place(72, 24, '<span class="edgeLabel"><p>hands on</p></span>', f'class="labelBkg" {CELL}')
    + "</g></g>"
    + node(
        350,
        50,
        84,
        place(84, 24, '<span class="nodeLabel"><p><strong>Sort</strong> <em>rows</em></p></span>', CELL),
    ),
    "",
)
OLD = 'style="display: inline-block; white-space: nowrap;"'
MERMAID_9 = mermaid(
    node(80, 50, 92, place(92, 24, '<span class="nodeLabel">Read input</span>', OLD))
    + '<path d="M 141 50 L 290 50" class="flowchart-link"/>'
    + '<g class="edgeLabel" transform="translate(215, 50)"><g class="label" transform="translate(-36, -12)">'
    + place(72, 24, '<span class="edgeLabel">hands on</span>', OLD)
    + "</g></g>"
    + node(350, 50, 84, place(84, 24, '<span class="nodeLabel">Sort rows</span>', OLD)),
    "",
)
MARKDOWN = (
    "<h2>A heading</h2><p>Words with <strong>weight</strong> and <code>code()</code>, long enough to be set in two "
    "lines.</p><ul><li>one</li><li>two</li></ul><blockquote>quoted</blockquote><p>"
    '<a href="https://d2lang.com">a link</a>'
    "</p><table><tbody><tr><td>key</td><td>value</td></tr></tbody></table><pre><code>x = 1\n  y = 2</code></pre>"
)
D2 = (
    f'<svg {SVG} preserveAspectRatio="xMinYMin meet" viewBox="0 0 340 420"><svg class="d2-1 d2-svg" width="340" '
    'height="420" viewBox="0 0 340 420"><rect x="0" y="0" width="340" height="420" fill="#FFFFFF" stroke-width="0"/>'
    "<style>.d2-1 .md{--color-fg-default:#0A0F25;color:var(--color-fg-default);font-size:16px;line-height:1.5;"
    "font-family:sans-serif}.md p,.md ul,.md blockquote,.md pre,.md table{margin-top:0;margin-bottom:16px}"
    ".md h2{margin:0 0 8px;font-size:1.5em;line-height:1.25;border-bottom:1px solid #c9d1d9}.md code{font-size:85%;"
    "padding:.2em .4em;background-color:rgba(175,184,193,.2)}.md pre code{padding:0;background-color:transparent}"
    ".md blockquote{padding:0 1em;color:#57606a;border-left:.25em solid #d0d7de;margin-left:0}</style>"
    '<g id="a"><foreignObject requiredFeatures="http://www.w3.org/TR/SVG11/feature#Extensibility" x="20" y="20" '
    f'width="300" height="390"><div {XHTML} class="md">{MARKDOWN}</div></foreignObject></g></svg></svg>'
).encode()
HAND = (
    f'<svg {SVG} viewBox="0 0 260 120"><rect x="10" y="10" width="100" height="100" fill="#eef"/>'
    f'<foreignObject x="10" y="10" width="100" height="100"><body {XHTML} style="margin: 0; height: 100%; '
    'display: flex; align-items: center; justify-content: center; font: italic 14px/1.3 sans-serif">'
    "centred in CSS</body>"
    '</foreignObject><foreignObject x="130" y="10" width="120" height="100" font-family="sans-serif" font-size="11">'
    f'<p {XHTML} style="margin: 0; padding: 6px 8px; border: 1px solid #c33; border-radius: 4px; background: #fee; '
    'text-align: right; color: color-mix(in srgb, #c33 60%, black)">A note<br/>on two lines</p></foreignObject></svg>'
).encode()
DRAWINGS = {
    "draw.io": DRAWIO,
    "draw.io of both themes": SCHEMED,
    "draw.io turned dark": DARKENED,
    "mermaid 9": MERMAID_9,
    "mermaid 11": MERMAID_11,
    "d2": D2,
    "by hand": HAND,
}
