"""Headers, registers and instructions as fields of bits: which bits each field has, and where it lies in words.

Fields are given in the order in which they are read, the most significant bit first. Bits are numbered in one of two
ways: from the first, as in protocols (MSB 0), or from the least significant one, as in registers (LSB 0).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

MOST_BITS = 1_000_000  # the most bits of a field
MOST_FIELDS = 128  # the most fields of a layout


@dataclass(frozen=True, slots=True)
class BitField:
    """A field.

    - bits: None if the length varies.
    - short: the text of a cell that is too narrow for the name.
    - group: what the field has in common with others; "" for none.
    - reserved: it has no meaning yet.
    """

    name: str
    bits: int | None
    short: str = ""
    group: str = ""
    reserved: bool = False


@dataclass(frozen=True, slots=True)
class BitLayout:
    """Fields of a header or a register; fields without a fixed length come last.

    - name: "" if it does not need one.
    """

    name: str
    fields: tuple[BitField, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.fields) <= MOST_FIELDS:
            raise ValueError(f"a layout has from 1 to {MOST_FIELDS} fields, not {len(self.fields)}")
        varies = ""
        for field in self.fields:
            if field.bits is not None and varies:
                raise ValueError(f"'{field.name}' cannot follow '{varies}', whose length varies")
            if field.bits is not None and not 1 <= field.bits <= MOST_BITS:
                raise ValueError(f"bits of '{field.name}' must be from 1 to {MOST_BITS}, not {field.bits}")
            varies = field.name if field.bits is None else ""

    @property
    def bits(self) -> int:
        """The bits of all fields with a fixed length."""
        return sum(int(field.bits or 0) for field in self.fields)


@dataclass(frozen=True, slots=True)
class FieldPiece:
    """The part of a field that lies in one word: its columns `first` to `last`, from 0 at the left.

    - number: the field's.
    """

    number: int
    word: int
    first: int
    last: int


def offsets(layout: BitLayout, lowest: bool = False) -> list[int]:
    """The first bit of each field, counted from the layout's first.

    lowest: its lowest bit, counted from the layout's last.
    """
    bits, at = [], 0
    for field in layout.fields:
        width = field.bits or 0
        bits.append(layout.bits - at - width if lowest else at)
        at += width
    return bits


def pieces(layout: BitLayout, word: int) -> Iterator[FieldPiece]:
    """The pieces of all fields, in order. A field without a fixed length takes the rest of a word, or a whole one."""
    at = 0
    for number, field in enumerate(layout.fields):
        end = at + (field.bits if field.bits is not None else word - at % word)
        while at < end:
            last = min(end, at - at % word + word) - 1
            yield FieldPiece(number, at // word, at % word, last % word)
            at = last + 1


def words(layout: BitLayout, word: int) -> int:
    """How many words the layout takes, including those of fields without a fixed length."""
    return max(piece.word for piece in pieces(layout, word)) + 1


def slug(name: str) -> str:
    """A field's name as part of a fact's name: `time_to_live`."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "field"


def facts(layout: BitLayout, lowest: bool = False) -> dict[str, Any]:
    """Sizes, and where each field begins; if two fields share a name, the second is `offset_<name>_2`."""
    starts = offsets(layout, lowest)
    stated: dict[str, Any] = {
        "fields": len(layout.fields),
        "fixed_fields": sum(field.bits is not None for field in layout.fields),
        "total_bits": layout.bits,
        "total_bytes": layout.bits // 8 if layout.bits % 8 == 0 else layout.bits / 8,
        "offsets": starts,
        "widths": [field.bits or 0 for field in layout.fields],
    }
    seen: dict[str, int] = {}
    for field, start in zip(layout.fields, starts, strict=True):
        name = slug(field.name)
        seen[name] = seen.get(name, 0) + 1
        stated[f"offset_{name}" + (f"_{seen[name]}" if seen[name] > 1 else "")] = start
    return stated


def _fields(rows: str, group: str = "") -> tuple[BitField, ...]:
    """A table of `bits name`, with `= short` and `@ group` behind the name; `reserved` is a name of its own."""
    fields = []
    for row in rows.strip().splitlines():
        bits, _, text = row.strip().partition(" ")
        text, _, own_group = text.partition(" @ ")
        name, _, short = text.partition(" = ")
        width = None if bits == "*" else int(bits)
        fields.append(BitField(name, width, short, own_group or group, name in ("Reserved", "Ignored")))
    return tuple(fields)


_R = "3 funct3 @ Operation\n5 rd @ Register\n7 opcode @ Operation"
_FLAGS = "1 Dirty = D\n1 Accessed = A"

# Name -> layouts. RFC 791, 8200, 9293, 768; RISC-V Instruction Set Manual I, 20191213, chapter 2, and II, chapter 4;
# Intel 64 and IA-32 Architectures Software Developer's Manual 3A, table "Format of a Page-Table Entry that Maps a
# 4-KByte Page"; IEEE 754-2019, section 3.4.
KNOWN: Mapping[str, tuple[BitLayout, ...]] = MappingProxyType(
    {
        "IPv4": (
            BitLayout(
                "IPv4",
                _fields("""
                4 Version
                4 Header length = IHL
                6 Differentiated services = DSCP
                2 Explicit congestion notification = ECN
                16 Total length
                16 Identification
                3 Flags
                13 Fragment offset
                8 Time to live
                8 Protocol
                16 Header checksum
                32 Source address
                32 Destination address
                * Options"""),
            ),
        ),
        "IPv6": (
            BitLayout(
                "IPv6",
                _fields("""
                4 Version
                8 Traffic class
                20 Flow label
                16 Payload length
                8 Next header
                8 Hop limit
                128 Source address
                128 Destination address"""),
            ),
        ),
        "TCP": (
            BitLayout(
                "TCP",
                _fields("""
                16 Source port @ Port
                16 Destination port @ Port
                32 Sequence number @ Stream
                32 Acknowledgment number @ Stream
                4 Data offset
                4 Reserved = Res.
                1 Congestion window reduced = CWR @ Control bit
                1 Congestion was experienced = ECE @ Control bit
                1 Urgent pointer is valid = URG @ Control bit
                1 Acknowledgment number is valid = ACK @ Control bit
                1 Push = PSH @ Control bit
                1 Reset the connection = RST @ Control bit
                1 Synchronize sequence numbers = SYN @ Control bit
                1 No more data = FIN @ Control bit
                16 Window @ Stream
                16 Checksum
                16 Urgent pointer @ Stream
                * Options
                * Data"""),
            ),
        ),
        "UDP": (
            BitLayout(
                "UDP",
                _fields("""
                16 Source port
                16 Destination port
                16 Length
                16 Checksum
                * Data"""),
            ),
        ),
        "RISC-V": (
            BitLayout("R", _fields(f"7 funct7 @ Operation\n5 rs2 @ Register\n5 rs1 @ Register\n{_R}")),
            BitLayout("I", _fields(f"12 imm[11:0] @ Immediate\n5 rs1 @ Register\n{_R}")),
            BitLayout(
                "S",
                _fields(
                    "7 imm[11:5] @ Immediate\n5 rs2 @ Register\n5 rs1 @ Register\n"
                    "3 funct3 @ Operation\n5 imm[4:0] @ Immediate\n7 opcode @ Operation"
                ),
            ),
            BitLayout(
                "B",
                _fields(
                    "7 imm[12|10:5] @ Immediate\n5 rs2 @ Register\n5 rs1 @ Register\n"
                    "3 funct3 @ Operation\n5 imm[4:1|11] @ Immediate\n7 opcode @ Operation"
                ),
            ),
            BitLayout("U", _fields("20 imm[31:12] @ Immediate\n5 rd @ Register\n7 opcode @ Operation")),
            BitLayout(
                "J", _fields("20 imm[20|10:1|11|19:12] @ Immediate\n5 rd @ Register\n7 opcode @ Operation")
            ),
        ),
        "Sv39": (
            BitLayout(
                "Sv39",
                _fields(f"""
                1 Naturally aligned power of two = N
                2 Page-based memory type = PBMT
                7 Reserved
                26 PPN[2] @ Physical page
                9 PPN[1] @ Physical page
                9 PPN[0] @ Physical page
                2 For software = RSW
                {_FLAGS}
                1 Global = G
                1 User may access = U
                1 Executable = X @ Permission
                1 Writable = W @ Permission
                1 Readable = R @ Permission
                1 Valid = V"""),
            ),
        ),
        "x86-64": (
            BitLayout(
                "x86-64",
                _fields("""
                1 Execute disable = XD @ Permission
                4 Protection key = PK @ Permission
                7 Ignored
                40 Physical address, bits 51 to 12 @ Physical page
                3 Ignored = Ign.
                1 Global = G
                1 Page attribute table = PAT @ Cache
                1 Dirty = D
                1 Accessed = A
                1 Cache disable = PCD @ Cache
                1 Write-through = PWT @ Cache
                1 User may access = U/S @ Permission
                1 Writable = R/W @ Permission
                1 Present = P"""),
            ),
        ),
        "float": tuple(
            BitLayout(name, (BitField("Sign", 1, "S"), BitField("Exponent", e), BitField("Fraction", f)))
            for name, e, f in (("binary32", 8, 23), ("binary16", 5, 10), ("bfloat16", 8, 7))
        ),
    }
)


# These are sent, and so numbered from the first bit; all others are registers and numbers.
PROTOCOLS = ("IPv4", "IPv6", "TCP", "UDP")


def read(name: str, rows: Sequence[Any]) -> BitLayout:
    """A layout from mappings with `name`, `bits` and optionally `short`, `group` and `reserved`.

    ValueError for a wrong row.
    """
    fields = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping) or not {"name", "bits"} <= row.keys():
            raise ValueError(f"field {number} is a mapping of name and bits, not {row!r}")
        unknown = sorted(map(str, row.keys() - {"name", "bits", "short", "group", "reserved"}))
        if unknown:
            raise ValueError(
                f"field {number} has name, bits, short, group and reserved, not {', '.join(unknown)}"
            )
        bits, reserved = row["bits"], row.get("reserved", False)
        if bits is not None and (isinstance(bits, bool) or not isinstance(bits, int)):
            raise ValueError(
                f"bits of '{row['name']}' must be a whole number, or none where they vary, not {bits!r}"
            )
        if not isinstance(reserved, bool):
            raise ValueError(f"reserved of '{row['name']}' must be true or false, not {reserved!r}")
        short, group = (str(row.get(key) or "") for key in ("short", "group"))
        fields.append(BitField(str(row["name"]), bits, short, group, reserved))
    return BitLayout(name, tuple(fields))


def common(layouts: Sequence[BitLayout]) -> list[str]:
    """The fields that have the same name and bits in all layouts, in the first layout's order.

    Bits are counted from the lowest.
    """
    places = [
        {
            (field.name, field.bits, start)
            for field, start in zip(layout.fields, offsets(layout, True), strict=True)
        }
        for layout in layouts
    ]
    same = set.intersection(*places)
    return list(
        dict.fromkeys(
            field.name for field in layouts[0].fields if any(field.name == name for name, _, _ in same)
        )
    )
