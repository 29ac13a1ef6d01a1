"""Texts that give a quantity in another unit than its drawing: the check `units-differ`."""

from __future__ import annotations

from helpers.book import PLOT, Space
from helpers.cases import cases

from figmill.publish.same_units import differing

DRAWN = ["Two workers", "18.1 ms", "0", "500", "Time in ms", "T = 5.65 s"]


@cases(
    ("alt", "expected"),
    [
        ("It takes 18060 µs.", "'18060 µs' is '18.1 ms' in the drawing"),
        ("It takes 18060 microseconds.", "'18060 µs' is '18.1 ms' in the drawing"),
        ("An epoch of 5648 ms", "'5648 ms' is '5.65 s' in the drawing"),
        ("Half of 0.500 s", "'0.500 s' is '500 ms' in the drawing"),
        ("It takes 18.1 ms.", ""),
        ("It takes 18.2 ms.", ""),
        ("It takes 17 µs, then 18 s.", ""),
        ("At 1000 ms/s", ""),
    ],
)
def test_a_quantity_in_another_unit_than_drawn_is_found(alt: str, expected: str) -> None:
    messages = [message for _, message in differing({"alt": alt}, DRAWN)]
    assert [message.partition(";")[0] for message in messages] == ([expected] if expected else [])


def test_lint_tells_it_at_the_text_and_si_mends_it(space: Space) -> None:
    space.write({"visuals/p.py": PLOT + STATING})
    space.question("wait", "kind: matplotlib, source: p.py, alt: 'A step waits {wait_us:.0f} microseconds.'")
    told = space.run("lint")
    assert "questions/wait.yaml" in told.out and "[units-differ]" in told.out, told.out + told.err
    assert "'18060 µs' is '18.1 ms' in the drawing" in told.out
    space.question("wait", "kind: matplotlib, source: p.py, alt: 'A step waits {wait_us:si}.'")
    assert "units-differ" not in space.run("lint").out


STATING = """

_draw = draw


def draw():
    figure = _draw().figure
    figure.text(0.5, 0.5, "waits 18.1 ms")
    return Drawing(figure, {"wait_us": 18060})
"""
