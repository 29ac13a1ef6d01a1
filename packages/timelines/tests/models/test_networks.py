"""Parameters of networks: against published numbers, and against the tensors that the models' files name."""

from __future__ import annotations

from math import prod
from typing import Any

import pytest
from helpers.cases import cases
from helpers.generators import generator, texts
from helpers.words import typefaces_of_a_build
from hypothesis import example, given
from hypothesis import strategies as st
from matplotlib.text import Text

from figmill_timelines.models import networks
from figmill_timelines.models.networks import NetworkLayer, Transformer
from figmill_timelines.plots import block_chart
from figmill_timelines.quantities import tenths

# Published: KerasHub's presets (GPT-2 XL, Gemma 2B), and what the safetensors files of a model on the Hugging Face hub
# hold (the others). That of Llama 2 70B also holds 80 x 64 frequencies of its rotated positions, which are no weights.
PUBLISHED = {
    "GPT-2": 124_439_808,
    "GPT-2 XL": 1_557_611_200,
    "Llama 2 7B": 6_738_415_616,
    "Llama 2 70B": 68_976_648_192,
    "Llama 3 8B": 8_030_261_248,
    "Llama 3 70B": 70_553_706_496,
    "Llama 3.1 405B": 405_853_388_800,
    "Mistral 7B": 7_241_732_096,
    "Qwen2.5 0.5B": 494_032_768,
    "Gemma 2B": 2_506_172_416,
}


@cases("name", networks.TRANSFORMERS)
def test_known_models_have_as_many_parameters_as_published(name: str) -> None:
    assert networks.facts(networks.TRANSFORMERS[name])["parameters"] == PUBLISHED[name]


def of_llama(m: Transformer) -> dict[str, tuple[int, ...]]:
    """The tensors of a checkpoint of Llama's family by the names of its files: rows are outputs."""
    tensors = {"model.embed_tokens.weight": (m.vocab, m.hidden), "model.norm.weight": (m.hidden,)}
    head = m.head_dimension or m.hidden // m.heads
    for n in range(m.layers):
        at = f"model.layers.{n}"
        tensors |= {
            f"{at}.input_layernorm.weight": (m.hidden,),
            f"{at}.post_attention_layernorm.weight": (m.hidden,),
            f"{at}.self_attn.q_proj.weight": (m.heads * head, m.hidden),
            f"{at}.self_attn.k_proj.weight": (m.kv_heads * head, m.hidden),
            f"{at}.self_attn.v_proj.weight": (m.kv_heads * head, m.hidden),
            f"{at}.self_attn.o_proj.weight": (m.hidden, m.heads * head),
            f"{at}.mlp.gate_proj.weight": (m.ffn, m.hidden),
            f"{at}.mlp.up_proj.weight": (m.ffn, m.hidden),
            f"{at}.mlp.down_proj.weight": (m.hidden, m.ffn),
        }
        if m.biases == "qkv":
            for part, count in (("q", m.heads), ("k", m.kv_heads), ("v", m.kv_heads)):
                tensors[f"{at}.self_attn.{part}_proj.bias"] = (count * head,)
    if not m.tied:
        tensors["lm_head.weight"] = (m.vocab, m.hidden)
    return tensors


def of_gpt2(m: Transformer) -> dict[str, tuple[int, ...]]:
    """The tensors of a checkpoint of GPT-2 by the names of its files: queries, keys and values are one product."""
    tensors = {
        "wte": (m.vocab, m.hidden),
        "wpe": (m.positions, m.hidden),
        "ln_f.weight": (m.hidden,),
        "ln_f.bias": (m.hidden,),
    }
    for n in range(m.layers):
        at = f"h.{n}"
        for norm in ("ln_1", "ln_2"):
            tensors |= {f"{at}.{norm}.weight": (m.hidden,), f"{at}.{norm}.bias": (m.hidden,)}
        for name, into, out in (
            ("attn.c_attn", 1, 3),
            ("attn.c_proj", 1, 1),
            ("mlp.c_fc", 1, 4),
            ("mlp.c_proj", 4, 1),
        ):
            tensors |= {
                f"{at}.{name}.weight": (into * m.hidden, out * m.hidden),
                f"{at}.{name}.bias": (out * m.hidden,),
            }
    return tensors


@cases("name", networks.TRANSFORMERS)
def test_the_tensors_of_the_files_add_up_to_the_same(name: str) -> None:
    model = networks.TRANSFORMERS[name]
    tensors = of_gpt2(model) if name.startswith("GPT") else of_llama(model)
    facts = networks.facts(model)
    assert sum(prod(shape) for shape in tensors.values()) == facts["parameters"]
    inside = {key: shape for key, shape in tensors.items() if ".0." in key}
    assert sum(prod(shape) for shape in inside.values()) == facts["layer_parameters"]
    attention = [shape for key, shape in inside.items() if "attn" in key]
    assert sum(prod(shape) for shape in attention) == facts["attention_parameters"]
    feed = [shape for key, shape in inside.items() if "mlp" in key]
    assert sum(prod(shape) for shape in feed) == facts["feed_forward_parameters"]


@given(
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(1, 8),
    st.integers(1, 50),
    st.integers(1, 40),
    st.booleans(),
    st.sampled_from(["qkv", "none"]),
)
def test_any_model_is_the_sum_of_its_tensors(
    layers: int, groups: int, kv_heads: int, width: int, vocab: int, ffn: int, tied: bool, biases: str
) -> None:
    heads = groups * kv_heads
    model = Transformer(layers, heads, heads * width, vocab, kv_heads, ffn, True, tied, 0, biases)
    facts = networks.facts(model)
    assert facts["parameters"] == sum(prod(shape) for shape in of_llama(model).values())
    assert facts["cache_numbers_per_token"] == 2 * layers * kv_heads * width


# torchvision states these of its weights of AlexNet and VGG-16; LeNet-5 and the MLP by hand:
# (25 + 1) 6 + (150 + 1) 16 + 401 x 120 + 121 x 84 + 85 x 10, and 785 x 256 + 257 x 10.
PLAIN = {"AlexNet": 61_100_840, "VGG-16": 138_357_544, "LeNet-5": 61_706, "MLP": 203_530}


@pytest.mark.parametrize("name", networks.NETWORKS)
def test_known_networks_have_as_many_parameters_as_published(name: str) -> None:
    inputs, network = networks.NETWORKS[name]
    assert networks.stage_facts(networks.stages(inputs, network))["parameters"] == PLAIN[name]


@given(
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(1, 7),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(1, 3),
    st.integers(1, 3),
    st.booleans(),
)
def test_a_convolution_has_an_output_for_every_place_of_its_kernel(
    rows: int, columns: int, kernel: int, stride: int, padding: int, groups: int, each: int, bias: bool
) -> None:
    convolution = NetworkLayer("conv", 2 * groups, kernel, stride, padding, bias, groups)
    places = [len(range(-padding, n + padding - kernel + 1, stride)) for n in (rows, columns)]
    if 0 in places:
        with pytest.raises(ValueError, match=r"layer 1 \(conv\) is larger than its input"):
            networks.stages((groups * each, rows, columns), [convolution])
        return
    (stage,) = networks.stages((groups * each, rows, columns), [convolution])
    assert stage.shape == (2 * groups, *places)
    # Each output channel reads `each` channels of its group through the kernel.
    assert stage.block.parameters == sum(each * kernel * kernel + bias for _ in range(2 * groups))


def test_own_sizes_take_the_place_of_the_known_ones() -> None:
    draw = generator("transformer_blocks").draw
    assert draw(known="GPT-2", tied=False).facts["parameters"] == PUBLISHED["GPT-2"] + 50257 * 768
    llama = draw(
        layers=32,
        heads=32,
        hidden=4096,
        vocab=32000,
        kv_heads=32,
        ffn=11008,
        gated=True,
        tied=False,
        positions=0,
        biases="none",
        norm="rms",
    )
    assert llama.facts["parameters"] == PUBLISHED["Llama 2 7B"]
    assert "6\u202f738\u202f415\u202f616" in texts(llama.figure) and "32 layers: 96.1%" in texts(llama.figure)


def without_spaces(text: Text) -> str:
    return "".join(text.get_text().split())


def test_what_the_figure_prints_adds_up() -> None:
    """The numbers of the column, as a reader would add them."""
    for name, params in (
        ("transformer_blocks", {"known": "Llama 3 8B"}),
        ("network_blocks", {"known": "AlexNet"}),
    ):
        drawing = generator(name).draw(**params)
        column = drawing.figure.findobj(Text)
        ends = [t for t in column if t.get_ha() == "right" and without_spaces(t).isdigit()]
        last = max(t.get_position()[0] for t in ends)
        numbers = [int(without_spaces(t)) for t in ends if t.get_position()[0] == last]
        assert sum(numbers[:-1]) == numbers[-1] == drawing.facts["parameters"]


@cases(
    ("name", "params", "message"),
    [
        ("transformer_blocks", {"hidden": 100, "heads": 7}, "heads: 100 is not a multiple of 7"),
        ("transformer_blocks", {"heads": 12, "kv_heads": 5}, "kv_heads: 12 is not a multiple of 5"),
        ("transformer_blocks", {"layers": True}, "layers must be a whole number or none, not True"),
        ("network_blocks", {"layers": [{"dense": 3}]}, "layers need inputs"),
        ("network_blocks", {"inputs": [3, 8, 8], "layers": []}, "layers must be from 1 to 40, not 0"),
        ("network_blocks", {"inputs": [3], "layers": [{"conv": 3}]}, r"layer 1 \(conv\) needs channels"),
        ("network_blocks", {"inputs": [3, 8, 8], "layers": [{"pool": 9}]}, r"layer 1 \(pool\) is larger"),
        (
            "network_blocks",
            {"inputs": [3, 8, 8], "layers": [{"conv": 3, "size": 2}]},
            r"layer 1 \(conv\) takes .*size",
        ),
        (
            "network_blocks",
            {"inputs": [3, 8, 8], "layers": [{"conv": 3, "pool": 2}]},
            "layer 1 has one of conv, pool",
        ),
        (
            "network_blocks",
            {"inputs": [3, 8, 8], "layers": [{"conv": 4, "groups": 2}]},
            "2 groups do not divide 3",
        ),
        (
            "network_blocks",
            {"inputs": [3, 8, 8], "layers": [{"dense": 0}]},
            "dense of layer 1 must be from 1 to",
        ),
        (
            "network_blocks",
            {"inputs": [3, 8, 8], "layers": [{"norm": 1}]},
            "norm of layer 1 must be true, not 1",
        ),
        (
            "network_blocks",
            {"inputs": [3, 8]},
            "inputs are channels, height and width, or the number of features",
        ),
        ("network_blocks", {"inputs": []}, "inputs are channels"),
    ],
)
def test_what_cannot_be_drawn_is_told(name: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        generator(name).draw(**params)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", networks.TRANSFORMERS)
def test_the_share_in_the_title_is_the_sum_at_a_bracket(name: str) -> None:
    drawing = generator("transformer_blocks").draw(known=name)
    labels = texts(drawing.figure)
    for part in ("attention", "feed_forward"):
        assert tenths(drawing.facts[f"{part}_share"]) in labels


SHARES = st.lists(st.floats(0.001, 1), min_size=2, max_size=6)


@example([1.0, 0.001])
@given(SHARES)
def test_the_printed_parts_of_a_sum_add_up_to_it(weights: list[float]) -> None:
    shares = [weight / sum(weights) / 2 for weight in weights]
    parts = block_chart._percents([*shares, 0.5], [(0, len(shares) - 1)])
    total = sum(float(part.removesuffix("%")) for part in parts[:-1] if part != "<0.1%")
    assert total == pytest.approx(50, abs=0.05 + 1e-9) and parts[-1] == "50.0%"


def test_shares_have_one_more_digit_where_they_would_not_add_up() -> None:
    labels = texts(generator("transformer_blocks").draw(known="GPT-2").figure)
    assert {"22.78%", "22.76%", "45.5%", "17.1%", "5.7%", "22.8%"} <= set(labels)


def test_weights_stand_in_one_line() -> None:
    with typefaces_of_a_build():
        labels = texts(generator("network_blocks").draw(known="VGG-16").figure)
    assert "512 × (256 + 2 × 512) × 3 × 3 + biases" in labels
