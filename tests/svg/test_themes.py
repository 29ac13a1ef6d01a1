"""The dark theme: where colours go, what stays as it is, and what can be told from what afterwards."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from helpers.cases import cases

from figmill.palette import GRID, MUTED, PAGE, ROLES, TEXT, Role
from figmill.svg import Sheet, in_themes, normalise
from figmill.svg.checks.ratios import SPREAD
from figmill.svg.colour import contrast, distance, lightness, luminance, tone
from figmill.svg.intake.inverted import seen
from figmill.svg.passes.themes import place, places

DARK = Sheet("fig", "Title", "What it shows", theme="dark", font="Arial")
LIGHT = Sheet("fig", "Title", "What it shows", font="Arial")
NIGHT = ("#121212", PAGE[1])


def svg(inside: str, root: str = "") -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" {root}>{inside}</svg>'.encode()


def dark(inside: str, root: str = "", sheet: Sheet = DARK) -> str:
    """What the dark figure holds, on one line; a second time changes nothing, nor does the light figure between."""
    result = normalise(svg(inside, root), sheet).svg
    assert normalise(result, sheet).svg == result
    light = normalise(svg(inside, root), Sheet("fig", "Title", "What it shows", font="Arial")).svg
    assert normalise(light, sheet).svg == result
    flat = "".join(line.strip() for line in result.decode().splitlines())
    return flat.partition("</desc>")[2].removesuffix("</svg>")


def warned(inside: str, sheet: Sheet = LIGHT) -> tuple[str, ...]:
    return tuple(message for _, message, _ in normalise(svg(inside), sheet).warnings)


def word(fill: str, x: int = 50, size: int = 9) -> str:
    return f'<text x="{x}" y="52" text-anchor="middle" font-family="Arial" font-size="{size}" fill="{fill}">ab</text>'


def box(fill: str, more: str = "") -> str:
    return f'<rect x="10" y="10" width="80" height="80" fill="{fill}"{more}/>'


def test_the_shadow_of_a_text_need_not_contrast() -> None:
    """Badges draw each text twice; a text that is drawn once, or apart from its like, is judged."""
    shadow = word("#010101").replace("<text", '<text fill-opacity=".3" transform="translate(0 1)"')
    on_grey = box("#555")
    assert warned(on_grey + shadow + word("#fff")) == ()
    (warning,) = warned(on_grey + shadow)
    assert "contrast" in warning
    assert len(warned(on_grey + shadow + word("#fff").replace('y="52"', 'y="30"'))) == 1
    assert len(warned(on_grey + word("#fff") + shadow)) == 1, "the faint one is on top"


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_roles_have_their_dark_colours(role: Role) -> None:
    assert dark(box(role.fill, f' stroke="{role.line}"')) == (
        f'<rect x="10" y="10" width="80" height="80" fill="{role.dark_fill}" stroke="{role.dark_line}"/>'
    )


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_label_in_ink_is_legible_in_both_themes_and_has_the_line_s_colour_in_the_dark(role: Role) -> None:
    assert contrast(role.ink, PAGE[0]) >= 4.5 and contrast(role.dark_ink, PAGE[1]) >= 4.5
    assert f'fill="{role.dark_line}"' in dark(word(role.ink))
    assert warned(word(role.ink)) == ()


def test_ink_follows_the_palette_of_the_book() -> None:
    ours = Role("compute", "#ddddff", "#cc66cc", "#111133", "#9999ff")
    for theme, ink in (("light", ours.ink), ("dark", ours.dark_ink)):
        sheet = Sheet("fig", "Title", "What it shows", theme=theme, palette=(ours,))
        assert f'fill="{ink}"' in normalise(svg(word(ROLES[0].ink)), sheet).svg.decode()


@pytest.mark.parametrize("pair", [TEXT, MUTED, GRID, PAGE])
def test_so_have_text_grid_and_page(pair: tuple[str, str]) -> None:
    assert f'stroke="{pair[1]}"' in dark(
        box("#c02030") + f'<path d="M 0 20 H 90" stroke="{pair[0]}" fill="none"/>'
    )


def test_outlines_like_paper_around_nothing_are_nothing_in_the_dark() -> None:
    """As Graphviz draws a cluster with color=white; pages of sites are dark in other shades than ours."""
    cluster = '<polygon points="5,5 95,5 95,95 5,95" fill="none" stroke="white"/>'
    node = f'<ellipse cx="50" cy="50" rx="20" ry="10" fill="none" stroke="{TEXT[0]}"/>'
    assert re.findall(r'stroke="([^"]*)"', dark(cluster + node)) == ["none", TEXT[1]]
    grid = '<path d="M0 50H100" stroke="white"/>'
    assert f'stroke="{PAGE[1]}"' in dark(box("#e5e5e5") + grid)  # it is seen there


def test_a_book_has_dark_colours_of_its_own() -> None:
    ours = Role("compute", "#ddddff", "#3333aa", "#111133", "#9999ff")
    sheet = Sheet("fig", "Title", "What it shows", theme="dark", palette=(ours,))
    result = normalise(svg(box("#cfe2f3", ' stroke="#4a90c4"')), sheet).svg.decode()
    assert 'fill="#111133" stroke="#9999ff"' in result
    assert normalise(result.encode(), sheet).svg.decode() == result


PAGES = {
    "white": '<rect width="100" height="100" fill="white"/>',
    "nearly white": '<path d="M 0 0 H 100 V 100 H 0 Z" fill="#fafbfc"/>',
    "Graphviz's, a little short": '<polygon points="0,0 95,0 95,95 0,95" fill="white" stroke="none"/>',
    "matplotlib's two": '<rect width="100" height="100" fill="#fff"/><path d="M 9 9 H 90 V 90 H 9 Z" fill="#fff"/>',
}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_transparent(name: str) -> None:
    result = dark(PAGES[name] + '<circle r="5" fill="#4a90c4"/>')
    assert re.findall('fill="([^"]*)"', result) in ([ROLES[0].dark_line], ["none", ROLES[0].dark_line])


def test_white_on_something_hides_it_in_the_dark_as_well() -> None:
    assert f'fill="{PAGE[1]}"' in dark(
        box("#cfe2f3") + '<rect x="20" y="20" width="9" height="9" fill="#fff"/>'
    )


BLACK = {
    "words": ("<text>a</text>", "", TEXT[1]),
    "a shape": ("<g><circle r='9'/></g>", "", TEXT[1]),
    "the colour of the page around": ('<circle r="9" fill="currentColor"/>', "", TEXT[1]),
    "what is handed down": ("<g fill='black'><text>a</text></g>", "", None),
}


@pytest.mark.parametrize("name", BLACK)
def test_initial_black_becomes_light(name: str) -> None:
    inside, root, colour = BLACK[name]
    result = normalise(svg(inside, root), DARK).svg.decode()
    match = re.search(r'(?:fill|color)="(#[0-9a-f]{6})"', result)
    assert match is not None
    assert colour in (match[1], None)
    assert all(contrast(match[1], page) > 12 for page in NIGHT)


KEPT = {
    "a mask, which is brightness": '<mask id="m"><rect width="9" height="9" fill="white"/><circle r="3"/></mask>'
    '<g mask="url(#m)"><rect width="9" height="9" fill="#cfe2f3"/></g>',
    "a gradient in a mask": '<linearGradient id="g"><stop stop-color="#fff"/><stop stop-color="#000"/></linearGradient>'
    '<mask id="m"><rect width="9" height="9" fill="url(#g)"/></mask><g mask="url(#m)"/>',
    "no paint": '<rect fill="none" stroke="none"/>',
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_no_colour_is_left_alone(name: str) -> None:
    result = dark(KEPT[name])
    for before in ("none", "#fff", "#000"):
        if f'"{before}"' in KEPT[name]:
            assert (
                f'"{before if before == "none" else before * 2 if len(before) == 4 else before}"'[:5]
                in result
            )
    if "mask" in name and "gradient" not in name:
        assert '<mask fill="#000000"' in result.replace('id="fig-dark-3" ', "")
        assert 'fill="#ffffff"' in result


def test_stops_without_a_colour_are_black_and_become_light() -> None:
    inside = (
        '<linearGradient id="g"><stop offset="0"/><stop offset="1" stop-color="#cfe2f3"/></linearGradient>'
    )
    result = dark(inside + '<circle r="9" fill="url(#g)"/>')
    stops = re.findall('stop-color="([^"]*)"', result)
    assert stops[1] == ROLES[0].dark_fill
    assert contrast(stops[0], PAGE[1]) > 12


def test_transparent_colours_stay_as_transparent() -> None:
    assert f"rgba(29, 59, 86, 0.5)" in dark(box("rgba(207, 226, 243, 0.5)"))  # noqa: F541


def test_hatches_and_markers_go_along() -> None:
    inside = (
        '<pattern id="h" width="9" height="9" patternUnits="userSpaceOnUse"><rect width="9" height="9" fill="#f9d6d5"/>'
        '<path d="M 0 9 L 9 0" stroke="#c44444"/></pattern>'
        '<marker id="m"><path d="M 0 0 L 3 3" fill="#c87b2a"/></marker>'
        '<rect width="50" height="9" fill="url(#h)"/><path d="M 0 0 L 9 9" stroke="#c87b2a" marker-end="url(#m)"/>'
    )
    result = dark(inside)
    assert [c for c in re.findall('"(#[0-9a-f]{6})"', result) if c != TEXT[1]] == [
        "#562220",
        "#d5706f",
        "#e8a657",
        "#e8a657",
    ]


STRONG = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#bcbd22", "#17becf"]


@cases("colour", [*STRONG, "navy", "#7f7f7f", "black", "tomato"])
def test_strong_colours_stand_out_on_both_pages(colour: str) -> None:
    match = re.search('fill="([^"]*)"', dark(box(colour)))
    assert match is not None
    assert min(contrast(match[1], page) for page in NIGHT) >= 3


@pytest.mark.parametrize("colour", ["#ffffff", "#f7fbff", "#fff8e1", "#deebf7", "#eeeeee", "lightblue"])
def test_pale_areas_become_dark_ones(colour: str) -> None:
    match = re.search('fill="([^"]*)"', dark(box("#c44444") + box(colour)).partition("/>")[2])
    assert match is not None
    assert contrast(TEXT[1], match[1]) >= 4.5


def test_what_differs_in_the_light_differs_in_the_dark() -> None:
    pale = [f"#f{n:x}e{n:x}ff" for n in range(0, 16, 3)] + STRONG + ["#cfe2f3", "#c9dcee", "#d5e8f6"]
    table = places(frozenset(pale), ROLES)
    for one in pale:
        for other in pale:
            if one != other:
                assert distance(table[one], table[other]) >= min(0.018, 0.9 * distance(one, other))


def test_a_scale_of_many_colours_is_data_and_stays_in_order() -> None:
    scale = frozenset(f"#{n * 8:02x}40{255 - n * 8:02x}" for n in range(32))
    assert all(colour == dark for colour, dark in places(scale, ROLES).items())


def test_a_pale_grid_beside_a_scale_is_no_part_of_it() -> None:
    """Plotly's lines at zero are bluish white: on a dark page they would be the brightest thing of all."""
    scale = "".join(f'<path d="M{n} 0h1v9" fill="#{n * 8:02x}40{255 - n * 8:02x}"/>' for n in range(32))
    grid = '<path d="M0 40 H100" stroke="#ebf0f8" fill="none"/>'
    assert lightness(re.findall('stroke="(#[0-9a-f]+)"', dark(scale + grid))[0]) < 0.6
    assert "#ebf0f8" in dark(scale + grid + '<path d="M0 60 H9 V70" fill="#ebf0f8"/>')


@pytest.mark.parametrize("value", ["", "yes"])
def test_words_with_a_visibility_that_says_nothing_are_seen(value: str) -> None:
    scale = "".join(f'<path d="M{n} 0h1v9" fill="#{n * 8:02x}40{255 - n * 8:02x}"/>' for n in range(32))
    result = dark(scale + word("#49563a").replace("<text ", f'<text visibility="{value}" '))
    ink = re.findall('<text[^>]* fill="(#[0-9a-f]+)"', result)[0]
    assert contrast(ink, PAGE[1]) >= 4.5 and "visibility" not in result


def test_greys_turn_in_order() -> None:
    greys = [place(f"#{n:02x}{n:02x}{n:02x}")[0] for n in range(40, 256, 24)]
    assert greys == sorted(greys, reverse=True)


WORDS = [("#ffffff", "#1f3b57"), ("#000000", "#ffff00"), ("#333333", "#cfe2f3"), ("#ffffff", "#4a90c4")] + [
    ("#999999", colour) for colour in ("#ffffff", "#cfe2f3", "#1f77b4")
]


@pytest.mark.parametrize(("ink", "fill"), WORDS)
def test_words_can_be_read_on_what_lies_behind_them(ink: str, fill: str) -> None:
    result = dark(box("#c44444") + box(fill) + word(ink), sheet=replace(DARK, colours="theme"))
    behind, now = re.findall('fill="([^"]*)"', result)[1:]
    assert contrast(behind, now) >= 4.5


@pytest.mark.parametrize("colour", ["#1a1a8c", "#aa0000", "#333333", "#ffee99"])
def test_lines_can_be_seen_on_both_pages(colour: str) -> None:
    match = re.search(
        'stroke="([^"]*)"', dark(f'<path d="M 0 0 L 50 60 90 10" fill="none" stroke="{colour}"/>')
    )
    assert match is not None
    assert min(contrast(match[1], page) for page in NIGHT) >= 3


def test_an_inherited_colour_is_mended_only_where_it_fails() -> None:
    """One word stands on a bright bar, one on the page."""
    labels = word("inherit", 20) + word("inherit", 80)
    inside = f'<rect y="40" width="40" height="20" fill="#ffd700"/><g fill="#000000">{labels}</g>'
    result = dark(inside)
    bar, handed_down, mended = (tone(colour) for colour in re.findall('fill="(#[^"]*)"', result))
    assert bar is not None and handed_down is not None and mended is not None
    assert contrast(mended[0], bar[0]) >= 4.5
    assert contrast(handed_down[0], PAGE[1]) >= 4.5


TOLD = {
    "pale words": word("#aaaaaa"),
    "words on their own colour": box("#4a90c4") + word("#4a90c4"),
    "words half on a dark area": '<rect width="50" height="100" fill="#222222"/>' + word("#000000", size=30),
    "words under a veil": f'<g opacity="0.4">{word("#2b2b2b")}</g>',
    "a part of a text": '<text x="5" y="50" fill="#2b2b2b">a <tspan fill="#dddddd">b</tspan></text>',
    "a pale line": '<path d="M 0 0 L 50 60 90 10" fill="none" stroke="#ffcc99"/>',
    "words used elsewhere": f'<defs><g id="a">{word("#bbbbbb")}</g></defs><use href="#a"/>',
}
SILENT = {
    "words on a dark area": box("#222222") + word("#ffffff"),
    "words on a dark area by a way around": '<g transform="translate(50 50) scale(0.5)">'
    f'<rect x="-50" y="-50" width="100" height="100"/></g>{word("#ffffff")}',
    "words on a curve's inside": '<circle cx="50" cy="50" r="40" fill="navy"/>' + word("#ffffff"),
    "words beside a bent area": '<path d="M 0 0 H 100 V 10 H 10 V 100 H 0 Z" fill="#000000"/>'
    + word("#2b2b2b"),
    "words in a hole": '<path d="M 0 0 H 100 V 100 H 0 Z M 20 20 H 80 V 80 H 20 Z" fill-rule="evenodd"/>'
    + word("#2b2b2b"),
    "a grid": '<path d="M 0 50 H 100" stroke="#dddddd"/><path d="M 50 0 V 100" stroke="#dfe3e8"/>',
    "a frame": box("#ffffff", ' rx="4" stroke="#cccccc"'),
    "a gap": box("#cfe2f3", ' stroke="#ffffff"'),
    "the outline of what stands out": box("#4a90c4", ' stroke="#5aa0d4"'),
    "a band in its own colour": box("#cfe2f3", ' stroke="#cfe2f3"'),
    "two roles in each other": box("#cfe2f3")
    + '<circle cx="50" cy="50" r="9" fill="#fdebd0" stroke="#c87b2a"/>',
    "what is not drawn": f'<g display="none">{word("#ffffff")}</g>{word("none")}',
}


@pytest.mark.parametrize("name", TOLD)
def test_what_cannot_be_told_apart_is_warned_of(name: str) -> None:
    assert any(
        re.search(r"in #[0-9a-f]{6}.* on #[0-9a-f]{6}: contrast \d", text) for text in warned(TOLD[name])
    )


@cases("name", SILENT)
def test_what_can_is_not(name: str) -> None:
    assert warned(SILENT[name]) == ()
    assert warned(SILENT[name], DARK) == ()


def test_a_warning_names_the_nearest_colour_that_passes() -> None:
    (message,) = warned(word("#aaaaaa"))
    assert message == (
        "the text 'ab' in #aaaaaa on #ffffff: contrast 2.32:1, 4.5:1 is needed; "
        "the nearest colour that passes is #767676"
    )


def test_lightness_stays_near_the_cube_root_of_luminance() -> None:
    """What the search for a colour that passes leaves out, unseen, could not have passed."""
    steps = [f"{part:02x}" for part in range(0, 256, 17)]
    colours = [f"#{red}{green}{blue}" for red in steps for green in steps for blue in steps]
    apart = [abs(lightness(text) - luminance(text) ** (1 / 3)) for text in colours]
    assert len(apart) == 4096 and 0.04 < max(apart) < 0.75 * SPREAD


def test_a_background_that_no_browser_paints_is_left_out() -> None:
    """Mermaid writes one for the labels of edges; who judges contrast, as axe does, would take it for their page."""
    drawing = (
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 60" style="background-color: #123456">'
        b"<style>.label { background-color: #ffffff }</style>"
        b'<g class="label"><text style="background: #ffffff" x="5" y="20">yes</text></g></svg>'
    )
    light, dark = in_themes(drawing, Sheet("fig", "Title", "What it shows"), ("light", "dark"))
    assert b"background" not in light.svg + dark.svg
    assert b'<rect width="60" height="60" fill="#123456"/>' in light.svg  # what the root's has become


INVERTED = 'filter="invert(100%) hue-rotate(180deg)"'


@pytest.mark.parametrize("root", [False, True])
def test_a_drawing_that_is_dark_by_a_filter_keeps_its_looks_in_both_themes(root: bool) -> None:
    """As draw.io and Excalidraw export it: each colour would else be taken for its opposite."""
    inside = (
        '<g {}><rect width="60" height="100" fill="#ffffff" stroke="#000000"/>'
        '<rect width="9" height="9" fill="#cc0000"/><text x="70" y="20">On</text></g>'
    )
    page = "#ededed" if root else "#121212"
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" style="background-color: {page}" '
        f"{INVERTED if root else ''}>{inside.format('' if root else INVERTED)}</svg>"
    ).encode()
    light, dark = in_themes(drawing, Sheet("fig", "Title", "What it shows"), ("light", "dark"))
    assert b'fill="#121212"' in light.svg and b"filter" not in light.svg
    for form in (light.svg, dark.svg):
        assert b'height="100" fill="#000000" stroke="#ffffff"' in form.replace(b'width="60" ', b"")
    assert b'fill="#121212"' not in dark.svg and b"#ededed" not in dark.svg
    for theme, form in (("light", light), ("dark", dark)):
        assert in_themes(form.svg, Sheet("fig", "Title", "What it shows"), (theme,))[0].svg == form.svg


def test_what_a_filter_shows_is_what_browsers_show() -> None:
    # Measured in Chromium, over areas of these colours.
    shown = {
        "invert(100%) hue-rotate(180deg)": (
            "#ffffff #000000 #808080 #7f7f7f #cc0000 #ffa8a8 #66ffb3 #004c00 #d79b00 #9d6100 #004c99 #7cc8ff"
        ),
        "invert(93%) hue-rotate(180deg)": (
            "#ffffff #121212 #000000 #ededed #cc0000 #ffa2a2 #66ffb3 #005312 #d79b00 #996500 #82b366 #456f2c"
        ),
    }
    for effect, pairs in shown.items():
        colours = pairs.split()
        assert [seen(colour, effect) for colour in colours[::2]] == colours[1::2]


def test_a_background_of_the_root_is_painted_below_everything() -> None:
    drawing = (
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-5 0 100 50" style="background: #cfe2f3">'
        b'<rect width="9" height="9" fill="#123456"/></svg>'
    )
    light = normalise(drawing, Sheet("fig", "Title", "What it shows")).svg.decode()
    assert light.index('<rect x="-5" width="100" height="50" fill="#cfe2f3"/>') < light.index("#123456")
    assert "background" not in light and light.count("<rect") == 2


PLATE = (
    '<rect {} rx="8" fill="#292929" stroke="rgba(255,255,255,0.35)"/>'
    '<text x="9" y="40" fill="#c5c8c6">$ make</text>'
)


def test_the_window_of_a_terminal_stays_dark_in_the_dark() -> None:
    """As rich and others draw it: rounded, with an outline, hardly smaller than the drawing."""
    inside = PLATE.format('x="1" y="1" width="98" height="98"')
    assert 'fill="#292929"' in dark(inside) and 'fill="#c5c8c6"' in dark(inside)


def test_a_dark_box_on_a_light_page_is_no_window() -> None:
    inside = PLATE.format('x="10" y="10" width="80" height="80"')
    assert 'fill="#292929"' not in dark(inside)


STRIPES = '<pattern id="p" width="4" height="4" patternUnits="userSpaceOnUse"><path d="M0 4l4-4"/></pattern>'
STRIPED = '<rect width="20" height="20" fill="url(#p)"/>'


def test_equal_elements_with_one_id_are_one() -> None:
    """As schemdraw draws its hatches: a pattern for each area."""
    once, twice = (f"<defs>{STRIPES * count}</defs>{STRIPED}" for count in (1, 2))
    assert warned(twice) == ()
    assert normalise(svg(twice), LIGHT).svg == normalise(svg(once), LIGHT).svg


def test_of_two_elements_with_one_id_readers_see_the_first() -> None:
    other = STRIPES.replace("M0 4l4-4", "M0 0l4 4")
    both, first = (f"<defs>{patterns}</defs>{STRIPED}" for patterns in (STRIPES + other, STRIPES))
    assert warned(both) == ("id 'p' is used twice, and references to it lead to the first element",)
    assert normalise(svg(both), LIGHT).svg == normalise(svg(first), LIGHT).svg
