"""The first source that `new --kind vega-lite` writes."""

from __future__ import annotations

from figmill.kind import Starter

STARTER = Starter(
    ".vl.json",
    b"""\
{
  "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
  "title": "Requests served in a second",
  "width": 280, "height": 160,
  "data": {"values": [
    {"workers": 1, "requests": 90},
    {"workers": 2, "requests": 170},
    {"workers": 4, "requests": 310}
  ]},
  "mark": "bar",
  "encoding": {
    "x": {"field": "workers", "type": "ordinal", "axis": {"labelAngle": 0}},
    "y": {"field": "requests", "type": "quantitative"}
  }
}
""",
    alt="Bars: one worker serves 90 requests in a second, two serve 170 and four serve 310.",
)
