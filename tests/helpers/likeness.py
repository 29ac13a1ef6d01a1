"""Whether a published figure is the same picture as the drawing that it was made of, as Chromium shows both.

All families of fonts are one here, so that a difference is no matter of fonts. Pictures are compared with a few px of
slack: each spot of one must be found near the same place of the other. Words are compared letter by letter.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helpers import browser
from PIL import Image, ImageChops, ImageFilter
from playwright.sync_api import Page

BLUR = 1.5  # px, so that half a px to the side says nothing
CELL = 2  # px that are looked at together
REACH = 7  # cells across, in which a spot must be found again: 6 px to each side
TOLERANCE = 32  # of 255, in one colour
SPOTS = 16  # cells that may differ: less than a short word, or than a small shape
LARGEST = 3200  # px of a side
FACES = re.compile(r"@font-face\s*\{[^}]*\}|@import[^;]*;")
CODE = re.compile(
    r"(font-family\s*[:=]\s*[\"']?\s*)"
    r"(?:SFMono-Regular|Cascadia|Consolas|Menlo|Courier New|Courier|Source Code Pro)\b",
    re.I,
)
# The text that is rendered: numbers of lists are, what <switch> leaves out is not.
READ = """() => {
  const found = [], walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node; node = walker.nextNode();) {
    const above = node.parentElement, range = document.createRange();
    if (!above || above.closest('title, desc, style, script, metadata, defs')) continue;
    range.selectNodeContents(node);
    const style = getComputedStyle(above);
    if (style.visibility !== 'visible' || ![...range.getClientRects()].some(box => box.width > 0)) continue;
    const words = node.data.replace(/[\\u200b\\u00ad]/g, '');
    found.push(style.textTransform === 'uppercase' ? words.toUpperCase() : words);
  }
  for (const item of document.querySelectorAll('ol > li')) {
    const at = [...item.parentElement.children].filter(child => child.localName === 'li').indexOf(item);
    const first = Number(item.parentElement.getAttribute('start') || 1);
    if (item.getClientRects().length && getComputedStyle(item).listStyleType === 'decimal')
      found.push(`${first + at}.`);
  }
  return found;
}"""


@dataclass(frozen=True)
class Looks:
    """What a reader sees: the picture, and the words in it."""

    picture: Image.Image
    words: tuple[str, ...]


@contextmanager
def reader(folder: Path) -> Iterator[Page]:
    """A browser in which all families of fonts are the book's, and no script of a drawing runs."""
    fonts = (*browser.liberation(), *browser.dejavu())
    with browser.page(folder / "fonts", fonts, aliases=browser.ALIASES, scripts=False) as page:
        page.route(re.compile("^https?:"), lambda route: route.abort())
        yield page


def looks(page: Page, svg: bytes, size: tuple[float, float], folder: Path, ground: str = "") -> Looks:
    """A drawing as a page of this size (px) and colour shows it; without the fonts that it brings."""
    file = folder / "shown.svg"
    text = svg.decode("latin-1")
    file.write_bytes(CODE.sub(r"\1monospace", FACES.sub("", text)).encode("latin-1"))
    width, height = (max(1, min(LARGEST, round(side))) for side in size)
    page.set_viewport_size({"width": width, "height": height})
    page.goto(file.as_uri())
    # Fractional widths of letters.
    page.evaluate("document.documentElement.style.textRendering = 'geometricPrecision'")
    if ground:
        page.evaluate("colour => { document.documentElement.style.background = colour; }", ground)
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    return Looks(picture, tuple(page.evaluate(READ)))


def spots(one: Image.Image, other: Image.Image) -> int:
    """How many cells of either picture are not found near the same place of the other."""
    blurred = [picture.filter(ImageFilter.GaussianBlur(BLUR)) for picture in (one, other)]
    small = [picture.resize(_cells(one), Image.Resampling.BOX) for picture in blurred]
    return _lost(*small) + _lost(*small[::-1])


def _cells(picture: Image.Image) -> tuple[int, int]:
    return max(1, picture.width // CELL), max(1, picture.height // CELL)


def _lost(one: Image.Image, other: Image.Image) -> int:
    low, high = other.filter(ImageFilter.MinFilter(REACH)), other.filter(ImageFilter.MaxFilter(REACH))
    apart = ImageChops.lighter(ImageChops.subtract(low, one), ImageChops.subtract(one, high))
    worst = Image.new("L", one.size)
    for channel in apart.split():
        worst = ImageChops.lighter(worst, channel)
    return sum(worst.histogram()[TOLERANCE:])


def letters(looked: Looks) -> Counter[str]:
    return Counter("".join("".join(looked.words).split()).casefold())


def differences(before: Looks, after: Looks) -> list[str]:
    """What is not the same, in words; empty where a reader sees one picture."""
    reasons = []
    lost = spots(before.picture, after.picture)
    if lost > SPOTS:
        reasons.append(f"{lost} spots of the picture differ")
    if letters(before) != letters(after):
        gone, new = words(before) - words(after), words(after) - words(before)
        reasons.append(f"words lost: {sorted(gone)[:8]}, words that are new: {sorted(new)[:8]}")
    return reasons


def words(looked: Looks) -> Counter[str]:
    return Counter(word for text in looked.words for word in text.split())
