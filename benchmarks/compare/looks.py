"""Pictures in Chromium: what axe finds in them on light and dark pages, and a sheet that shows them side by side."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

LIGHT, DARK = "#ffffff", "#0d1117"
RULES = ("color-contrast", "image-alt", "svg-img-alt", "role-img-alt")
TYPES = {".svg": "image/svg+xml", ".png": "image/png"}
QUIET = ("--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")


def _arguments() -> list[str]:
    as_root = hasattr(os, "getuid") and os.getuid() == 0
    return [*QUIET, *(["--no-sandbox"] if as_root else [])]


def _page(body: str, background: str) -> str:
    ink = "#1f2328" if background == LIGHT else "#e6edf3"
    return (
        f"<!doctype html><html lang=en><title>Figures</title><body style='margin:0;background:{background};"
        f"color:{ink};font:16px sans-serif'><main><h1>Figures</h1>{body}</main>"
    )


def _inline(path: Path) -> str:
    """The SVG element of a file, without what comes before it."""
    text = path.read_text(encoding="utf-8")
    return text[text.index("<svg") :]


def found_by_axe(browser: str, paths: Mapping[str, Sequence[Path]]) -> dict[str, int]:
    """How many elements break one of RULES. paths: pictures by the background of their page; each is in the page."""
    counts = {}
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser, args=_arguments())
        for background, some in paths.items():
            page = running.new_page(viewport={"width": 1200, "height": 900})
            body = "".join(map(_inline, some))
            page.set_content(_page(body, background))
            answer = Axe().run(page, options={"runOnly": {"type": "rule", "values": list(RULES)}}).response
            counts[background] = sum(len(rule["nodes"]) for rule in answer["violations"])
            page.close()
        running.close()
    return counts


def sheet(browser: str, rows: Sequence[Sequence[tuple[str, str, Path]]], to: Path) -> None:
    """A picture of pictures, in rows. Each is (words below it, background, file)."""
    cells = []
    for row in rows:
        for words, background, path in row:
            data = base64.b64encode(path.read_bytes()).decode()
            ink = "#1f2328" if background == LIGHT else "#e6edf3"
            cells.append(
                f"<figure style='background:{background};color:{ink}'><div>"
                f"<img src='data:{TYPES[path.suffix]};base64,{data}'></div>"
                f"<figcaption>{words}</figcaption></figure>"
            )
    style = (
        f"body{{margin:0;display:grid;grid-template-columns:repeat({len(rows[0])},300px);font:13px sans-serif}}"
        "figure{margin:0;padding:10px;box-sizing:border-box;display:flex;flex-direction:column}"
        "div{height:210px;display:flex;align-items:center;justify-content:center}"
        "img{max-width:280px;max-height:210px}figcaption{text-align:center;padding-top:8px}"
    )
    html = f"<!doctype html><style>{style}</style><body>{''.join(cells)}"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser, args=_arguments())
        size = {"width": 300 * len(rows[0]), "height": 262 * len(rows)}
        page = running.new_page(viewport=size)  # type: ignore[arg-type]
        page.set_content(html, wait_until="load")
        page.screenshot(path=str(to), full_page=True)
        running.close()
