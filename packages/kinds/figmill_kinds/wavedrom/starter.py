"""The first source that `new --kind wavedrom` writes."""

from __future__ import annotations

from figmill.kind import Starter

_SOURCE = b"""\
{
  signal: [
    {name: 'clk', wave: 'p......'},
    {name: 'request', wave: '01...0.'},
    {name: 'address', wave: 'x3...x.', data: 'A'},
    {name: 'ready', wave: '0..10..'},
    {name: 'data', wave: 'x...5x.', data: 'D'},
  ],
  config: {hscale: 1},
}
"""

STARTER = Starter(
    ".wavedrom",
    _SOURCE,
    alt="A request with an address is held for four cycles. Ready answers in the third, and the data follow.",
    more=("expect: {signals: 5, ticks: 7}",),
)
