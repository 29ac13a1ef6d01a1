"""`import`: a question and a still copy of a drawing that acts, with a word on each thing that was taken out."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from helpers.book import REPOSITORY, Space
from helpers.cases import cases

from figmill.svg import Sheet, SvgError, normalise, still_copy

EXPORTS = Path(os.environ.get("FIGMILL_EXPORTS") or REPOSITORY.parent / "shared" / "corpus" / "exports")
SHEET = Sheet("fig", "Title", "What it shows")
NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'

# In the manner of a flame graph: its words are there, and a script zooms.
FLAMES = f"""<?xml version="1.0" standalone="no"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg version="1.1" width="1200" height="100" onload="init(evt)" viewBox="0 0 1200 100" {NAMES}>
<style type="text/css">.func_g:hover {{ stroke: black; cursor: pointer; }}</style>
<script type="text/ecmascript"><![CDATA[ function init(evt) {{ if (1 < 2) zoom(); }} ]]></script>
<rect width="100%" height="100%" fill="#eeeeee"/>
<g class="func_g" onmouseover="s(this)" onmouseout="c()" onclick="zoom(this)">
<title>all (100 samples, 100%)</title><rect x="10" y="50" width="1180" height="15" fill="rgb(250,130,2)"/>
<text x="13" y="61" font-size="12">all</text></g>
</svg>
"""
# In the manner of Highcharts: addresses of the page around it before its own ids.
CHART = f"""<svg {NAMES} width="300" height="200">
<defs><clipPath id="c-1"><rect width="200" height="100"/></clipPath></defs>
<g clip-path="url(http://localhost/page/#c-1)" style="cursor:pointer;-webkit-tap-highlight-color:red">
<rect width="90" height="90" fill="#4572a7" onclick="pick()"/></g>
<image xlink:href="http://e.org/sun.png" width="30" height="30"/>
<a xlink:href="javascript:void(0)"><text x="9" y="150">Sales</text></a> <use xlink:href="icons.svg#sun"/>
</svg>
"""


def test_a_flame_graph_is_imported_built_and_told(space: Space) -> None:
    space.write({"flames.svg": FLAMES})
    ran = space.run("import", "flames.svg", "hot-1")
    assert ran.code == 0, ran
    assert ran.out.splitlines() == [
        "removed <script> of 43 characters (line 5)",
        "removed event handler 'onload' of <svg> (line 3)",
        "removed event handler 'onmouseover' of <g> (line 7)",
        "removed event handler 'onmouseout' of <g> (line 7)",
        "removed event handler 'onclick' of <g> (line 7)",
        "wrote questions/hot-1.yaml",
        "wrote visuals/hot-1.svg",
    ]
    source = space.read("visuals/hot-1.svg")
    assert "script" not in source and "onload" not in source and "onclick" not in source
    assert space.run().code == 0
    built = space.read("build/global/hot-1.svg")
    assert ">all</text>" in built and 'fill="#fa8202"' in built


def test_a_drawing_without_namespaces_gets_them(space: Space) -> None:
    """As it is copied out of a page: a browser shows such a file as a tree of elements."""
    copied = (
        '<!-- of a page -->\n<svg viewBox="0 0 9 9" data-x="a>b"><rect id="r" width="4" height="4" fill="#123456"/>'
        '<use xlink:href="#r" x="5"/></svg>\n'
    )
    space.write({"copied.svg": copied})
    ran = space.run("import", "copied.svg", "copied-1")
    assert ran.code == 0, ran
    assert ran.out.splitlines()[:2] == [
        'added xmlns="http://www.w3.org/2000/svg"',
        'added xmlns:xlink="http://www.w3.org/1999/xlink"',
    ]
    assert space.read("visuals/copied-1.svg") == copied.replace("<svg", f"<svg {NAMES}")
    assert space.run().code == 0
    assert space.read("build/global/copied-1.svg").count('fill="#123456"') == 1


def test_a_compressed_drawing_is_unpacked(space: Space) -> None:
    drawing = f'<svg {NAMES} viewBox="0 0 9 9">\n<rect width="4" height="4" fill="#123456"/></svg>\n'
    (space.root / "packed.svgz").write_bytes(gzip.compress(drawing.encode()))
    assert space.run("import", "packed.svgz", "packed-1").code == 0
    assert space.read("visuals/packed-1.svg") == drawing


def test_a_chart_keeps_its_references_and_loses_what_it_fetches(space: Space) -> None:
    space.write({"chart.svg": CHART})
    ran = space.run("import", "chart.svg", "sales", "--track", "shop")
    assert ran.code == 0, ran
    assert ran.out.splitlines() == [
        "removed <image> of http://e.org/sun.png (line 5)",
        "removed <use> of icons.svg#sun (line 6)",
        "removed the address http://localhost/page/ before a reference to the drawing itself (line 3)",
        "removed event handler 'onclick' of <rect> (line 4)",
        "removed link to 'javascript:void(0)' (line 6)",
        "wrote questions/shop/sales.yaml",
        "wrote visuals/shop/sales.svg",
    ]
    assert 'clip-path="url(#c-1)"' in space.read("visuals/shop/sales.svg")
    assert space.run().code == 0


def test_what_is_there_is_never_overwritten(space: Space) -> None:
    space.write({"flames.svg": FLAMES})
    assert space.run("import", "flames.svg", "hot-1").code == 0
    question = space.read("questions/hot-1.yaml").replace("title: Hot 1", "title: Mine")
    space.write({"questions/hot-1.yaml": question})
    before = space.stamps()
    again = space.run("import", "flames.svg", "hot-1")  # the same again is nothing to do
    assert (again.code, again.out) == (0, "flames.svg is already imported as hot-1\n")
    assert space.stamps() == before
    space.write({"flames.svg": FLAMES.replace(">all<", ">some<")})
    other = space.run("import", "flames.svg", "hot-1")
    assert other.code == 2
    assert "questions/hot-1.yaml already exists; choose another id" in other.err
    assert space.read("questions/hot-1.yaml") == question and ">all<" in space.read("visuals/hot-1.svg")


def test_an_id_of_another_question_is_refused(space: Space) -> None:
    space.write({"flames.svg": FLAMES, "visuals/a.dot": "digraph { a }"})
    space.question("hot-1", "source: a.dot, alt: One node called a")
    ran = space.run("import", "flames.svg", "hot-1")
    assert ran.code == 2 and "already" in ran.err
    assert not (space.root / "visuals" / "hot-1.svg").exists()


def test_a_dry_run_writes_nothing(space: Space) -> None:
    space.write({"flames.svg": FLAMES})
    before = space.stamps()
    ran = space.run("import", "--dry-run", "flames.svg", "hot-1")
    assert ran.code == 0
    assert "would remove <script> of 43 characters (line 5)\n" in ran.out
    assert ran.out.endswith("would write questions/hot-1.yaml\nwould write visuals/hot-1.svg\n")
    assert space.stamps() == before


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("gone.svg", None, "gone.svg: there is no such file or folder"),
        ("torn.svg", "<svg><g></svg>", "torn.svg:1:"),
        ("words.svg", "words", "not well-formed XML"),
        ("photo.svg", b"\x89PNG\r\n", "photo.svg is a PNG; name it so, as in photo.png"),
    ],
)
def test_what_is_no_drawing_is_refused_in_one_line(
    space: Space, name: str, content: str | bytes | None, told: str
) -> None:
    space.write({name: content} if content else {})
    ran = space.run("add", name, "--id", "a-1")
    assert ran.code == 2 and told in ran.err and len(ran.err.splitlines()) == 1
    assert not (space.root / "questions").exists() or not list((space.root / "questions").rglob("a-1*"))


def test_what_no_copy_can_mend_is_told_with_its_line(space: Space) -> None:
    space.write(
        {
            "a.svg": f'<svg {NAMES} viewBox="0 0 9 9">\n<filter id="f"><feImage/></filter><script>a()</script>\n</svg>'
        }
    )
    ran = space.run("import", "a.svg", "a-1")
    assert ran.code == 1
    assert "visuals/a-1.svg:2: change by hand: <feImage> is not allowed" in ran.out
    assert "script" not in space.read("visuals/a-1.svg")


# Each acts in its own way; the copy is taken by the rules that refuse the original.
ACTS = {
    "handler": '<rect ONCLICK="a()"/>',
    "script of another vocabulary": '<x:script xmlns:x="urn:x">a()</x:script>',
    "HTML": '<h:iframe xmlns:h="http://www.w3.org/1999/xhtml" src="//e.org"/>',
    "a button": '<h:button xmlns:h="http://www.w3.org/1999/xhtml">a</h:button>',
    "base": '<g xml:base="http://e.org/"/>',
    "a link that acts": '<a href=" java&#10;script:a()"><rect/></a>',
    "two links": '<a href="#a" xlink:href="javascript:a()"><rect id="a"/></a>',
    "a link that turns": '<a href="#a"><set attributeName="href" to="javascript:a()"/><rect id="a"/></a>',
    "a gradient elsewhere": '<linearGradient id="g" href="a.svg#b"><stop/></linearGradient><rect fill="url(#g)"/>',
    "a paint elsewhere": '<rect fill="url(https://e.org/a.svg#b)"/>',
    "a paint in a style": "<rect style=\"stroke:red;fill:url('//e.org/a')\"/>",
    "a paint in a rule": "<style>rect{fill:url(//e.org/a)}</style><rect/>",
    "rules elsewhere": "<style>@import 'x.css'; rect{fill:red}</style><rect/>",
    "a torn paint": "<rect fill=\"url( 'http://e.org/#g'=\"/>",
    "an instruction": '<?xml-stylesheet href="a.css"?><rect/>',
    "XInclude": '<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="/etc/passwd"/>',
}


@cases("name", ACTS)
def test_the_copy_keeps_the_rules_and_is_its_own_copy(name: str) -> None:
    inside = f'<text y="20">before</text>{ACTS[name]}<text y="40">behind</text>'
    copy = still_copy(f'<svg {NAMES} viewBox="0 0 100 100">{inside}</svg>'.encode())
    assert copy.removed
    assert normalise(copy.svg, SHEET).texts == ("before", "behind")
    again = still_copy(copy.svg)
    assert (again.svg, again.removed) == (copy.svg, ())


def test_what_does_not_act_is_copied_byte_for_byte() -> None:
    drawing = f'<?xml version="1.0"?>\n<!-- a --><svg {NAMES}\n  viewBox="0 0 9 9"><g></g></svg>\n'.encode()
    assert still_copy(drawing).svg == drawing


def test_a_doctype_that_leads_out_is_taken_out() -> None:
    drawing = (
        f'<!DOCTYPE svg SYSTEM "x.dtd" [\n<!ENTITY % a SYSTEM "y"> %a;\n]><svg {NAMES} viewBox="0 0 9 9"/>'
    )
    copy = still_copy(drawing.encode())
    assert b"DOCTYPE" not in copy.svg and "a DOCTYPE that refers to other files" in copy.removed[0]


@pytest.mark.skipif(not EXPORTS.is_dir(), reason="the corpus of exports is not beside this checkout")
def test_real_exports_that_act_are_taken_once_they_are_imported() -> None:
    for name in (
        "flamegraph/py-spy-flamegraph-large",
        "gnuplot/canvg-issue229",
        "highcharts/canvg-issue161",
        "pygal/pytest-benchmark-sample",
        "termtosvg/awesome-window-frame-js",
        "termtosvg/window-frame-waapi",
        "termtosvg/awesome-window-frame-js-var",
        "mermaid/erc7715-approve-flow",
    ):
        copy = still_copy((EXPORTS / f"{name}.svg").read_bytes())
        assert copy.removed, name
        normalise(copy.svg, SHEET)


def test_an_entity_from_outside_is_told_where_it_is_declared() -> None:
    doctype = '<!DOCTYPE svg [\n<!ENTITY a SYSTEM "file:///etc/passwd">\n]>\n'
    with pytest.raises(SvgError, match=r"^2:39: entity 'a' .* is external"):
        still_copy(f'{doctype}<svg {NAMES}><rect class="&a;"/></svg>'.encode())
    assert (
        still_copy(f"{doctype}<svg {NAMES}><rect/></svg>".encode()).svg
        == f"<svg {NAMES}><rect/></svg>\n".encode()
    )


def test_many_drawings_are_imported_by_the_names_of_their_files(space: Space) -> None:
    space.write({"in/hot 1.svg": FLAMES, "in/hot-2.svg": FLAMES, "in/broken.svg": "<svg", "one.svg": FLAMES})
    ran = space.run("import", "in")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert [line for line in lines if line.startswith("wrote visuals")] == [
        "wrote visuals/hot-1.svg",
        "wrote visuals/hot-2.svg",
    ]
    assert next(line for line in lines if line.endswith("; it is not imported")).startswith("in/broken.svg:")
    assert space.run("import", "in/hot*.svg", "./in").out.count("is already imported") == 2
    assert "wrote visuals/one.svg" in space.run("import", "one.svg").out
    assert "wrote visuals/other.svg" in space.run("import", "one.svg", "--id", "other").out
    # An id, though a folder has that name.
    assert "wrote visuals/in.svg" in space.run("import", "one.svg", "in").out
    wrong = space.run("import", "in", "net-1")
    assert (wrong.code, "3 drawings are named, and 'net-1' is the id of one" in wrong.err) == (2, True)
