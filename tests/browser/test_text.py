"""Words of plots are words: Chromium finds and selects them, where matplotlib has put them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import browser
from helpers.book import Space

PLOT = r"""
import io

from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.text import Text

from figmill import Drawing

WORDS = {
    "label": "time (µs)",
    "title": "Größe of the batch",
    "note": "an annotation",
    "turned": "upright words",
    "greek": r"$\mu_0 = \lambda \cdot W_q$",
    "fraction": r"$\frac{compute}{wait}$",
    "power": r"$x^2 \leq 10^{-3}$",
    "signs": r"$a \in A \cup B \to \infty$",
    "mixed": r"utilisation $\rho$ of all",
}


def draw() -> Drawing:
    figure = Figure(figsize=(6, 5), dpi=72)
    axes = figure.add_subplot()
    axes.plot([0, 12000], [0, 1], label="a series")
    axes.set(xlabel=WORDS["label"], title=WORDS["title"], ylabel=WORDS["mixed"])
    axes.annotate(WORDS["note"], (2000, 0.9), (4000, 0.9), arrowprops={"arrowstyle": "->"})
    axes.text(11000, 0.1, WORDS["turned"], rotation=90)
    for place, name in enumerate(("greek", "fraction", "power", "signs")):
        axes.text(1000, 0.2 + 0.15 * place, WORDS[name], fontsize=14)
    axes.legend(loc="upper left")
    axes.set(xticks=[0, 4000, 8000, 12000], yticks=[0, 0.5, 1])
    renderer = RendererSVG(432, 360, io.StringIO())  # its measures are exact, those for pixels are rounded
    figure.draw(renderer)
    shown = [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts, *axes.get_legend().get_texts(),
             *axes.get_xticklabels(), *axes.get_yticklabels()]
    facts = {}
    for place, text in enumerate(shown):
        box = Text.get_window_extent(text, renderer)
        facts[f"t{place}"] = [text.get_text(), box.x0, 360 - box.y1, box.x1, 360 - box.y0]
    return Drawing(figure, facts=facts)
"""
READ = """() => JSON.stringify([...document.querySelectorAll('svg text')].map(text => {
  const svg = text.ownerSVGElement, m = svg.getScreenCTM().inverse().multiply(text.getScreenCTM());
  const box = {x0: 1e9, y0: 1e9, x1: -1e9, y1: -1e9};
  for (let n = 0; n < text.getNumberOfChars(); n++) {
    if (!text.textContent[n].trim()) continue;
    const from = text.getStartPositionOfChar(n), to = text.getEndPositionOfChar(n);
    for (const p of [from, to]) {
      const q = new DOMPoint(p.x, p.y).matrixTransform(m);
      box.x0 = Math.min(box.x0, q.x); box.x1 = Math.max(box.x1, q.x);
      box.y0 = Math.min(box.y0, q.y); box.y1 = Math.max(box.y1, q.y);
    }
  }
  getSelection().selectAllChildren(text);
  const turned = Math.abs(m.b) > Math.abs(m.a);
  return {words: text.textContent, selected: getSelection().toString(), turned, ...box};
}))"""
# What a formula reads as, white space left out.
READS = {
    r"$\mu_0 = \lambda \cdot W_q$": "μ0=λ·Wq",
    r"$\frac{compute}{wait}$": "computewait",
    r"$x^2 \leq 10^{-3}$": "x2≤10−3",
    r"$a \in A \cup B \to \infty$": "a∈A∪B→∞",
    r"utilisation $\rho$ of all": "utilisationρofall",
}
FOUND = ("time (µs)", "an annotation", "12000", "a series", "Größe", "upright")


@pytest.fixture(scope="module")
def plot(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], list[Any], list[str]]:
    """The texts as matplotlib has placed them, as Chromium shows them, and the words that it finds in the page."""
    folder = tmp_path_factory.mktemp("text")
    space = Space(folder / "book")
    space.write({"visuals/plot.py": PLOT}).question(
        "plot", "kind: matplotlib, source: plot.py, alt: words and formulas"
    )
    ran = space.run()
    assert ran.code == 0, ran.err
    (figure,) = json.loads(space.read("build/manifest.json"))["figures"]
    with browser.page(folder / "fonts", browser.liberation(), pixels=2) as page:
        page.set_content(space.read("build/global/plot.svg"))
        shown = json.loads(page.evaluate(READ))
        find = "words => { getSelection().removeAllRanges(); return find(words) }"
        findable = [phrase for phrase in FOUND if page.evaluate(find, phrase)]
    return list(figure["facts"].values()), shown, findable


def bare(text: str) -> str:
    return "".join(text.split())


def test_every_text_of_a_plot_can_be_read_and_selected(plot: Any) -> None:
    placed, shown, findable = plot
    read = [bare(text["words"]) for text in shown]
    assert sorted(read) == sorted(bare(READS.get(label, label)) for label, *_ in placed)
    assert [bare(text["selected"]) for text in shown] == read
    assert findable == list(FOUND)


def test_it_stands_where_matplotlib_has_put_it(plot: Any) -> None:
    """From the first letter to the end of the last, within 1 px; across a line the baseline is inside."""
    placed, shown, _ = plot
    wrong = []
    for label, x0, y0, x1, y1 in placed:
        here = [t for t in shown if bare(t["words"]) == bare(READS.get(label, label))]
        nearest = min(here, key=lambda t: abs(t["x0"] - x0) + abs(t["y0"] - y0))
        ends = (
            ((nearest["y0"], y0), (nearest["y1"], y1))
            if nearest["turned"]
            else ((nearest["x0"], x0), (nearest["x1"], x1))
        )
        slack = 1.5 if "frac" in label else 0.75  # points: 1 px, and what a fraction's rule is longer
        if any(abs(got - meant) > slack for got, meant in ends):
            wrong.append((label, ends))
        across = (nearest["x0"], x0, x1) if nearest["turned"] else (nearest["y1"], y0, y1)
        if not across[1] <= across[0] <= across[2] + 0.75:
            wrong.append((label, across))
    assert not wrong, "\n".join(map(str, wrong))


def test_a_formula_of_tall_signs_is_drawn(space: Space, tmp_path: Path) -> None:
    """Radicals and large brackets have no place in a text font; all others stay words."""
    lines = {"tall": r"$\sqrt{x}$", "big": r"$\left(\frac{a}{b}\right)$", "plain": r"$\frac{a}{b} \cdot c$"}
    source = (
        "from matplotlib.figure import Figure\n\n\ndef draw(words: str):\n    figure = Figure()\n"
        "    figure.text(0.5, 0.5, words)\n    return figure\n"
    )
    space.write({"visuals/plot.py": source})
    for name, formula in lines.items():
        space.question(
            name, f"kind: matplotlib, source: plot.py, alt: one formula, params: {{words: '{formula}'}}"
        )
    assert space.run().code == 0
    assert {name: "<text" in space.read(f"build/global/{name}.svg") for name in lines} == {
        "tall": False,
        "big": False,
        "plain": True,
    }


SYLLABLES = (
    "declared",
    "its",
    "question",
    "and",
    "sources",
    "are",
    "wide",
    "WORK",
    "iii",
    "Größe",
    "of",
    "fit",
)


def centred_labels() -> str:
    """A graph with 50 nodes and 100 centred lines, every third with a bold run and an italic one."""
    nodes = []
    for number in range(50):
        first, second = (
            " ".join(
                SYLLABLES[(number * 5 + step * 7 + part) % len(SYLLABLES)]
                for step in range(1 + number % 4 + part)
            )
            for part in (0, 1)
        )
        if number % 3 == 0:
            second = f"{second} <b>bold</b> then <i>slanted</i>"
        nodes.append(f"n{number} [label=<<b>{first}</b><br/>{second}>]")
    return "graph { node [shape=box] " + "\n".join(nodes) + "}"


def test_centred_lines_of_html_like_labels_stand_in_the_middle_of_their_box(
    space: Space, tmp_path: Path
) -> None:
    space.write({"visuals/g.dot": centred_labels()}).question(
        "g", "source: g.dot, engine: osage, alt: many boxes"
    )
    ran = space.run()
    assert ran.code == 0, ran.err
    read = """() => [...document.querySelectorAll('svg polygon')].map(box => {
      const rows = {}, at = box.getBBox();
      for (const text of box.parentNode.querySelectorAll('text')) {
        const row = rows[text.getAttribute('y')] ??= [1e9, -1e9];
        row[0] = Math.min(row[0], text.getStartPositionOfChar(0).x);
        row[1] = Math.max(row[1], text.getEndPositionOfChar(text.getNumberOfChars() - 1).x);
      }
      return Object.values(rows).map(([left, right]) => (left + right) / 2 - (at.x + at.width / 2));
    }).flat()"""
    with browser.page(tmp_path / "fonts", browser.liberation(), pixels=2) as page:
        page.set_content(space.read("build/global/g.svg"))
        away = page.evaluate(read)
    assert len(away) == 100
    assert max(map(abs, away)) * 4 / 3 < 0.5, sorted(away)  # px; the drawing is in points
