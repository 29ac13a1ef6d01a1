"""Attributes that Graphviz silently ignores: misspelled ones, and those that need another attribute. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from figmill.errors import did_you_mean
from figmill.kind.job import Remark
from figmill.kinds.graphs.amended import CHECK
from figmill.kinds.graphs.items import is_true
from figmill.kinds.graphs.places import Assigned, assignments

LEAST = 5  # letters of a word that may be misspelled: shorter words resemble too many attributes
_ALL = """
area arrowhead arrowsize arrowtail bb beautify bgcolor center charset class cluster clusterrank color colorscheme
comment compound concentrate constraint Damping decorate defaultdist dim dimen dir diredgeconstraints distortion dpi
edgehref edgetarget edgetooltip edgeURL epsilon esep fillcolor fixedsize fontcolor fontname fontnames fontpath
fontsize forcelabels gradientangle group head_lp headclip headhref headlabel headport headtarget headtooltip headURL
height href id image imagepath imagepos imagescale inputscale K key label label_scheme labelangle labeldistance
labelfloat labelfontcolor labelfontname labelfontsize labelhref labeljust labelloc labeltarget labeltooltip labelURL
landscape layer layerlistsep layers layerselect layersep layout len levels levelsgap lhead lheight linelength lp ltail
lwidth margin maxiter mclimit mindist minlen mode model newrank nodesep nojustify normalize notranslate nslimit
nslimit1 oneblock ordering orientation outputorder overlap overlap_scaling overlap_shrink pack packmode pad page
pagedir pencolor penwidth peripheries pin pos quadtree quantum radius rank rankdir ranksep ratio rects regular
remincross repulsiveforce resolution role root rotate rotation samehead sametail samplepoints scale searchsize sep
shape shapefile showboxes sides size skew smoothing sortv splines start style stylesheet tail_lp tailclip tailhref
taillabel tailport tailtarget tailtooltip tailURL target TBbalance tooltip truecolor URL vertices viewport voro_margin
weight width xdotversion xlabel xlp z
"""
KNOWN = frozenset(_ALL.split())
FOLDED = frozenset(name.casefold() for name in KNOWN)
# A short word that lacks a letter of one of these is a slip: shap, labl, with, styl.
COMMON = frozenset(("color", "height", "label", "shape", "style", "weight", "width"))
SLIPS = frozenset(name[:at] + name[at + 1 :] for name in COMMON for at in range(1, len(name)))
OF_CLUSTERS = ("lhead", "ltail")


def odd_attributes(text: str) -> Iterator[Remark]:
    """A remark on each attribute without effect that was meant to have one."""
    every = list(assignments(text))
    has_compound = any(each.key.text == "compound" and is_true(each.value.text) for each in every)
    seen: set[str] = set()
    for each in every:
        name = each.key.text
        if name in seen:
            continue
        seen.add(name)
        if name not in KNOWN and (near := _near(each)):
            yield Remark(CHECK, f"Graphviz has no attribute '{name}'{near}", each.key.line)
        elif name in OF_CLUSTERS and each.value.text and not has_compound:
            message = f"'{name}' has no effect without compound=true in the graph; add that"
            yield Remark(CHECK, message, each.key.line)


def _near(each: Assigned) -> str:
    """`; did you mean ...?`; empty for a word that may well be the author's own."""
    name = each.key.text
    if name in SLIPS:
        return did_you_mean(name, COMMON)
    if len(name) < LEAST and name.casefold() not in FOLDED:
        return ""
    return did_you_mean(name, KNOWN)
