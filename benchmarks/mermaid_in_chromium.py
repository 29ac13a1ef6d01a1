"""The words of Mermaid's diagrams in figmill's figures, label by label, beside those that Mermaid shows in Chromium."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from figmill.kind.stated import Label
from figmill.publish.not_drawn import missing
from figmill.svg import Sheet, normalise
from figmill_kinds.mermaid.renderer import MERMAID as MERMAID_SCRIPT

# Mermaid in Chromium draws each source, and gives the words of each label as a reader sees them.
BROWSER_PAGE = """<!doctype html><meta charset="utf-8"><div id="place"></div><pre id="out"></pre><script>%s</script><script>
const api = globalThis.mermaid;
api.initialize({ startOnLoad: false, sequence: { mirrorActors: false } });  // as in figures
const wordsOf = (label) => (label.tagName === "text" ? label.textContent : label.firstElementChild?.innerText ?? "").trim();
(async () => {
  const labelsOf = {};
  for (const [name, text] of %s) {
    try {
      const { svg } = await api.render("figure", text), place = document.getElementById("place");
      place.innerHTML = svg;
      const isSpare = (label) => label.tagName === "text" && (label.closest("foreignObject") || label.closest("switch")?.querySelector("foreignObject"));
      const labels = [...place.querySelectorAll("text, foreignObject")].filter((label) => !isSpare(label));
      labelsOf[name] = labels.map(wordsOf).filter(Boolean);
    } catch { labelsOf[name] = null; }
  }
  document.getElementById("out").textContent = JSON.stringify(labelsOf);
})();
</script>"""  # noqa: E501
CHROMIUM = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=200000",
    "--dump-dom",
)


def words_in_browser(sources: Mapping[str, str], folder: Path) -> dict[str, list[str] | None]:
    """The labels of each diagram of Mermaid in Chromium; None for one that it cannot draw."""
    script = MERMAID_SCRIPT.read_text("utf-8")
    rows = json.dumps([*sources.items()]).replace("</", "<\\/")
    page = folder / "words.html"
    page.write_text(BROWSER_PAGE % (script.replace("</script", "<\\/script"), rows))
    browser = (
        os.environ.get("CHROMIUM")
        or shutil.which("chromium-headless-shell")
        or shutil.which("chromium")
        or ""
    )
    command = (browser, *CHROMIUM, f"--user-data-dir={folder / 'browser'}", page.as_uri())
    dumped = subprocess.run(command, check=True, capture_output=True, text=True, timeout=900).stdout
    shown = re.search(r'<pre id="out">(.*?)</pre>', dumped, re.DOTALL)
    assert shown is not None
    labels: dict[str, list[str] | None] = json.loads(html.unescape(shown[1]))
    return labels


def against_browser(root: Path, ids: dict[str, tuple[str, str, str]]) -> Iterator[str]:
    """The words of diagrams of Mermaid that stand in Chromium's picture or in figmill's, and not in the other."""
    paths = {id_: root / path for id_, (kind, _, path) in ids.items() if kind == "mermaid"}
    theirs = words_in_browser({id_: path.read_text() for id_, path in paths.items()}, root.parent)
    compared = 0
    for id_, labels in theirs.items():
        picture = next((root / "build").rglob(f"{id_}.svg"), None)
        if labels is None or picture is None:
            continue
        compared += 1
        ours = normalise(picture.read_bytes(), Sheet("words", "", "")).texts
        for label in missing(map(Label, labels), ours):
            yield f"- `{paths[id_].name}`: only in Chromium: {' '.join(label.text.split())}"
        for label in missing(map(Label, ours), labels):
            yield f"- `{paths[id_].name}`: only in figmill: {' '.join(label.text.split())}"
    yield f"{compared} diagrams of Mermaid compared with Chromium, label by label"
