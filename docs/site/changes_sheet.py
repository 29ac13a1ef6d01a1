"""Draws docs/pictures/changes-merged.png: five changes as one picture each, light and dark.

`.venv/bin/python docs/site/changes_sheet.py` builds two books in a temporary folder, one before and one after.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from figmill.compare import pictures
from figmill.compare.merged import merged

SHEET = Path(__file__).parents[1] / "pictures" / "changes-merged.png"
WIDTH, TALLEST, GAP = 440, 420, 12  # px of a picture, and between two
COLOURS = 256
PIPELINE = """digraph {
  rankdir=LR; node [shape=box, style=rounded];
  Upload -> "Virus check"; "Object store" -> "Search index";
  "Virus check" -> "Object store" [label="clean"];
}"""
ORDER = """flowchart LR
  A[Order placed] --> B{In stock?}
  B -- yes --> C[Reserve items]
  B -- no --> D[Back order]
  D --> C
"""
QUEUE = """digraph {
  rankdir=LR; node [shape=box];
  "Web shop" -> "Message queue" -> "Billing";
  "Message queue" -> "Shipping";
}"""
LADDER = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 440 190" font-size="15">
  <marker id="m" refX="9" refY="5" markerWidth="9" markerHeight="9" viewBox="0 0 10 10" orient="auto">
    <path d="M0 0L10 5L0 10z" fill="#767c83"/>
  </marker>
  <g text-anchor="middle" fill="#2b2b2b">
    <g fill="#cfe2f3" stroke="#4a90c4">
      <rect x="20" y="20" width="110" height="44" rx="6"/>
      <rect x="165" y="20" width="110" height="44" rx="6"/>
      <rect x="X0" y="Y0" width="110" height="44" rx="6"/>
    </g>
    <text x="75" y="47">Browser</text>
    <text x="220" y="47">Cache</text>
    <text x="X1" y="Y1">Origin</text>
  </g>
  <g fill="none" stroke="#767c83" stroke-width="1.5" marker-end="url(#m)">
    <path d="M130 42H164"/>
    <path d="LINE"/>
  </g>
</svg>"""
STATES = """stateDiagram-v2
  [*] --> Idle
  Idle --> Running: start
  Running --> Paused: pause
  Paused --> Running: resume
  Running --> Failed: error
"""


def placed(x: int, y: int, line: str) -> str:
    text = LADDER.replace("X0", str(x)).replace("Y0", str(y)).replace("LINE", line)
    return text.replace("X1", str(x + 55)).replace("Y1", str(y + 27))


# The file of each figure, before and after.
CHANGES = {
    "added.dot": (
        PIPELINE,
        PIPELINE.replace("\n}", '\n  "Virus check" -> Quarantine [label="infected"];\n}'),
    ),
    "removed.mmd": (ORDER, ORDER.replace("  D --> C\n", "")),
    "renamed.dot": (QUEUE, QUEUE.replace("Message queue", "Event bus")),
    "moved.svg": (placed(310, 20, "M275 42H309"), placed(165, 130, "M220 64V129")),
    "several.mmd": (
        STATES,
        STATES.replace("  Running --> Failed: error\n", "  Idle --> Stopped: cancel\n").replace(
            ": pause", ": hold"
        ),
    ),
}


def built(root: Path, side: int) -> None:
    """Write and build the book before (0) or after (1) the changes."""
    for name, sources in CHANGES.items():
        stem = name.partition(".")[0]
        question = f"id: {stem}\ntrack: all\ntitle: {stem}\nvisual: {{source: {name}, alt: An example of a change.}}\n"
        for path, text in ((f"visuals/{name}", sources[side]), (f"questions/{stem}.yaml", question)):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "figmill"], cwd=root, check=True)


def rows(before: Path, after: Path) -> Iterator[list[Image.Image]]:
    """The change of each figure, light and dark."""
    for name in CHANGES:
        row = []
        for theme, suffix in (("light", ".svg"), ("dark", ".dark.svg")):
            path = f"build/all/{name.partition('.')[0]}{suffix}"
            one = merged((before / path).read_bytes(), (after / path).read_bytes(), theme)
            if one is None:
                raise SystemExit(f"the change of {name} is not one picture")
            image = Image.fromarray(pictures.pixels(one.svg, theme, scale=2))
            share = min(1.0, WIDTH / image.width, TALLEST / image.height)
            size = round(image.width * share), round(image.height * share)
            row.append(image.resize(size, Image.Resampling.LANCZOS))
        yield row


def sheet() -> Image.Image:
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        built(before, 0)
        built(after, 1)
        every = list(rows(before, after))
    heights = [max(image.height for image in row) + GAP for row in every]
    page = Image.new("RGB", (2 * WIDTH + 3 * GAP, sum(heights) + GAP), "#767c83")
    top = GAP
    for row, height in zip(every, heights, strict=True):
        for column, image in enumerate(row):
            page.paste(image, (GAP + column * (WIDTH + GAP) + (WIDTH - image.width) // 2, top))
        top += height
    return page


if __name__ == "__main__":
    sheet().quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(SHEET, optimize=True)
