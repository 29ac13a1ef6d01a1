"""`serve` marks the numbers in a figure's texts that turn false while a control moves."""

from __future__ import annotations

import json
import re
import time

from helpers.book import Space
from helpers.bubble import BUBBLE
from helpers.served import serving

QUESTION = """\
id: bub
title: The bubble
visual:
  kind: dot
  source: bubble.py
  params: {devices: 4, microbatches: 4}
  alt: Chart of four devices. The bubble takes 0.43 of the device time, and {idle_time:.0f} cells are idle.
  caption: A step takes 14 units.
"""


def test_what_a_control_makes_false_is_marked(space: Space) -> None:
    space.write({"visuals/bubble.py": BUBBLE, "questions/bub.yaml": QUESTION})
    with serving(space) as served:
        ours = served.enter()

        def marked(html: str) -> list[str]:
            return re.findall(r'<mark title="[^"]*">([^<]*)</mark>', html)

        def texts(**params: int) -> str:
            body = json.dumps({"page": "p", "params": params}).encode()
            answer = served.ask("/what-if/bub", ours, "POST", body).json
            return str(answer["parts"]["texts"])

        while b"24 cells" not in (page := served.ask("/figure/bub", ours).body):
            time.sleep(0.1)
        assert marked(page.decode()) == []
        assert marked(texts(devices=4)) == []
        moved = texts(devices=8, microbatches=4)
        assert marked(moved) == ["four", "0.43", "14"] and "112 cells" in moved
        assert "devices of &#x27;bub&#x27; is 8" in moved
