"""A figure in a Jupyter notebook: `figmill.show("ID")`. The notebook holds the pictures itself, in both themes."""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path

from figmill.errors import ToolError
from figmill.integrations import figures, links, lookup
from figmill.integrations.figures import Catalogue, PictureFile
from figmill.integrations.lookup import Embedding, Missing, Target
from figmill.integrations.opened import find, open_book
from figmill.streams import complain

# The dark picture is hidden by its own style, because many notebook viewers drop all style sheets. JupyterLab and
# nbconvert, VS Code, and pages made from notebooks say which theme they have.
DARK = '[data-jp-theme-light="false"], .vscode-dark, [data-theme="dark"], .dark'
STYLE = f"""<style>
:is({DARK}) .figmill-picture .figmill-light {{ display: none !important }}
:is({DARK}) .figmill-picture .figmill-dark {{ display: inline-block !important }}
@media print {{
  .figmill-picture.figmill-picture.figmill-picture .figmill-light {{ display: inline-block !important }}
  .figmill-picture.figmill-picture.figmill-picture .figmill-dark {{ display: none !important }}
}}
</style>"""


def show(name: str, *, root: str | Path | None = None, theme: str = "auto") -> ShownFigure:
    """A figure of the book, built first. name: its id; root: the book; None: the one around the current folder.

    theme: auto, light or dark. Raises ToolError if there is no such figure.
    """
    if theme not in lookup.THEMES:
        raise ToolError(f"theme is {' or '.join(lookup.THEMES)}, not {theme!r}")
    book = open_book(find(Path.cwd(), None if root is None else str(root)))
    target = lookup.target(f"{lookup.SCHEME}{name.removeprefix(lookup.SCHEME)}") or Target(name)
    answer = lookup.show(book.catalogue, target, theme=theme, failures=book.failures)
    if isinstance(answer, Missing):
        raise ToolError(answer.message)
    if links.of(book.catalogue.folder, answer):
        complain(f"figmill: {links.dead([answer.label], links.NOT_HERE)}")
    return ShownFigure(answer, book.catalogue)


class ShownFigure:
    """A figure as IPython shows it: HTML with both themes, one SVG for print, and the alt text elsewhere."""

    def __init__(self, embedding: Embedding, catalogue: Catalogue) -> None:
        self._embedding, self._catalogue = embedding, catalogue

    def __repr__(self) -> str:
        return f"<figure {self._embedding.label}: {self._embedding.alt}>"

    def _repr_svg_(self) -> str:
        """The light picture, for programs that do not write HTML."""
        return self._read(self._embedding.light).decode()

    def _repr_html_(self) -> str:
        embedding = self._embedding
        images = "".join(self._image(theme, picture) for theme, picture in embedding.alternates)
        caption = f"<figcaption>{escape(embedding.caption)}</figcaption>" if embedding.caption else ""
        mark = f"<p><strong>{escape(embedding.doubt)}</strong></p>" if embedding.doubt else ""
        return (
            f'{STYLE}<figure class="figmill" style="text-align: center; margin: 0 auto">'
            f'<div class="figmill-picture">{images}</div>{mark}{caption}</figure>'
        )

    def _image(self, theme: str, picture: PictureFile) -> str:
        data = base64.b64encode(self._read(picture)).decode()
        hidden = "; display: none" if theme == "dark" else ""
        return (
            f'<img class="figmill-{theme}" alt="{escape(self._embedding.alt)}" width="{round(picture.width)}" '
            f'style="max-width: 100%; height: auto{hidden}" src="data:image/svg+xml;base64,{data}">'
        )

    def _read(self, picture: PictureFile) -> bytes:
        return figures.read(self._catalogue.folder, picture.path)
