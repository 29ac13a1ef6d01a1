"""Words are measured once: a figure is the same as with matplotlib's own measures, and is drawn in less time."""

from __future__ import annotations

import json
import subprocess
import sys

# Measures each word as matplotlib does, and then twice as figmill does; counts how often a font is asked.
MEASURED = """
import io, json
from matplotlib import textpath
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from figmill.kind import typefaces
from figmill.kinds import matplotlib_

import matplotlib
matplotlib.use("agg")
typefaces.register_with_matplotlib(())
own = textpath.TextToPath.get_text_width_height_descent

def drawn():
    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot(title="Latency\\nof all ranks", xlabel="Time", ylabel="kerning AVAVA")
    axes.plot([1, 2], label="$\\\\mu_0$ and words"); axes.legend(); axes.text(0, 1, "two\\nlines", fontsize=7)
    file = io.StringIO()
    figure.savefig(file, format="svg", bbox_inches="tight", metadata=matplotlib_.METADATA)
    return file.getvalue()

words = ["0", "Latency", "AVAVA", "fi", "", "ranks 0 to 7", "grün"]
faces = [FontProperties(family=f, size=s, weight=w) for f in ("Arimo", "DejaVu Sans Mono") for s in (7, 8.5, 12)
         for w in ("normal", "bold")]
measure = lambda: [textpath.text_to_path.get_text_width_height_descent(word, face, False)
                   for face in faces for word in words]
plain = measure()
matplotlib_.settle_matplotlib()
matplotlib_._defaults()
asked = []
get = textpath.get_font
textpath.get_font = lambda *a, **k: asked.append(1) or get(*a, **k)
first, second = measure(), measure()
textpath.get_font = get
cold = drawn()
warm = drawn()
textpath.TextToPath.get_text_width_height_descent = own
print(json.dumps({"same": plain == first == second, "asked": len(asked), "words": len(words),
                  "cold is warm": cold == warm, "as matplotlib": drawn() == warm}))
"""


def test_words_have_the_measures_that_matplotlib_gives_them() -> None:
    told = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert found["same"] and found["cold is warm"] and found["as matplotlib"], found
    assert found["asked"] == 4 * found["words"]  # once for each of the four faces, at any size
