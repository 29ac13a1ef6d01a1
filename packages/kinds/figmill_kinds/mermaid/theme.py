"""Mermaid's settings: text as SVG text in the book's font, and the colours of the palette.

Settling replaces these colours with the book's own, and with those of the dark page.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from figmill.kind import GRID, MUTED, PAGE, ROLES, TEXT

SIZE = 14  # px of all text
WIDTH = 760  # px of a Gantt chart
# Boxes are as wide as their words: Mermaid writes words at the left edge of wider ones, and breaks long ones in others.
BOXES = {"minNodeWidth": 0, "wrappingWidth": 200}
LARGEST = 200_000  # characters of a source


@cache
def settings() -> dict[str, Any]:
    """Mermaid's settings: text as SVG text in the book's font, and the palette. An author's theme takes precedence."""
    own = (
        "htmlLabels",
        "securityLevel",
        "startOnLoad",
        "maxTextSize",
        "fontFamily",
        "deterministicIds",
        "secure",
    )
    tight = {"useMaxWidth": False}
    return {
        "startOnLoad": False,
        "securityLevel": "strict",
        "htmlLabels": False,
        "fontFamily": "Arial",
        "fontSize": SIZE,
        "maxTextSize": LARGEST,
        "deterministicIds": True,
        "secure": list(own),
        "theme": "base",
        "look": "classic",  # some types of diagram have shadows by default
        "themeVariables": _theme(),
        "flowchart": {"htmlLabels": False, **BOXES, "subGraphTitleMargin": {"top": 4, "bottom": 4}, **tight},
        "class": {"htmlLabels": False, **tight},
        "sequence": {"mirrorActors": False, **tight},
        "journey": {"textPlacement": "tspan", **_journey(), **tight},
        "timeline": {"textPlacement": "tspan", **tight},
        "gantt": {
            "useWidth": WIDTH,
            "fontSize": 12,
            "sectionFontSize": 13,
            "barHeight": 24,
            "topPadding": 54,
            **tight,
        },
        "packet": {"bitWidth": 24, "rowHeight": 36, **tight},
        "quadrantChart": {"quadrantTextTopPadding": 10, **tight},
        "xyChart": {"showDataLabelOutsideBar": True, **tight},
        "railroad": _railroad(),
        "themeCSS": _style(),
        **dict.fromkeys(TIGHT, tight),
        **{name: {**BOXES, **tight} for name in ("state", "usecase", "agentflow")},
    }


TIGHT = (
    "state",
    "er",
    "pie",
    "requirement",
    "architecture",
    "mindmap",
    "kanban",
    "gitGraph",
    "c4",
    "sankey",
    "block",
    "radar",
    "treemap",
)


def _theme() -> dict[str, Any]:
    """Mermaid's variables from the palette; settling gives them the book's colours and those of the dark page."""
    tone = {role.name: role for role in ROLES}
    compute, data, routing = tone["compute"], tone["data"], tone["routing"]
    neutral, error, accent = tone["neutral"], tone["error"], tone["accent"]
    ink, muted, page = TEXT[0], MUTED[0], PAGE[0]
    scale = (compute, data, routing, accent, neutral, error)
    rows: dict[str, Any] = {
        "fontFamily": "Arial",
        "fontSize": f"{SIZE}px",
        "background": page,
        "primaryColor": compute.fill,
        "primaryBorderColor": compute.line,
        "primaryTextColor": ink,
        "secondaryColor": data.fill,
        "secondaryBorderColor": data.line,
        "secondaryTextColor": ink,
        "tertiaryColor": neutral.fill,
        "tertiaryBorderColor": neutral.line,
        "tertiaryTextColor": ink,
        "noteBkgColor": routing.fill,
        "noteBorderColor": routing.line,
        "noteTextColor": ink,
        "lineColor": neutral.line,
        "textColor": ink,
        "titleColor": ink,
        "mainBkg": compute.fill,
        "nodeBorder": compute.line,
        "nodeTextColor": ink,
        "clusterBkg": neutral.fill,
        "clusterBorder": neutral.line,
        "edgeLabelBackground": page,
        "arrowheadColor": neutral.line,
        "defaultLinkColor": neutral.line,
        "actorBkg": compute.fill,
        "actorBorder": compute.line,
        "actorTextColor": ink,
        "actorLineColor": neutral.line,
        "signalColor": neutral.line,
        "signalTextColor": ink,
        "labelBoxBkgColor": neutral.fill,
        "labelBoxBorderColor": neutral.line,
        "labelTextColor": ink,
        "loopTextColor": ink,
        "activationBkgColor": neutral.fill,
        "activationBorderColor": neutral.line,
        "sequenceNumberColor": page,
        "sectionBkgColor": neutral.fill,
        "altSectionBkgColor": page,
        "sectionBkgColor2": neutral.fill,
        "taskBkgColor": compute.fill,
        "taskBorderColor": compute.line,
        "taskTextColor": ink,
        "taskTextLightColor": ink,
        "taskTextDarkColor": ink,
        "taskTextOutsideColor": ink,
        "activeTaskBkgColor": data.fill,
        "activeTaskBorderColor": data.line,
        "doneTaskBkgColor": neutral.fill,
        "doneTaskBorderColor": neutral.line,
        "critBkgColor": error.fill,
        "critBorderColor": error.line,
        "gridColor": GRID[0],
        "excludeBkgColor": neutral.fill,
        "todayLineColor": error.line,
        "vertLineColor": neutral.line,
        "labelColor": ink,
        "altBackground": neutral.fill,
        "classText": ink,
        "relationColor": neutral.line,
        "relationLabelBackground": page,
        "relationLabelColor": ink,
        "transitionColor": neutral.line,
        "transitionLabelColor": ink,
        "stateLabelColor": ink,
        "stateBkg": compute.fill,
        "stateBorder": compute.line,
        "compositeBackground": neutral.fill,
        "compositeTitleBackground": neutral.fill,
        "compositeBorder": neutral.line,
        "innerEndBackground": neutral.line,
        "specialStateColor": neutral.line,
        "errorBkgColor": error.fill,
        "errorTextColor": ink,
        "requirementBackground": compute.fill,
        "requirementBorderColor": compute.line,
        "requirementTextColor": ink,
        "personBkg": compute.fill,
        "personBorder": compute.line,
        "attributeBackgroundColorOdd": page,
        "attributeBackgroundColorEven": neutral.fill,
        "rowOdd": page,
        "rowEven": neutral.fill,
        "pieTitleTextColor": ink,
        "pieSectionTextColor": ink,
        "pieLegendTextColor": ink,
        "pieStrokeColor": page,
        "pieOuterStrokeColor": neutral.line,
        "pieOpacity": "1",
        "pieStrokeWidth": "1.5px",
        "quadrant1Fill": compute.fill,
        "quadrant2Fill": data.fill,
        "quadrant3Fill": neutral.fill,
        "quadrant4Fill": routing.fill,
        **{f"quadrant{n}TextFill": ink for n in range(1, 5)},
        "quadrantPointFill": compute.line,
        "quadrantPointTextFill": ink,
        "quadrantTitleFill": ink,
        "quadrantXAxisTextFill": ink,
        "quadrantYAxisTextFill": ink,
        "quadrantInternalBorderStrokeFill": neutral.line,
        "quadrantExternalBorderStrokeFill": neutral.line,
        "commitLabelColor": ink,
        "commitLabelBackground": page,
        "tagLabelColor": ink,
        "tagLabelBackground": routing.fill,
        "tagLabelBorder": routing.line,
        "branchLabelColor": page,
        "archEdgeColor": neutral.line,
        "archEdgeArrowColor": neutral.line,
        "archGroupBorderColor": neutral.line,
        "xyChart": {
            "backgroundColor": page,
            "titleColor": ink,
            "dataLabelColor": ink,
            **{
                f"{axis}Axis{part}Color": muted if part in ("Tick", "Line") else ink
                for axis in "xy"
                for part in ("Label", "Title", "Tick", "Line")
            },
            "plotColorPalette": ", ".join(role.line for role in scale),
        },
        "faceColor": routing.fill,
        "vennTitleTextColor": ink,
        "vennSetTextColor": ink,
        **{f"actor{number}": role.line for number, role in enumerate(scale)},
        "treeView": {
            "labelColor": ink,
            "iconColor": neutral.line,
            "lineColor": neutral.line,
            "descriptionColor": muted,
            "highlightBg": routing.fill,
            "highlightStroke": routing.line,
        },
        "packet": {
            "startByteColor": muted,
            "endByteColor": muted,
            "labelColor": ink,
            "titleColor": ink,
            "blockStrokeColor": compute.line,
            "blockFillColor": compute.fill,
        },
        **_events(),
        "radar": {"axisColor": neutral.line, "graticuleColor": neutral.fill},
    }
    for number in range(12):
        role = scale[number % len(scale)]
        rows |= {
            f"cScale{number}": role.fill,
            f"cScaleLabel{number}": ink,
            f"cScalePeer{number}": role.line,
            f"cScaleInv{number}": role.line,
            f"pie{number + 1}": role.fill,
            f"fillType{number}": role.fill,
            f"venn{number + 1}": role.line,
            f"git{number}": role.line,
            f"gitInv{number}": role.fill,
            f"gitBranchLabel{number}": page,
        }
    return rows


def _events() -> dict[str, str]:
    """Colours of event models, which distinguish an event, a command, a view and a processor."""
    tone = {role.name: role for role in ROLES}
    tones = {"Command": "compute", "Event": "routing", "ReadModel": "data", "Processor": "accent"}
    rows = {f"em{part}Fill": tone[name].fill for part, name in tones.items()}
    rows |= {f"em{part}Stroke": tone[name].line for part, name in tones.items()}
    neutral = tone["neutral"]
    return {
        **rows,
        "emUiFill": PAGE[0],
        "emUiStroke": neutral.line,
        "emSwimlaneBackgroundOdd": neutral.fill,
        "emSwimlaneBackgroundStroke": GRID[0],
    }


def _railroad() -> dict[str, str]:
    """Colours of railroad diagrams, as kinds/railroad has them."""
    tone = {role.name: role for role in ROLES}
    terminal, other, special = tone["compute"], tone["data"], tone["neutral"]
    return {
        "terminalFill": terminal.fill,
        "terminalStroke": terminal.line,
        "terminalTextColor": TEXT[0],
        "nonTerminalFill": other.fill,
        "nonTerminalStroke": other.line,
        "nonTerminalTextColor": TEXT[0],
        "lineColor": special.line,
        "markerFill": special.line,
        "specialFill": special.fill,
        "specialStroke": special.line,
        "commentFill": special.fill,
        "commentStroke": special.line,
        "commentTextColor": TEXT[0],
        "ruleNameColor": TEXT[0],
    }


def _journey() -> dict[str, Any]:
    return {
        "sectionFills": [role.fill for role in ROLES],
        "sectionColours": [TEXT[0]],
        "actorColours": [role.line for role in ROLES],
    }


def _style() -> str:
    """Rules where Mermaid uses one variable for an area and a line, or for text and its background."""
    scale = [ROLES[number % len(ROLES)] for number in range(12)]
    first, neutral = ROLES[0], next(role for role in ROLES if role.name == "neutral")
    rows = [
        f".edgeLabel .label rect {{ fill: {PAGE[0]}; opacity: 1; }}",
        ".icon-shape .label rect, .image-shape .label rect { fill: none; }",
        f".section-root :is(rect, path, circle, polygon) {{ fill: {first.fill}; stroke: {first.line}; }}",
        ".eventWrapper { filter: none; }",
        f".sequenceNumber {{ fill: {TEXT[0]}; }}",
        f".sequenceNumberCircle {{ fill: {neutral.fill}; stroke: {neutral.line}; }}",
        f".section-root text {{ fill: {TEXT[0]}; }}",
        f"text.journey-section {{ fill: {TEXT[0]}; }}",
        f".face, .mouth, .task-line {{ stroke: {neutral.line}; }}",
        f".grid .tick line {{ stroke: {GRID[0]}; }}",
        f".venn-circle text {{ fill: {TEXT[0]}; }}",
        f"text.vertText {{ fill: {TEXT[0]} !important; }}",
        f".radarGraticule {{ stroke: {neutral.line}; stroke-width: 0.5; }}",
    ]
    for number, role in enumerate(scale):
        rows += [
            f".branchLabelBkg.label{number} {{ fill: {role.fill}; stroke: {role.line}; }}",
            f".branch-label{number} {{ fill: {TEXT[0]}; }}",
            f".radarCurve-{number}, .radarLegendBox-{number} {{ stroke: {role.line}; }}",
            # Mermaid's section 0 has the second colour
            f".section-edge-{number - 1} {{ stroke: {role.line}; }}",
            f".cluster.section-{number - 1} rect {{ fill: {role.fill}; stroke: {role.line}; }}",
            f".section-{number - 1} line {{ stroke: {role.line}; }}",
        ]
    return "\n".join(rows)
