"""A header, a register or an instruction as fields of bits, wrapped at a word. By default, the header of IPv4."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Interval

from figmill import Drawing
from figmill.palette import role
from figmill_timelines.bounds import hold
from figmill_timelines.charts.looks import CellLook
from figmill_timelines.models import bit_fields
from figmill_timelines.plots import field_chart
from figmill_timelines.quantities import plural
from figmill_timelines.titles import titled

# Groups in their order; no two rest on colour alone.
LOOKS = (("compute", None), ("data", "foot"), ("routing", "head"), ("accent", "both"))
PLAIN = CellLook("Other", role("compute").fill, role("compute").line)
RESERVED = CellLook("Reserved or ignored", role("neutral").fill, role("neutral").line)


def draw(
    known: Literal["IPv4", "IPv6", "TCP", "UDP", "RISC-V", "Sv39", "x86-64", "float"] = "IPv4",
    fields: list[dict[str, Any]] | None = None,
    layouts: dict[str, list[dict[str, Any]]] | None = None,
    word: Annotated[int, Interval(ge=4, le=64)] = 32,
    numbering: Literal["msb0", "lsb0", "both"] | None = None,
    title: str = "",
) -> Drawing:
    """Facts: fields, total_bits, total_bytes, offsets and widths (lists), offset_<field> of each; with several layouts
    these end in a layout's name, and common lists the fields that lie in the same bits of all.

    known: drawn without fields or layouts. fields: a list of name, bits (null if they vary, only at the
    end), and optionally short (for a narrow cell), group (a look and an entry of the legend), reserved; the most
    significant first. layouts: several such lists by name. word: bits of a line. numbering: msb0 from the first bit,
    as protocols do, lsb0 from the lowest, as registers do, both in each word; offsets are in the first of both.
    title: what to see.
    """
    hold(draw, locals())
    if fields is not None and layouts is not None:
        raise ValueError("give fields or layouts, not both")
    if fields is not None:
        shown = [bit_fields.read("", fields)]
    elif layouts is not None:
        shown = [bit_fields.read(str(name), rows) for name, rows in layouts.items()]
        if not 1 <= len(shown) <= 24:
            raise ValueError(f"layouts must be from 1 to 24, not {len(shown)}")
    else:
        shown = list(bit_fields.KNOWN[known])
    lines = sum(min(bit_fields.words(layout, word), 5 * len(layout.fields)) for layout in shown)
    if lines > 64:
        raise ValueError(f"this takes {lines} lines of {word} bits; a figure has room for 64")
    is_own = fields is not None or layouts is not None
    by_value = numbering == "lsb0" or (numbering is None and not is_own and known not in bit_fields.PROTOCOLS)
    facts: dict[str, Any] = {}
    for layout in shown:
        ending = f"_{bit_fields.slug(layout.name)}" if len(shown) > 1 else ""
        facts |= {name + ending: value for name, value in bit_fields.facts(layout, by_value).items()}
    if len(shown) > 1:
        facts["common"] = bit_fields.common(shown)
    looks = _looks(shown)
    manner = numbering or ("lsb0" if by_value else "msb0")
    diagrams = [_diagram(layout, word, manner, looks, shown) for layout in shown]
    heading = titled(title, _heading(shown, facts), facts)
    return Drawing(field_chart.draw(diagrams, word, heading, [*looks.values(), PLAIN, RESERVED]), facts)


def _looks(shown: list[bit_fields.BitLayout]) -> dict[str, CellLook]:
    """The look of each group. ValueError if there are more than a figure can tell apart."""
    groups = list(
        dict.fromkeys(f.group for layout in shown for f in layout.fields if f.group and not f.reserved)
    )
    is_plain = any(not f.group and not f.reserved for layout in shown for f in layout.fields)
    free = LOOKS[1:] if is_plain else LOOKS
    if len(groups) > len(free):
        raise ValueError(f"{len(groups)} groups: {', '.join(groups)}; a figure can tell {len(free)} apart")
    return {
        group: CellLook(group, role(name).fill, role(name).line, None, bar)
        for group, (name, bar) in zip(groups, free, strict=False)
    }


def _diagram(
    layout: bit_fields.BitLayout,
    word: int,
    manner: str,
    looks: dict[str, CellLook],
    shown: list[bit_fields.BitLayout],
) -> field_chart.Diagram:
    places: list[list[tuple[int, int, int]]] = [[] for _ in layout.fields]
    for piece in bit_fields.pieces(layout, word):
        places[piece.number].append((piece.word, piece.first, piece.last))
    cells = tuple(
        field_chart.FieldCell(
            field.name,
            tuple(place),
            RESERVED if field.reserved else looks.get(field.group, PLAIN),
            field.short,
            field.bits is None,
            "length varies" if field.bits is None else plural(field.bits, "bit"),
        )
        for field, place in zip(layout.fields, places, strict=True)
    )
    count, several = bit_fields.words(layout, word), len(shown) > 1
    shares = layout is not shown[0] and all(other.bits == shown[0].bits for other in shown)
    columns = word if count > 1 else min(word, layout.bits)
    scales = []
    if manner in ("msb0", "both") and not shares:
        scales.append(("MSB 0" if manner == "both" else "", (tuple(range(columns)),)))
    if manner == "both" and not shares:
        scales.append(("LSB 0", (tuple(reversed(range(columns))),)))
    if manner == "lsb0" and not shares:
        rows = [
            range(layout.bits - 1 - n * word, max(-1, layout.bits - 1 - (n + 1) * word), -1)
            for n in range(count)
        ]
        scales.append(("", tuple(tuple(row) for row in rows if row)))
    known = -(-layout.bits // word)  # words, before the length of any field varies
    known += any(field.bits is None for field in layout.fields)
    starts = tuple(f"byte {n * word // 8}" for n in range(min(count, known)))
    is_even = count > 1 and word % 8 == 0 and manner != "lsb0" and not several
    return field_chart.Diagram(
        layout.name if several else "", cells, tuple(scales), starts if is_even else ()
    )


def _heading(shown: list[bit_fields.BitLayout], facts: dict[str, Any]) -> str:
    sizes = sorted(layout.bits for layout in shown)
    if sizes[0] < sizes[-1]:
        return f"{len(shown)} layouts of {sizes[0]} to {plural(sizes[-1], 'bit')}"
    if len(shown) > 1:
        same, count = facts["common"], len(shown)
        if not same:
            return f"No field lies in the same bits of all {count} layouts"
        if {field.name for layout in shown for field in layout.fields} == set(same):
            return f"All fields lie in the same bits of all {count} layouts"
        names = same[0] if len(same) == 1 else f"{', '.join(same[:-1])} and {same[-1]}"
        return f"Only {names} {'lies' if len(same) == 1 else 'lie'} in the same bits of all {count} layouts"
    layout = shown[0]
    size = plural(layout.bits // 8, "byte") if layout.bits % 8 == 0 else plural(layout.bits, "bit")
    more = [field.name for field in layout.fields if field.bits is None]
    behind = f", then {' and '.join(more)} of any length" if more else ""
    name = f"{layout.name}: " if layout.name else ""
    return f"{name}{size} in {plural(facts['fixed_fields'], 'field')}{behind}"
