"""--to png and --to pdf: what comes out, and when it is made again."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from helpers.book import DOT, HAND, PLOT, Space, believed
from helpers.machine import BWRAP, Machine, with_sandbox
from PIL import Image
from pypdf import PdfReader

from figmill.paths import code_folders
from figmill.publish import exporter

FACES = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 160" font-family="Arial" font-size="14">
  <text x="10" y="20">Plain Ägypten</text>
  <text x="10" y="50" font-weight="bold">Strong</text>
  <text x="10" y="80" font-style="italic">Slanted</text>
  <text x="10" y="110" font-weight="bold" font-style="italic">Both</text>
  <text x="10" y="140" font-family="Courier New">code == 1</text>
  <text x="200" y="140">∑ ⇒ ∞</text>
  <text x="200" y="20" textLength="150" lengthAdjust="spacingAndGlyphs">wide</text>
</svg>
"""
SETTINGS = '[tool.figmill]\nthemes = ["light", "dark"]\n'


def stamp(path: Path) -> tuple[int, int, int]:
    """What changes when a file is written to; having been read changes its atime alone."""
    status = path.stat()
    return status.st_mtime_ns, status.st_ino, status.st_size


def write(space: Space) -> Space:
    space.write(
        {"visuals/a.dot": DOT, "visuals/d.svg": HAND, "visuals/f.svg": FACES, "pyproject.toml": SETTINGS}
    )
    space.question("graph", "source: a.dot, alt: a sends to b", track="cloud", title="Messages – sent")
    space.question("hand", "source: d.svg, alt: one rank as a box")
    return space.question("faces", "source: f.svg, alt: every face")


ALL = ("--to", "png", "--to", "pdf", "--scale", "2")


@pytest.fixture(scope="module", params=BWRAP)
def machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """One of each mode of the sandbox: what makes an export may write elsewhere in each."""
    return with_sandbox(request.param, tmp_path_factory.mktemp("machine") / "bin")


@pytest.fixture
def space(space: Space, machine: Machine) -> Space:
    return replace(space, machine=machine)


@pytest.mark.parametrize(("background", "opaque"), [("page", (30, 33, 41)), ("none", None)])
def test_a_dark_export_has_the_page_that_its_words_are_read_on(
    space: Space, background: str, opaque: tuple[int, int, int] | None
) -> None:
    """White words on whatever a viewer has behind a picture would often be words on white."""
    write(space)
    space.write({"pyproject.toml": SETTINGS + f'background = "{background}"\n'})
    assert space.run("--to", "png", "--id", "graph").code == 0
    image = Image.open(space.root / "build/cloud/graph.dark.png").convert("RGBA")
    corner = image.getpixel((0, 0))
    assert corner == ((*opaque, 255) if opaque else (0, 0, 0, 0))
    light = Image.open(space.root / "build/cloud/graph.png").convert("RGBA").getpixel((0, 0))
    assert light == ((255, 255, 255, 255) if opaque else (0, 0, 0, 0))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Space:
    """A book with its exports, for tests that only look. Another test holds the bytes in each mode of the sandbox."""
    space = write(Space(tmp_path_factory.mktemp("exports").resolve() / "book"))
    ran = space.run(*ALL)
    assert (ran.code, ran.err) == (0, "")
    return space


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A smaller one: a graph and a drawing, with a PNG and a PDF of each. Not to be changed."""
    space = Space(tmp_path_factory.mktemp("small") / "book")
    space.write({"visuals/a.dot": DOT, "visuals/d.svg": HAND, "figmill.toml": 'themes = ["light"]\n'})
    space.question("graph", "source: a.dot, alt: a sends to b")
    space.question("hand", "source: d.svg, alt: one rank as a box")
    assert space.run("--to", "png", "--to", "pdf").code == 0
    return space.root


@pytest.fixture
def book(small: Path, space: Space) -> Space:
    """A copy of it to change."""
    shutil.copytree(small, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    return space


def exports(space: Space, folder: str = "build") -> dict[str, bytes]:
    return {
        p.relative_to(space.root).as_posix(): p.read_bytes()
        for p in sorted((space.root / folder).rglob("*"))
        if p.suffix in (".png", ".pdf")
    }


def in_build(space: Space) -> dict[str, tuple[int, int, int]]:
    return {path: stamp for path, stamp in space.stamps().items() if path.startswith("build")}


def files(space: Space, id_: str) -> dict[str, Any]:
    """A figure's files as the manifest lists them, by path."""
    figures = json.loads(space.read("build/manifest.json"))["figures"]
    return {file["path"]: file for figure in figures if figure["id"] == id_ for file in figure["files"]}


def image(space: Space, name: str) -> Image.Image:
    return Image.open(io.BytesIO((space.root / name).read_bytes()))


def fonts(page: Any) -> set[str]:
    """The names of the fonts of a PDF; every one must be in the file."""
    names = set()
    for font in page["/Resources"].get("/Font", {}).values():
        below = font.get_object()["/DescendantFonts"][0].get_object()
        descriptor = below["/FontDescriptor"].get_object()
        assert {"/FontFile2", "/FontFile3"} & set(descriptor)
        names.add(str(font.get_object()["/BaseFont"])[1:])
    for form in page["/Resources"].get("/XObject", {}).values():
        if "/Resources" in form.get_object():
            names |= fonts(form.get_object())
    return names


def test_each_svg_has_them_beside_it(built: Space) -> None:
    assert list(exports(built)) == [
        f"build/{stem}{theme}.{form}"
        for stem in ("cloud/graph", "global/faces", "global/hand")
        for theme in (".dark", "")
        for form in ("pdf", "png")
    ]


def test_the_manifest_lists_them_with_the_measures_of_the_figure(built: Space) -> None:
    import hashlib

    listed = files(built, "graph")
    assert [(f["theme"], f["format"]) for f in listed.values()] == [
        ("light", "svg"),
        ("dark", "svg"),
        ("light", "pdf"),
        ("light", "png"),
        ("dark", "pdf"),
        ("dark", "png"),
    ]
    for path, file in listed.items():
        assert file["sha256"] == hashlib.sha256((built.root / "build" / path).read_bytes()).hexdigest()
        assert (file["width"], file["height"]) == (
            listed["cloud/graph.svg"]["width"],
            listed["cloud/graph.svg"]["height"],
        )


@pytest.mark.parametrize("name", ["cloud/graph", "global/faces", "global/hand"])
def test_a_png_has_the_pixels_of_its_figure_times_the_scale(built: Space, name: str) -> None:
    figure = files(built, name.split("/")[1])[f"{name}.svg"]
    for theme in ("", ".dark"):
        assert image(built, f"build/{name}{theme}.png").size == (
            round(figure["width"] * 2),
            round(figure["height"] * 2),
        )


def test_a_page_is_opaque_to_its_edges(built: Space) -> None:
    light, dark = (image(built, f"build/cloud/graph{theme}.png") for theme in ("", ".dark"))
    assert light.getchannel("A").getextrema() == (255, 255)
    corners = [(x, y) for x in (0, dark.width - 1) for y in (0, dark.height - 1)]
    assert [dark.getpixel(at) for at in corners] == [(30, 33, 41, 255)] * 4
    assert dark.getchannel("A").getextrema() == (255, 255)


def test_a_pdf_is_one_page_of_the_size_of_its_figure(built: Space) -> None:
    reader = PdfReader(built.root / "build/cloud/graph.pdf")
    figure = files(built, "graph")["cloud/graph.svg"]
    assert len(reader.pages) == 1
    assert float(reader.pages[0].mediabox.width) == pytest.approx(figure["width"] * 0.75, abs=0.01)
    assert float(reader.pages[0].mediabox.height) == pytest.approx(figure["height"] * 0.75, abs=0.01)


def test_a_pdf_says_what_it_shows_and_not_when_it_was_made(built: Space) -> None:
    data = (built.root / "build/cloud/graph.pdf").read_bytes()
    reader = PdfReader(io.BytesIO(data))
    assert reader.metadata is not None
    assert reader.metadata.title == "Messages – sent"
    assert reader.metadata.subject == "a sends to b"
    assert reader.metadata.creation_date is None
    assert b"Date>" not in data  # of XMP: CreateDate, ModifyDate
    assert b"/S/Figure" in data
    assert b"/Alt(a sends to b)" in data


def test_a_pdf_keeps_the_rules_of_pdf_ua(built: Space) -> None:
    """ISO 14289-1, clause by clause, as far as a page with one figure comes under them."""
    reader = PdfReader(built.root / "build/cloud/graph.pdf")
    root = reader.trailer["/Root"].get_object()
    xmp = root["/Metadata"].get_object().get_data().decode()
    assert "<pdfuaid:part>1</pdfuaid:part>" in xmp  # 5
    assert root["/MarkInfo"]["/Marked"].value and not root["/MarkInfo"]["/Suspects"].value  # 7.1
    assert "dc:title" in xmp and root["/ViewerPreferences"]["/DisplayDocTitle"].value  # 7.1
    assert root["/Lang"] == "en"  # 7.2
    (document,) = [kid.get_object() for kid in root["/StructTreeRoot"]["/K"]]
    (figure,) = [kid.get_object() for kid in document["/K"]]
    assert (document["/S"], figure["/S"], figure["/Alt"]) == ("/Document", "/Figure", "a sends to b")  # 7.3
    assert [len(attributes["/BBox"]) for attributes in figure["/A"] if "/BBox" in attributes] == [4]  # 7.3
    assert "/Encrypt" not in reader.trailer  # 7.16
    page = reader.pages[0]
    content = page.get_contents()
    assert content is not None
    operators = [operator for _, operator in content.operations]
    depth = 0
    for operator in operators:  # 7.1: everything that is painted is content of the figure, or an artifact
        depth += {b"BDC": 1, b"BMC": 1, b"EMC": -1}.get(operator, 0)
        assert depth or operator not in (b"f", b"S", b"B", b"Tj", b"TJ", b"Do", b"sh"), operator
    for form in [
        page["/Resources"],
        *(
            reference.get_object()["/Resources"]
            for reference in page["/Resources"].get("/XObject", {}).values()
            if "/Resources" in reference.get_object()
        ),
    ]:
        for font in form.get("/Font", {}).values():  # 7.21
            (inner,) = font.get_object()["/DescendantFonts"]
            assert "/ToUnicode" in font.get_object()
            assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(inner.get_object()["/FontDescriptor"])


STANDARD = {"/P", "/Span", "/Part"}


@pytest.mark.parametrize("name", ["cloud/graph", "cloud/graph.dark", "global/faces", "global/hand"])
def test_a_pdf_passes_the_matterhorn_protocol(built: Space, name: str) -> None:
    """Its checkpoints, by number, beyond those of the test above; docs/developers/measured-pages.md has a table."""
    reader = PdfReader(built.root / f"build/{name}.pdf")
    root, page = reader.trailer["/Root"].get_object(), reader.pages[0]
    tree = root["/StructTreeRoot"]
    open_: list[str] = []
    for operands, operator in page.get_contents().operations:  # type: ignore[union-attr]
        if operator in (b"BDC", b"BMC"):  # 01: no artifact in content of the tree, nor the other way round
            assert "/Artifact" not in open_ and not (open_ and operands[0] == "/Artifact")
            open_.append(str(operands[0]))
        elif operator == b"EMC":
            open_.pop()
    assert not open_
    assert set(tree.get("/RoleMap", {}).values()) <= STANDARD  # 02
    assert not STANDARD & set(tree.get("/RoleMap", {}))  # 02
    numbers = tree["/ParentTree"].get_object()["/Nums"]  # 01: the way back from content to the tree
    assert page["/StructParents"] in numbers
    assert page["/Tabs"] == "/S"  # 28
    # 20 to 25, 28, 29: layers, files, threads, signatures, forms, annotations, actions, scripts
    assert not {"/OCProperties", "/Threads", "/AcroForm", "/AA", "/OpenAction", "/Names", "/AF"} & set(root)
    assert not {"/Annots", "/AA", "/B", "/AF"} & set(page)
    parts = _fonts_and_forms(page["/Resources"])
    assert not any("/Ref" in form or "/OPI" in form for form in parts["forms"])  # 30
    for font in parts["fonts"]:  # 31
        (inner,) = (descendant.get_object() for descendant in font["/DescendantFonts"])
        assert font["/Encoding"] == "/Identity-H" and inner["/CIDSystemInfo"]["/Ordering"] == "Identity"
        assert inner["/Subtype"] == "/CIDFontType0" or inner["/CIDToGIDMap"] == "/Identity"
        mapped = font["/ToUnicode"].get_data().decode("latin-1")  # 10
        assert not {"<0000>", "<FEFF>", "<FFFE>"} & set(re.findall(r"> (<[0-9A-F]+>)", mapped))


def _fonts_and_forms(resources: Any) -> dict[str, list[Any]]:
    """Every font and every form of a page, at any depth."""
    parts: dict[str, list[Any]] = {"fonts": [], "forms": []}
    parts["fonts"] += [font.get_object() for font in resources.get("/Font", {}).values()]
    for form in (reference.get_object() for reference in resources.get("/XObject", {}).values()):
        parts["forms"].append(form)
        if "/Resources" in form:
            for kind, more in _fonts_and_forms(form["/Resources"]).items():
                parts[kind] += more
    return parts


@pytest.mark.parametrize("theme", ["", ".dark"])
def test_the_words_of_a_pdf_can_be_found(built: Space, theme: str) -> None:
    page = PdfReader(built.root / f"build/global/faces{theme}.pdf").pages[0]
    text = page.extract_text()
    for phrase in ("Plain Ägypten", "Strong", "Slanted", "Both", "code == 1", "∑ ⇒ ∞", "wide"):
        assert phrase in text


def test_a_pdf_holds_subsets_of_the_pinned_fonts_and_no_other(built: Space) -> None:
    names = fonts(PdfReader(built.root / "build/global/faces.pdf").pages[0])
    assert all(len(name.split("+")[0]) == 6 for name in names)
    assert {name.split("+")[1] for name in names} == {
        "Arimo-Regular",
        "Arimo-Bold",
        "ArimoItalic-Italic",
        "ArimoItalic-BoldItalic",
        "DejaVuSansMono",
        "DejaVuSans",
    }


def test_a_given_length_of_text_holds(built: Space) -> None:
    light = image(built, "build/global/faces.png").convert("L")
    factor = light.width / 400  # how large the drawing came out
    box = light.crop((int(195 * factor), 0, light.width, int(30 * factor))).point(lambda v: 255 - v).getbbox()
    assert box is not None
    assert (box[2] - box[0]) / factor == pytest.approx(150, abs=5)


def test_a_second_run_writes_nothing(built: Space) -> None:
    first = in_build(built)
    assert built.run(*ALL, "--explain").code == 0  # which looks at everything
    assert in_build(built) == first
    before = built.stamps()
    assert built.run(*ALL).out == "3 figures, all fresh\n"
    assert built.stamps() == before


def test_the_same_bytes_in_another_folder_and_by_one_process(
    built: Space, machine: Machine, tmp_path: Path
) -> None:
    """And in each mode of the sandbox."""
    other = write(Space(tmp_path / "elsewhere" / "of another length", machine))
    assert (
        other.run(*ALL, "--jobs", "1", env={"TZ": "Asia/Tokyo", "LANG": "C", "SOURCE_DATE_EPOCH": "1"}).code
        == 0
    )
    assert exports(other) == exports(built)


def test_forced_exports_have_the_same_bytes_and_stay(built: Space) -> None:
    before = in_build(built)
    ran = built.run(*ALL, "--force")
    assert ran.out.splitlines()[-1] == "3 figures, 3 unchanged"
    assert in_build(built) == before


DAMAGE = {
    "missing": lambda path: path.unlink(),
    "damaged": lambda path: path.write_bytes(b"\x89PNG\r\n"),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_what_is_gone_or_damaged_is_made_again_without_drawing(book: Space, how: str) -> None:
    name = "build/global/graph.png"
    before = exports(book)
    svg = stamp(book.root / "build/global/graph.svg")
    DAMAGE[how](book.root / name)
    ran = book.run("--check", "--to", "png")
    assert (ran.code, f"would-{'create' if how == 'missing' else 'change'}" in ran.out) == (3, True)
    ran = book.run("--to", "png")
    assert ran.out == "exported  build/global/graph.svg  (png: damaged)\n2 figures, 1 exported, 1 fresh\n"
    assert exports(book) == before
    assert stamp(book.root / "build/global/graph.svg") == svg
    assert book.run("--to", "png", "--check").code == 0


def test_without_to_a_damaged_one_is_listed_no_more(book: Space) -> None:
    (book.root / "build/global/graph.png").write_bytes(b"\x89PNG\r\n")
    ran = book.run()
    assert "orphan  build/global/graph.png" in ran.out
    assert set(files(book, "graph")) == {"global/graph.svg", "global/graph.pdf"}
    assert "removed  build/global/graph.png" in book.run("clean").out
    assert "build/global/graph.png" not in exports(book)


def test_another_scale_takes_the_place_of_the_last(book: Space) -> None:
    width = image(book, "build/global/hand.png").width
    assert "(png: scale)" in book.run("--to", "png", "--scale", "1.5").out
    assert image(book, "build/global/hand.png").width == round(width * 1.5)
    assert len(files(book, "hand")) == 3
    assert book.run("--to", "png", "--scale", "1.5", "--check").code == 0
    assert book.run("--to", "png", "--check").code == 3


def test_figures_that_are_too_wide_shrink(book: Space) -> None:
    size = image(book, "build/global/hand.png").size
    ran = book.run("export", "--to", "png", "--to", "pdf", "--scale", "2", "--width", "15mm")
    assert "(png: scale, png: width, pdf: width)" in ran.out, ran.out
    width, height = image(book, "build/global/hand.png").size
    assert width == round(2 * 15 / 25.4 * 96) < size[0]
    assert height == pytest.approx(width * size[1] / size[0], abs=1)
    page = PdfReader(book.root / "build/global/hand.pdf").pages[0].mediabox
    assert float(page.width) == pytest.approx(15 / 25.4 * 72, abs=0.01)
    assert book.run("export", "--to", "png", "--width", "9000").code == 0  # narrower figures stay
    assert image(book, "build/global/hand.png").width == round(size[0])


TWO_FORMS = """\
from figmill import Drawing

def draw(narrow=False):
    size, label = (3, "narrow") if narrow else (8, "wide")
    box = f"shape=box, fixedsize=true, width={size}, height=2, fontsize=8, label={label}"
    return Drawing(f"graph {{ pad=0; one [{box}] }}")
"""


def test_a_stated_width_takes_the_narrow_form_or_says_what_is_too_small(space: Space) -> None:
    space.write({"visuals/p.py": TWO_FORMS})
    space.question("one", "kind: dot, source: p.py, alt: a word")
    space.question("two", "kind: dot, source: p.py, alt: a word, narrow: true")
    ran = space.run("export", "--to", "pdf", "--width", "80mm")
    advice = "6 pt needs a width of 153 mm, or a narrower drawing (`narrow` in its question)"
    place = "questions/one.yaml:4:29: build/global/one.pdf"
    assert f"{place}: the smallest text has 3.2 pt in print; {advice} [small-print]\n" in ran.err
    assert ran.err.count("[small-print]") == 1
    texts = {name: PdfReader(space.root / f"build/global/{name}.pdf").pages[0] for name in ("one", "two")}
    assert [page.extract_text().strip() for page in texts.values()] == ["wide", "narrow"]
    assert space.run("--to", "pdf", "--width", "80mm", "--check").code == 0
    space.write({"figmill.toml": 'lint = { artwork = "off" }\n'})
    checked = space.run("export", "--to", "pdf", "--width", "80mm")
    assert "exported" not in checked.out
    assert checked.err.count("[small-print]") == space.run().err.count("[small-print]") == 1
    wide = space.run("export", "--to", "pdf", "--width", "210mm")
    assert "[small-print]" not in wide.err
    two = PdfReader(space.root / "build/global/two.pdf").pages[0]
    assert two.extract_text().strip() == "wide"


def test_a_build_without_to_keeps_those_whose_figure_is_the_same(book: Space) -> None:
    before = exports(book)
    old = set(files(book, "graph"))
    book.write({"visuals/d.svg": HAND.replace("Rank 0", "Rank 1")})
    dry = book.run("--dry-run")
    assert "orphan  build/global/hand.pdf" in dry.out
    ran = book.run()
    assert (ran.code, "orphan  build/global/hand.png" in ran.out) == (0, True)
    assert set(files(book, "graph")) == old
    assert set(files(book, "hand")) == {"global/hand.svg"}  # a stale PNG does not pass for current
    assert exports(book) == before
    again = book.run("--to", "pdf")
    assert "exported  build/global/hand.svg  (pdf: new)" in again.out
    assert "orphan  build/global/hand.png" in again.out
    assert book.run("clean").out == "removed  build/global/hand.png\n"
    assert set(files(book, "hand")) == {"global/hand.svg", "global/hand.pdf"}


def test_a_comment_in_a_source_changes_no_export(book: Space) -> None:
    before = book.stamps()
    book.write({"visuals/d.svg": HAND.replace("<rect", "<!-- a box --><rect")})
    assert "unchanged" in book.run("--to", "png").out
    after = book.stamps()
    assert {k: after[k] for k in exports(book)} == {k: before[k] for k in exports(book)}
    assert set(files(book, "hand")) == {"global/hand.svg", "global/hand.png", "global/hand.pdf"}


def test_only_what_is_asked_for(book: Space) -> None:
    for name in exports(book):
        (book.root / name).unlink()
    assert book.run("--id", "hand", "--to", "pdf").code == 0
    assert list(exports(book)) == ["build/global/hand.pdf"]


def test_a_dry_run_tells_of_exports_in_one_line_and_writes_nothing(space: Space) -> None:
    space.write({"visuals/d.svg": HAND}).question("hand", "source: d.svg, alt: a box")
    assert space.run().code == 0
    before = space.stamps()
    ran = space.run("--dry-run", "--to", "png", "-v")
    assert "would-create build/global/hand.svg  (png: new)" in ran.out
    assert "Binary files /dev/null and b/build/global/hand.png differ" in ran.out
    assert "orphan" not in ran.out
    assert space.stamps() == before


def test_a_figure_of_a_question_that_is_gone_leaves_its_exports_to_clean(book: Space) -> None:
    (book.root / "questions/hand.yaml").unlink()
    assert "orphan  build/global/hand.pdf" in book.run().out
    book.run("clean")
    assert all("graph" in name for name in exports(book))


def test_one_that_cannot_be_made_is_one_failed_figure(space: Space) -> None:
    wide = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9000 9000"><rect width="9" height="9"/></svg>'
    )
    slow = HAND.replace(
        "<rect",
        '<filter id="f"><feTurbulence baseFrequency="0.1" numOctaves="1000000000"/></filter>'
        '<rect filter="url(#f)"',
    )
    space.write({"visuals/d.svg": HAND, "visuals/w.svg": wide, "visuals/s.svg": slow})
    space.write({"figmill.toml": 'themes = ["light"]\n'})
    space.question("hand", "source: d.svg, alt: a box")
    space.question("wide", "source: w.svg, alt: far apart")
    space.question("slow", "source: s.svg, alt: noise, timeout: 2")
    ran = space.run("--to", "png", "--to", "pdf", "--scale", "2")
    assert ran.code == 1
    assert "questions/wide.yaml:4:" in ran.err
    assert "cannot be exported as PNG:" in ran.err
    assert "pixels are more than 100,000,000; choose a smaller --scale" in ran.err
    assert "could not be exported within 2 s" in ran.err
    assert {"build/global/hand.png", "build/global/hand.pdf", "build/global/wide.pdf"} <= set(exports(space))
    assert files(space, "wide")["global/wide.svg"]["format"] == "svg"
    assert space.run("--to", "pdf", "--id", "wide").code == 0


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS holds no process to its memory")
def test_one_that_takes_too_much_memory_stops_no_other(space: Space) -> None:
    large = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 5000 5000"><rect width="9" height="9"/></svg>'
    )
    space.write(
        {
            "pyproject.toml": '[tool.figmill]\nmemory = "300 MB"\nthemes = ["light"]\n',
            "visuals/d.svg": HAND,
            "visuals/l.svg": large,
        }
    )
    for id_, source in (("a", "d.svg"), ("b", "l.svg"), ("c", "d.svg")):
        space.question(id_, f"source: {source}, alt: a box")
    ran = space.run("--to", "png", "--jobs", "1")
    assert ran.code == 1
    assert "questions/b.yaml:4:" in ran.err
    assert "while it was exported, usually for lack of memory" in ran.err
    assert list(exports(space)) == ["build/global/a.png", "build/global/c.png"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--to", "pdf", "--scale", "2"), "--scale goes with --to png"),
        (("--scale", "2"), "--scale goes with --to png"),
        (("--width", "9"), "--width goes with --to png or pdf"),
        (("--to", "pdf", "--width", "9 furlongs"), "write a length such as 112mm, 4.5in or 800px"),
        (("--to", "png", "--scale", "17"), "17.0 is not in the range 0.1<=x<=16"),
        (("--to", "gif"), "'gif' is not one of 'png', 'pdf'"),
        (("--to", "png", "--against", "HEAD", "--check"), "leave --to out"),
    ],
)
def test_what_cannot_be_meant_is_refused(built: Space, arguments: tuple[str, ...], told: str) -> None:
    ran = built.run(*arguments)
    assert (ran.code, told in ran.err) == (2, True), ran.err


def test_exports_are_the_same_in_every_mode_and_from_every_folder(space: Space) -> None:
    """Without a sandbox the kernel alone keeps a process to its own folder, and that is not the one of all."""
    builds = []
    for place, setting in ((".", "auto"), ("a folder/another", "auto"), (".", "off")):
        shutil.rmtree(space.root)
        space.write({"visuals/a.dot": DOT, "visuals/d.svg": HAND, "a folder/another/x": ""})
        space.write({"figmill.toml": f'sandbox = "{setting}"\nthemes = ["light"]\n'})
        space.question("graph", "source: a.dot, alt: a sends to b")
        space.question("hand", "source: d.svg, alt: one rank as a box")
        arguments = ("--root", str(space.root), "--to", "png", "--to", "pdf")
        ran = space.run(*arguments, cwd=space.root / place)
        assert (ran.code, ran.err) == (0, "")
        builds.append(exports(space))
        assert [path.name for path in (space.root / "a folder").rglob("*")] == ["another", "x"]
    assert len(builds[0]) == 4 and builds[0] == builds[1] == builds[2]


def test_without_the_library_it_says_how_to_get_it(tmp_path: Path) -> None:
    import typst

    packages = tmp_path / "packages"
    packages.mkdir()
    for path in Path(typst.__file__).parent.parent.iterdir():
        if not path.name.startswith(("figmill", "typst")):
            (packages / path.name).symlink_to(path)
    for folder in code_folders().values():
        (packages / folder.name).symlink_to(folder)
    book = write(Space(tmp_path / "book"))
    program = f"import sys; sys.path.append({str(packages)!r}); from figmill.__main__ import run; run()"
    command = [sys.executable, "-I", "-S", "-c", program, "--to", "pdf"]
    done = subprocess.run(command, cwd=book.root, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == "figmill: --to needs the package typst: pip install 'figmill[export]'\n"
    assert not (book.root / "build").exists()


def test_in_place_they_stand_beside_the_sources_and_overwrite_none(space: Space) -> None:
    draw = PLOT.replace(
        "axes.set_title", "open(__file__.replace('.py', '.png'), 'rb').read(); axes.set_title"
    )
    raw = HAND.replace("<text", "<style>text { font-family: Courier New }</style><text")
    space.write(
        {
            "pyproject.toml": '[tool.figmill]\noutput = "in-place"\n',
            "visuals/d.svg": raw,
            "visuals/p.py": draw,
            "visuals/p.png": b"my own",
        }
    )
    space.question("d", "source: d.svg, alt: one rank as a box")
    space.question("p", "kind: matplotlib, source: p.py, alt: a line")
    ran = space.run("--to", "png", "--to", "pdf")
    assert ran.code == 1
    assert "it would overwrite visuals/p.png, which a figure is drawn from" in ran.err
    assert (space.root / "visuals/p.png").read_bytes() == b"my own"
    assert (space.root / "visuals/d.svg").read_bytes() == raw.encode()
    (name,) = fonts(PdfReader(space.root / "visuals/d.pdf").pages[0])
    assert name.endswith("+DejaVuSansMono")
    assert "../visuals/d.png" in files(space, "d")
    assert space.run("--to", "png", "--id", "d", "--check").code == 0


def test_a_font_of_the_book_is_used_where_its_stack_names_it(space: Space) -> None:
    from figmill.font_metrics import matplotlib_folder

    space.write(
        {
            "pyproject.toml": "[tool.figmill]\nfont = \"STIXGeneral, sans-serif\"\nfonts = ['serif.ttf']\n",
            "serif.ttf": (matplotlib_folder() / "STIXGeneral.ttf").read_bytes(),
            "visuals/d.svg": HAND,
        }
    )
    space.question("hand", "source: d.svg, alt: a box")
    assert space.run("--to", "pdf").code == 0
    (name,) = fonts(PdfReader(space.root / "build/global/hand.pdf").pages[0])
    assert name.endswith("+STIXGeneral-Regular")


def test_exports_of_another_version_are_made_again(book: Space) -> None:
    before = exports(book)
    text = book.kept("journal")
    row = f'["typst","{metadata.version("typst")}"]'
    assert row in text
    book.keep("journal", text.replace(row, '["typst","0.0.1"]'))
    assert book.run().code == 0  # which exports nothing, and keeps what is there
    assert len(files(book, "hand")) == 3
    assert "unchanged build/global/hand.svg  (png: typst)" in book.run("--to", "png").out
    assert book.run("--to", "png").out == "2 figures, all fresh\n"
    assert "(pdf: typst)" in book.run("--to", "pdf").out
    assert exports(book) == before


def test_a_text_of_several_looks_has_no_length_to_be_stretched_to() -> None:
    """typst gives the length of the whole to each part."""
    length = b'textLength="90" lengthAdjust="spacingAndGlyphs"'
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text %s>a%s</text></svg>'
    assert "textLength" not in exporter.copy(drawing % (length, b"<tspan>b</tspan>"), ["Arimo"]).svg
    assert "textLength" in exporter.copy(drawing % (length, b"b"), ["Arimo"]).svg


IN_GREY = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 200" font-size="12">
  <rect x="10" y="10" width="90" height="40" fill="#cfe2f3" stroke="#4a90c4"/>
  <text x="20" y="34" fill="#2b2b2b">compute</text>
  <rect x="110" y="10" width="90" height="40" fill="#d4edda" stroke="#3d9e5a"/>
  <text x="120" y="34" fill="#2b2b2b">data</text>
  <rect x="210" y="10" width="90" height="40" fill="#f9d6d5" stroke="#c44444"/>
  <text x="220" y="34" fill="#2b2b2b">error</text>
  <path d="M 10 80 H 300" fill="none" stroke="#4a90c4" stroke-width="2"/>
  <path d="M 10 100 H 300" fill="none" stroke="#3d9e5a" stroke-width="2"/>
  MORE
</svg>
"""
ALIKE = """
  <path d="M 10 130 H 300" fill="none" stroke="#1f77b4" stroke-width="3"/>
  <path d="M 10 150 H 300" fill="none" stroke="#d62728" stroke-width="3"/>
  <rect x="10" y="170" width="3" height="20" fill="#d4edda"/><rect x="20" y="170" width="3" height="20" fill="#f9d6d5"/>
"""


def test_roles_stay_apart_in_grey_and_what_does_not_is_told(space: Space) -> None:
    """Plain grey makes one grey of all fills of the palette; a printer without colour would lose them."""
    space.write(
        {
            "visuals/well.svg": IN_GREY.replace("MORE", ""),
            "visuals/alike.svg": IN_GREY.replace("MORE", ALIKE),
            "visuals/odd.svg": IN_GREY.replace("MORE", '<text x="10" y="140">日</text>'),
            "pyproject.toml": SETTINGS,
        }
    )
    for name in ("well", "alike", "odd"):
        space.question(name, f"source: {name}.svg, alt: boxes and lines")
    order = ("--to", "png", "--to", "pdf", "--to", "svg", "--ink", "grey", "--verbose")
    done = space.run(*order)
    build = space.root / "build"
    told = [line for line in (done.out + done.err).splitlines() if "grey-alike" in line]
    assert len(told) == 2
    assert any("lines in #1f77b4 and #d62728 look the same" in line for line in told)
    assert any("areas of the roles 'data' and 'error' are too small for a hatch" in line for line in told)
    untagged = (
        'questions/odd.yaml:4:18: build/global/odd.grey.pdf does not state PDF/UA-1: the text `"日"` could not be'
        " displayed with a font [untagged]"
    )
    assert (done.out + done.err).count("[untagged]") == (done.out + done.err).count(untagged) == 1
    assert b"pdfuaid" not in next(build.rglob("odd.grey.pdf")).read_bytes()
    again = space.run(*order)  # up to date, and told as before
    assert "exported" not in again.out and (again.out + again.err).count("grey-alike") == 2
    assert untagged in again.out + again.err

    image = Image.open(next(build.rglob("well.grey.png"))).convert("RGB")
    pixels = image.tobytes()
    assert pixels[0::3] == pixels[1::3] == pixels[2::3]
    parts = [image.crop((left, 11, left + 80, 22)).tobytes() for left in (12, 112, 212)]
    assert len(set(parts)) == 3
    lines = [image.crop((10, y - 1, 310, y + 1)).tobytes() for y in (80, 100)]
    assert lines[0] != lines[1]
    assert "compute" in PdfReader(next(build.rglob("well.grey.pdf"))).pages[0].extract_text()
    assert next(build.rglob("well.grey.svg")).read_bytes().count(b"<pattern") == 2
    listed = json.loads((build / "manifest.json").read_text())["figures"]
    files = next(row for row in listed if row["id"] == "well")["files"]
    assert {file["format"] for file in files if file["theme"] == "grey"} == {"png", "pdf", "svg"}
    assert not list(build.rglob("*.dark.grey.*"))
    assert space.run("--ink", "grey").code == space.run("--to", "svg").code == 2
