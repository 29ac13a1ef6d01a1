"""The numbers of a text, and what a figure near it says of them."""

from __future__ import annotations

import pytest
from helpers.cases import cases

from figmill.claims import bind, names
from figmill.claims.bind import BOUND, CONTRADICTED, ELSEWHERE, UNBACKED, NearbyFigure
from figmill.claims.context import OWN, PAGE, PROSE
from figmill.claims.messages import message
from figmill.claims.numbers import numbers
from figmill.claims.offers import offers

FACTS = {
    "bubble_fraction": 0.428571428571,
    "makespan": 14.0,
    "idle_time": 24.0,
    "epoch_ms": 7654.5,
    "weights_bytes": 26e9,
    "requests_paged": 14,
    "peak_activations": [4, 3, 2, 1],
    "nodes": 5,
}
PARAMS = {"devices": 4, "microbatches": 4, "slo_ms": 200, "size_mb": 256}
FIGURE = NearbyFigure("bub", offers(FACTS, PARAMS, ["idle: 24 of 56 cells", "10 ms", "to B 2.5 ms"]))


def verdicts(text: str, kind: str = OWN) -> dict[str, str]:
    """Number as written -> its verdict."""
    return {claim.number.text: claim.verdict for claim in bind.claims(text, [FIGURE], kind=kind)}


@cases(
    ("text", "values"),
    [
        ("0.43", [(0.425, 0.435, "")]),
        ("43 %", [(0.425, 0.435, "%")]),
        ("43 percent of it", [(0.425, 0.435, "%")]),
        ("3/7 and four", [(3 / 7, 3 / 7, "%"), (4, 4, "")]),
        ("about 40 steps", [(35, 45, "")]),
        ("a third, twice", [(1 / 3, 1 / 3, "%"), (2, 2, "x")]),
        ("1 024 tokens, 138,357,544 weights", [(1024, 1024, ""), (138357544, 138357544, "")]),
        ("2 min or 90 s", [(90, 150, "s"), (89.5, 90.5, "s")]),
        ("1.5 GiB", [(1.45 * 2**30, 1.55 * 2**30, "B")]),
        ("at most 5 GB", [(-bind_inf, 5.5e9, "B")] if (bind_inf := float("inf")) else []),
        ("memory ≤ 5 GB", [(-float("inf"), 5.5e9, "B")]),
        ("memory >5 GB", [(4.5e9, float("inf"), "B")]),
        ("twenty-one nodes", [(21, 21, "")]),
    ],
)
def test_a_number_stands_for_the_values_that_are_written_so(
    text: str, values: list[tuple[float, float, str]]
) -> None:
    ranges = [(number.low, number.high, number.unit) for number in numbers(text)]
    assert [unit for *_, unit in ranges] == [unit for *_, unit in values]
    for (low, high, _), (least, most, _) in zip(ranges, values, strict=True):
        assert low == pytest.approx(least) and high == pytest.approx(most)


@cases(
    "text",
    [
        "rank 4, step 2 and GPU 0",
        "version 2.1, version 2.1.0, v3, GPT-3, arXiv:2407.12345",
        "`four = 4` and {bubble_fraction:.2f}",
        "on 2026-11-28 at 12:30, in 2024",
        "(P - 1) / (M + 3) and 2 x 4 + 1",
        "one of them",
        "ranks 1, 3, 5 and 7",
        "almost half",
    ],
)
def test_names_code_and_formulas_are_no_quantities(text: str) -> None:
    assert numbers(text) == []


@cases(
    ("text", "number", "verdict"),
    [
        ("Four devices and four microbatches.", "Four", BOUND),
        ("Five devices.", "Five", CONTRADICTED),
        ("The bubble is 0.43 of the device time.", "0.43", BOUND),
        ("The bubble is 0.45 of the device time.", "0.45", CONTRADICTED),
        ("GPipe loses 43 % of the time.", "43 %", BOUND),
        ("GPipe loses 61 % of the time.", "61 %", CONTRADICTED),
        ("The bubble is 3/7.", "3/7", BOUND),
        ("57 % of the time is busy.", "57 %", BOUND),  # the rest to one
        ("The run takes 14 steps.", "14", BOUND),
        ("The run takes 99 steps.", "99", CONTRADICTED),
        ("An epoch lasts 7.65 s.", "7.65 s", BOUND),
        ("An epoch lasts 7.65 ms.", "7.65 ms", CONTRADICTED),
        ("An epoch lasts 7 655 ms.", "7 655 ms", BOUND),
        ("The weights take 26 GB.", "26 GB", BOUND),
        ("The weights take 26 MB.", "26 MB", CONTRADICTED),
        ("AllReduce of 256 MB.", "256 MB", BOUND),  # a param whose name leaves out how it is written
        ("24 of 56 cells are idle.", "24", BOUND),
        ("24 cells are idle.", "24", BOUND),
        ("The two devices that wait.", "two", UNBACKED),  # some of the four
        ("The nine devices that wait.", "nine", CONTRADICTED),  # more than all
        ("Two GPUs each.", "Two", UNBACKED),
        ("It would take eight devices.", "eight", UNBACKED),
        ("At 90 % load it waits.", "90 %", UNBACKED),
        ("Twelve apples.", "Twelve", UNBACKED),
        ("Under 100 apples.", "100", UNBACKED),  # which most values would fit
    ],
)
def test_a_figures_own_text(text: str, number: str, verdict: str) -> None:
    assert verdicts(text)[number] == verdict


@pytest.mark.parametrize(
    ("text", "number", "kind", "verdict"),
    [
        ("With eight devices the bubble takes 55.0 % of the time.", "eight", PAGE, CONTRADICTED),
        ("With eight devices the bubble takes 55.0 % of the time.", "55.0 %", PAGE, CONTRADICTED),
        ("With eight devices it would be 0.64.", "eight", PAGE, UNBACKED),
        ("With 11 microbatches it is half as much.", "11", PROSE, UNBACKED),
        ("A forward of two microbatches.", "two", PROSE, UNBACKED),
        ("What do two microbatches change?", "two", PROSE, UNBACKED),
        ("A step takes 500 ms, as long as a lunch.", "500 ms", PROSE, UNBACKED),
        ("Of the device time, 43 % is lost to the bubble.", "43 %", PROSE, BOUND),
        ("64 heads and 8 heads of keys.", "8", PROSE, UNBACKED),
        ("When two nodes are placed on one line, add one.", "two", PAGE, UNBACKED),
        ("The diagram has two nodes.", "two", PAGE, CONTRADICTED),
        ("Two microbatches go down and two go up.", "Two", PROSE, UNBACKED),
        ("Nine microbatches go down and two go up.", "Nine", PROSE, CONTRADICTED),
        ("Three devices share one link.", "Three", PROSE, UNBACKED),
        ("Three devices wait for one link.", "Three", PROSE, CONTRADICTED),
        ("It serves 14 MB of them.", "14 MB", PROSE, UNBACKED),  # `requests_paged` is no size
    ],
)
def test_prose_is_read_with_more_care(text: str, number: str, kind: str, verdict: str) -> None:
    assert verdicts(text, kind)[number] == verdict
    claims = bind.claims(text, [FIGURE], kind=kind, false_only=True)
    false = [claim.number.text for claim in claims if claim.verdict == CONTRADICTED]
    assert (number in false) == (verdict == CONTRADICTED)


def test_the_message_says_both() -> None:
    text = "GPipe loses 61 % of the device time."
    (claim,) = bind.claims(text, [FIGURE])
    assert message(text, claim) == f"'{text}' says 61 %, but bubble_fraction of 'bub' is 43 %"
    text = "It takes 9.0 s."
    (claim,) = bind.claims(text, [FIGURE])
    assert message(text, claim).endswith("but epoch_ms of 'bub' is 7.7 s")


def test_a_number_may_come_from_another_figure_of_the_page() -> None:
    other = NearbyFigure("other", offers({"throughput_per_s": 973.0}, {}))
    (claim,) = bind.claims("It serves 973 requests/s.", [FIGURE], [other], kind=PAGE)
    assert (claim.verdict, claim.figure) == (ELSEWHERE, "other")


def test_a_rounded_label_does_not_confirm_a_finer_number() -> None:
    shown = NearbyFigure("a", offers({"idle_fraction": 0.2727}, {}, ["27 % idle"]))
    verdict = {
        text: bind.claims(text, [shown])[0].verdict for text in ("27.3 % idle", "26.9 % idle", "27 % idle")
    }
    assert verdict == {"27.3 % idle": BOUND, "26.9 % idle": CONTRADICTED, "27 % idle": BOUND}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The `Quue` grows.", ["'f' has no label 'Quue'; did you mean 'Queue'?"]),
        ('The "Sheduler" decides.', ["'f' has no label 'Sheduler'; did you mean 'Scheduler'?"]),
        ("The `Queue` and the `Queues`.", []),
        ("The `queue` of `Rank 3`, and `Writer`.", []),
        ("`SmartFields`, broken into two lines.", []),
        ("The Quue without quotes.", []),
        ("A `Wride` is no `write`.", []),
    ],
)
def test_a_name_that_is_almost_a_label(text: str, expected: list[str]) -> None:
    labels = {"f": ("Queue", "Scheduler", "Rank 4", "write", "Smart Fields")}
    assert [message for *_, message in names.unknown(text, labels)] == expected
