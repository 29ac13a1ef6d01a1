"""Each letter of a label in HTML stands where Chromium puts it: the same lines, the same places within 2 px."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import likeness
from helpers.exported import CELL, CLASS, SVG, drawio, place
from playwright.sync_api import Page

from figmill.svg import Sheet, normalise

LOREM = "Lorem ipsum dolor sit amet, consectetur adipisici elit, sed eiusmod tempor incidunt ut labore et dolore magna."
NOWRAP = "white-space: nowrap;"


def box(html: str, style: str = "") -> str:
    return f'<g transform="translate(20 20)">{place(200, 100, html, f"style={chr(34)}{style}{chr(34)}")}</g>'


LABELS = {
    "one line": drawio("Client", 30, 80, 120),
    "wrapped": drawio(LOREM, 30, 100, 120),
    "wrapped to the left": drawio(LOREM, 30, 100, 120, align="left"),
    "wrapped to the right": drawio(LOREM, 30, 100, 150, align="right"),
    "at the top": drawio("Words at the top of a box", 30, 40, 90, valign="flex-start"),
    "at the bottom": drawio("Words at the bottom of a box", 30, 140, 90, valign="flex-end"),
    "not wrapped": drawio("A long label that is never wrapped", 120, 60, 1, style=NOWRAP),
    "forced breaks": drawio("one<br/>two<br/><br/>four", 30, 80, 120),
    "divisions": drawio("<div>one</div><div>two<br/></div><div><br/></div><div>three</div>", 30, 80, 120),
    "words beside divisions": drawio(
        'one<div>two</div>three<div style="text-align: right">four</div>', 30, 80, 120
    ),
    "many looks": drawio(
        "List of <b>properties</b> which <i>can</i> be <u>enabled</u> or <s>not</s>", 20, 80, 200
    ),
    "scripts": drawio("H<sub>2</sub>O and x<sup>2</sup> + y<sup>n</sup>", 30, 80, 120),
    "sizes": drawio(
        '<font size="4">Big</font> <font style="font-size: 9px">small</font> and<br/>next', 30, 80, 120
    ),
    "a list": drawio(
        "<ul><li>first</li><li>second item, long enough to wrap</li></ul>", 30, 80, 150, align="left"
    ),
    "a list in a list": drawio(
        "<ul><li>one<ul><li>two</li></ul></li><li>three</li></ul>", 30, 80, 150, align="left"
    ),
    "paragraphs": drawio("<p>First paragraph</p><p>Second one with words</p>", 30, 90, 100),
    "a heading": drawio(
        "<h1>Heading</h1><p>Some words below of it that wrap.</p>", 20, 100, 180, align="left"
    ),
    "a class": drawio(CLASS, 30, 30, 160, align="left", valign="flex-start"),
    "a table": drawio(
        "<table><tr><td>key</td><td>value</td></tr><tr><td>long key</td><td>v</td></tr></table>", 30, 80, 160
    ),
    "hyphens": drawio("well-known state-of-the-art co-operation e-mail x-1 a/b/c foo/bar", 30, 80, 80),
    "dashes": drawio("one\u2014two\u2013three four\u2014five six\u2026seven (eight) a+b=c", 30, 100, 70),
    "blanks": drawio("a  &#160;&#160; b   <b> c </b>  d", 30, 80, 120),
    "a long word": drawio("Donaudampfschifffahrtsgesellschaft is long", 80, 80, 80),
    "line heights": drawio('<span style="line-height: 2">lines that are far apart</span>', 30, 80, 60),
    "mermaid": box(
        '<p style="margin: 0">redeem <strong>it</strong></p>', CELL[7:-1].replace("table-cell", "block")
    ),
    "flex": box(
        "words in the middle", "display:flex; height:100px; align-items:center; justify-content:center"
    ),
    "a row": box(
        "<span>left</span><span>mid</span><b>right</b>", "display:flex; justify-content: space-between"
    ),
    "a column": box(
        "<span>one</span><span>two two</span>", "display:flex; flex-direction:column; align-items:center"
    ),
    "edges": box(
        "words that wrap around", "padding: 10px 20px; border: 2px solid red; width: 60px; margin: 5px"
    ),
    "inline edges": box(
        'a <span style="padding: 2px 6px; background: #ffa">padded</span> b <code>x = 1</code>'
    ),
    "an inline block": box(
        'a <span style="display:inline-block; padding: 4px; border: 1px solid">boxed</span> b'
    ),
    "a quotation": box("<blockquote>quoted words in here</blockquote><small>small</small> words"),
    "an indent": box('<p style="text-indent: 20px">The first line of a paragraph that goes on and on</p>'),
    "code": box("<pre>def f(x):\n    return x\n</pre>"),
    "normal line height": box("words in lines of normal height which wrap in their box"),
}
LETTERS = """() => {
  const found = [], walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node; node = walker.nextNode();) {
    if (node.parentElement.closest('style, title, desc') || node.parentElement.localName === 'text' &&
        node.parentElement.parentElement.localName === 'switch') continue;
    for (let at = 0; at < node.length; at++) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const [box] = range.getClientRects();
      if (node.data[at].trim() && box && box.width) found.push([node.data[at], box.left, box.bottom]);
    }
  }
  return found;
}"""
SIDEWARDS = 2.0  # px; kerning, which Chromium does and we do not measure
DOWNWARDS = 1.6  # px; Chromium counts in whole px up to the baseline


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with likeness.reader(tmp_path_factory.mktemp("reader")) as page:
        yield page


@pytest.mark.parametrize("name", LABELS)
def test_letters_stand_where_the_browser_has_them(name: str, page: Page, tmp_path: Path) -> None:
    drawing = (
        f'<svg {SVG} width="240" height="200" viewBox="0 0 240 200" font-family="Arial">{LABELS[name]}</svg>'
    )
    both = []
    for svg in (drawing.encode(), normalise(drawing.encode(), Sheet("fig", "Title", "What it shows")).svg):
        likeness.looks(page, svg, (240, 200), tmp_path)
        both.append(page.evaluate(LETTERS))
    meant, left = both
    assert len(meant) == len(left) > 3
    for letter, x, y in meant:
        near = min(
            (glyph for glyph in left if glyph[0] == letter),
            key=lambda glyph: abs(glyph[1] - x) + abs(glyph[2] - y),
        )
        assert abs(near[1] - x) < SIDEWARDS and abs(near[2] - y) < DOWNWARDS, (
            letter,
            near[1] - x,
            near[2] - y,
        )
        left.remove(near)
