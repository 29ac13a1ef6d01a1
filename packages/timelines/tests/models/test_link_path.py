"""Transfers through a chain: by closed form, and byte after byte through queues of events."""

from __future__ import annotations

import heapq
from itertools import pairwise
from math import fsum

import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.models import link_path
from figmill_timelines.models.link_path import ChainLink

LINKS = st.lists(
    st.builds(ChainLink, st.just("x"), st.floats(0.5, 100), st.floats(0, 10)), min_size=1, max_size=6
)


def by_events(links: list[ChainLink], sizes: list[float]) -> float:
    """When the last chunk arrives: arrivals in a heap, each link with a queue of its own."""
    events = [(0.0, n, 0) for n in range(len(sizes))]  # (time, chunk, link that it has reached)
    free, done = [0.0] * len(links), 0.0
    while events:
        time, chunk, at = heapq.heappop(events)
        if at == len(links):
            done = max(done, time)
            continue
        free[at] = max(free[at], time) + sizes[chunk] / links[at].rate
        heapq.heappush(events, (free[at] + links[at].latency, chunk, at + 1))
    return done


@examples(40, 200, LINKS, st.floats(1, 100), st.integers(1, 30), st.floats(0, 0.99))
def test_a_transfer_is_what_events_find(
    links: list[ChainLink], chunk: float, count: int, rest: float
) -> None:
    size = chunk * (count + rest)
    sizes = [chunk] * count + ([size - chunk * count] if rest > 1e-6 else [])
    assert link_path.transfer(links, size, chunk).seconds == pytest.approx(by_events(links, sizes))


@settings(max_examples=200, deadline=None)
@given(LINKS, st.floats(1, 100), st.integers(1, 30))
def test_equal_chunks_take_the_closed_form(links: list[ChainLink], chunk: float, count: int) -> None:
    slow = min(link.rate for link in links)
    closed = fsum(link.latency + chunk / link.rate for link in links) + (count - 1) * chunk / slow
    assert link_path.transfer(links, chunk * count, chunk).seconds == pytest.approx(closed)
    whole = fsum(link.latency + chunk * count / link.rate for link in links)
    assert link_path.transfer(links, chunk * count).seconds == pytest.approx(whole)


@settings(max_examples=100, deadline=None)
@given(LINKS, st.floats(1, 1000), st.floats(1, 100))
def test_no_transfer_beats_its_slowest_link_and_every_byte_passes(
    links: list[ChainLink], size: float, chunk: float
) -> None:
    transfer = link_path.transfer(links, size, chunk)
    assert transfer.seconds >= size / link_path.slowest(links).rate * (1 - 1e-9)
    for link, spans in zip(links, transfer.busy, strict=True):
        assert fsum(end - start for start, end in spans) * link.rate == pytest.approx(size)
        assert all(a[1] <= b[0] + 1e-9 for a, b in pairwise(spans))


def test_chunks_without_number_are_refused() -> None:
    with pytest.raises(ValueError, match="chunks are too many"):
        link_path.transfer([ChainLink("x", 1)], 1e9, 1)


def test_facts_name_the_bottleneck() -> None:
    facts = link_path.facts([ChainLink("a", 10), ChainLink("b", 2, 1), ChainLink("c", 5)], 100, 10)
    assert (facts["bottleneck"], facts["store_and_forward_s"], facts["chunks"]) == ("b", 81, 10)
    assert facts["transfer_s"] == pytest.approx(1 + 1 + 5 + 2 + 9 * 5)
    assert facts["efficiency"] == pytest.approx(50 / 54)


def test_links_that_are_coded_lose_what_the_code_takes() -> None:
    """PCIe 3.0 to 5.0 at 8, 16 and 32 GT/s a lane in 128b/130b; USB 3.2 Gen 2 at 10 Gb/s in 128b/132b."""
    for name, giga in (("PCIe 3.0 x16", 8), ("PCIe 4.0 x16", 16), ("PCIe 5.0 x16", 32)):
        assert link_path.KNOWN[name].gb_s == pytest.approx(16 * giga * 128 / 130 / 8, rel=2e-3)
    assert link_path.KNOWN["USB 3.2 Gen 2"].gb_s == pytest.approx(10 * 128 / 132 / 8, rel=2e-3)
    assert link_path.KNOWN["DDR5-4800"].gb_s == pytest.approx(4.8 * 64 / 8)
    assert all(link.what for link in link_path.KNOWN.values())
