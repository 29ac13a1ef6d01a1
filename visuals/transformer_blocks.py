"""A transformer as blocks, with shapes on the arrows and the parameters of each block. By default, GPT-2."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill.palette import role
from figmill_timelines.bounds import hold, within
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.models import networks
from figmill_timelines.plots import block_chart
from figmill_timelines.plots.block_chart import BoxRow, LabelledBox
from figmill_timelines.quantities import grouped, percent
from figmill_timelines.titles import titled

LOOKS = {
    name: CellLook(name, role(colour).fill, role(colour).line)
    for name, colour in (
        ("embedding", "data"),
        ("attention", "compute"),
        ("feed-forward", "routing"),
        ("norm", "neutral"),
    )
}


def draw(
    known: Literal[
        "GPT-2",
        "GPT-2 XL",
        "Llama 2 7B",
        "Llama 2 70B",
        "Llama 3 8B",
        "Llama 3 70B",
        "Llama 3.1 405B",
        "Mistral 7B",
        "Qwen2.5 0.5B",
        "Gemma 2B",
    ] = "GPT-2",
    layers: Annotated[int, Interval(ge=1, le=10_000)] | None = None,
    heads: Annotated[int, Interval(ge=1, le=10_000)] | None = None,
    hidden: Annotated[int, Interval(ge=1, le=1_000_000)] | None = None,
    vocab: Annotated[int, Interval(ge=1, le=100_000_000)] | None = None,
    kv_heads: Annotated[int, Interval(ge=1, le=10_000)] | None = None,
    ffn: Annotated[int, Interval(ge=1, le=10_000_000)] | None = None,
    head_dimension: Annotated[int, Interval(ge=1, le=100_000)] | None = None,
    gated: bool | None = None,
    tied: bool | None = None,
    positions: Annotated[int, Interval(ge=0, le=100_000_000)] | None = None,
    biases: Literal["all", "qkv", "none"] | None = None,
    norm: Literal["layer", "rms"] | None = None,
    title: str = "",
) -> Drawing:
    """Facts: parameters; embedding_, position_, final_norm_ and head_parameters; of a layer attention_, feed_forward_,
    norm_ and layer_parameters; layers_parameters of all layers; attention_share, feed_forward_share, layers_share,
    embedding_share (with the head); head_dimension; cache_numbers_per_token (of keys and values, in all layers).

    known: the model that sets sizes not given. heads: of queries; kv_heads: of keys and values. hidden: the
    width of a token; head_dimension: of a head, without it hidden / heads. vocab: tokens. ffn: the width inside the
    feed-forward part; gated: that has three products, not two. tied: the head uses the embedding's weights. positions:
    learned ones, 0 for rotated ones. biases: of all products, of queries, keys and values, or of none. norm: with a
    gain and a bias, or a gain alone. title: what to see.
    """
    given = {
        name: value
        for name, value in locals().items()
        if name not in ("known", "title") and value is not None
    }
    hold(draw, {"known": known, "title": title, **given})
    base = networks.TRANSFORMERS[known]
    if {"hidden", "heads"} & given.keys() and "head_dimension" not in given:
        given["head_dimension"] = 0
    if "heads" in given and "kv_heads" not in given:
        given["kv_heads"] = given["heads"]
    if "hidden" in given and "ffn" not in given:
        given["ffn"] = 4 * given["hidden"]
    model = replace(base, **given)
    facts = networks.facts(model)
    within(1, networks.MOST_PARAMETERS, parameters=facts["parameters"])
    rows, repeat, sums = _rows(model)
    around = facts["embedding_parameters"] + facts["head_parameters"]
    facts["embedding_share"] = around / facts["parameters"]
    heading = titled(title, _heading(facts), facts)
    return Drawing(block_chart.draw(rows, heading, "T tokens of a text", repeat, sums), facts)


def _rows(
    model: networks.Transformer,
) -> tuple[list[BoxRow], block_chart.Repeat, list[tuple[int, int]]]:
    """The rows; those of a layer; the first and the last row of attention, and of the feed-forward part."""
    inside, outside = networks.layer(model), networks.around(model)
    wide = f"T × {model.hidden}"
    rows = [_row([outside["embedding"]], wide)]
    if model.positions:
        rows.append(_row([outside["positions"]], wide))
    first = len(rows)
    rows.append(_row([inside["attention_norm"]], wide))
    three = [inside["queries"], inside["keys"], inside["values"]]
    counts = (model.heads, model.kv_heads, model.kv_heads)
    boxes = tuple(
        LabelledBox(block.name, f"{count} × {model.width}")
        for block, count in zip(three, counts, strict=True)
    )
    kv, queries = model.kv_heads * model.width, model.heads * model.width
    rows.append(_row(three, f"T × {queries}, 2 × T × {kv}", boxes))
    rows.append(
        BoxRow(
            (LabelledBox("Attention", f"T × T scores in each of {model.heads} heads"),),
            LOOKS["attention"],
            f"T × {queries}",
        )
    )
    rows.append(_row([inside["output"]], wide))
    rows.append(BoxRow((), LOOKS["norm"], wide, adds=first))
    second = len(rows)
    rows.append(_row([inside["feed_forward_norm"]], wide))
    into = [inside[name] for name in ("gate", "up") if name in inside]
    rows.append(_row(into, f"T × {model.ffn}", after="gate × up" if model.gated else "activation"))
    rows.append(_row([inside["down"]], wide))
    rows.append(BoxRow((), LOOKS["norm"], wide, adds=second))
    last = len(rows) - 1
    rows.append(_row([outside["final_norm"]], wide))
    head = _row([outside["head"]], f"T × {model.vocab}")
    rows.append(replace(head, weights="those of the embedding") if model.tied else head)
    sums = [(first + 1, second - 2), (second + 1, last - 1)]
    return rows, block_chart.Repeat(first, last, model.layers), sums


def _row(
    blocks: list[networks.Block], shape: str, boxes: tuple[LabelledBox, ...] = (), after: str = ""
) -> BoxRow:
    """A row of blocks with all of their weights."""
    sizes = [size for block in blocks for name, size in block.parts if "bias" not in name]
    weights = " × ".join(map(str, sizes[0])) if sizes else ""
    if len(sizes) > 1:  # products of one input
        outs = {size[-1]: sum(other == size for other in sizes) for size in sizes}
        weights = " + ".join(str(out) if many == 1 else f"{many} × {out}" for out, many in outs.items())
        weights = f"{sizes[0][0]} × ({weights})"
    if any("bias" in name for block in blocks for name, _ in block.parts):
        weights += " + bias" if len(blocks) == 1 else " + biases"
    each = sum(int(block.parameters) for block in blocks)
    named = boxes or tuple(LabelledBox(block.name) for block in blocks)
    return BoxRow(named, LOOKS[blocks[0].kind], shape, weights, each, after=after)


def _heading(facts: dict[str, Any]) -> str:
    total = grouped(str(facts["parameters"]))
    shares = {
        "the feed-forward parts": facts["feed_forward_share"],
        "attention": facts["attention_share"],
        "embedding and head": facts["embedding_share"],
    }
    most = max(shares, key=lambda name: shares[name])
    return f"Of {total} parameters {percent(shares[most])} are in {most}"
