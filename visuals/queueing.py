"""The hockey stick of a queue: response time grows with load until an SLO breaks, and Little's law below it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill.palette import TEXT, role
from figmill_timelines.bounds import hold
from figmill_timelines.charts.canvas import BODY, SMALL, text_width
from figmill_timelines.models import queues
from figmill_timelines.plots import page, point_labels
from figmill_timelines.plots.plot import Axis, Plot, ink
from figmill_timelines.quantities import number, percent, quantity
from figmill_timelines.titles import titled

NAMES = {"M/M/1": "one server", "M/M/c": "{c} servers", "M/D/1": "equal services", "M/G/1": "cv² = {cv2}"}

OTHERS = (1, 4, 5)  # strokes of compared models; those of the mean and of the SLO are taken


def draw(
    service_per_s: Annotated[float, Interval(ge=0.001, le=1e9)] = 100,
    slo_ms: Annotated[float, Interval(ge=1e-6, le=1e9)] = 200,
    percentile: Annotated[float, Interval(ge=0.5, le=0.9999)] = 0.99,
    model: Literal["M/M/1", "M/M/c", "M/D/1", "M/G/1"] = "M/M/1",
    servers: Annotated[int, Interval(ge=1, le=1000)] = 1,
    cv2: Annotated[float, Interval(ge=0, le=100)] = 1,
    capacity: Annotated[int, Interval(ge=1, le=1000)] | None = None,
    compare: list[str] | None = None,
    arrivals_per_s: Annotated[float, Interval(ge=0, le=1e12)] | None = None,
    title: str = "",
) -> Drawing:
    """Facts: crossing_utilisation, crossing_per_s, mean_at_crossing_ms, tail_over_mean (where the SLO breaks),
    idle_mean_ms, idle_percentile_ms; arrivals_per_s, in_system, in_system_by_little, rejected_fraction ... of the
    marked load. idle_percentile_ms, crossing_utilisation and crossing_per_s of each compared model have its name at
    the end, as in crossing_per_s_mm1.

    service_per_s: requests that each server can serve. slo_ms: the limit of the percentile, which an idle server
    must be able to meet. cv2: of M/G/1, the squared coefficient of variation of a service, 0 or at least 0.005.
    capacity: the most requests inside; others are rejected. compare: further models that serve as many requests a
    second in all. arrivals_per_s: the load that is marked, if not where the SLO breaks. title: what to see.
    """
    hold(draw, locals())
    station = queues.Station(model, service_per_s, servers, cv2, capacity)
    others = [_other(name, station, servers, cv2) for name in _further(compare, model, capacity)]
    most = 1.5 if capacity is not None else 1.0
    crossing = queues.highest_load(station, slo_ms / 1000, percentile, most)
    shown = arrivals_per_s if arrivals_per_s is not None else crossing
    facts: dict[str, Any] = {"idle_mean_ms": 1000 / service_per_s, "most_per_s": station.rate}
    for each in (station, *others):
        name = "idle_percentile_ms" if each is station else f"idle_percentile_ms_{_slug(each)}"
        facts[name] = 1000 * queues.percentile_response(each, 1e-6 * each.rate, percentile)
    others_cross = [_crossing(other, slo_ms / 1000, percentile) for other in others]
    for other, at in zip(others, others_cross, strict=True):
        if at is not None:
            facts[f"crossing_utilisation_{_slug(other)}"] = at / other.rate
            facts[f"crossing_per_s_{_slug(other)}"] = at
    if shown is not None and shown > 0:
        facts |= queues.facts(station, shown, percentile)
    if crossing is not None:
        mean = 1000 * queues.mean_response(station, crossing)
        facts |= {"crossing_utilisation": crossing / station.rate, "crossing_per_s": crossing}
        facts |= {"mean_at_crossing_ms": mean, "tail_over_mean": slo_ms / mean}

    name = f"P{100 * percentile:g}"
    heading = titled(title, _heading(station, slo_ms, name, crossing, most), facts)
    canvas, top = page.start(heading, [], 364 if capacity is None else 436, left=54)
    scale, unit = _unit(slo_ms)
    load = Axis("Load", 0, most, unit="%", scale=100, text=lambda v: f"{100 * v:g}%")
    up = Axis(f"Response time in {unit}", 0, (2.5 if crossing else 1.5) * slo_ms / 1000 * scale)
    plot = Plot(canvas, (54, top + 20, page.WIDTH - page.MARGIN, top + 210), load, up)
    accent = role("accent").line
    slo = slo_ms / 1000 * scale
    marked = [rate / station.rate for rate in (crossing, shown) if rate and rate <= most * station.rate]
    if crossing is not None:
        plot.mark(crossing / station.rate, most)
        whose = f" of {_short(station)}" if others else ""  # each model has a limit of its own
        over, below = f"{name}{whose} over {quantity(slo_ms / 1000, 's')}", plot.box[3] + 13
        canvas.text(plot.box[2], below, over, SMALL, ink(role("error").line), align="right")
    plot.frame(bottom=False)
    loads = sorted({*_loads(most, capacity is None), *marked})
    for n, other in enumerate(others):
        plot.curve(
            [
                (x, scale * queues.percentile_response(other, x * other.rate, percentile))
                for x in loads
                if x < 1
            ],
            *_thin(OTHERS[n]),
            f"{name}, {_name(other)}",
            f"{name}, {_short(other)}",
        )
    of = f", {_short(station)}" if others else ""
    mean_curve = [(x, scale * queues.mean_response(station, x * station.rate)) for x in loads]
    colour, dash = page.stroke(2)
    plot.curve(mean_curve, colour, 1.8, dash, f"mean, {station.model}", f"mean{of}")
    tail_curve = [
        (x, scale * queues.percentile_response(station, x * station.rate, percentile)) for x in loads
    ]
    plot.curve(tail_curve, page.stroke(0)[0], 2, (), f"{name}, {_name(station)}", f"{name}{of}")
    plot.curve([(0, slo), (most, slo)], accent, 1.2)
    promise = f"SLO: {name} at most {number(slo)} {unit}"
    if crossing is None:
        plot.note(0, slo, promise, accent, shift=(4, -9))
    else:
        at = crossing / station.rate
        plot.curve([(at, 0), (at, slo)], accent, 0.8, (2, 2))
        plot.dot(at, slo, accent)
        words = f"{number(crossing)} of {number(station.rate, 6)} requests/s"
        needed = text_width(promise, BODY) + text_width(words, BODY) + 24
        if plot.at(at, slo)[0] - plot.box[0] >= needed:
            plot.note(0, slo, promise, accent, shift=(4, -9))
            plot.note(at, slo, words, accent, "right", (-7, -9))
        else:  # no room before the crossing for both
            plot.note(most, slo, promise, accent, "right", (-4, -9), clear=True)
            plot.note(at, slo, words, accent, "left", (8, 10), clear=True)
    _mark_others(plot, slo, station.rate, others_cross)
    plot.write_labels(inside=True)
    below = Axis("Requests in the system, waiting or served", 0, _ceiling(station, loads, shown))
    inside = Plot(canvas, (54, top + 246, page.WIDTH - page.MARGIN, top + 322), load, below)
    inside.frame(up=4, bottom=capacity is None)
    number_inside = [(x, queues.in_system(station, x * station.rate)) for x in loads]
    inside.curve(number_inside, page.stroke(0)[0], 2, name=f"mean, {_name(station)}")
    if shown:
        at = shown / station.rate
        words = (
            f"Little: {quantity(facts['served_per_s'], 'requests/s')} × "
            f"{quantity(facts['mean_response_ms'] / 1000, 's')} = {number(facts['in_system_by_little'])} requests"
        )
        px = inside.at(at, facts["in_system"])[0]
        inside.dot(at, facts["in_system"], accent)
        if inside.box[0] + text_width(words, BODY) + 12 <= px <= inside.box[2]:
            inside.note(at, facts["in_system"], words, TEXT[0], "right", (-8, -8))
        else:  # beside the name of the axis, where no curve runs
            canvas.text(inside.box[2], inside.box[1] - 11, words, BODY, TEXT[0], align="right")
    if capacity is not None:
        away = Axis(
            f"Turned away, with room for {capacity}",
            0,
            1,
            unit="%",
            scale=100,
            text=lambda v: f"{100 * v:g}%",
        )
        lost = Plot(canvas, (54, top + 358, page.WIDTH - page.MARGIN, top + 400), load, away)
        lost.frame(up=2)
        rejected = [(x, queues.rejected(station, x * station.rate)) for x in loads]
        lost.curve(rejected, role("error").line, 1.8, name=_name(station))
    return Drawing(canvas.figure, facts)


def _further(compare: list[str] | None, model: str, capacity: int | None) -> list[str]:
    """The models to compare, each once, without that of the station itself. ValueError for an unknown one."""
    names = list(dict.fromkeys(compare or []))
    unknown = [name for name in names if name not in queues.MODELS]
    if unknown:
        raise ValueError(f"compare: no queue '{unknown[0]}'; there are {', '.join(queues.MODELS)}")
    return [name for name in names if name != model or capacity is not None][: len(OTHERS)]


def _other(name: str, station: queues.Station, servers: int, cv2: float) -> queues.Station:
    """Another model with as many services a second in all."""
    many = name == "M/M/c"
    return queues.Station(name, station.rate / (servers if many else 1), servers if many else 1, cv2)


def _crossing(station: queues.Station, slo_s: float, percentile: float) -> float | None:
    """The requests a second at which the percentile reaches the SLO; None: an idle station breaks it already."""
    if queues.percentile_response(station, 1e-6 * station.rate, percentile) > slo_s:
        return None
    return queues.highest_load(station, slo_s, percentile, 1.0)


def _mark_others(plot: Plot, slo: float, rate: float, crossings: list[float | None]) -> None:
    """A dot where each compared model reaches the SLO, with its load beside it; models that meet have one dot."""
    crossed = {at: page.stroke(OTHERS[n])[0] for n, at in enumerate(crossings) if at is not None}
    marks = [plot.at(at / rate, slo) for at in crossed]
    in_full, shares = [f"{number(at)} requests/s" for at in crossed], [percent(at / rate) for at in crossed]
    for texts in (in_full, shares):
        widths = [text_width(text, BODY) for text in texts]
        labels = [
            point_labels.PointLabel((mark,), width, BODY) for mark, width in zip(marks, widths, strict=True)
        ]
        places = point_labels.place(labels, plot.box, plot.segments, plot.noted)
        if all(place is not None and place.leader is None for place in places):
            break
    for (at, colour), text, place in zip(crossed.items(), texts, places, strict=True):
        if place is not None and place.leader is not None:
            plot.canvas.line(place.leader, colour, 0.6)
        plot.dot(at / rate, slo, colour)
        if place is not None:
            plot.canvas.text(place.patch.x, place.patch.y, text, BODY, ink(colour), align="center")
            plot.reserve(place.patch)


def _slug(station: queues.Station) -> str:
    return station.model.lower().replace("/", "")


def _name(station: queues.Station) -> str:
    return f"{station.model} ({_short(station)})"


def _short(station: queues.Station) -> str:
    inside = "" if station.capacity is None else f", room for {station.capacity}"
    if station.model == "M/M/c" and station.servers == 1:
        return f"one server{inside}"
    return f"{NAMES[station.model].format(c=station.servers, cv2=number(station.cv2))}{inside}"


def _subject(station: queues.Station) -> str:
    """The station in a title: its servers, or the model where that says more."""
    return _short(replace(station, capacity=None)) if station.model in ("M/M/1", "M/M/c") else station.model


def _heading(station: queues.Station, slo_ms: float, name: str, crossing: float | None, most: float) -> str:
    slo = quantity(slo_ms / 1000, "s")
    if crossing is not None:
        return f"{name} of {_subject(station)} exceeds {slo} from {percent(crossing / station.rate)} load on"
    if station.capacity is None:
        return f"{name} of {_subject(station)} stays below {slo} at every load shown"
    lost = queues.rejected(station, most * station.rate)
    return f"A cap keeps {name} below {slo} and turns away {percent(lost)} at {percent(most)} load"


def _loads(most: float, ends: bool) -> list[float]:
    """Where the curves are computed: closer to each other where they bend."""
    if not ends:
        return [1e-4, *(most * (n + 1) / 90 for n in range(90))]
    return [1e-4, *(1 - 0.002 ** (n / 199) for n in range(1, 200))]


def _ceiling(station: queues.Station, loads: list[float], shown: float | None) -> float:
    """The top of the axis for requests in the system: over twice the marked number."""
    if station.capacity is not None:
        return 1.05 * station.capacity
    marked = queues.in_system(station, shown) if shown else queues.in_system(station, 0.9 * station.rate)
    return max(2.2 * marked, 1.6 * station.servers)


def _unit(slo_ms: float) -> tuple[float, str]:
    """The factor from seconds to the unit in which the SLO is easy to read."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if slo_ms / 1000 * factor >= 1:
            return factor, unit
    return 1e9, "ns"


def _thin(n: int) -> tuple[str, float, tuple[float, ...]]:
    colour, dash = page.stroke(n)
    return colour, 1.5, dash
