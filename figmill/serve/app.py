"""The routes of the live pages: which address shows what. Each request here has passed the guard."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from figmill import checks
from figmill.book.value_types import THEMES
from figmill.claims import messages
from figmill.claims.labels import labels
from figmill.config import Options
from figmill.engine.resident.builder import Resident
from figmill.engine.resident.views import FigureView, InterruptedRenderError, WhatIf
from figmill.errors import AuthorError, ToolError
from figmill.late_dataclasses import dataclass
from figmill.model import Json
from figmill.page_words import Speech
from figmill.paths import LOOK, PACKAGE
from figmill.serve import writing
from figmill.serve.controls import controls
from figmill.serve.guard import App, Keys, guarded
from figmill.serve.live import Live
from figmill.serve.pages import cards, figure, frame
from figmill.serve.pages.figure import Judge
from figmill.serve.pages.markup import Safe
from figmill.serve.pages.places import link
from figmill.serve.pages.reader import IN, Reader
from figmill.serve.pages.snippets import hosts_of
from figmill.serve.render_queue import RenderQueue
from figmill.serve.writing import Edit

TYPES: Mapping[str, str] = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
SCRIPTS = ("serve.js", "figure.js", "stage.js", "controls.js", "explore.js", "writing.js")
FILES: Mapping[str, Path] = {
    "look.css": LOOK,
    **{name: PACKAGE / "serve" / "files" / name for name in (*SCRIPTS, "serve.css", "icon.svg")},
}
# A drawing is a picture: even opened by itself, it runs and loads nothing.
DRAWING = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    "cache-control": "private, max-age=31536000, immutable",  # its address is its digest
}
UNDONE = 32  # the number of latest edits that can be undone
STREAMS = 100  # of listening pages: a browser needs one for all its pages
PARAMETERS = 200
NO_PARAMS: Mapping[str, Json] = MappingProxyType({})


class Site:
    """The pages of one book. Every method is a route."""

    def __init__(self, live: Live, keys: Keys, threads: Executor, editor: str | None) -> None:
        self.live, self.keys, self.threads, self.editor = live, keys, threads, editor
        self.renders = RenderQueue(threads, live.resident.interrupt_what_if)
        self._streams = 0
        self._written: dict[str, Edit] = {}  # by their marks, in their order

    def app(self) -> App:
        """The whole application, behind the guard."""
        pages = [
            ("/", self.gallery, "GET"),
            ("/card/{name:path}", self.card, "GET"),
            ("/figure/{name:path}", self.figure, "GET"),
            ("/source/{path:path}", self.source, "GET"),
            ("/what-if/{name:path}", self.what_if, "POST"),
        ]
        routes = [
            *(
                Route(f"{base}{path}", page, methods=[method])
                for base in (f"{IN}/{{language}}", "")
                for path, page, method in pages
            ),
            Route("/events", self.events),
            Route("/picture/{digest}.svg", self.picture),
            Route("/files/{name}", self.file),
            Route("/edit/{name:path}", self.edit, methods=["POST"]),
            Route("/write/{name:path}", self.write, methods=["POST"]),
            Route("/undo/{name:path}", self.undo, methods=["POST"]),
        ]
        handlers = {NoLanguageError: self.no_language, ClientDisconnect: _cut_short}
        return guarded(Starlette(routes=routes, exception_handlers=handlers), self.keys)

    def reader(self, request: Request) -> Reader:
        """Who asks for a page. Raises NoLanguageError if its address has a language that the book does not have."""
        try:
            options = self.live.resident.options
        except ToolError:
            options = Options()
        every = tuple(dict.fromkeys((options.language, *options.languages, *self.live.now.languages)))
        speech = Speech(options.language, dict(options.words))
        reader = Reader(self.live.root, self.editor, speech, every)
        language = request.path_params.get("language")
        if language is not None and language not in every:
            raise NoLanguageError(reader)
        return reader.into(language)

    async def no_language(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, NoLanguageError)
        return self._missing("There is no such language.", error.reader)

    async def gallery(self, request: Request) -> Response:
        reader = self.reader(request)
        return self._page(reader.speech("Figures"), frame.gallery(self.live.now, reader), reader, "/")

    async def card(self, request: Request) -> Response:
        name, reader = request.path_params["name"], self.reader(request)
        view = self.live.now.views.get(name)
        if view is None:
            return self._missing("There is no longer a figure of that name.", reader)
        return Response(cards.card(name, view, reader), media_type="text/html")

    async def figure(self, request: Request) -> Response:
        name, reader = request.path_params["name"], self.reader(request)
        view = self.live.now.views.get(name)
        if view is None:
            return self._missing("There is no figure “{0}” in this book.", reader, name)
        cached = self.live.known_signature(name)
        if cached is None:  # only then may a render in progress delay the page
            loop = asyncio.get_running_loop()
            cached = (await loop.run_in_executor(self.threads, self.live.signature, name),)
        (draw,) = cached
        offered = controls(draw, view.params, view.reads) if draw else ()
        judge = self._judge(view)
        change = await asyncio.get_running_loop().run_in_executor(
            self.threads, self.live.last_change, name, self.live.resident.options.palette
        )
        main = figure.body(name, view, offered, reader, hosts_of(self.live.root), judge, change)
        title = cards.titled(view, reader.seen(view))
        return self._page(title, main, reader, f"/figure/{quote(name)}", modules=("figure.js",))

    async def picture(self, request: Request) -> Response:
        data = self.live.picture(request.path_params["digest"])
        if data is None:
            return Response(b"", 404, media_type="image/svg+xml")
        return Response(data, media_type="image/svg+xml", headers=DRAWING)

    async def source(self, request: Request) -> Response:
        path, reader = request.path_params["path"], self.reader(request)
        lines = self.live.lines(path)
        if lines is None:
            return self._missing("No figure of this book comes from a file of that name.", reader)
        return self._page(path, frame.source(path, lines), reader, f"/source/{quote(path)}")

    async def file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in FILES:
            return self._missing("There is no such file.", self.reader(request))
        # A browser asks for the icon again whenever the address changes, which is whenever a control moves.
        kept = {"cache-control": "private, max-age=86400"} if name.endswith(".svg") else {}
        path = FILES[name]
        return Response(path.read_bytes(), headers={"content-type": TYPES[path.suffix], **kept})

    async def events(self, request: Request) -> Response:
        if self._streams >= STREAMS:
            return Response("too many pages are open", status_code=503)
        return StreamingResponse(self._lines(), media_type="text/event-stream")

    async def _lines(self) -> AsyncIterator[str]:
        self._streams += 1
        try:
            yield "retry: 1000\n\n"
            async for news in self.live.changes():
                yield ": still here\n\n" if news is None else f"data: {json.dumps(news)}\n\n"
        finally:
            self._streams -= 1

    async def what_if(self, request: Request) -> Response:
        """A figure with other parameters: `{"page": ..., "params": {...}}` -> its pictures and the messages about it.

        With `"theme"`, only the picture that its reader sees, which comes with the answer: one request less.
        """
        name, reader = request.path_params["name"], self.reader(request)
        wish = _wish(await request.body())
        if wish is None:
            return JSONResponse({"error": "a page sends its name and its params"}, 400)
        if name not in self.live.now.views:
            return JSONResponse({"error": "there is no longer a figure of that name"}, 404)
        try:
            result = await self._drawn(request, name, wish, wish.theme, reader.speech.language)
        except KeyError:
            return JSONResponse({"error": "there is no longer a figure of that name"}, 404)
        except InterruptedRenderError:
            result = None
        if result is None:
            return JSONResponse({"superseded": True}, 409)
        return JSONResponse(
            self._answer(name, result, reader, wish.params, with_pictures=wish.theme is not None)
        )

    async def _drawn(
        self, request: Request, name: str, wish: _Wish, theme: str | None = None, language: str | None = None
    ) -> WhatIf | None:
        """The figure that a page asks for. Closing the connection cancels the render.

        None if a newer request took its place, or nobody waits for it.
        """
        params = {**self.live.now.views[name].params, **wish.params}
        work = partial(self.live.resident.what_if, name, params, theme, language)
        render = asyncio.ensure_future(self.renders.render(wish.page, work))
        leaving = asyncio.ensure_future(_has_left(request))
        try:
            await asyncio.wait((render, leaving), return_when=asyncio.FIRST_COMPLETED)
            return await render if render.done() else None
        finally:
            render.cancel()
            leaving.cancel()

    async def edit(self, request: Request) -> Response:
        """What writing would change: `{"page", "params", "id"}`, with an id for a new question -> the difference."""
        edit = await self._edit(request)
        if isinstance(edit, Response):
            return edit
        return JSONResponse({"path": edit.path, "diff": edit.diff, "sha256": edit.sha256})

    async def write(self, request: Request) -> Response:
        """Write what `edit` showed: the same request, with the digest of the file that its author saw."""
        edit = await self._edit(request)
        if isinstance(edit, Response):
            return edit
        wish = _wish(await request.body())
        try:
            writing.write(self.live.root, edit, (wish and wish.seen) or "")
        except AuthorError as wrong:
            return JSONResponse({"errors": [self._wrong(wrong, self.reader(request))]}, 409)
        except OSError as error:
            return JSONResponse({"error": f"{edit.path} cannot be written: {error.strerror}"}, 500)
        self._written[edit.mark] = edit
        while len(self._written) > UNDONE:
            del self._written[next(iter(self._written))]
        return JSONResponse({"written": edit.path, "mark": edit.mark})

    async def undo(self, request: Request) -> Response:
        """Undo what `write` did: `{"page", "params", "sha256"}`, with the mark from its answer."""
        wish = _wish(await request.body())
        edit = self._written.get((wish and wish.seen) or "")
        if edit is None:
            return JSONResponse({"error": "this can no longer be undone"}, 400)
        try:
            writing.undo(self.live.root, edit)
        except AuthorError as wrong:
            return JSONResponse({"errors": [self._wrong(wrong, self.reader(request))]}, 409)
        except OSError as error:
            return JSONResponse({"error": f"{edit.path} cannot be written: {error.strerror}"}, 500)
        del self._written[edit.mark]
        return JSONResponse({"undone": edit.path})

    async def _edit(self, request: Request) -> Edit | Response:
        """The edit that a page asks for; an answer that refuses it. The parameters are those of a figure that draws."""
        name, body = request.path_params["name"], await request.body()
        wish = _wish(body)
        view = self.live.now.views.get(name)
        if wish is None or view is None:
            return JSONResponse({"error": "there is no such figure, or nothing to write"}, 400)
        params = wish.params
        result = await self._drawn(request, name, wish)
        if result is None:
            return JSONResponse({"superseded": True}, 409)
        if result.settled is None:
            return JSONResponse(
                {"errors": [self._wrong(wrong, self.reader(request)) for wrong in result.errors]}
            )
        ids = [other.id for other in self.live.now.views.values() if other.id]
        try:
            if wish.id is None:
                return writing.changed(self.live.root, view, params)
            return writing.begun(self.live.root, view, params, wish.id, ids)
        except AuthorError as wrong:
            return JSONResponse({"errors": [self._wrong(wrong, self.reader(request))]})

    def _judge(
        self, view: FigureView, result: WhatIf | None = None, params: Mapping[str, Json] = NO_PARAMS
    ) -> Judge:
        """Finds the false numbers of a figure's texts: as published, or as drawn with other parameters."""
        drawn = None if result is None else result.settled
        published = view.published
        if checks.levels(self.live.resident.options.lint)[messages.CHECK] == checks.OFF:
            return lambda _: ()
        if drawn is not None:
            svg: bytes | None = drawn.pages[0].svg
        else:
            light = (
                next((file for file in published.files if file.format == "svg"), None) if published else None
            )
            svg = self.live.picture(light.sha256) if light else None
        facts = drawn.facts if drawn is not None else published.facts if published else {}
        texts = labels(svg) if svg else ()
        given = {**view.params, **params}
        return lambda text: messages.false_numbers(text, view.label, facts, given, texts)

    def _answer(
        self,
        name: str,
        result: WhatIf,
        reader: Reader,
        params: Mapping[str, Json],
        with_pictures: bool,
    ) -> dict[str, Any]:
        """What a page shows of a figure with other parameters; with_pictures: the drawings themselves, too."""
        if result.settled is None:
            return {"errors": [self._wrong(wrong, reader) for wrong in result.errors]}
        settled = result.settled
        view = self.live.now.views.get(name)
        numbers = reader.numbers(view) if view else str
        parts = {
            "facts": cards.facts(dict(settled.facts), reader, numbers),
            "texts": figure.texts(
                settled.alt,
                settled.caption,
                reader.speech,
                self._judge(view, result, params) if view else lambda _: (),
            ),
            "expected": figure.expected(view.expect, result.unmet, reader.speech) if view else "",
            "findings": cards.findings(settled.warnings, reader),
        }
        pictures = {
            page.theme: {
                "src": cards.picture_address(self.live.pictures.put(page.svg)),
                "width": round(page.width),
                "height": round(page.height),
                **({"svg": page.svg.decode()} if with_pictures else {}),
            }
            for page in settled.pages
        }
        return {
            "pictures": pictures,
            "alt": settled.alt,
            "parts": parts,
            "unmet": len(result.unmet),
            "seconds": result.seconds,
        }

    def _wrong(self, wrong: AuthorError, reader: Reader) -> dict[str, str]:
        return {"place": link(wrong.origin, reader), "message": wrong.message, "detail": wrong.detail}

    def _page(
        self,
        title: str,
        main: Safe,
        reader: Reader,
        at: str,
        status: int = 200,
        modules: Sequence[str] = (),
    ) -> Response:
        data = frame.page(title, self.keys.page, main, self.live.now, reader, at, modules)
        return Response(data, status, media_type="text/html")

    def _missing(self, message: str, reader: Reader, *values: str) -> Response:
        main = frame.missing(reader.speech(message, *values), reader)
        return self._page(reader.speech("Not here"), main, reader, "/", 404)


class NoLanguageError(Exception):
    """An address has a language that the book does not have."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader


def site(resident: Resident, keys: Keys, threads: Executor, editor: str | None) -> Site:
    """The pages of the resident builder's book."""
    return Site(Live(resident), keys, threads, editor)


async def _cut_short(_: Request, __: Exception) -> Response:
    """The answer to a page that has gone before the end of its request: nobody reads it."""
    return Response(status_code=400)


async def _has_left(request: Request) -> None:
    """Wait until the page that asks has closed its connection. Its body has been read by then."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


@dataclass(frozen=True, slots=True)
class _Wish:
    """The request of a page.

    - theme: the one that its reader sees; None: all.
    - id: of a new question.
    - seen: the digest of the file that the page has shown.
    """

    page: str
    params: dict[str, Json]
    theme: str | None
    id: str | None
    seen: str | None


def _wish(body: bytes) -> _Wish | None:
    """The request of a page; None if it is malformed."""
    try:
        request = _json(body)
        page, params = request["page"], request["params"]
        theme, id_, seen = (request.get(name) for name in ("theme", "id", "sha256"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    is_wish = (
        isinstance(page, str)
        and len(page) <= 64
        and isinstance(params, dict)
        and len(params) <= PARAMETERS
        and (theme is None or theme in THEMES)
        and all(text is None or isinstance(text, str) for text in (id_, seen))
    )
    return _Wish(page, params, theme, id_, seen) if is_wish else None


def _json(body: bytes) -> Any:
    """JSON as in RFC 8259: numbers are finite, and text is Unicode. Raises ValueError, or RecursionError."""
    request = json.loads(body, parse_constant=_finite, parse_float=_finite, parse_int=_whole)
    json.dumps(request, ensure_ascii=False).encode()
    return request


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a number of JSON")
    return number


def _whole(text: str) -> int:
    _finite(text)  # a number that is not a float is not a length, a count or a time either
    return int(text)
