"""What the passes make of a drawing: each row a fragment of SVG and the fragment that it becomes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from helpers.cases import cases

from figmill.palette import Role
from figmill.svg import Sheet, SvgError, in_themes, normalise

SHEET = Sheet("fig", "Title", "What it shows", background="none", font="Arial", mono="Menlo, monospace")
HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="fig-light-1 fig-light-2"'
    ' width="100" height="100" viewBox="0 0 100 100">'
    '<title id="fig-light-1">Title</title><desc id="fig-light-2">What it shows</desc>'
)


def svg(inside: str, root: str = "") -> bytes:
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {names} viewBox="0 0 100 100" {root}>{inside}</svg>'.encode()


def became(data: bytes, sheet: Sheet = SHEET) -> str:
    """What stands in the result after title and description, on one line."""
    flat = "".join(line.strip() for line in normalise(data, sheet).svg.decode().splitlines())
    return flat.partition("</desc>")[2].removesuffix("</svg>")


CSS = {
    "a style attribute": (
        '<rect style="fill: #ff0000; stroke-width: 2px"/>',
        '<rect fill="#ff0000" stroke-width="2"/>',
    ),
    "a rule": ("<style>.a{fill:red}</style><rect class='a'/><rect/>", '<rect fill="#ff0000"/><rect/>'),
    "a rule beats an attribute": (
        "<style>rect{fill:red}</style><rect fill='blue'/>",
        '<rect fill="#ff0000"/>',
    ),
    "a style attribute beats a rule": (
        "<style>#a{fill:red}</style><rect id='a' style='fill:blue'/>",
        '<rect fill="#0000ff"/>',
    ),
    "an important rule beats both": (
        "<style>rect{fill:red!important}</style><rect style='fill:blue'/>",
        '<rect fill="#ff0000"/>',
    ),
    "the more specific rule": (
        "<style>g rect{fill:red}rect{fill:blue}</style><g><rect/></g>",
        '<g><rect fill="#ff0000"/></g>',
    ),
    "the later of equals": ("<style>rect{fill:red}rect{fill:blue}</style><rect/>", '<rect fill="#0000ff"/>'),
    "what has no attribute": (
        '<g style="mix-blend-mode:screen;isolation:isolate"/>',
        '<g style="isolation: isolate; mix-blend-mode: screen"/>',
    ),
    "the marker shorthand": (
        '<marker id="m"/><path style="marker:url(#m)"/>',
        '<marker id="fig-light-3"/><path '
        'marker-end="url(#fig-light-3)" marker-mid="url(#fig-light-3)" marker-start="url(#fig-light-3)"/>',
    ),
    "an editor's property": ('<g style="-inkscape-stroke:none;line-height:1.25"/>', "<g/>"),
}

FONTS = {
    "none at all": ("<text>a</text>", '<text font-family="Arial" font-size="16">a</text>'),
    "an attribute": (
        '<text font-family="Times" font-size="9">a</text>',
        '<text font-family="Arial" font-size="9">a</text>',
    ),
    "one quoted list": (
        "<text font-size='9' style=\"font-family: 'Helvetica Neue, Arial'\">a</text>",
        '<text font-family="Arial" font-size="9">a</text>',
    ),
    "the shorthand": (
        "<text style=\"font: italic bold 10px/1.2 'Arimo', serif\">a</text>",
        '<text font-family="Arial" font-size="10" font-style="italic" font-weight="bold">a</text>',
    ),
    "code": (
        '<text font-size="9" font-family="Courier,monospace">a</text>',
        '<text font-family="Menlo, monospace" font-size="9">a</text>',
    ),
    "code by inheritance": (
        '<g font-family="DejaVu Sans Mono"><text font-size="9">a<tspan font-family="serif">b</tspan></text></g>',
        '<g><text font-family="Menlo, monospace" font-size="9">a<tspan font-family="Arial">b</tspan></text></g>',
    ),
    "an inner one that says the same": (
        '<text font-size="9">a<tspan font-family="Times">b</tspan></text>',
        '<text font-family="Arial" font-size="9">a<tspan>b</tspan></text>',
    ),
    "white space": (
        '<text font-size="9">\n  a\n  b </text>',
        '<text font-family="Arial" font-size="9">a b</text>',
    ),
    "preserved white space": (
        '<text font-size="9" xml:space="preserve">a  b </text>',
        '<text font-family="Arial" font-size="9">a\u00a0\u00a0b\u00a0</text>',
    ),
}

IDS = {
    "nobody refers to it": ('<g id="a"/>', "<g/>"),
    "in document order": (
        '<use xlink:href="#b"/><g id="a"/><g id="b"/><use href="#a"/>',
        '<use href="#fig-light-4"/><g id="fig-light-3"/><g id="fig-light-4"/><use href="#fig-light-3"/>',
    ),
    "unused, through another unused one": (
        '<defs><linearGradient id="a"/><pattern id="b"><rect fill="url(#a)"/></pattern></defs><rect/>',
        "<rect/>",
    ),
    "used through another one": (
        '<defs><linearGradient id="a"/><linearGradient id="b" href="#a"/></defs><rect fill="url(#b)"/>',
        '<defs><linearGradient id="fig-light-3"/><linearGradient id="fig-light-4" href="#fig-light-3"/></defs>'
        '<rect fill="url(#fig-light-4)"/>',
    ),
    "inside a definition that is not used itself": (
        '<defs><g fill="red"><path id="a"/><path id="b"/></g></defs><use href="#b"/>',
        '<defs><g fill="#ff0000"><path id="fig-light-3"/></g></defs><use href="#fig-light-3"/>',
    ),
    "a paint to nowhere takes its fallback": (
        '<rect fill="url(#a) red" stroke="url(#b)"/>',
        '<rect fill="#ff0000" stroke="none"/>',
    ),
    "of an earlier run of ours": (
        '<title id="fig-light-1">old</title><use href="#fig-light-2"/><g id="fig-light-2"/>',
        '<use href="#fig-light-3"/><g id="fig-light-3"/>',
    ),
    "a link without a target": ('<a xlink:title="tip"><rect/></a>', "<g><rect/></g>"),
    "a tool's titles": ('<g class="node"><title>a&#45;&gt;b</title><rect/></g>', "<g><rect/></g>"),
    "an author's titles": ("<g><title>Stage 1</title><rect/></g>", "<g><title>Stage 1</title><rect/></g>"),
}

NUMBERS = {
    "three decimals": (
        '<rect x="1.23456" y="-0.0001" width="1e1" height="5px"/>',
        '<rect x="1.235" y="0" width="10" height="5"/>',
    ),
    "units of letters stay": ('<rect width="50%" height="1.50em"/>', '<rect width="50" height="1.5em"/>'),
    "lists": (
        '<text font-size="9" x="1,2.00 3">abc</text>',
        '<text x="1 2 3" font-family="Arial" font-size="9">abc</text>',
    ),
    "points": ('<polygon points="0 0,10.12345,0 -0,5"/>', '<polygon points="0,0 10.123,0 0,5"/>'),
    "relative path": ('<path d="m1 1l1-1h.5v-.5z m1,1"/>', '<path d="M 1 1 L 2 0 H 2.5 V -0.5 Z M 2 2"/>'),
    "arc with its flags run together": (
        '<path d="M0 0a5 5 0 0110 0"/>',
        '<path d="M 0 0 A 5 5 0 0 1 10 0"/>',
    ),
    "a path up to its mistake": ('<path d="M 0 0 L 1 1 2 L 3 3"/>', '<path d="M 0 0 L 1 1"/>'),
    "matplotlib's path": (
        '<path d="M 0 288.0001 \nL 50.12345 288 \nz\n"/>',
        '<path d="M 0 288 L 50.123 288 Z"/>',
    ),
    "transforms that do nothing": (
        '<g transform="scale(1 1) rotate(-0 8 9) translate(4 181)"/>',
        '<g transform="translate(4 181)"/>',
    ),
    "nothing left of a transform": ('<g transform="rotate(-0 80.754545 272.37)"/>', "<g/>"),
    "six digits": (
        '<g transform="matrix(1.23456789,0 0 1 1234.56789 -0)"/>',
        '<g transform="matrix(1.23457 0 0 1 1234.57 0)"/>',
    ),
    "more where it is magnified": (
        '<g transform="scale(100)"><rect x="0.12345678"/></g>',
        '<g transform="scale(100)"><rect x="0.1235"/></g>',
    ),
}

COLOURS = {
    "one notation": ('<rect fill="RED" stroke="rgb(1, 2, 3)"/>', '<rect fill="#ff0000" stroke="#010203"/>'),
    "no colour": ('<rect fill="none" stroke="currentColor"/>', '<rect fill="none" stroke="currentColor"/>'),
    "with alpha": ('<rect fill="rgba(1, 2, 3, 0.5)"/>', '<rect fill="rgba(1, 2, 3, 0.5)"/>'),
    "near figmill's own palette": ('<rect fill="#cfe2f4"/>', '<rect fill="#cfe2f4"/>'),
    "not so near": ('<rect fill="#c4d8ee"/>', '<rect fill="#c4d8ee"/>'),
    "two never become one": (
        '<rect fill="#cfe2f4"/><rect fill="#cfe2f3"/>',
        '<rect fill="#cfe2f4"/><rect fill="#cfe2f3"/>',
    ),
}

TABLES = {"css": CSS, "fonts": FONTS, "ids": IDS, "numbers": NUMBERS, "colours": COLOURS}
ROWS = [(table, row) for table, rows in TABLES.items() for row in rows]


@cases(("table", "row"), ROWS)
def test_rewrites(table: str, row: str) -> None:
    before, after = TABLES[table][row]
    assert became(svg(before)) == after
    assert became(svg(after)) == after


def test_the_whole_file() -> None:
    result = normalise(svg("<g><rect/></g><text font-size='9'>a &lt; b</text>"), SHEET).svg.decode()
    assert result == (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="fig-light-1 fig-light-2"'
        ' width="100" height="100" viewBox="0 0 100 100">\n'
        '  <title id="fig-light-1">Title</title>\n'
        '  <desc id="fig-light-2">What it shows</desc>\n'
        "  <g>\n"
        "    <rect/>\n"
        "  </g>\n"
        '  <text font-family="Arial" font-size="9">a &lt; b</text>\n'
        "</svg>\n"
    )


@cases(
    ("root", "size"),
    [
        ('width="89pt" height="116pt"', (118.667, 154.667, "0 0 118.667 154.667")),
        ('viewBox="0 0 40 20"', (40, 20, "0 0 40 20")),
        ('viewBox="0 0 40 20" width="80" height="80"', (80, 40, "0 0 40 20")),  # no bands above and below
        # Graphviz's margin.
        ('viewBox="7 7 406 155" width="414pt" height="163pt"', (552, 210.739, "7 7 406 155")),
        ('viewBox="0 0 40 20" width="80" height="80" preserveAspectRatio="none"', (80, 80, "0 0 40 20")),
        (
            'viewBox="0 0 40 20" width="80" height="80" preserveAspectRatio="xMinYMin slice"',
            (80, 80, "0 0 40 20"),
        ),
        # Rounded, not banded.
        ('viewBox="0 0 62 44" width="82.667" height="58.6"', (82.667, 58.6, "0 0 62 44")),
        ('viewBox="0 0 40 20" width="100%"', (40, 20, "0 0 40 20")),
        ('viewBox="-4 -4 40 20" width="1in"', (96, 48, "-4 -4 40 20")),
        ('viewBox="0 0 40 20" height="10mm"', (75.591, 37.795, "0 0 40 20")),
        ('style="width: 30px; height: 2em"', (30, 32, "0 0 30 32")),
    ],
)
def test_size(root: str, size: tuple[float, float, str]) -> None:
    result = normalise(f'<svg xmlns="http://www.w3.org/2000/svg" {root}/>'.encode(), SHEET)
    assert (result.width, result.height) == size[:2]
    assert f'viewBox="{size[2]}"' in result.svg.decode()


WHITE = '<rect width="100" height="100" fill="#ffffff"/>'
PAGES = {
    "none there": ("<circle/>", "<circle/>"),
    "a white rectangle": ('<rect width="100%" height="100" fill="white"/><circle/>', "<circle/>"),
    "two of them": (WHITE * 2 + "<circle/>", "<circle/>"),
    "matplotlib's": (
        '<g id="figure_1"><g id="patch_1"><path d="M 0 100 L 100 100 L 100 0 L 0 0 z" style="fill: #ffffff"/></g>'
        "<circle/></g>",
        "<g><circle/></g>",
    ),
    "Graphviz's": (
        '<g transform="scale(1 1) translate(4 96)"><polygon fill="white" stroke="none" '
        'points="-4,4 -4,-96 95.5,-96 95.5,4 -4,4"/><circle/></g>',
        '<g transform="translate(4 96)"><circle/></g>',
    ),
    "a smaller one": (
        '<rect width="80" height="100" fill="#ffffff"/>',
        '<rect width="80" height="100" fill="#ffffff"/>',
    ),
    "a round one": (
        '<rect width="100" height="100" rx="9" fill="#ffffff"/>',
        '<rect width="100" height="100" rx="9" fill="#ffffff"/>',
    ),
    "a pale one": (
        '<rect width="100" height="100" fill="#ffffff" opacity="0.5"/>',
        '<rect width="100" height="100" fill="#ffffff" opacity="0.5"/>',
    ),
}


@cases("name", PAGES)
def test_the_renderers_page_goes(name: str) -> None:
    before, after = PAGES[name]
    assert became(svg(before)) == after


@cases("name", PAGES)
def test_the_books_page_comes(name: str) -> None:
    sheet = Sheet("fig", "Title", "What it shows", font="Arial")
    assert became(svg(PAGES[name][0]), sheet) == WHITE + PAGES[name][1]


def test_an_opaque_page_of_the_authors_own_stays_alone() -> None:
    own = '<rect width="100" height="100" fill="#fff8e1"/>'
    assert became(svg(own), Sheet("fig", "Title", "What it shows")) == own


def test_a_page_in_css_is_a_page() -> None:
    result = normalise(svg("", 'style="background: white"'), SHEET).svg
    assert b"style" not in result


def test_matplotlibs_rule_for_everything_is_said_once() -> None:
    """Inherited properties on the root do the same, but for what a <use> takes elsewhere."""
    rule = "<style>*{stroke-linejoin: round}</style>"
    inside = '<g><path/><path style="stroke-linejoin: miter"/></g><path id="m"/><use href="#m"/>'
    result = normalise(svg(rule + inside), SHEET).svg.decode()
    assert 'viewBox="0 0 100 100" stroke-linejoin="round">' in result
    assert became(svg(rule + inside)) == (
        '<g><path/><path stroke-linejoin="miter"/></g>'
        '<path id="fig-light-3" stroke-linejoin="round"/><use href="#fig-light-3"/>'
    )


def test_a_book_maps_the_built_in_roles_to_its_own() -> None:
    ours = Role("compute", "#ddddff", "#3333aa", "#111133", "#9999ff")
    sheet = Sheet("fig", "Title", "What it shows", background="none", palette=(ours,))
    result = became(svg('<rect fill="#cfe2f3" stroke="#4a90c4"/><rect fill="#d4edda"/>'), sheet)
    assert result == '<rect fill="#ddddff" stroke="#3333aa"/><rect fill="#d4edda"/>'
    assert became(svg(result), sheet) == result


def test_relative_steps_do_not_drift() -> None:
    """A thousand steps of a third of a unit end where they should."""
    result = became(svg(f'<path d="M 0 0 {"l 0.33333333 0 " * 300}"/>'))
    assert result.endswith(' 100 0"/>')


def test_readable_texts() -> None:
    inside = (
        "<text>\n Bubble\n <tspan>= 0.43</tspan></text><text> </text><text><title>tip</title>a\u00a0b</text>"
    )
    assert normalise(svg(inside), SHEET).texts == ("Bubble = 0.43", "a b")


def test_a_colour_that_is_none_has_no_effect_and_is_told() -> None:
    """As every reader has it: the element takes what it inherits."""
    result = normalise(svg('\n<g fill="#cfe2f3"><rect fill="gren" stroke=" RED "/></g>'), SHEET)
    assert result.warnings == ((2, 'fill="gren" is not a colour and has no effect', "unreadable-value"),)
    assert b'<rect stroke="#ff0000"/>' in result.svg


def test_no_attribute_holds_a_number_that_is_none() -> None:
    result = normalise(
        svg(
            '<g preserveAspectRatio="-inf" text-anchor="Infinity"><rect width="9" height="9" overflow="NaN"'
            ' style="isolation: NaN; text-transform: --1; width: 8px"/></g>'
        ),
        SHEET,
    )
    assert (
        not re.search(rb"[=:] ?.(-?inf|nan|--)", result.svg, re.I)
        and b'<rect width="8" height="9"' in result.svg
    )
    assert [check for _, _, check in result.warnings] == ["unreadable-value"] * 5


def test_words_are_kept_where_a_reader_shows_them() -> None:
    result = normalise(
        svg(
            '<text y="20" id="t">in <a href="#t">a link</a><switch>stub</switch><feFlood>gone</feFlood></text>'
        ),
        SHEET,
    )
    assert result.texts == ("in a link",)
    assert not re.search(b"stub|gone", result.svg)


def test_warnings_have_their_lines() -> None:
    inside = '\n<rect fill="url(#nope)"/>\n<path d="M 0 0 L x"/>\n<text y="20">\u4e2d</text>'
    assert normalise(svg(inside), SHEET).warnings == (
        (2, "fill refers to '#nope', which is not in the figure", "dead-reference"),
        (3, "d of <path> cannot be read to its end; the rest is not drawn", "unreadable-value"),
        (
            None,
            "character U+4E2D (\u4e2d) is in no configured font; name a font file that has it under `fonts` in the "
            "settings",
            "missing-character",
        ),
    )


def test_a_paint_that_is_no_paint_server_is_what_stands_behind_it() -> None:
    """As every reader has it; else the dark form of a mask might lead back to who uses it."""
    inside = (
        '\n<mask id="m"/><rect id="r" width="9" height="9" mask="url(#m)"/>'
        '\n<g fill="url(#r)"><path d="M0 0H9V9z" stroke="url(#r) red"/></g>'
    )
    for theme in ("light", "dark"):
        sheet = replace(SHEET, theme=theme)
        form = normalise(svg(inside), sheet)
        assert [(line, check) for line, _, check in form.warnings] == [(3, "dead-reference")] * 2
        assert b'<g fill="none">' in form.svg and b"url(#fig-dark-4)" not in form.svg
        assert normalise(form.svg, sheet).svg == form.svg


def test_what_refers_to_what_leads_nowhere_leads_nowhere() -> None:
    inside = '\n<use id="a" href="#b"/><use id="b" href="#c"/><use id="c" href="#nope"/>\n<rect width="9" height="9"/>'
    form = normalise(svg(inside), SHEET)
    assert [check for _, _, check in form.warnings] == ["dead-reference"] * 3
    assert b"<use" not in form.svg and b"<rect" in form.svg
    chain = "".join(f'<use id="u{n}" href="#u{n + 1}"/>' for n in range(2000))
    with pytest.raises(SvgError, match="a chain of references over more than 200 elements leads nowhere"):
        normalise(svg(chain), SHEET)


def test_what_stands_inside_a_shape_is_not_painted_and_goes() -> None:
    inside = (
        '<linearGradient id="g"><stop offset="1"/></linearGradient><rect width="9" height="9"><title>tip</title>'
        '<rect width="5" height="5" fill="url(#g)"/><path id="p" d="M0 0H5"/></rect><use href="#p"/>'
    )
    form = normalise(svg(inside), SHEET).svg
    assert b"Gradient" not in form and b"<use" in form and b"<path" in form
    assert normalise(form, SHEET).svg == form


def test_a_definition_is_no_choice_of_a_switch() -> None:
    inside = (
        '<switch><pattern id="p" systemLanguage="en"/><rect width="9" height="9"/><circle r="9"/></switch>'
    )
    form = normalise(svg(inside), SHEET).svg
    assert b"<switch" not in form and b"<circle" not in form and b"<rect width" in form
    assert normalise(form, SHEET).svg == form


def test_a_theme_names_its_own_ids() -> None:
    sheet = Sheet("fig", "Title", "What it shows", theme="dark")
    result = normalise(svg(WHITE + "<circle/>"), sheet).svg.decode()
    assert 'aria-labelledby="fig-dark-1 fig-dark-2"' in result
    assert "#ffffff" not in result  # the page of a dark figure is the reader's


@pytest.mark.parametrize(
    ("family", "written"),
    [
        ("Helvetica Neue, Arial", "Helvetica Neue, Arial"),
        ("'Helvetica Neue', sans-serif", "Helvetica Neue, sans-serif"),
        ("'Source Sans 3', serif", "'Source Sans 3', serif"),
        ("'Noto Sans, Arial'", "Noto Sans, Arial"),
    ],
)
def test_each_name_is_quoted_by_itself_or_not_at_all(family: str, written: str) -> None:
    sheet = Sheet("fig", "Title", "What it shows", font=family)
    assert f'font-family="{written}"' in normalise(svg("<text>a</text>"), sheet).svg.decode()


def test_figures_with_equal_styles_have_equal_findings() -> None:
    """A style is parsed once in a process; each figure has its own bytes, its own place and all of its findings."""
    style = (
        "<style>.a{fill:red;cursor:help}.a:hover{fill:blue}@font-face{}@media print{.a{fill:blue}}</style>"
    )
    sheet = replace(SHEET, checks=frozenset({"dropped"}))
    first = normalise(svg(f"{style}<rect class='a'/>"), sheet)
    second = normalise(svg(f"\n{style}<circle class='a'/>"), sheet)
    assert 'fill="#ff0000"' in first.svg.decode()
    assert 'fill="#ff0000"' in second.svg.decode()
    told = [[(finding.check, finding.message) for finding in form.warnings] for form in (first, second)]
    assert told[0] == told[1]
    assert len(told[0]) == 1
    assert "rules for :hover" in told[0][0][1]


def test_a_style_shared_by_themes_is_read_for_each() -> None:
    """The parsed style depends on the theme: a rule for dark pages applies to them alone."""
    data = svg(
        "<style>@media (prefers-color-scheme: dark){rect{fill:#00ff00}}rect{stroke:red}</style><rect/>"
    )
    light, dark = in_themes(data, SHEET, ("light", "dark"))
    assert "#00ff00" not in light.svg.decode()
    assert "#00ff00" in dark.svg.decode()
    assert in_themes(data, SHEET, ("light", "dark")) == (light, dark)


def test_a_style_that_is_refused_is_refused_in_each_figure() -> None:
    data = svg("<style>rect{fill:url(https://example.org/a)}</style><rect/>")
    for _ in range(2):
        with pytest.raises(SvgError):
            normalise(data, SHEET)


def test_selectors_count_over_all_styles_of_a_figure() -> None:
    half = f"<style>{'.a,' * 11_000}g{{fill:red}}</style>"
    with pytest.raises(SvgError, match="more than 20,000 selectors"):
        normalise(svg(half * 2), SHEET)


LANGUAGES = {
    "en": {"en", "en-US", "en-GB", "EN", "ru, en", "en, de"},
    "en-US": {"en", "en-US", "en-GB", "EN", "ru, en", "en, de"},
    "de": {"de", "de-DE", "en, de"},
    "zh-CN": {"zh", "zh-Hans"},
}
NAMED = sorted({*LANGUAGES["en"], *LANGUAGES["de"], *LANGUAGES["zh-CN"], "", "e", "ru", "zhx"})


@pytest.mark.parametrize("language", LANGUAGES)
def test_readers_see_what_is_in_their_language(language: str) -> None:
    """As Chromium shows it that asks for this language and for its family, `en-US, en`."""
    sheet = Sheet("fig", "Title", "What it shows", readers=language)
    for named in NAMED:
        text = f'<text y="20" systemLanguage="{named}">own</text>'
        alone = normalise(svg(text + '<text y="40">all</text>'), sheet).texts
        chosen = normalise(svg(f'<switch>{text}<text y="40">other</text></switch>'), sheet).texts
        is_own = named in LANGUAGES[language]
        assert (alone, chosen) == ((("own", "all"), ("own",)) if is_own else (("all",), ("other",))), named


# Each in a language that is not the readers', and how many rectangles of the drawing are then painted.
FOREIGN = {
    "a part": ('<g {}><rect width="9" height="9"/></g>', 0),
    "part of a text": ('<text y="20">a<tspan {}>gone</tspan>b</text>', 0),
    "the root of another drawing": ('<svg {}><rect width="9" height="9"/></svg>', 0),
    "a switch": ('<switch {}><rect width="9" height="9"/></switch>', 0),
    "the only choice": ('<switch><rect width="9" height="9" {}/></switch>', 0),
    "a label": (
        '<foreignObject {} width="90" height="20"><p xmlns="http://www.w3.org/1999/xhtml">gone</p>'
        "</foreignObject>",
        0,
    ),
    "a clip": (
        '<clipPath id="c" {}><circle r="9"/></clipPath><rect width="9" height="9" clip-path="url(#c)"/>',
        1,
    ),
    "a gradient": (
        '<linearGradient id="c" {}><stop stop-color="#00f"/><stop offset="1"/></linearGradient>'
        '<rect width="9" height="9" fill="url(#c)"/>',
        1,
    ),
}


@cases("name", FOREIGN)
def test_no_condition_on_a_language_is_published(name: str) -> None:
    body, rectangles = FOREIGN[name]
    form = normalise(svg(body.format('systemLanguage="ru"') + "<circle r='5'/>"), SHEET)
    assert b"systemLanguage" not in form.svg and b"gone" not in form.svg and b"<switch" not in form.svg
    assert form.svg.count(b"<rect") == rectangles and form.svg.count(b"url(#") == rectangles
    assert normalise(form.svg, SHEET).svg == form.svg


def test_what_is_used_elsewhere_is_not_painted_in_another_language() -> None:
    inside = (
        '<defs><rect id="r" width="9" height="9" systemLanguage="ru"/></defs><use href="#r"/><circle r="5"/>'
    )
    form = normalise(svg(inside), SHEET)
    assert b"systemLanguage" not in form.svg and b'display="none"' in form.svg
    assert normalise(form.svg, SHEET).svg == form.svg
