"""A roofline: ceilings of compute and memory, and where kernels lie below them. By default, prefill against decode."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill.palette import MUTED, TEXT, role
from figmill_timelines.bounds import hold, within
from figmill_timelines.models import accelerators, mixtures, rooflines
from figmill_timelines.plots import page
from figmill_timelines.plots.plot import Axis, Plot, spread
from figmill_timelines.quantities import number, quantity
from figmill_timelines.titles import titled

SHAPES = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">", "h", "d")


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
    of `batches`.

    accelerator: sets peak_tflops, for numbers of bytes_each, and bandwidth_gb_s. ceilings: further peaks by name, in
    TFLOP/s. bandwidths: further ones by name, in GB/s. kernels: a list of name, flops, bytes and, where known,
    measured_tflops, at most 12; without it, the kernels of a transformer layer: a prefill of `prompt` tokens, and
    decodes of each of `batches` (1 and 64) requests with `context` tokens each. gated: the feed-forward part has three
    products, as in Llama, and not two. tensor: ranks that divide the layer. experts, top_k: of a mixture, in which each
    has the width `inner`. expert_parallel: ranks that share them out. title: what to see.
    """
    hold(draw, locals())
    if accelerator is not None:
        peak_tflops = accelerators.peak_tflops(accelerator, bytes_each)
        bandwidth_gb_s = accelerators.ACCELERATORS[accelerator].bandwidth_gb_s
    machine = rooflines.Roof(peak_tflops * 1e12, bandwidth_gb_s * 1e9)
    stated: dict[str, Any] = {}
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
    else:
        shown = [_kernel(row) for row in kernels]
    within(1, len(SHAPES), kernels=len(shown))
    facts = rooflines.facts(machine, shown) | stated
    for kernel in shown:
        _possible(machine, kernel)
    rates = [kernel.measured or rooflines.attainable(machine, kernel.intensity) for kernel in shown]
    facts["shares_of_peak"] = [rate / machine.peak for rate in rates]
    heading = titled(title, _heading(facts["memory_bound"], len(shown)), facts)
    return Drawing(_figure(machine, shown, _more(ceilings, 1e12), _more(bandwidths, 1e9), heading), facts)


def _figure(
    machine: rooflines.Roof,
    shown: list[rooflines.Kernel],
    ceilings: dict[str, float],
    bandwidths: dict[str, float],
    heading: str,
) -> Any:
    low = min([machine.ridge / 30, *(kernel.intensity / 2 for kernel in shown)])
    high = max([machine.ridge * 30, *(kernel.intensity * 2 for kernel in shown)])
    low, high = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
    rates = [rooflines.attainable(machine, kernel.intensity) for kernel in shown]
    rates += [kernel.measured for kernel in shown if kernel.measured]
    bottom = min([low * machine.bandwidth, *(rate / 2 for rate in rates), *ceilings.values()])
    bottom = max(bottom, min(rates) / 10)
    bottom, top = 10.0 ** math.floor(math.log10(bottom)), 2.5 * max([machine.peak, *ceilings.values()])
    canvas, y = page.start(heading, [], 322, left=66)
    across = Axis("Operations for each byte moved (FLOP/B)", low, high, log=True)
    up = Axis("Rate that can be reached", bottom, top, log=True, text=lambda v: quantity(v, "FLOP/s"))
    plot = Plot(canvas, (66, y + 18, page.WIDTH - page.MARGIN - 176, y + 278), across, up)
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
    _along(plot, f"Memory: {quantity(machine.bandwidth, 'B/s')}", machine.bandwidth, TEXT[0])
    flat = [("Compute", machine.peak, TEXT[0]), *((name, peak, muted) for name, peak in ceilings.items())]
    flat.sort(key=lambda row: -row[1])
    over = [plot.at(high, peak)[1] + (-9 if peak >= machine.peak else 8) for _, peak, _ in flat]
    for (name, peak, colour), y in zip(flat, spread(over, plot.box[1] - 9, plot.box[3] - 6), strict=True):
        shift = (-4, y - plot.at(high, peak)[1])
        plot.note(high, peak, f"{name}: {quantity(peak, 'FLOP/s')}", colour, "right", shift, clear=True)
    plot.note(ridge, bottom, f"ridge: {number(ridge)} FLOP/B", muted, "left", (5, -9))
    ends = []
    for kernel, shape in zip(shown, SHAPES, strict=False):
        rate = kernel.measured or rooflines.attainable(machine, kernel.intensity)
        bound = rooflines.bound(machine, kernel)
        plot.dot(kernel.intensity, rate, compute if bound == "compute" else data, shape, 8)
        ends.append((shape, bound, kernel, rate))
    canvas.tell("Kernels", (_row(kernel, bound, machine) for _, bound, kernel, _ in ends))
    roof = [("Memory", machine.bandwidth, "B/s"), *((name, rate, "B/s") for name, rate in bandwidths.items())]
    roof += [
        ("Compute", machine.peak, "FLOP/s"),
        *((name, rate, "FLOP/s") for name, rate in ceilings.items()),
    ]
    canvas.tell("Roof", ({"Limit": name, "Rate": rate, "Unit": unit} for name, rate, unit in roof))
    _legend(plot, ends, machine)
    return canvas.figure


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


def _along(plot: Plot, text: str, bandwidth: float, colour: str) -> None:
    """Name a slanted ceiling where it leaves the left or the lower edge, above the line."""
    x = max(plot.x.low, plot.y.low / bandwidth)
    left, top, _, _ = plot.box
    start, end = plot.at(x, x * bandwidth), plot.at(10 * x, 10 * x * bandwidth)
    turn = math.degrees(math.atan2(start[1] - end[1], end[0] - start[0]))
    reach = 70.0
    place = (start[0] + reach * math.cos(math.radians(turn)), start[1] - reach * math.sin(math.radians(turn)))
    if place[1] > top + 10 and place[0] > left:
        plot.canvas.rotated(place[0] - 5, place[1] - 5, text, turn, colour)


def _legend(
    plot: Plot, rows: list[tuple[str, str, rooflines.Kernel, float]], machine: rooflines.Roof
) -> None:
    """The kernels beside the plot, from the least intensity to the greatest, with what each can reach."""
    left, y = plot.box[2] + 18, plot.box[1] + 4
    for shape, bound, kernel, rate in sorted(rows, key=lambda row: row[2].intensity):
        colour = role("compute").line if bound == "compute" else role("routing").line
        plot.canvas.dot(left, y, colour, shape, 7)
        for line in page.wrapped(kernel.name, 150, 8.0):
            plot.canvas.text(left + 10, y, line, 8.0)
            y += 10.5
        share = rate / machine.peak
        words = f"{number(kernel.intensity)} FLOP/B: {quantity(rate, 'FLOP/s')}, {number(100 * share, 2)}%"
        plot.canvas.text(left + 10, y, words, 7.0, MUTED[0])
        y += 13.5


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
