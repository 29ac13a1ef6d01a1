"""Transformers and plain networks as blocks: the shapes and numbers of their weights.

A decoder of a transformer (Vaswani et al. 2017, arXiv:1706.03762) has its norms before attention and before the
feed-forward part, as in GPT-2 and Llama. Attention has `heads` queries and `kv_heads` keys and values (Ainslie et al.
2023, grouped queries, arXiv:2305.13245). A gated feed-forward part has a third product (Shazeer 2020,
arXiv:2002.05202). A convolution of k x k over c channels has c k k weights for each of its own channels; its sizes are
those of Dumoulin and Visin 2016, arXiv:1603.07285.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import Any

TensorShape = tuple[int, ...]
MOST_PARAMETERS = 10**16


@dataclass(frozen=True, slots=True)
class Block:
    """A part with weights.

    - parts: (name, shape) of each of its weights.
    - kind: the part of the model that it belongs to.
    """

    name: str
    kind: str
    parts: tuple[tuple[str, TensorShape], ...] = ()

    @property
    def parameters(self) -> int:
        return sum(int(prod(shape)) for _, shape in self.parts)


@dataclass(frozen=True, slots=True)
class Transformer:
    """A transformer, as its configuration states it.

    - positions: how many have a learned vector; 0 if they are rotated, or there are none.
    - biases: in `all` products, in the first ones of attention (`qkv`), or in `none`.
    - norm: `layer` has a gain and a bias, `rms` a gain.
    """

    layers: int
    heads: int
    hidden: int
    vocab: int
    kv_heads: int
    ffn: int
    gated: bool = False
    tied: bool = True
    positions: int = 0
    biases: str = "none"
    norm: str = "rms"
    head_dimension: int = 0  # 0: hidden / heads

    def __post_init__(self) -> None:
        if not self.head_dimension and self.hidden % self.heads:
            raise ValueError(
                f"hidden must be a multiple of heads: {self.hidden} is not a multiple of {self.heads}"
            )
        if self.heads % self.kv_heads:
            raise ValueError(
                f"heads must be a multiple of kv_heads: {self.heads} is not a multiple of {self.kv_heads}"
            )

    @property
    def width(self) -> int:
        """The width of one head."""
        return self.head_dimension or self.hidden // self.heads


def _product(name: str, into: int, out: int, bias: bool) -> tuple[tuple[str, TensorShape], ...]:
    weights: tuple[tuple[str, TensorShape], ...] = ((name, (into, out)),)
    return (*weights, (f"{name} bias", (out,))) if bias else weights


def _norm(model: Transformer, name: str) -> Block:
    gain: tuple[tuple[str, TensorShape], ...] = (("gain", (model.hidden,)),)
    return Block(name, "norm", (*gain, ("bias", (model.hidden,))) if model.norm == "layer" else gain)


def layer(model: Transformer) -> dict[str, Block]:
    """The blocks of one layer, by name."""
    every, first = model.biases == "all", model.biases in ("all", "qkv")
    queries, keys = model.heads * model.width, model.kv_heads * model.width
    into = ("gate", "up") if model.gated else ("up",)
    return {
        "attention_norm": _norm(model, "Norm"),
        "queries": Block("Queries", "attention", _product("queries", model.hidden, queries, first)),
        "keys": Block("Keys", "attention", _product("keys", model.hidden, keys, first)),
        "values": Block("Values", "attention", _product("values", model.hidden, keys, first)),
        "output": Block("Output", "attention", _product("output", queries, model.hidden, every)),
        "feed_forward_norm": _norm(model, "Norm"),
        **{
            name: Block(name.title(), "feed-forward", _product(name, model.hidden, model.ffn, every))
            for name in into
        },
        "down": Block("Down", "feed-forward", _product("down", model.ffn, model.hidden, every)),
    }


def around(model: Transformer) -> dict[str, Block]:
    """The blocks before and after all layers, by name."""
    table: tuple[tuple[str, TensorShape], ...] = (("embedding", (model.vocab, model.hidden)),)
    places: tuple[tuple[str, TensorShape], ...] = (("positions", (model.positions, model.hidden)),)
    return {
        "embedding": Block("Token embedding", "embedding", table),
        **({"positions": Block("Positions", "embedding", places)} if model.positions else {}),
        "final_norm": _norm(model, "Norm"),
        "head": Block("Head", "embedding", () if model.tied else (("head", (model.hidden, model.vocab)),)),
    }


def facts(model: Transformer) -> dict[str, Any]:
    """Parameters of each part and of all. cache_numbers_per_token: of keys and values, in all layers."""
    inside, outside = layer(model), around(model)

    def of(kind: str) -> int:
        return sum(int(block.parameters) for block in inside.values() if block.kind == kind)

    each = sum(int(block.parameters) for block in inside.values())
    total = model.layers * each + sum(int(block.parameters) for block in outside.values())
    return {
        "parameters": total,
        "embedding_parameters": outside["embedding"].parameters,
        "position_parameters": outside["positions"].parameters if model.positions else 0,
        "attention_parameters": of("attention"),
        "feed_forward_parameters": of("feed-forward"),
        "norm_parameters": of("norm"),
        "layer_parameters": each,
        "layers_parameters": model.layers * each,
        "final_norm_parameters": outside["final_norm"].parameters,
        "head_parameters": outside["head"].parameters,
        "head_dimension": model.width,
        "cache_numbers_per_token": 2 * model.layers * model.kv_heads * model.width,
        "layers_share": model.layers * each / total,
        "feed_forward_share": model.layers * of("feed-forward") / total,
        "attention_share": model.layers * of("attention") / total,
    }


# As stated in their authors' configurations.
TRANSFORMERS: Mapping[str, Transformer] = MappingProxyType(
    {
        "GPT-2": Transformer(12, 12, 768, 50257, 12, 3072, False, True, 1024, "all", "layer"),
        "GPT-2 XL": Transformer(48, 25, 1600, 50257, 25, 6400, False, True, 1024, "all", "layer"),
        "Llama 2 7B": Transformer(32, 32, 4096, 32000, 32, 11008, True, False),
        "Llama 2 70B": Transformer(80, 64, 8192, 32000, 8, 28672, True, False),
        "Llama 3 8B": Transformer(32, 32, 4096, 128256, 8, 14336, True, False),
        "Llama 3 70B": Transformer(80, 64, 8192, 128256, 8, 28672, True, False),
        "Llama 3.1 405B": Transformer(126, 128, 16384, 128256, 8, 53248, True, False),
        "Mistral 7B": Transformer(32, 32, 4096, 32000, 8, 14336, True, False),
        "Qwen2.5 0.5B": Transformer(24, 14, 896, 151936, 2, 4864, True, True, 0, "qkv"),
        "Gemma 2B": Transformer(18, 8, 2048, 256000, 1, 16384, True, True, 0, "none", "rms", 256),
    }
)


@dataclass(frozen=True, slots=True)
class NetworkLayer:
    """A layer of a plain network.

    - kind: conv, pool, dense or norm.
    - size: channels, the edge of a pool, or outputs.
    - activation: the name of the activation that follows it.
    - groups: of channels that a convolution keeps apart.
    """

    kind: str
    size: int = 0
    kernel: int = 1
    stride: int = 1
    padding: int = 0
    bias: bool = True
    groups: int = 1
    activation: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """A layer with the weights that its input gives it, and the shape of its output."""

    layer: NetworkLayer
    block: Block
    shape: TensorShape


def stages(inputs: TensorShape, network: Sequence[NetworkLayer]) -> list[Stage]:
    """Every layer in turn. inputs: (channels, height, width) or (features,). ValueError, with the layer, if its
    input does not fit. An input with a height and a width is flattened before a dense layer."""
    result = []
    shape = inputs
    for number, layer in enumerate(network, 1):
        name = f"layer {number} ({layer.kind})"
        if layer.kind in ("conv", "pool") and len(shape) != 3:
            raise ValueError(f"{name} needs channels, height and width, and gets {shape[0]} features")
        if layer.kind == "conv" and (shape[0] % layer.groups or layer.size % layer.groups):
            raise ValueError(
                f"{name}: {layer.groups} groups do not divide {shape[0]} and {layer.size} channels"
            )
        block, shape = _stage(layer, shape)
        if min(shape) < 1:
            raise ValueError(f"{name} is larger than its input")
        result.append(Stage(layer, block, shape))
    return result


def _stage(layer: NetworkLayer, shape: TensorShape) -> tuple[Block, TensorShape]:
    bias: tuple[tuple[str, TensorShape], ...] = (("bias", (layer.size,)),) if layer.bias else ()
    if layer.kind == "dense":
        return Block("Dense", "dense", (("weights", (prod(shape), layer.size)), *bias)), (layer.size,)
    if layer.kind == "norm":
        return Block("Batch norm", "norm", (("gain", (shape[0],)), ("bias", (shape[0],)))), shape
    edge = layer.size if layer.kind == "pool" else layer.kernel
    across = tuple((n + 2 * layer.padding - edge) // layer.stride + 1 for n in shape[1:])
    if layer.kind == "pool":
        return Block("Pool", "pool"), (shape[0], *across)
    weights = (layer.size, shape[0] // layer.groups, layer.kernel, layer.kernel)
    return Block("Convolution", "conv", (("weights", weights), *bias)), (layer.size, *across)


def stage_facts(layers: Sequence[Stage]) -> dict[str, Any]:
    """Parameters of each layer and of all layers, and how many numbers leave each layer."""
    counts = [stage.block.parameters for stage in layers]
    return {
        "parameters": sum(map(int, counts)),
        "layers": len(layers),
        "layer_parameters": counts,
        "layer_outputs": [prod(stage.shape) for stage in layers],
        "largest_layer": max(counts, default=0),
    }


def _conv(size: int, kernel: int, padding: int, stride: int = 1, activation: str = "ReLU") -> NetworkLayer:
    return NetworkLayer("conv", size, kernel, stride, padding, activation=activation)


def _dense(*sizes: int, activation: str = "ReLU") -> tuple[NetworkLayer, ...]:
    last = len(sizes) - 1
    return tuple(
        NetworkLayer("dense", size, activation="" if n == last else activation)
        for n, size in enumerate(sizes)
    )


def _vgg(*rows: tuple[int, int]) -> tuple[NetworkLayer, ...]:
    pool = NetworkLayer("pool", 2, stride=2)
    return tuple(layer for size, count in rows for layer in (*[_conv(size, 3, 1)] * count, pool))


_POOL = NetworkLayer("pool", 3, stride=2)
# Inputs and layers. LeNet-5 as usual today: dense in its third convolution's place of the same size, and all of its
# channels connected (LeCun et al. 1998); AlexNet with one GPU's channels (Krizhevsky 2014, arXiv:1404.5997); VGG-16 of
# Simonyan and Zisserman 2014, arXiv:1409.1556.
NETWORKS: Mapping[str, tuple[TensorShape, tuple[NetworkLayer, ...]]] = MappingProxyType(
    {
        "MLP": ((784,), _dense(256, 10)),
        "LeNet-5": (
            (1, 28, 28),
            (
                _conv(6, 5, 2, activation="tanh"),
                NetworkLayer("pool", 2, stride=2),
                _conv(16, 5, 0, activation="tanh"),
                NetworkLayer("pool", 2, stride=2),
                *_dense(120, 84, 10, activation="tanh"),
            ),
        ),
        "AlexNet": (
            (3, 224, 224),
            (
                _conv(64, 11, 2, 4),
                _POOL,
                _conv(192, 5, 2),
                _POOL,
                _conv(384, 3, 1),
                _conv(256, 3, 1),
                _conv(256, 3, 1),
                _POOL,
                *_dense(4096, 4096, 1000),
            ),
        ),
        "VGG-16": (
            (3, 224, 224),
            (*_vgg((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)), *_dense(4096, 4096, 1000)),
        ),
    }
)
