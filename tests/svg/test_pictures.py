"""Pictures in drawings: decoded and written again, or refused with a clear line; no more of a file goes through."""

from __future__ import annotations

import base64
import io
import struct
import zlib

import pytest
from helpers.book import Space
from helpers.cases import cases
from helpers.reading import faults
from PIL import Image, PngImagePlugin
from pypdf import PdfReader

from figmill.svg import Normal, Sheet, SvgError, normalise
from figmill.svg.pictures.jpeg import bare

SHEET = Sheet("fig", "Title", "What it shows")
DARK = Sheet("fig", "Title", "What it shows", theme="dark")


def encoded(image: Image.Image, format_: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, format_, **options)
    return out.getvalue()


def photo(width: int = 60, height: int = 40) -> Image.Image:
    """A picture of very many colours."""
    return Image.effect_noise((width, height), 90).convert("RGB").transpose(Image.Transpose.FLIP_TOP_BOTTOM)


FEW = Image.effect_mandelbrot((16, 12), (-2, -1.5, 1, 1.5), 20).convert("RGB")
SEEN = "<script>alert(1)</script>"


def uri(data: bytes, media: str = "image/png") -> str:
    return f"data:{media};base64,{base64.b64encode(data).decode()}"


def settled(href: str, more: str = "", sheet: Sheet = SHEET, library: object = None) -> Normal:
    """A drawing with one image, normalised; what comes out is clean, and a fixed point."""
    data = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 90"><image href="{href}" {more}/></svg>'
    page = normalise(data.encode(), sheet, library)  # type: ignore[arg-type]
    assert faults(page.svg, f"fig-{sheet.theme}") == []
    assert normalise(page.svg, sheet).svg == page.svg
    return page


def picture(page: Normal) -> tuple[str, Image.Image, bytes]:
    """Its media type, the picture and its bytes."""
    head, _, rest = page.svg.partition(b"data:")[2].partition(b";base64,")
    data = base64.b64decode(rest.partition(b'"')[0])
    return head.decode(), Image.open(io.BytesIO(data)), data


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P", "1", "I;16"])
@pytest.mark.parametrize("format_", ["PNG", "WEBP"])
def test_the_same_pixels_come_out(mode: str, format_: str) -> None:
    if format_ == "WEBP" and mode in ("1", "I;16", "P", "LA"):
        mode = "RGBA"
    image = FEW.convert("L").convert("I;16").point(lambda v: v * 256) if mode == "I;16" else FEW.convert(mode)
    options = {"lossless": True} if format_ == "WEBP" else {}
    media, decoded, _ = picture(settled(uri(encoded(image, format_, **options))))
    wanted = FEW.convert("L") if mode == "I;16" else image
    assert media == "image/png"
    assert decoded.convert("RGBA").tobytes() == wanted.convert("RGBA").tobytes()


def test_a_photo_stays_a_jpeg_with_the_same_pixels() -> None:
    data = encoded(photo(), "JPEG", quality=70)
    media, decoded, written = picture(settled(uri(data, "image/jpeg")))
    assert media == "image/jpeg"
    assert decoded.tobytes() == Image.open(io.BytesIO(data)).tobytes()
    assert len(written) <= len(data)


@pytest.mark.parametrize("mode", ["CMYK", "L", "progressive"])
def test_other_jpegs_are_shown_as_they_are(mode: str) -> None:
    image = FEW.convert("CMYK" if mode == "CMYK" else "L" if mode == "L" else "RGB")
    data = encoded(image, "JPEG", quality=95, progressive=mode == "progressive")
    media, decoded, _ = picture(settled(uri(data, "image/jpeg")))
    pairs = zip(
        decoded.convert("RGB").tobytes(), Image.open(io.BytesIO(data)).convert("RGB").tobytes(), strict=True
    )
    assert media == "image/jpeg"
    assert sum(abs(a - b) for a, b in pairs) < 16 * 12 * 3 * 6


def with_secrets(format_: str) -> bytes:
    """A picture with all that a file can carry beside its pixels."""
    exif = Image.Exif()
    exif[0x010E] = SEEN
    if format_ == "PNG":
        notes = PngImagePlugin.PngInfo()
        notes.add_text("Comment", SEEN)
        notes.add_itxt("XML:com.adobe.xmp", SEEN)
        return encoded(FEW, "PNG", pnginfo=notes, exif=exif, icc_profile=SEEN.encode()) + SEEN.encode()
    more = {"comment": SEEN.encode()} if format_ == "JPEG" else {"xmp": SEEN.encode()}
    return encoded(FEW, format_, exif=exif, icc_profile=SEEN.encode(), **more) + SEEN.encode()


@pytest.mark.parametrize("format_", ["PNG", "JPEG", "WEBP"])
def test_metadata_and_tails_are_gone(format_: str) -> None:
    data = with_secrets(format_)
    assert data.count(b"alert(1)") > 1
    _, image, written = picture(settled(uri(data)))
    assert b"alert" not in written and b"Exif" not in written
    assert not image.getexif() and "icc_profile" not in image.info


def test_a_picture_that_lies_on_its_side_is_set_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    page = settled(uri(encoded(photo(60, 40), "JPEG", exif=exif)))
    assert picture(page)[1].size == (40, 60)
    assert b'width="40" height="60"' in page.svg


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def bomb(width: int, height: int) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(10**6))) + chunk(b"IEND", b"")


REFUSED = {
    "a bomb": (uri(bomb(30000, 30000)), "more than 50 megapixels; save it smaller"),
    "a smaller bomb": (uri(bomb(9000, 9000)), "has 9,000 x 9,000 pixels; at most 50 megapixels are read"),
    "a bomb cut short": (uri(bomb(7000, 7000)), "is cut short or damaged"),
    "a PNG cut short": (uri(encoded(photo(), "PNG")[:900]), "is cut short or damaged"),
    "a JPEG cut short": (uri(encoded(photo(), "JPEG")[:900]), "is cut short or damaged"),
    "a WebP cut short": (uri(encoded(photo(), "WEBP")[:300]), "cannot be read|cut short|not a readable"),
    "a GIF": (uri(encoded(FEW, "GIF"), "image/gif"), "is a GIF; save it as PNG or JPEG"),
    "a BMP": (uri(encoded(FEW, "BMP")), "is a BMP"),
    "a TIFF": (uri(encoded(FEW, "TIFF")), "is a TIFF"),
    "a PDF": (uri(b"%PDF-1.4"), "is a PDF"),
    "PostScript": (uri(b"%!PS-Adobe-3.0 EPSF-3.0\n"), "is PostScript"),
    "nothing": (uri(b""), "is empty"),
    "words": (uri(b"hello"), "is not a readable PNG, JPEG or WebP"),
    "HTML": ("data:text/html,%3Cscript%3E", "is not a readable PNG, JPEG or WebP"),
    "no base64": ("data:image/png;base64,!!!", "is not valid base64"),
    "no comma": ("data:image/png", "lacks the comma before its bytes"),
    "http": ("http://example.org/a.png", "only files of the book are allowed"),
    "https": ("https://example.org/a.png", "only files of the book are allowed"),
    "no scheme": ("//example.org/a.png", "only files of the book are allowed"),
    "a file's address": ("file:///etc/passwd", "only files of the book are allowed"),
    "a full path": ("/etc/passwd", "only files of the book are allowed"),
    "a drive": ("C:\\a.png", "only files of the book are allowed"),
    "a script": (" JaVaScRiPt:alert(1)", "only files of the book are allowed"),
    "blob": ("blob:https://example.org/1", "only files of the book are allowed"),
    "an id": ("#a", "only files of the book are allowed"),
    "above": ("../a.png", "must lie beside its drawing or in a folder below"),
    "above, later": ("a/../../a.png", "must lie beside its drawing or in a folder below"),
    "above, hidden": ("%2e%2e/a.png", "must lie beside its drawing or in a folder below"),
    "a full path, hidden": ("%2Fetc/passwd", "must lie beside its drawing or in a folder below"),
    "a NUL": ("a%00.png", "must lie beside its drawing or in a folder below"),
    "alone": ("a.png", "this drawing is in no book"),
}


@cases("name", REFUSED)
def test_what_is_no_picture_of_the_book_is_refused(name: str) -> None:
    href, told = REFUSED[name]
    with pytest.raises(SvgError) as refused:
        settled(href)
    assert any(phrase in refused.value.message for phrase in told.split("|"))
    assert refused.value.line == 1


def drawing(body: str, more: str = "") -> str:
    """A drawing as a `data:` link."""
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" {more}>{body}</svg>'
    )
    return uri(svg.encode(), "image/svg+xml")


HOSTILE = {
    "script": ("<script>alert(1)</script>", "scripts do not run in a figure"),
    "handler": ('<rect onclick="a()"/>', "is an event handler"),
    "foreignObject": (
        '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>',
        "iframe",
    ),
    "link": ('<a href="javascript:a()"><rect/></a>', "link to 'javascript:a()'"),
    "remote": ('<use x:href="https://e.org/a.svg#a"/>', "only #id in the same file"),
    "style": ("<style>@import 'https://e.org/'</style>", "@import"),
    "file": ('<image href="a.png"/>', "this drawing is in no book"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_drawing_in_a_picture_is_held_to_the_same_rules(name: str) -> None:
    body, told = HOSTILE[name]
    with pytest.raises(SvgError, match=r"in the picture in 'data:': ") as refused:
        settled(drawing(body))
    assert told in refused.value.message


def test_elements_are_nested_no_deeper_with_the_drawings_in_them() -> None:
    def deep(body: str) -> str:
        return "<g>" * 150 + body + "</g>" * 150

    def whole(body: str) -> Normal:
        frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 90">{body}</svg>'
        return normalise(frame.encode(), SHEET)

    whole(deep('<rect width="9" height="9"/>'))
    inner = drawing(deep('<rect width="9" height="9"/>'))
    whole(f'<image href="{inner}"/>')
    with pytest.raises(SvgError, match="with the picture in 'data:', elements are nested more than 200 deep"):
        whole(deep(f'<image href="{inner}"/>'))


def test_drawings_in_drawings_end_somewhere() -> None:
    inner = drawing("<rect/>")
    for _ in range(6):
        inner = drawing(f'<image href="{inner}"/>')
    with pytest.raises(SvgError, match="use it in an outer one"):
        settled(inner)


def test_a_drawing_in_a_picture_looks_as_it_does_alone() -> None:
    inner = drawing(
        '<style>.a{fill:red}</style><rect id="x" class="a" width="9" height="9"/><use href="#x" x="9"/>',
        'width="40" height="20"',
    )
    images = f'<image href="{inner}" width="80"/><image href="{inner}" y="50" width="20" height="10"/>'
    body = f'<style>rect{{fill:blue}}</style><g fill="lime">{images}</g>'
    data = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 90">{body}</svg>'
    page = normalise(data.encode(), SHEET)
    assert page.svg.count(b'fill="#ff0000"') == 2
    assert b"lime" not in page.svg.replace(b'fill="#00ff00"', b"", 1) and b"#0000ff" not in page.svg
    assert b'<svg width="80" height="40" viewBox="0 0 40 20">' in page.svg
    assert faults(page.svg, "fig-light") == []
    assert normalise(page.svg, SHEET).svg == page.svg


def test_the_bounds_of_a_figure_make_pictures_smaller_and_tell() -> None:
    data = encoded(photo(1000, 800), "PNG")
    sheet = Sheet("fig", "Title", "What it shows", pixels=200_000)
    page = settled(uri(data), sheet=sheet)
    assert picture(page)[1].size == (500, 400)
    assert b'width="1000" height="800"' in page.svg
    (told,) = [told for _, told, check in page.warnings if check == "picture"]
    assert "of 1000 x 800 pixels is published with 500 x 400; `limits`" in told


def test_pictures_take_no_more_bytes_than_they_may() -> None:
    sheet = Sheet("fig", "Title", "What it shows", picture_bytes=50_000)
    _, _, written = picture(settled(uri(encoded(photo(600, 500), "PNG")), sheet=sheet))
    assert 10_000 < len(written) <= 50_000


def test_the_bounds_hold_for_all_pictures_together() -> None:
    images = "".join(f'<image href="{uri(encoded(photo(400, 300 + n), "JPEG"))}"/>' for n in range(4))
    data = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 90">{images}</svg>'.encode()
    page = normalise(data, Sheet("fig", "Title", "What", pixels=120_000))
    parts = [base64.b64decode(part.partition(b'"')[0]) for part in page.svg.split(b"base64,")[1:]]
    sizes = [Image.open(io.BytesIO(part)).size for part in parts]
    assert len(sizes) == 4 and 100_000 < sum(width * height for width, height in sizes) <= 120_000


def test_a_picture_is_the_same_in_the_dark_and_so_are_words_on_it() -> None:
    labels = '<text x="10" y="20" font-size="8">on it</text><text x="10" y="60" font-size="8">below it</text>'
    body = f'<image href="{uri(encoded(FEW, "PNG"))}" width="80" height="40"/>{labels}'
    data = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 90">{body}</svg>'.encode()
    light, dark = normalise(data, SHEET), normalise(data, DARK)
    assert picture(light)[2] == picture(dark)[2]
    assert b'font-size="8">on it' in dark.svg and b'fill="#000000"' in dark.svg.partition(b">on it")[0][-120:]
    assert b'fill="#000000"' not in dark.svg.partition(b">below it")[0][-80:]


def test_a_damaged_jpeg_is_never_taken_apart_wrongly() -> None:
    whole, wrong = encoded(photo(), "JPEG"), []
    for at in range(0, 900, 7):
        data = bytearray(whole)
        data[at] ^= 0xFF
        jpeg = bare(bytes(data))
        if jpeg is not None and not (jpeg.startswith(b"\xff\xd8") and jpeg.endswith(b"\xff\xd9")):
            wrong.append(at)
    assert wrong == []


# ---------------------------------------------------------------- in a book


HAND = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">
  <image href="pictures/logo.png" x="10" y="10" width="80" height="60"/>
  <image href="mark.svg" x="110" y="10" width="40" height="20"/>
</svg>
"""
MARK = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="#cfe2f3"/></svg>'
GRAPH = """\
digraph {
  a [shape=box, label="", image="pictures/logo.png"]
  b [label=<<TABLE><TR><TD><IMG SRC="mark.svg"/></TD></TR></TABLE>>]
  a -> b
}
"""


@pytest.fixture
def book(space: Space) -> Space:
    space.write({"visuals/cloud/hand.svg": HAND, "visuals/cloud/graph.dot": GRAPH, "visuals/mark.svg": MARK})
    space.write({"visuals/cloud/pictures/logo.png": encoded(FEW, "PNG")})
    space.question("hand", "source: hand.svg, alt: a logo and a mark", track="cloud")
    return space.question("graph", "source: graph.dot, alt: a logo and a mark", track="cloud")


def test_files_of_the_book_are_shown_and_watched(book: Space) -> None:
    first = book.run()
    assert (first.code, first.err) == (0, "")
    for name in ("hand", "graph"):
        svg = book.read(f"build/cloud/{name}.svg")
        assert "data:image/png;base64," in svg and "#cfe2f3" in svg and "logo.png" not in svg
    assert "2 fresh" in book.run().out or "all fresh" in book.run().out
    book.write({"visuals/cloud/pictures/logo.png": encoded(FEW.rotate(180), "PNG")})
    changed = book.run("--explain").out
    assert changed.count("rendered") >= 2 and "visuals/cloud/pictures/logo.png" in changed
    book.write({"visuals/cloud/mark.svg": MARK.replace("#cfe2f3", "#d4edda")})  # nearer than visuals/mark.svg
    assert book.run().code == 0
    assert all("#d4edda" in book.read(f"build/cloud/{name}.svg") for name in ("hand", "graph"))


@pytest.mark.parametrize("name", ["hand.svg", "graph.dot"])
def test_a_picture_that_is_not_there_is_an_error(book: Space, name: str) -> None:
    (book.root / "visuals/cloud/pictures/logo.png").unlink()
    ran = book.run("--id", name.partition(".")[0])
    assert ran.code == 1
    assert f"visuals/cloud/{name}" in ran.err
    assert (
        "the picture 'pictures/logo.png' does not exist; figmill looks in visuals/cloud, visuals" in ran.err
    )


@pytest.mark.parametrize("name", ["hand", "graph"])
def test_a_link_out_of_the_book_is_not_followed(
    book: Space, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.png"
    outside.write_bytes(encoded(FEW, "PNG"))
    (book.root / "visuals/cloud/pictures/logo.png").unlink()
    (book.root / "visuals/cloud/pictures/logo.png").symlink_to(outside)
    ran = book.run("--id", name)
    assert ran.code == 1
    assert "is a link that leads out of the book" in ran.err


def test_exports_show_pictures(book: Space) -> None:
    assert book.run("--to", "png", "--to", "pdf", "--id", "hand").code == 0
    image = Image.open(book.root / "build/cloud/hand.png").convert("RGB")
    for x, y in ((2, 2), (8, 6), (12, 9)):
        shown = image.getpixel((10 + 5 * x + 2, 10 + 5 * y + 2))
        wanted = FEW.getpixel((x, y))
        assert isinstance(shown, tuple) and isinstance(wanted, tuple)
        assert max(abs(a - b) for a, b in zip(shown, wanted, strict=True)) < 90
    (page,) = PdfReader(book.root / "build/cloud/hand.pdf").pages
    assert len(page.images) >= 1


def test_the_limits_are_settings(book: Space) -> None:
    book.write({"figmill.toml": "[limits]\nmegapixels = 0.0001\n"})
    ran = book.run("--id", "hand")
    assert ran.code == 0 and "[picture]" in ran.err
    book.write({"figmill.toml": '[limits]\nmegapixel = 1\npicture_bytes = "1 MB"\n'})
    assert "figmill.toml:2: limits.megapixel is not a limit; did you mean 'megapixels'?" in book.run().err
