"""A roofline: ceilings of compute and memory, and where kernels lie below them. By default, prefill against decode."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Annotated, Any, Literal, NamedTuple

from annotated_types import Interval

from figmill import Drawing
from figmill.palette import MUTED, TEXT, role
from figmill_timelines.bounds import hold, within
from figmill_timelines.charts.canvas import BODY, SMALL, PagePoint, text_width
from figmill_timelines.models import accelerators, mixtures, rooflines
from figmill_timelines.plots import key_list, page, point_labels
from figmill_timelines.plots.curve_labels import spread
from figmill_timelines.plots.labels import PageSegment, Patch, overlap
from figmill_timelines.plots.plot import Axis, Plot, ink
from figmill_timelines.quantities import number, quantity
from figmill_timelines.titles import titled

SHAPES = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">", "h", "d")
MARK, SMALLEST = 8.0, 6.5  # points: a marker, and the least of one in a heap
HALO = 1.0  # points around a marker that separate it from the roof
NAME, ROW = 150.0, 10.5  # points: the most room for a name across, and a label's line
LONE = "experts on one GPU"
HEADROOM = 0.08  # the share of the plot above the highest roof


def draw(
    peak_tflops: Annotated[float, Interval(ge=1e-6, le=1e9)] = 989,
    bandwidth_gb_s: Annotated[float, Interval(ge=1e-3, le=1e9)] = 3350,
    accelerator: Literal["A100", "H100", "H200", "B200", "GB200", "MI300X", "MI325X", "MI355X"] | None = None,
    ceilings: dict[str, float] | None = None,
    bandwidths: dict[str, float] | None = None,
    kernels: list[dict[str, Any]] | None = None,
    prompt: Annotated[int, Interval(ge=1, le=10_000_000)] = 2048,
    context: Annotated[int, Interval(ge=1, le=10_000_000)] = 2048,
    batches: list[Annotated[int, Interval(ge=1, le=100_000)]] | None = None,
    hidden: Annotated[int, Interval(ge=1, le=1_000_000)] = 8192,
    inner: Annotated[int, Interval(ge=1, le=10_000_000)] = 28672,
    heads: Annotated[int, Interval(ge=1, le=10_000)] = 64,
    kv_heads: Annotated[int, Interval(ge=1, le=10_000)] = 8,
    bytes_each: Annotated[float, Interval(ge=0.125, le=8)] = 2,
    gated: bool = False,
    tensor: Annotated[int, Interval(ge=1, le=1024)] = 1,
    experts: Annotated[int, Interval(ge=1, le=10_000)] | None = None,
    top_k: Annotated[int, Interval(ge=1, le=10_000)] = 2,
    expert_parallel: Annotated[int, Interval(ge=1, le=100_000)] = 1,
    title: str = "",
) -> Drawing:
    """Facts: ridge_flop_per_byte; intensities, attainable_flops, least_us (of each kernel, in order); kernels, and
    memory_bound of them; of a transformer layer also layer_parameters; of a mixture of experts experts_awake, for each
    of `batches`, and intensities_alone if expert_parallel is above 1.

    accelerator: sets peak_tflops, for numbers of bytes_each, and bandwidth_gb_s. ceilings: further peaks by name, in
    TFLOP/s. bandwidths: further ones by name, in GB/s. kernels: a list of name, flops, bytes and, where known,
    measured_tflops, at most 12; without it, the kernels of a transformer layer: a prefill of `prompt` tokens, and
    decodes of each of `batches` (1 and 64) requests with `context` tokens each. gated: the feed-forward part has three
    products, as in Llama, and not two. tensor: ranks that divide the layer. experts, top_k: of a mixture, in which each
    has the width `inner`. expert_parallel: ranks that share them out; an arrow leads to their experts from those of one
    rank with all. title: what to see.
    """
    hold(draw, locals())
    if accelerator is not None:
        peak_tflops = accelerators.peak_tflops(accelerator, bytes_each)
        bandwidth_gb_s = accelerators.ACCELERATORS[accelerator].bandwidth_gb_s
    machine = rooflines.Roof(peak_tflops * 1e12, bandwidth_gb_s * 1e9)
    stated: dict[str, Any] = {}
    alone: list[rooflines.Kernel] = []
    shared = 1
    if kernels is None:
        mixture = mixtures.Experts(experts, top_k, inner, 1, gated) if experts else None
        layer = rooflines.TransformerLayer(hidden, inner, heads, kv_heads, bytes_each, gated, tensor, mixture)
        shared = _shared(experts, expert_parallel)
        stated["layer_parameters"] = layer.parameters
        shown = rooflines.prefill(layer, prompt, 1, shared)
        shown.append(rooflines.decode(layer, context, 1)[1])
        decoded = [rooflines.decode(layer, context, batch, shared) for batch in batches or [1, 64]]
        shown += [parts[0] for parts in decoded] + [kernel for parts in decoded for kernel in parts[2:]]
        if mixture:
            awake = [mixture.awake(float(batch * shared)) / shared for batch in batches or [1, 64]]
            stated["experts_awake"] = awake
        if shared > 1:
            alone = [rooflines.decode(layer, context, batch)[2] for batch in batches or [1, 64]]
            alone = [replace(kernel, name=kernel.name.replace("experts", LONE)) for kernel in alone]
            shown = [
                replace(kernel, name=kernel.name.replace("experts", f"experts on {shared} GPUs"))
                for kernel in shown
            ]
            stated["intensities_alone"] = [kernel.intensity for kernel in alone]
    else:
        shown = [_kernel(row) for row in kernels]
    within(1, len(SHAPES), kernels=len(shown))
    alone = alone[: max(0, len(SHAPES) - len(shown))]
    facts = rooflines.facts(machine, shown) | stated
    for kernel in shown:
        _possible(machine, kernel)
    rates = [kernel.measured or rooflines.attainable(machine, kernel.intensity) for kernel in shown]
    facts["shares_of_peak"] = [rate / machine.peak for rate in rates]
    heading = titled(title, _heading(facts["memory_bound"], len(shown)), facts)
    roofs = (_more(ceilings, 1e12), _more(bandwidths, 1e9))
    first = len(shown) - len(batches or [1, 64])  # of the experts in decoding
    become = tuple(range(first, first + len(alone)))
    mixed = _Spread(tuple(alone), become, shared)
    figure, missing = _figure(machine, shown, mixed, *roofs, heading)
    if missing:
        figure, _ = _figure(machine, shown, mixed, *roofs, heading, missing)
    return Drawing(figure, facts)


class _Spread(NamedTuple):
    """Experts that share a batch on one rank, and the numbers of the kernels that they become over `ranks` of them."""

    alone: tuple[rooflines.Kernel, ...]
    become: tuple[int, ...]
    ranks: int


def _figure(
    machine: rooflines.Roof,
    kernels: list[rooflines.Kernel],
    mixed: _Spread,
    ceilings: dict[str, float],
    bandwidths: dict[str, float],
    heading: str,
    listed: Sequence[int] = (),
) -> tuple[Any, list[int]]:
    """The figure, and the numbers of the kernels whose labels have no room at their points.

    listed: kernels that have a number at their point, explained in a list below the plot.
    """
    shown = [*kernels, *mixed.alone]
    low = min([machine.ridge / 30, *(kernel.intensity / 1.9 for kernel in shown)])
    high = max([machine.ridge * 10, *(kernel.intensity * 1.9 for kernel in shown)])
    low, high = _round_below(low), 1 / _round_below(1 / high)
    rates = [rooflines.attainable(machine, kernel.intensity) for kernel in shown]
    rates += [kernel.measured for kernel in shown if kernel.measured]
    bottom = min([low * machine.bandwidth, *(rate / 2 for rate in rates), *ceilings.values()])
    bottom = max(bottom, min(rates) / 10)
    bottom = 10.0 ** math.floor(math.log10(bottom))
    top = bottom * (max([machine.peak, *ceilings.values()]) / bottom) ** (1 / (1 - HEADROOM))
    explained = [
        (str(row), f"{shown[n].name}: {_numbers(machine, shown[n])}") for row, n in enumerate(listed, 1)
    ]
    room = page.WIDTH - 66 - page.MARGIN
    canvas, y = page.start(heading, [], 322 + key_list.height(explained, room), left=66)
    key_list.draw(canvas, explained, 66, y + 322, room)
    across = Axis("Operations for each byte moved (FLOP/B)", low, high, log=True)
    up = Axis("Rate that can be reached", bottom, top, log=True, text=lambda v: quantity(v, "FLOP/s"))
    plot = Plot(canvas, (66, y + 18, page.WIDTH - page.MARGIN, y + 278), across, up)
    plot.frame(up=7)
    compute, data, muted = role("compute").line, role("routing").line, MUTED[0]
    for peak in ceilings.values():
        plot.curve([(peak / machine.bandwidth, peak), (high, peak)], muted, 1.0, (5, 2))
    for name, bandwidth in bandwidths.items():
        end = min(high, machine.peak / bandwidth)
        plot.curve([(low, low * bandwidth), (end, end * bandwidth)], muted, 1.0, (5, 2))
        _along(plot, f"{name}: {quantity(bandwidth, 'B/s')}", bandwidth, muted)
    ridge = machine.ridge
    plot.curve([(low, low * machine.bandwidth), (ridge, machine.peak)], data, 2.2)
    plot.curve([(ridge, machine.peak), (high, machine.peak)], compute, 2.2)
    plot.curve([(ridge, bottom), (ridge, machine.peak)], muted, 0.8, (2, 2))
    reached = [kernel.measured or rooflines.attainable(machine, kernel.intensity) for kernel in shown]
    marks = [plot.at(kernel.intensity, rate) for kernel, rate in zip(shown, reached, strict=True)]
    _along(plot, f"Memory: {quantity(machine.bandwidth, 'B/s')}", machine.bandwidth, TEXT[0], marks)
    flat = [("Compute", machine.peak, TEXT[0]), *((name, peak, muted) for name, peak in ceilings.items())]
    flat.sort(key=lambda row: -row[1])
    over = [plot.at(high, peak)[1] + (-12 if peak >= machine.peak else 8) for _, peak, _ in flat]
    for (name, peak, colour), y in zip(flat, spread(over, plot.box[1] - 12, plot.box[3] - 6), strict=True):
        shift = (-4, y - plot.at(high, peak)[1])
        plot.note(high, peak, f"{name}: {quantity(peak, 'FLOP/s')}", colour, "right", shift, clear=True)
    plot.note(ridge, bottom, f"ridge: {number(ridge)} FLOP/B", muted, "left", (5, -9))
    bounds = [rooflines.bound(machine, kernel) for kernel in shown]
    looks = [
        (ink(compute if bound == "compute" else data), shape)
        for bound, shape in zip(bounds, SHAPES, strict=False)
    ]
    arrows = []
    for n, become in enumerate(mixed.become, len(kernels)):
        looks[n] = (looks[n][0], looks[become][1])
        arrows.append(_arrow(plot, marks[n], marks[become], f"spread over {mixed.ranks} GPUs"))
    places = _apart(plot, machine, shown, marks)
    sizes = _sizes(places)
    missing = _label(plot, machine, shown, places, sizes, listed, arrows)
    for place, look, size in zip(places, looks, sizes, strict=True):
        canvas.dot(*place, *look, size)
    canvas.tell("Kernels", (_row(*row, machine) for row in zip(shown, bounds, strict=True)))
    roof = [("Memory", machine.bandwidth, "B/s"), *((name, rate, "B/s") for name, rate in bandwidths.items())]
    roof += [
        ("Compute", machine.peak, "FLOP/s"),
        *((name, rate, "FLOP/s") for name, rate in ceilings.items()),
    ]
    canvas.tell("Roof", ({"Limit": name, "Rate": rate, "Unit": unit} for name, rate, unit in roof))
    return canvas.figure, missing


def _apart(
    plot: Plot, machine: rooflines.Roof, shown: list[rooflines.Kernel], marks: list[PagePoint]
) -> list[PagePoint]:
    """The places of the markers: on the roof, those that would cover each other lie side by side on it."""
    places = list(marks)
    left, _, right, _ = plot.box
    for heap in point_labels.heaps(marks):
        on_roof = sorted((n for n in heap if not shown[n].measured), key=lambda n: marks[n])
        across = [marks[n][0] for n in on_roof]
        for n, x in zip(on_roof, spread(across, left, right, MARK + HALO), strict=True):
            intensity = plot.x.low * (plot.x.high / plot.x.low) ** ((x - left) / (right - left))
            places[n] = x, plot.at(intensity, rooflines.attainable(machine, intensity))[1]
    return places


def _are_level(marks: list[PagePoint]) -> bool:
    heights = [y for _, y in marks]
    return max(heights) - min(heights) < 1


def _nearest(marks: list[PagePoint]) -> float:
    return min(math.dist(one, other) for one, other in combinations(marks, 2))


def _sizes(marks: list[PagePoint]) -> list[float]:
    """The size of each marker. Those of a heap are small enough not to touch, if they are still recognizable then."""
    sizes = [MARK] * len(marks)
    for heap in point_labels.heaps(marks):
        if len(heap) > 1:
            size = min(MARK, max(SMALLEST, _nearest([marks[n] for n in heap]) - HALO))
            for n in heap:
                sizes[n] = size
    return sizes


def _round_below(value: float) -> float:
    """The greatest 1, 2 or 5 times a power of ten that is not above a value."""
    power = 10.0 ** math.floor(math.log10(value))
    return power * max(n for n in (1, 2, 5) if n == 1 or n * power <= value * (1 + 1e-9))


def _label(
    plot: Plot,
    machine: rooflines.Roof,
    shown: list[rooflines.Kernel],
    marks: list[PagePoint],
    sizes: Sequence[float],
    listed: Sequence[int],
    arrows: Sequence[PageSegment],
) -> list[int]:
    """Write the name and the numbers of each kernel at its point, whose marker has this size at most.

    Returns the kernels whose labels have no room.
    """

    def rows(n: int, room: float = NAME) -> list[str]:
        return _rows(machine, shown[n], listed.index(n) + 1 if n in listed else 0, min(room, NAME))

    def extent(n: int, room: float = NAME) -> tuple[float, float]:
        texts = rows(n, room)
        return max(text_width(text, SMALL) for text in texts), ROW * len(texts) - 2

    places = _places(plot, marks, sizes, extent, arrows)
    missing = []
    for n in range(len(shown)):
        place = places[n]
        if place is None:
            missing.append(n)
            continue
        if place.leader:
            turned = place.foot[1:] if place.foot else ()
            plot.canvas.line([*place.leader, *turned], MUTED[0], 0.6)
        x, y = place.patch.x - place.patch.width / 2, place.patch.y - place.patch.height / 2 + 4
        texts = rows(n, place.patch.width + 0.01)
        for row, text in enumerate(texts):
            colour = TEXT[0] if row < len(texts) - 1 or n in listed else MUTED[0]
            width = text_width(text, SMALL)
            plot.canvas.text(x, y, text, SMALL, colour)
            plot.reserve(Patch(x + width / 2, y, width, SMALL))
            y += ROW
    return missing


def _places(
    plot: Plot,
    marks: list[PagePoint],
    sizes: Sequence[float],
    extent: Callable[..., tuple[float, float]],
    arrows: Sequence[PageSegment],
) -> dict[int, point_labels.PlacedLabel | None]:
    """Where the labels stand: those of markers side by side on a level roof as a column below it, if there is room.

    extent: the width and height of a label, from its number and the room across.
    """
    left, top, right, bottom = plot.box
    box, lines = (left + 2, top + 2, right - 2, bottom - 3), [*plot.segments, *arrows]
    boxes = [Patch(*mark, size, size) for mark, size in zip(marks, sizes, strict=True)]
    places: dict[int, point_labels.PlacedLabel | None] = {}
    written = list(plot.noted)
    for heap in point_labels.heaps(marks):
        heap.sort(key=lambda n: marks[n])
        level = [marks[n] for n in heap]
        if len(heap) == 1 or not _are_level(level):
            continue
        extents = [partial(extent, n) for n in heap]
        column = point_labels.column(level, extents, box, lines, [*written, *boxes], sizes[heap[0]])
        for n, place in zip(heap, column or [], strict=False):
            places[n] = place
            written.append(place.patch)
            lines += [part for part in (place.leader, place.foot) if part]
    others = [n for n in range(len(marks)) if n not in places]
    labels = [point_labels.PointLabel((marks[n],), *extent(n)) for n in others]
    written += [boxes[n] for n in places]
    return places | dict(
        zip(others, point_labels.place(labels, box, lines, written, max(sizes)), strict=True)
    )


def _arrow(plot: Plot, start: PagePoint, end: PagePoint, text: str) -> PageSegment:
    """An arrow beside the slanted roof, below it, from one mark to another, with its text if that fits."""
    length = math.dist(start, end)
    cos, sin = (end[0] - start[0]) / max(length, 1e-9), (end[1] - start[1]) / max(length, 1e-9)

    def at(along: float, below: float) -> PagePoint:
        return start[0] + along * cos - below * sin, start[1] + along * sin + below * cos

    tail, tip = at(4.0, 8.0), at(max(length - 4.0, 10.0), 8.0)
    back = max(length - 10.0, 4.0)
    plot.canvas.line([tail, at(back, 8.0)], MUTED[0], 1.0)
    plot.canvas.area([at(back, 5.2), tip, at(back, 10.8)], MUTED[0])
    width, turn = text_width(text, SMALL), math.degrees(math.atan2(-sin, cos))
    if width + 16 <= length:
        plot.canvas.rotated(*at(length / 2, 18.0), text, turn, MUTED[0])
        plot.reserve(Patch(*at(length / 2, 15.0), width, SMALL, turn))
    return tail, tip


def _rows(machine: rooflines.Roof, kernel: rooflines.Kernel, number_in_list: int, room: float) -> list[str]:
    """The lines of a kernel's label, in this room across."""
    if number_in_list:
        return [str(number_in_list)]
    numbers = _numbers(machine, kernel)
    if kernel.intensity >= machine.ridge and not kernel.measured:  # the level roof states the rate
        numbers = f"{number(kernel.intensity)} FLOP/B"
    return [*_balanced(kernel.name, room), numbers]


def _balanced(name: str, room: float) -> list[str]:
    """A name in as few lines as the room allows, and these as even as possible."""
    lines = page.wrapped(name, room, SMALL)
    while len(lines) > 1:
        width = max(text_width(line, SMALL) for line in lines)
        narrower = page.wrapped(name, width - 0.1, SMALL)
        if len(narrower) > len(lines) or max(text_width(line, SMALL) for line in narrower) >= width:
            break
        lines = narrower
    return lines


def _numbers(machine: rooflines.Roof, kernel: rooflines.Kernel) -> str:
    rate = kernel.measured or rooflines.attainable(machine, kernel.intensity)
    return f"{number(kernel.intensity)} FLOP/B, {quantity(rate, 'FLOP/s')}"


def _row(kernel: rooflines.Kernel, bound: str, machine: rooflines.Roof) -> dict[str, Any]:
    """A kernel as a row for readers who cannot see it."""
    row = {
        "Kernel": kernel.name,
        "Intensity (FLOP/B)": kernel.intensity,
        "Attainable rate (FLOP/s)": rooflines.attainable(machine, kernel.intensity),
        "Bound by": bound,
    }
    return row | ({"Measured rate (FLOP/s)": kernel.measured} if kernel.measured else {})


def _shared(experts: int | None, ranks: int) -> int:
    """By how many ranks the experts are shared. ValueError if they cannot be."""
    if experts is None and ranks > 1:
        raise ValueError("expert_parallel needs experts")
    if experts and experts % ranks:
        raise ValueError(
            f"experts must be a multiple of expert_parallel: {experts} is not a multiple of {ranks}"
        )
    return ranks


def _heading(bound: int, count: int) -> str:
    if bound in (0, count):
        what = "The kernel is" if count == 1 else f"All {count} kernels are"
        return f"{what} bound by {'memory, not by compute' if bound else 'compute, not by memory'}"
    return f"{bound} of {count} kernels {'is' if bound == 1 else 'are'} bound by memory, not by compute"


def _possible(machine: rooflines.Roof, kernel: rooflines.Kernel) -> None:
    """ValueError for a measured rate above the roof: its operations, its bytes or the roof are not as stated."""
    roof = rooflines.attainable(machine, kernel.intensity)
    if kernel.measured and kernel.measured > 1.001 * roof:
        rates = f"{quantity(kernel.measured, 'FLOP/s')}, above the roof of {quantity(roof, 'FLOP/s')}"
        raise ValueError(
            f"measured_tflops of kernel '{kernel.name}' is {rates} at {number(kernel.intensity)} FLOP/B"
        )


def _along(plot: Plot, text: str, bandwidth: float, colour: str, marks: Sequence[PagePoint] = ()) -> None:
    """Name a slanted ceiling where it leaves the left or the lower edge, above the line and beside all marks."""
    x = max(plot.x.low, plot.y.low / bandwidth)
    left, top, _, _ = plot.box
    start, end = plot.at(x, x * bandwidth), plot.at(10 * x, 10 * x * bandwidth)
    turn = math.degrees(math.atan2(start[1] - end[1], end[0] - start[0]))
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    width = text_width(text, BODY)
    for reach in (70.0, *range(50, 300, 10)):
        place = (start[0] + reach * cos - 5, start[1] - reach * sin - 5)
        patch = Patch(place[0], place[1] - 4, width, BODY, turn)
        if not any(overlap(patch, Patch(*mark, MARK, MARK), 1.5) for mark in marks):
            break
    if place[1] > top + 10 and place[0] > left:
        plot.canvas.rotated(*place, text, turn, colour, BODY)
        plot.reserve(patch)


def _kernel(row: dict[str, Any]) -> rooflines.Kernel:
    if not isinstance(row, dict):
        raise ValueError(f"a kernel is a mapping of name, flops and bytes, not {row!r}")
    unknown = [key for key in row if key not in ("name", "flops", "bytes", "measured_tflops")]
    if unknown or not {"name", "flops", "bytes"} <= row.keys():
        raise ValueError(
            f"a kernel has name, flops, bytes and measured_tflops, not {', '.join(map(str, row))}"
        )
    for key in ("flops", "bytes", "measured_tflops"):
        value = row.get(key, 1)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{key} of kernel '{row['name']}' must be a number, not {value!r}")
        within(1e-3, 1e24, **{f"{key} of kernel '{row['name']}'": value})
    measured = row.get("measured_tflops")
    return rooflines.Kernel(str(row["name"]), row["flops"], row["bytes"], measured and measured * 1e12)


def _more(given: dict[str, float] | None, factor: float) -> dict[str, float]:
    for name, value in (given or {}).items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"ceiling '{name}' must be a number, not {value!r}")
        within(1e-6, 1e12, **{f"ceiling '{name}'": value})
    return {str(name): value * factor for name, value in (given or {}).items()}
