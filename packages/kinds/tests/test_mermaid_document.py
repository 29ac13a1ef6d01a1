"""The document that Mermaid draws in: what Mermaid asks of it, as a browser answers; nothing is asked for in vain."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from py_mini_racer import MiniRacer

from figmill.kind.javascript import WITHOUT
from figmill_kinds.mermaid import labels, renderer, theme
from figmill_kinds.mermaid.text import role_classes, with_breaks, without_icons, without_old_comments

EXAMPLES = Path(sys.prefix, "node_modules/@mermaid-js/examples/dist/mermaid-examples.core.mjs")

# Letters are half as wide as high; 0.8 of the height is above the line.
MEASURE = """
globalThis.__measureText = (text, size) => 0.5 * size * text.length;
globalThis.__measureTextFull = (text, size) => ({ width: 0.5 * size * text.length, ascent: 0.8 * size, descent: 0.2 * size, xHeight: 0.5 * size });
const NS = "http://www.w3.org/2000/svg";
const drawn = (markup) => { document.body.innerHTML = `<svg xmlns="${NS}">${markup}</svg>`; return document.body.firstChild; };
const box = ({ x, y, width, height }) => [x, y, width, height].map((one) => Math.round(one * 1000) / 1000 + 0);
const boxIn = (markup, name) => box(drawn(markup).querySelector(name).getBBox());
const names = (root, text) => root.querySelectorAll(text).map((one) => one.id).join(" ");
const TREE = '<g id="a" class="x y"><g id="b"><path id="c" d="M0,0"></path></g><text id="e" data-et="line">t</text></g><g id="f"></g>';
"""  # noqa: E501


def context(*more: str) -> Any:
    engine = MiniRacer()
    scripts = (renderer.HERE / name for name in renderer.DOCUMENT)
    for text in (WITHOUT, *(path.read_text("utf-8") for path in scripts), *more):
        engine.eval(text + "\n;0")
    return engine


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    engine = context(MEASURE)
    yield engine
    engine.close()


def told(text: str) -> dict[str, Any]:
    """Expressions of JavaScript, each in a line with its value behind it."""
    rows = (line.rpartition("  // ") for line in text.strip().split("\n"))
    return {asked: json.loads(value) for asked, _, value in rows}


TREES = told(r"""
names(drawn(TREE), 'g')  // "a b f"
names(drawn(TREE), '.x > g path, #f')  // "c f"
names(drawn(TREE), 'g:not(.y)')  // "b f"
names(drawn(TREE), '#b + text')  // "e"
names(drawn(TREE), 'g ~ g:last-child')  // "f"
names(drawn(TREE), '[data-et="line"], [id^="f"]')  // "e f"
names(drawn(TREE), 'g:first-child, :is(path, text)')  // "a b c e"
names(drawn('<g id="1.a"></g>'), '#' + CSS.escape('1.a'))  // "1.a"
['Aqua', 'Pool', '', 'rgb(1,2,3)', 'hsla(12deg 3% 4% / 50%)', 'rgb(a)'].map((one) => CSS.supports('color', one)).join(' ')  // "true false false true true false"
drawn('<path d="M0,0"/><g>a &lt; b &amp; c</g>').innerHTML  // "<path d=\"M0,0\"></path><g>a &lt; b &amp; c</g>"
new XMLSerializer().serializeToString(drawn('<g><path d="M0,0"/></g>'))  // "<svg xmlns=\"http://www.w3.org/2000/svg\"><g><path d=\"M0,0\"/></g></svg>"
new DOMParser().parseFromString('<b>x<br>y</b><i', 'text/html').body.innerHTML  // "<b>x<br>y</b>&lt;i"
document.createElement('DIV').tagName + document.createElementNS(NS, 'linearGradient').tagName  // "DIVlinearGradient"
(() => { const root = drawn('<g/><text/>'); root.insertBefore(root.lastChild, root.firstChild); return root.firstChild.tagName; })()  // "text"
(() => { const one = drawn(TREE).cloneNode(true); one.querySelector('#b').remove(); return names(one, '*'); })()  // "a e f"
(() => { const one = drawn('<g style="fill: red"/>').firstChild; one.style.setProperty('stroke', 'blue'); return one.getAttribute('style'); })()  // "fill: red; stroke: blue;"
(() => { const walk = document.createNodeIterator(drawn(TREE)), seen = []; for (let one; (one = walk.nextNode());) { seen.push(one.id ?? one.data); if (one.id === 'b') one.remove(); } return seen.join(' '); })()  // " a b e t f"
(() => { try { drawn('').appendChild(document.body); } catch (error) { return error.message; } })()  // "a node cannot stand in itself"
atob(btoa('Mermaid\u00ff'))  // "Mermaid\u00ff"
JSON.stringify(structuredClone({ a: [1, { b: null }], c: new Map([[1, 2]]) }).a)  // "[1,{\"b\":null}]"
[...new TextEncoder().encode('ü')].join()  // "195,188"
String(new URL('HTTPS://example.org/a?b#c').hostname) + URL.canParse('no address')  // "example.orgfalse"
""")  # noqa: E501

# Boxes are [x, y, width, height].
PLACES = told(r"""
boxIn('<rect x="1" y="2" width="3" height="4"/>', 'rect')  // [1, 2, 3, 4]
boxIn('<g><rect x="1" width="3" height="4" transform="translate(10, 20)"/><circle r="2"/></g>', 'g')  // [-2, -2, 16, 26]
boxIn('<g><rect width="2" height="4" transform="rotate(90)"/></g>', 'g')  // [-4, 0, 4, 2]
boxIn('<g><rect width="0" height="9"/><line x1="1" x2="5"/><defs><rect width="9" height="9"/></defs></g>', 'g')  // [1, 0, 4, 0]
boxIn('<g><svg x="5" width="10" height="10" viewBox="0 0 20 20"><rect width="20" height="10"/></svg></g>', 'g')  // [5, 0, 10, 5]
boxIn('<path d="M0,0C0,10,10,10,10,0"/>', 'path')  // [0, 0, 10, 7.5]
boxIn('<path d="m0 0h10v5l-5-5z"/>', 'path')  // [0, 0, 10, 5]
boxIn('<path d="M0,0Q5,10,10,0T20,0"/>', 'path')  // [0, -5, 20, 10]
boxIn('<path d="M-5,0a5,5,0,1110,0"/>', 'path')  // [-5, -5, 10, 5]
boxIn('<polygon points="0,0 4,0 4,-3"/>', 'polygon')  // [0, -3, 4, 3]
boxIn('<text x="5" y="10" font-size="10px">four</text>', 'text')  // [5, 2, 20, 10]
boxIn('<text font-size="10" text-anchor="middle">a  b </text>', 'text')  // [-7.5, -8, 15, 10]
boxIn('<text font-size="10"><tspan x="0" dy="1em">ab</tspan><tspan x="0" dy="1em">abcd</tspan></text>', 'text')  // [0, 2, 20, 20]
boxIn('<text font-size="10" dominant-baseline="middle">ab</text>', 'text')  // [0, -5.5, 10, 10]
boxIn('<style>.a .b{font-size:20px}</style><g class="a"><text class="b" font-size="10">ab</text></g>', 'text')  // [0, -16, 20, 20]
boxIn('<style>.b{font-size:20px} #c{font-size:2em !important}</style><text id="c" style="font-size: 5px">ab</text>', 'text')  // [0, -25.6, 32, 32]
[drawn('<text font-size="10">a<tspan>bcd</tspan></text>').querySelector('tspan').getComputedTextLength()]  // [15]
[drawn('<path d="M0,0L3,4L6,4"/>').firstChild.getTotalLength()]  // [8]
Object.values(drawn('<path d="M0,0L3,4L6,4"/>').firstChild.getPointAtLength(6))  // [4, 4]
box(drawn('<g transform="translate(5,5) scale(2)"><rect width="2" height="1"/></g>').querySelector('rect').getBoundingClientRect())  // [5, 5, 4, 2]
['left' in drawn('<rect/>').firstChild.getBBox(), 'left' in document.body.getBoundingClientRect()].map(Number)  // [0, 1]
""")  # noqa: E501


@pytest.mark.parametrize("asked", TREES)
def test_trees_and_markup(page: Any, asked: str) -> None:
    assert page.eval(asked) == TREES[asked]


@pytest.mark.parametrize("asked", PLACES)
def test_places_and_sizes(page: Any, asked: str) -> None:
    assert json.loads(page.eval(f"JSON.stringify({asked})")) == pytest.approx(PLACES[asked], abs=0.002)


def test_timers_run_in_the_order_of_their_time(page: Any) -> None:
    page.eval(
        "globalThis.ran = []; setTimeout(() => ran.push('late'), 9); setTimeout(() => ran.push('early'), 1); 0"
    )
    page.eval(
        "clearTimeout(setTimeout(() => ran.push('never'), 5)); setTimeout(() => { throw new Error('x'); }); 0"
    )
    while page.eval("__runNextTimer()"):
        pass
    assert page.eval("ran.join(' ')") == "early late"


# Remembers the names that a script asks of a node, and that no node has.
SPY = """
globalThis.__vain = new Set();
Object.setPrototypeOf(Node.prototype, new Proxy(Object.prototype, {
  get(all, name, self) {
    if (!(name in all) && typeof name === "string") __vain.add(name);
    return Reflect.get(all, name, self);
  },
}));
"""
# Marks of d3 and cytoscape on elements; a promise and a text of JSON look for their own methods in what they get;
# DOMPurify asks each node for what only elements and templates have.
MARKS = {"__data__", "__on", "__axis", "_cyreg", "then", "toJSON", "attributes", "content"}


def examples() -> dict[str, str]:
    """The official examples by their type and number."""
    engine = MiniRacer()
    engine.eval(
        EXAMPLES.read_text("utf-8").rpartition("export {")[0] + "\n;globalThis.every = diagramData; 0"
    )
    told = engine.eval(
        "JSON.stringify(every.flatMap(({ id, examples }) => examples.map(({ code }, at) => [`${id}-${at}`, code])))"
    )
    engine.close()
    return dict(json.loads(told))


@pytest.mark.skipif(not EXAMPLES.exists(), reason="npm install @mermaid-js/examples")
@pytest.mark.parametrize("which", ["first", pytest.param("all", marks=pytest.mark.soak)])
def test_official_examples_are_drawn_and_ask_for_nothing_in_vain(which: str) -> None:
    """Of each type. A new version of Mermaid that needs more of the document fails here, with the names."""
    scripts = renderer.scripts()
    engine = context(*scripts[len(renderer.DOCUMENT) : -1], SPY, scripts[-1])
    failed = {}
    every = examples()
    tried = {name: source for name, source in every.items() if which == "all" or name.endswith("-0")}
    for name, source in tried.items():
        text = without_icons(labels.marked(with_breaks(without_old_comments(source))))
        signs = labels.signs(text)
        given = (text + role_classes(text, {}), theme.settings(), {}, signs)
        engine.eval(f"__begin('__draw', {json.dumps(given)}); 0")
        while not (answer := engine.eval("__answer()")) and engine.eval("__runNextTimer()"):
            pass
        drawn = json.loads(answer or engine.eval("__answer()"))
        if "<path" not in drawn.get("value", {}).get("svg", "") and "<text" not in str(drawn):
            failed[name] = drawn
    vain = set(json.loads(engine.eval("JSON.stringify([...__vain])"))) - MARKS
    engine.close()
    assert len(every) >= 79 and len(tried) >= 25 and failed == {} and vain == set()
