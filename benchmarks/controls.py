"""From moving a slider of a live page to the new picture painted, in Chromium.

`PYTHONPATH=tests python -m benchmarks.controls` prints rows of the table in docs/developers/benchmarks.md. Every
value is new, so each picture is really drawn. The load of the machine counts, so a request without a browser is
measured beside it.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from helpers.book import Space
from helpers.chromium import QUIET, chromium
from helpers.served import Served, serving
from playwright.sync_api import Page, sync_playwright

from benchmarks.resident import showcase

TIMES = 21
LARGE = """\
id: large
title: A schedule of 16 devices and 64 microbatches
visual:
  source: pipeline_bubble.py
  kind: matplotlib
  params: {devices: 16, microbatches: 64, schedule: 1f1b}
  alt: A schedule.
"""
# What is turned: the figure, the parameter, and values that nobody has asked for before.
TURNED = (
    ("worker timeline", "cloud-2849", "jitter", [0.3 + n / 1000 for n in range(TIMES)], 150),
    ("schedule, 16 x 64", "large", "p2p", [0.1 + n / 1000 for n in range(TIMES)], 200),
)
# Sets a number as a slider does, and waits until the picture that it leads to has been painted.
TURN = """async ([name, value]) => {
  const shown = () => document.querySelector("#stage .pane:not([hidden]) img").getAttribute("src");
  const before = shown(), box = document.querySelector(`[data-control="${name}"] input[type=number]`);
  const painted = new Promise((done) => {
    const observer = new MutationObserver(() => {
      if (shown() === before) return;
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));
    });
    observer.observe(document.getElementById("stage"), {childList: true, subtree: true});
  });
  const began = performance.now();
  box.value = value;
  box.dispatchEvent(new Event("input", {bubbles: true}));
  return painted;
}"""


def in_a_page(page: Page, served: Served, figure: str, name: str, values: list[float]) -> list[float]:
    """ms from each move to the picture painted, without the first."""
    page.goto(f"{served.origin}/figure/{figure}")
    page.locator(f'[data-control="{name}"] input[type=number]').wait_for()
    page.wait_for_timeout(1000)
    found = []
    for value in values:
        found.append(float(page.evaluate(TURN, [name, value])))
        page.wait_for_timeout(100)
    return found[1:]


def asked(served: Served, figure: str, name: str, values: list[float]) -> list[float]:
    """ms for the same wishes without a browser."""
    ours, found = served.enter(), []
    for value in values:
        began = time.perf_counter()
        served.wish(ours, figure, **{name: value + 0.0005})
        found.append(1000 * (time.perf_counter() - began))
    return found[1:]


def start() -> float:
    """ms that a bare loop of a million additions takes: some 40 on a quiet machine."""
    began, total = time.perf_counter(), 0
    for number in range(1_000_000):
        total += number
    return 1000 * (time.perf_counter() - began)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        root = showcase(Path(folder))
        (root / "questions/large.yaml").write_text(LARGE, encoding="utf-8")
        browser = started.chromium.launch(executable_path=chromium(), args=list(QUIET))
        with serving(Space(root)) as served:
            page = browser.new_page(viewport={"width": 1300, "height": 900})
            page.goto(served.address)
            for words, figure, name, values, aim in TURNED:
                seen = in_a_page(page, served, figure, name, values)
                bare = asked(served, figure, name, values)
                print(
                    f"{words}: a slider to its picture {statistics.median(seen):.0f} ms "
                    f"({min(seen):.0f} to {max(seen):.0f}), aim {aim}; without a browser "
                    f"{statistics.median(bare):.0f} ms; a loop {start():.0f} ms",
                    flush=True,
                )
        browser.close()


if __name__ == "__main__":
    main()
