"""Fields of bits: against real headers, instructions and numbers, taken apart by other means."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import pytest
from helpers.cases import cases
from helpers.generators import generator, texts
from hypothesis import given
from hypothesis import strategies as st

from figmill_timelines.models import bit_fields
from figmill_timelines.models.bit_fields import KNOWN, BitField, BitLayout


def values(layout: BitLayout, data: bytes, word: int = 32) -> dict[str, int]:
    """What a layout's pieces read out of data: word by word, column by column. Nothing else of the module is used."""
    bits = "".join(f"{byte:08b}" for byte in data)
    digits: dict[str, str] = {}
    for piece in bit_fields.pieces(layout, word):
        line = bits[piece.word * word : (piece.word + 1) * word]
        name = layout.fields[piece.number].name
        digits[name] = digits.get(name, "") + line[piece.first : piece.last + 1]
    return {name: int(text, 2) for name, text in digits.items() if text}


@pytest.mark.parametrize("word", [8, 16, 32, 64])
def test_a_header_of_ipv4_is_what_the_fields_say(word: int) -> None:
    data = bytes.fromhex("45000073000040004011b861c0a80001c0a800c7")
    fields = values(KNOWN["IPv4"][0], data, word)
    whole = struct.unpack(">BBHHHBBHII", data)
    assert fields["Version"] == 4 and 4 * fields["Header length"] == len(data) == KNOWN["IPv4"][0].bits // 8
    assert (fields["Total length"], fields["Time to live"], fields["Protocol"]) == (whole[2], 64, 17)
    assert fields["Flags"] == 0b010 and fields["Header checksum"] == 0xB861
    assert (fields["Source address"], fields["Destination address"]) == whole[8:]
    # The checksum of a header that is right makes all its 16-bit words sum up to ones (RFC 1071).
    total = sum(struct.unpack(">10H", data))
    assert (total & 0xFFFF) + (total >> 16) == 0xFFFF


@pytest.mark.parametrize(
    ("name", "code", "fields"),
    # As assemblers write them: add x3,x1,x2; addi x1,x0,5; sw x2,8(x1); beq x1,x2,+8; lui x5,0x12345; jal x1,+16
    [
        ("R", 0x002081B3, {"funct7": 0, "rs2": 2, "rs1": 1, "funct3": 0, "rd": 3, "opcode": 0x33}),
        ("I", 0x00500093, {"imm[11:0]": 5, "rs1": 0, "rd": 1, "opcode": 0x13}),
        ("S", 0x0020A423, {"imm[11:5]": 0, "rs2": 2, "rs1": 1, "funct3": 2, "imm[4:0]": 8, "opcode": 0x23}),
        ("B", 0x00208463, {"rs2": 2, "rs1": 1, "imm[4:1|11]": 8, "opcode": 0x63}),
        ("U", 0x123452B7, {"imm[31:12]": 0x12345, "rd": 5, "opcode": 0x37}),
        ("J", 0x010000EF, {"imm[20|10:1|11|19:12]": 8 << 9, "rd": 1, "opcode": 0x6F}),
    ],
)
def test_instructions_are_what_the_formats_say(name: str, code: int, fields: dict[str, int]) -> None:
    layout = next(layout for layout in KNOWN["RISC-V"] if layout.name == name)
    assert fields.items() <= values(layout, struct.pack(">I", code)).items()
    for field, low in zip(layout.fields, bit_fields.offsets(layout, lowest=True), strict=True):
        assert field.bits is not None
        assert fields.get(field.name, 0) in (0, code >> low & (1 << field.bits) - 1)


def test_a_float_is_its_sign_its_exponent_and_its_fraction() -> None:
    fields = values(KNOWN["float"][0], struct.pack(">f", -0.15625))
    assert fields == {"Sign": 1, "Exponent": 127 - 3, "Fraction": 0b01 << 21}
    assert values(KNOWN["float"][1], struct.pack(">e", -0.15625), 16) == {
        "Sign": 1,
        "Exponent": 12,
        "Fraction": 1 << 8,
    }


def test_sizes_are_those_of_their_standards() -> None:
    sizes = {name: [layout.bits for layout in layouts] for name, layouts in KNOWN.items()}
    assert sizes == {
        "IPv4": [160],
        "IPv6": [320],
        "TCP": [160],
        "UDP": [64],
        "RISC-V": [32] * 6,
        "Sv39": [64],
        "x86-64": [64],
        "float": [32, 16, 16],
    }
    # A page table entry that is valid, readable and executable (0b1011), and user (0b10000), of page 0x12345.
    fields = values(KNOWN["Sv39"][0], struct.pack(">Q", 0x12345 << 10 | 0b11011))
    assert (fields["Valid"], fields["Readable"], fields["Writable"], fields["Executable"]) == (1, 1, 0, 1)
    page = fields["PPN[2]"] << 18 | fields["PPN[1]"] << 9 | fields["PPN[0]"]
    assert page == 0x12345 and fields["User may access"] == 1


WIDTHS = st.lists(st.integers(1, 64), min_size=1, max_size=12)


@given(WIDTHS, st.integers(4, 64), st.randoms())
def test_a_structure_of_the_c_compilers_kind_has_the_same_offsets(
    widths: list[int], word: int, random: Any
) -> None:
    layout = BitLayout("x", tuple(BitField(f"f{n}", width) for n, width in enumerate(widths)))
    given = {f"f{n}": random.getrandbits(width) for n, width in enumerate(widths)}
    number = 0
    for n, width in enumerate(widths):
        number = number << width | given[f"f{n}"]
    total = sum(widths)
    padded = number << -total % 8
    assert values(layout, padded.to_bytes(-(-total // 8), "big"), word) == given
    lowest = bit_fields.offsets(layout, lowest=True)
    assert [number >> low & (1 << w) - 1 for low, w in zip(lowest, widths, strict=True)] == [*given.values()]
    assert [a + b + w for a, b, w in zip(bit_fields.offsets(layout), lowest, widths, strict=True)] == [
        total
    ] * len(widths)


def test_ctypes_lays_a_tcp_header_out_in_the_same_way() -> None:
    names = {
        "Source port": 16,
        "Destination port": 16,
        "Sequence number": 32,
        "Acknowledgment number": 32,
        "Window": 16,
        "Checksum": 16,
        "Urgent pointer": 16,
    }

    class Tcp(ctypes.BigEndianStructure):
        _fields_ = [
            ("source", ctypes.c_uint16),
            ("target", ctypes.c_uint16),
            ("sequence", ctypes.c_uint32),
            ("acknowledged", ctypes.c_uint32),
            ("flags", ctypes.c_uint16),
            ("window", ctypes.c_uint16),
            ("checksum", ctypes.c_uint16),
            ("urgent", ctypes.c_uint16),
        ]

    layout = KNOWN["TCP"][0]
    starts = {f.name: start for f, start in zip(layout.fields, bit_fields.offsets(layout), strict=True)}
    theirs = [8 * getattr(Tcp, name).offset for name, _ in Tcp._fields_ if name != "flags"]
    assert [starts[name] for name in names] == theirs and 8 * ctypes.sizeof(Tcp) == layout.bits


def test_what_is_common_lies_in_the_same_bits() -> None:
    drawing = generator("bit_fields").draw(known="RISC-V")
    assert drawing.facts["common"] == ["opcode"]
    assert "Only opcode lies in the same bits of all 6 layouts" in texts(drawing.figure)


@pytest.mark.parametrize(
    ("second", "title"),
    [
        ([("a", 2), ("b", 6)], "All fields lie in the same bits of all 2 layouts"),
        ([("a", 2), ("b", 3), ("c", 3)], "Only a lies in the same bits of all 2 layouts"),
        ([("a", 1), ("c", 1), ("b", 6)], "Only b lies in the same bits of all 2 layouts"),
        ([("c", 2), ("d", 6)], "No field lies in the same bits of all 2 layouts"),
    ],
)
def test_the_title_names_the_fields_that_all_layouts_have_in_the_same_bits(
    second: list[tuple[str, int]], title: str
) -> None:
    layouts = {
        name: [{"name": field, "bits": bits} for field, bits in rows]
        for name, rows in (("one", [("a", 2), ("b", 6)]), ("two", second))
    }
    assert title in texts(generator("bit_fields").draw(layouts=layouts).figure)


def test_every_name_stands_in_its_cell_or_in_the_list() -> None:
    fields = [{"name": f"A name of several words, number {n}", "bits": 1} for n in range(60)]
    said = " ".join(texts(generator("bit_fields").draw(fields=fields, word=64).figure))
    assert [row["name"] for row in fields if str(row["name"]) not in said] == []


def test_numbers_run_in_both_directions() -> None:
    def numbers(**params: Any) -> list[str]:
        return [text for text in texts(generator("bit_fields").draw(**params).figure) if text.isdigit()]

    fields = [{"name": "a", "bits": 8}]
    assert (
        numbers(fields=fields, word=8) == numbers(fields=fields, word=8, numbering="msb0") == list("01234567")
    )
    assert numbers(fields=fields, word=8, numbering="lsb0") == list("76543210")
    assert numbers(fields=fields, word=8, numbering="both") == [*"01234567", *"76543210"]
    assert numbers(known="Sv39")[:2] == ["63", "62"] and numbers(known="Sv39")[-1] == "0"


def test_a_byte_is_stated_only_where_it_is_known() -> None:
    said = texts(generator("bit_fields").draw(known="TCP").figure)
    assert "byte 20" in said and "byte 24" not in said


@cases(
    ("params", "message"),
    [
        ({"fields": [{"name": "a"}]}, "field 1 is a mapping of name and bits, not {'name': 'a'}"),
        (
            {"fields": [{"name": "a", "bits": 1.5}]},
            "bits of 'a' must be a whole number, or none where they vary",
        ),
        ({"fields": [{"name": "a", "bits": 0}]}, "bits of 'a' must be from 1 to 1000000, not 0"),
        ({"fields": [{"name": "a", "bits": 1, "width": 2}]}, "field 1 has name, bits, short, group and"),
        ({"fields": [{"name": "a", "bits": None}, {"name": "b", "bits": 1}]}, "'b' cannot follow 'a', whose"),
        ({"fields": []}, "a layout has from 1 to 128 fields, not 0"),
        ({"fields": [], "layouts": {}}, "give fields or layouts, not both"),
        ({"layouts": {}}, "layouts must be from 1 to 24, not 0"),
        (
            {"fields": [{"name": str(n), "bits": 1, "group": str(n)} for n in range(5)]},
            "a figure can tell 4 apart",
        ),
        ({"fields": [{"name": str(n), "bits": 16} for n in range(70)], "word": 8}, "140 lines of 8 bits"),
    ],
)
def test_what_cannot_be_drawn_is_told(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")) as refused:
        generator("bit_fields").draw(**params)
    assert "\n" not in str(refused.value)
