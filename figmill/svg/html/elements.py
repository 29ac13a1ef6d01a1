"""Tables for HTML labels: elements that hold text, browsers' default styles, and elements without effect.

The sizes are those of the HTML standard's rendering section (15.3).
"""

from __future__ import annotations

from types import MappingProxyType

from figmill.svg.document import SVG


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


XHTML = "http://www.w3.org/1999/xhtml"
FOREIGN = f"{{{SVG}}}foreignObject"  # the element of SVG that holds HTML

INLINE = words("""a abbr b bdi big br cite code del dfn em font i ins kbd label mark q s samp small span strike strong
    sub sup time tt u var wbr""")
BLOCK = words("""address article aside blockquote body center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6
    header hr html li main nav ol p pre section ul""")
TABLE = words("table tbody thead tfoot tr td th")
SIMPLE = INLINE | BLOCK | TABLE
# Harmless, but not text: a <switch> with these falls back to its drawing.
STILL = words("""button caption col colgroup details dir fieldset img input legend meter optgroup option progress rp rt
    ruby select summary textarea""")
# Attributes that load a resource by themselves, unless they contain it.
LOADING = words("src srcset data poster background")

_HEADING = "display:block;font-weight:bold;font-size:{}em;margin:{}em 0"
_MONO = "font-family:monospace"
BROWSER = MappingProxyType(
    {
        **dict.fromkeys(BLOCK, "display:block"),
        "p": "display:block;margin:1em 0",
        "body": "display:block;margin:8px",
        "dl": "display:block;margin:1em 0",
        "dd": "display:block;margin-left:40px",
        "figure": "display:block;margin:1em 40px",
        "blockquote": "display:block;margin:1em 40px",
        "center": "display:block;text-align:center",
        "address": "display:block;font-style:italic",
        "pre": f"display:block;{_MONO};white-space:pre;margin:1em 0",
        "ul": "display:block;list-style-type:disc;margin:1em 0;padding-left:40px",
        "ol": "display:block;list-style-type:decimal;margin:1em 0;padding-left:40px",
        "li": "display:list-item",
        "hr": "display:block;margin:0.5em 0;border:1px solid #808080;color:#808080",
        "h1": _HEADING.format(2, 0.67),
        "h2": _HEADING.format(1.5, 0.83),
        "h3": _HEADING.format(1.17, 1),
        "h4": _HEADING.format(1, 1.33),
        "h5": _HEADING.format(0.83, 1.67),
        "h6": _HEADING.format(0.67, 2.33),
        **dict.fromkeys(("b", "strong"), "font-weight:bold"),
        **dict.fromkeys(("i", "em", "cite", "var", "dfn"), "font-style:italic"),
        **dict.fromkeys(("code", "kbd", "samp", "tt"), _MONO),
        **dict.fromkeys(("u", "ins"), "text-decoration:underline"),
        **dict.fromkeys(("s", "strike", "del"), "text-decoration:line-through"),
        "sub": "vertical-align:sub;font-size:smaller",
        "sup": "vertical-align:super;font-size:smaller",
        "small": "font-size:smaller",
        "big": "font-size:larger",
        "mark": "background-color:#ffff00;color:#000000",
        "table": "display:table;border-spacing:2px;box-sizing:border-box;text-indent:0",
        "tbody": "display:table-row-group;vertical-align:middle",
        "thead": "display:table-row-group;vertical-align:middle",
        "tfoot": "display:table-row-group;vertical-align:middle",
        "tr": "display:table-row;vertical-align:inherit",
        "td": "display:table-cell;padding:1px;vertical-align:inherit",
        "th": "display:table-cell;padding:1px;vertical-align:inherit;font-weight:bold;text-align:center",
    }
)
LISTS = words("ul ol dl")  # no vertical margins inside another list
NESTED_BULLETS = ("disc", "circle", "square")
FONT_SIZES = ("10px", "13px", "16px", "18px", "24px", "32px", "48px")  # <font size="1"> to 7
