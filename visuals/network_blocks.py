"""A plain network as blocks, with the shapes between its layers and the parameters of each. By default, LeNet-5."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill.palette import role
from figmill_timelines.bounds import hold, whole, within
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.models import networks
from figmill_timelines.plots import block_chart
from figmill_timelines.plots.block_chart import BoxRow, LabelledBox
from figmill_timelines.quantities import percent, plural
from figmill_timelines.titles import titled

LOOKS = {
    kind: CellLook(kind, role(colour).fill, role(colour).line)
    for kind, colour in (("conv", "compute"), ("pool", "neutral"), ("dense", "routing"), ("norm", "neutral"))
}
KINDS = tuple(LOOKS)
TAKES = {"kernel": 1, "stride": 1, "padding": 0, "groups": 1}  # whole numbers, and the least of each


def draw(
    known: Literal["LeNet-5", "MLP", "AlexNet", "VGG-16"] = "LeNet-5",
    inputs: list[Annotated[int, Interval(ge=1, le=1_000_000)]] | None = None,
    layers: list[dict[str, Any]] | None = None,
    title: str = "",
) -> Drawing:
    """Facts: parameters, layers, largest_layer, inputs; lists of one entry a layer, layer_parameters, layer_outputs.

    known: drawn without layers. inputs: channels, height and width, or the number of features. layers: a list
    of at most 40, each with one of conv (its channels), pool (its edge), dense (its outputs), norm (true); a conv also
    has kernel (3), stride, padding and groups, a pool stride (its edge) and padding; both and dense have activation (a
    word), conv and dense bias (true). title: what to see.
    """
    hold(draw, locals())
    shape, network = networks.NETWORKS[known]
    if inputs is not None and len(inputs) not in (1, 3):
        raise ValueError(f"inputs are channels, height and width, or the number of features, not {inputs}")
    if layers is not None:
        if inputs is None:
            raise ValueError("layers need inputs: channels, height and width, or the number of features")
        within(1, 40, layers=len(layers))
        shape = tuple(inputs)
        network = tuple(_layer(number, row) for number, row in enumerate(layers, 1))
    elif inputs is not None:
        shape = tuple(inputs)
    stages = networks.stages(shape, network)
    facts = networks.stage_facts(stages)
    facts["inputs"] = list(shape)
    facts["largest_share"] = facts["largest_layer"] / facts["parameters"] if facts["parameters"] else 0.0
    rows = [_row(group) for group in _groups(stages)]
    source = f"{_shown(shape)} {'features' if len(shape) == 1 else 'channels, rows, columns'}"
    return Drawing(block_chart.draw(rows, titled(title, _heading(stages, facts), facts), source), facts)


def _groups(stages: list[networks.Stage]) -> list[list[networks.Stage]]:
    """Layers in a row that differ only in the channels that enter them are one group."""
    groups: list[list[networks.Stage]] = []
    for stage in stages:
        last = groups[-1][-1] if groups else None
        is_same = last is not None and (last.layer, last.shape) == (stage.layer, stage.shape)
        if is_same and (stage.layer.kind == "conv" or last.block == stage.block):
            groups[-1].append(stage)
        else:
            groups.append([stage])
    return groups


def _row(group: list[networks.Stage]) -> BoxRow:
    """A group as one row: its name with how many there are, and the weights of all."""
    layer, name, has_bias = group[0].layer, group[0].block.name, "bias" in dict(group[0].block.parts)
    if layer.kind == "conv":
        stride = f", stride {layer.stride}" if layer.stride > 1 else ""
        name = f"Convolution {layer.kernel} × {layer.kernel}{stride}"
    if layer.kind == "pool":
        stride = f", stride {layer.stride}" if layer.stride != layer.size else ""
        name = f"Pool {layer.size} × {layer.size}{stride}"
    weights = _weights([size for stage in group for part, size in stage.block.parts if part != "bias"])
    if has_bias:
        weights += " + bias" if len(group) == 1 else " + biases"
    return BoxRow(
        (LabelledBox(name if len(group) == 1 else f"{len(group)} × {name}"),),
        LOOKS[layer.kind],
        _shown(group[-1].shape),
        weights,
        sum(stage.block.parameters for stage in group),
        after=layer.activation,
    )


def _weights(sizes: list[tuple[int, ...]]) -> str:
    """`3 × 512 × 512 × 3 × 3`; where the second number differs, `256 × (128 + 2 × 256) × 3 × 3`."""
    if len(set(sizes)) < 2:
        return "".join(
            f"{len(sizes)} × {_shown(size)}" if len(sizes) > 1 else _shown(size) for size in sizes[:1]
        )
    first, _, *rest = sizes[0]
    entering = Counter(size[1] for size in sizes)
    channels = " + ".join(str(size) if many == 1 else f"{many} × {size}" for size, many in entering.items())
    return " × ".join([str(first), f"({channels})", *map(str, rest)])


def _shown(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))


def _heading(stages: list[networks.Stage], facts: dict[str, Any]) -> str:
    total = facts["parameters"]
    if not total:
        return f"{plural(len(stages), 'layer')} without a parameter"
    largest = max(range(len(stages)), key=lambda n: facts["layer_parameters"][n])
    share = percent(facts["largest_share"])
    name = stages[largest].block.name.lower()
    same = [n for n, stage in enumerate(stages) if stage.block.name == stages[largest].block.name]
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    place = same.index(largest)
    which = "only" if len(same) == 1 else words[place] if place < len(words) else "largest"
    return f"{plural(total, 'parameter')}, {share} of them in the {which} {name} layer"


def _layer(number: int, row: Any) -> networks.NetworkLayer:
    """A layer of the author's. ValueError with its number and the key that is wrong."""
    kinds = [kind for kind in KINDS if isinstance(row, Mapping) and kind in row]
    if len(kinds) != 1:
        raise ValueError(f"layer {number} has one of {', '.join(KINDS)}, not {row!r}")
    kind = kinds[0]
    takes = {
        "conv": {*TAKES, "bias", "activation"},
        "pool": {"stride", "padding", "activation"},
        "dense": {"bias", "activation"},
        "norm": {"activation"},
    }[kind]
    if unknown := sorted(map(str, row.keys() - takes - {kind})):
        raise ValueError(
            f"layer {number} ({kind}) takes {', '.join(sorted(takes))}, not {', '.join(unknown)}"
        )
    if kind == "norm":
        if row["norm"] is not True:
            raise ValueError(f"norm of layer {number} must be true, not {row['norm']!r}")
        return networks.NetworkLayer("norm", activation=str(row.get("activation", "")))
    whole(1, 100_000_000, **{f"{kind} of layer {number}": row[kind]})
    numbers = {"kernel": 3, "stride": row["pool"] if kind == "pool" else 1}
    for name, least in TAKES.items():
        if name in row:
            whole(least, 100_000, **{f"{name} of layer {number}": row[name]})
            numbers[name] = int(row[name])
    bias = row.get("bias", True)
    if not isinstance(bias, bool):
        raise ValueError(f"bias of layer {number} must be true or false, not {bias!r}")
    return networks.NetworkLayer(
        kind, int(row[kind]), bias=bias, activation=str(row.get("activation", "")), **numbers
    )
