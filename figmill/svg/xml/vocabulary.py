"""The allowlist as data: the allowed elements and attributes, and the type of each value.

Only tables, used by allowlist.py, css.py, numbers.py and paints.py. Names follow SVG 1.1 (second edition) and SVG 2,
less everything that can act, embed, animate or load.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHAPES = words("path rect circle ellipse line polyline polygon")
WORDS = words("title desc")
WORDS_ONLY = WORDS | {"style"}
SPANS = words("tspan textPath")  # parts of a <text>
# Never painted in place, only through references.
RESOURCES = words("clipPath filter linearGradient marker mask pattern radialGradient symbol")

FILTERS = words("""feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting
    feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur
    feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile
    feTurbulence""")
ELEMENTS = (
    SHAPES
    | RESOURCES
    | FILTERS
    | words("svg g defs switch a use image stop text tspan textPath title desc style metadata")
)

# Valid fallbacks in a <switch> with HTML; and the HTML elements there that are only text.
FALLBACKS = SHAPES | words("svg g text a use switch")
INERT_HTML = words("""div span p br b i u s em strong small font sub sup pre code ul ol li table tbody tr td th hr
    h1 h2 h3 h4 h5 h6 center blockquote""")

# Elements with a specific reason for refusal; all others are unknown.
REFUSED = {
    "script": "scripts do not run in a figure; remove it",
    "foreignobject": "HTML does not look the same everywhere; write the text as <text>",
    "feimage": "pictures are not allowed in filters; use <image>",
    "discard": "figures do not move; draw the state that matters",
}
# Left out with their content: fonts, which the book's replace, and elements that are never painted.
FONT_ELEMENTS = words("""font font-face font-face-src font-face-uri font-face-name font-face-format glyph
    missing-glyph hkern vkern""")
UNSEEN_ELEMENTS = words("view cursor color-profile")
# Inkscape's flowed text, which becomes text.
FLOWED_WORDS = words("flowDiv flowPara")
FLOWED = FLOWED_WORDS | words("flowRoot flowRegion flowSpan flowLine")
ANIMATIONS = words("animate animateColor animateMotion animateTransform set")
# Names that make data of another namespace active: elements, in upper or lower case, and whole namespaces.
ACTIVE_ELEMENTS = words("script handler listener foreignobject iframe object embed applet template base meta")
ACTIVE_NAMESPACES = frozenset(
    {
        "http://www.w3.org/1999/xhtml",
        "http://www.w3.org/1998/Math/MathML",
        "http://www.w3.org/2001/XInclude",
        "http://www.w3.org/2003/XInclude",
        "http://www.w3.org/1999/XSL/Transform",
        "http://www.w3.org/2001/xml-events",
        "http://www.w3.org/2002/xforms",
        "http://www.mozilla.org/xbl",
        "http://www.w3.org/ns/xbl",
        "http://www.mozilla.org/keymaster/gatekeeper/there.is.only.xul",
    }
)

# Values by type.
PAINTS = words("fill stroke")
COLORS = words("color flood-color lighting-color stop-color")
# Properties that have no negative values.
NOT_NEGATIVE = words("stroke-width stroke-miterlimit stroke-dasharray font-size")
COORDINATES = words("""x y width height cx cy r rx ry x1 y1 x2 y2 dx dy textLength stroke-width stroke-dasharray
    stroke-dashoffset font-size letter-spacing word-spacing baseline-shift startOffset refX refY markerWidth
    markerHeight""")
# Ratios, angles, matrices, and lengths in filters and gradients: rounded to significant digits.
NUMBERS = words("""offset opacity fill-opacity stroke-opacity stop-opacity flood-opacity stroke-miterlimit pathLength
    rotate fx fy fr amplitude azimuth baseFrequency bias diffuseConstant divisor elevation exponent intercept
    k1 k2 k3 k4 kernelMatrix kernelUnitLength limitingConeAngle numOctaves order pointsAtX pointsAtY pointsAtZ
    radius scale seed slope specularConstant specularExponent stdDeviation surfaceScale tableValues targetX
    targetY values z""")
TRANSFORMS = words("transform gradientTransform patternTransform")
# Presentation attributes that children inherit.
INHERITED = words("""clip-rule color color-interpolation color-interpolation-filters color-rendering direction
    dominant-baseline fill fill-opacity fill-rule font-family font-size font-size-adjust font-stretch
    font-style font-variant font-weight image-rendering kerning letter-spacing marker-end marker-mid
    marker-start paint-order pointer-events shape-rendering stroke stroke-dasharray stroke-dashoffset
    stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor text-rendering
    visibility word-spacing writing-mode glyph-orientation-horizontal glyph-orientation-vertical""")
# Presentation attributes: CSS declarations of these names become attributes.
PRESENTATION = (
    INHERITED
    | COLORS
    | words("""alignment-baseline baseline-shift clip clip-path display enable-background filter flood-opacity
        mask mask-type opacity overflow stop-opacity text-decoration text-overflow transform-origin
        unicode-bidi vector-effect""")
)
# CSS without an equivalent attribute: transforms have another syntax. Stays in `style`, except the geometry of shapes
# (styles/application.py).
STYLE_ONLY = words("""background-color font-feature-settings font-kerning font-optical-sizing font-synthesis
    font-variant-caps font-variant-east-asian font-variant-ligatures font-variant-numeric
    font-variant-position font-variation-settings isolation mix-blend-mode text-decoration-color
    text-decoration-line text-decoration-style text-orientation text-transform transform
    transform-box x y width height cx cy r rx ry""")
# CSS that drawing tools write without effect on a static figure.
EDITOR_CSS = words("""block-progression cursor font-variant-alternates inline-size line-height marker-knockout-left
    marker-knockout-right rotate shape-inside shape-margin shape-padding shape-subtract solid-color
    solid-opacity text-align text-align-last text-decoration-thickness text-indent -inkscape-font-specification
    -inkscape-stroke -inkscape-text-align user-select""")

# Those of them that are attributes too.
EDITOR_ATTRIBUTES = words("cursor")

# CSS that changes the picture or runs code, and that some viewers do not know: refused, not left out.
REFUSED_CSS = words("""-moz-binding -ms-behavior behavior all d mask-border mask-image offset offset-path scale
    translate zoom -webkit-mask -webkit-mask-image -webkit-text-fill-color -webkit-text-stroke -webkit-text-stroke-color
    -webkit-text-stroke-width""")
# Those of them that run code: refused everywhere.
ACTIVE_CSS = words("-moz-binding -ms-behavior behavior")
ANIMATION_CSS = words("""animation animation-name animation-fill-mode animation-iteration-count animation-direction
    animation-duration animation-delay animation-timing-function animation-play-state animation-composition""")

PLAIN = words("""class clipPathUnits color-profile edgeMode filterUnits font
    gradientUnits in in2 lang lengthAdjust markerUnits maskContentUnits maskUnits media method mode operator
    orient path patternContentUnits patternUnits preserveAlpha preserveAspectRatio primitiveUnits
    requiredExtensions requiredFeatures result role side spacing spreadMethod stitchTiles systemLanguage type
    version baseProfile contentScriptType contentStyleType viewBox xChannelSelector yChannelSelector zoomAndPan
    midPointStop only_selected white-space
    aria-describedby aria-hidden aria-label aria-labelledby aria-level aria-roledescription tabindex marker
    target rel d points id href style focusable crossorigin decoding""")
ATTRIBUTES = PAINTS | COLORS | COORDINATES | NUMBERS | TRANSFORMS | PRESENTATION | PLAIN
# No effect in a static figure, or only in the tool that wrote them.
DROPPED = words("""content baseProfile crossorigin decoding color-profile contentScriptType contentStyleType
    enable-background focusable font line-height marker midPointStop only_selected requiredFeatures tabindex version
    zoomAndPan d2Version""")
# Notes to figmill itself: which colours are data (passes/keeps.py), what became a picture (checks/rasterised.py).
MARKS = words("data-figmill-colours data-figmill-dots data-figmill-words")
NO_HANDLERS = words("only_selected")  # the one harmless `on...` attribute: yFiles writes it

CSS_FUNCTIONS = words("""url rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix icc-color calc
    matrix translate translatex translatey scale scalex scaley rotate skew skewx skewy
    blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
    circle ellipse inset polygon rect""")
IDREFS = frozenset(("aria-labelledby", "aria-describedby"))

# Attribute order in a file: identity, position, then the rest by name.
ORDER = {
    name: place
    for place, name in enumerate(
        [
            *("xmlns", "id", "role", "aria-labelledby", "href", "x", "y", "width", "height", "viewBox"),
            *("x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "d", "points", "dx", "dy", "transform"),
        ]
    )
}
