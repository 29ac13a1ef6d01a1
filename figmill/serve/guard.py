"""Who is let in: one table of rules that every request passes before any page sees it.

A browser sends requests for any site, also to 127.0.0.1. So the Host must match exactly (DNS rebinding), nothing is
shown without the cookie, and nothing is rendered or written without the exact Origin and a token that only our own
pages know. Cookies are shared by all ports of a machine: hence the port in its name, and Sec-Fetch-Site beside it.
Unaware of figures.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import parse_qs

from figmill.late_dataclasses import dataclass

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

ADDRESS = "127.0.0.1"
BODY = 64 << 10  # bytes of what a page may send
HEADER = "x-figmill-token"
SECRET = re.compile("[A-Za-z0-9_-]{32}")  # 192 bits

# A page loads its own script, style and pictures, asks its own server, and is shown in no frame.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ALWAYS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "content-security-policy": PAGE_POLICY,
}


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets that let a browser in.

    - entry: in the first address.
    - session: in the cookie.
    - page: in the header.
    """

    port: int
    entry: str
    session: str
    page: str

    @classmethod
    def fresh(cls, port: int) -> Keys:
        """New secrets of 192 bits each."""
        return cls(port, *(secrets.token_urlsafe(24) for _ in range(3)))

    @property
    def host(self) -> str:
        return f"{ADDRESS}:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    @property
    def address(self) -> str:
        """The first address, which an author opens."""
        return f"{self.origin}/?token={self.entry}"

    @property
    def cookie(self) -> str:
        return f"figmill-{self.port}"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, as far as the rules look at it."""

    method: str
    path: str
    query: str
    headers: Mapping[str, tuple[str, ...]]  # names in lower case, each with all of its values

    @classmethod
    def of(cls, scope: Scope) -> Asked:
        headers: dict[str, tuple[str, ...]] = {}
        for name, value in scope["headers"]:
            key = name.decode("latin-1").lower()
            headers[key] = (*headers.get(key, ()), value.decode("latin-1"))
        return cls(scope["method"], scope["path"], scope["query_string"].decode("latin-1"), headers)

    def only(self, name: str) -> str | None:
        """The value of a header that occurs once; None if it is missing or occurs twice."""
        values = self.headers.get(name, ())
        return values[0] if len(values) == 1 else None

    def is_entry(self, keys: Keys) -> bool:
        """Whether this is the first address, with its token."""
        if self.path != "/" or self.method not in ("GET", "HEAD") or len(self.query) > 1000:
            return False
        return any(_same(token, keys.entry) for token in parse_qs(self.query).get("token", ()))

    def has_cookie(self, keys: Keys) -> bool:
        pairs = (part.partition("=") for line in self.headers.get("cookie", ()) for part in line.split(";"))
        return any(
            name.strip() == keys.cookie and _same(value.strip(), keys.session) for name, _, value in pairs
        )


def _same(first: str, second: str) -> bool:
    """Whether two secrets are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(first.encode(), second.encode())


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that refuses a request."""

    status: int
    message: str


def _foreign_host(request: Asked, keys: Keys) -> Refusal | None:
    if request.only("host") == keys.host:
        return None
    return Refusal(403, f"this server answers only at {keys.origin}")


def _method(request: Asked, keys: Keys) -> Refusal | None:
    return (
        None if request.method in ("GET", "HEAD", "POST") else Refusal(405, "only GET and POST are answered")
    )


def _foreign_origin(request: Asked, keys: Keys) -> Refusal | None:
    """Refuse an Origin that is not ours, if a browser sends one. A page of another port is another origin."""
    if "origin" not in request.headers or request.only("origin") == keys.origin:
        return None
    return Refusal(403, "a page of another site sent this request")


def _foreign_site(request: Asked, keys: Keys) -> Refusal | None:
    """Refuse requests of other pages, even without an Origin: pictures, scripts, frames, links.

    The first address may come from anywhere, such as a terminal in a browser: it has its own token.
    """
    sites = request.headers.get("sec-fetch-site", ("none",))
    is_ours = all(site in ("none", "same-origin") for site in sites)
    is_opened = request.only("sec-fetch-mode") == "navigate" and request.only("sec-fetch-dest") == "document"
    if is_ours or (is_opened and request.is_entry(keys)):
        return None
    return Refusal(403, "a page of another site sent this request")


def _stranger(request: Asked, keys: Keys) -> Refusal | None:
    if request.has_cookie(keys) or request.is_entry(keys):
        return None
    return Refusal(403, "open the address that `figmill watch` printed: it contains a token")


def _unsigned(request: Asked, keys: Keys) -> Refusal | None:
    """Let only our own pages render or write: the exact Origin, and the token that the page holds."""
    if request.method != "POST":
        return None
    if request.only("origin") != keys.origin or not request.has_cookie(keys):
        return Refusal(403, "a page of another site sent this request")
    if not _same(request.only(HEADER) or "", keys.page):
        return Refusal(403, "this page is from an earlier run: load it again")
    return None


def _no_json(request: Asked, keys: Keys) -> Refusal | None:
    """Accept only JSON: a form of another site cannot send it without a preflight request, which nobody answers."""
    if request.method != "POST":
        return None
    if (request.only("content-type") or "").replace(" ", "").lower() not in (
        "application/json",
        "application/json;charset=utf-8",
    ):
        return Refusal(415, "send application/json")
    length = request.only("content-length") or ""
    if "transfer-encoding" in request.headers or not length.isdecimal() or not length.isascii():
        return Refusal(411, "send its length in Content-Length")
    return Refusal(413, f"at most {BODY:,} bytes are read") if len(length) > 9 or int(length) > BODY else None


# The first that refuses is the answer.
RULES: tuple[Callable[[Asked, Keys], Refusal | None], ...] = (
    _foreign_host,
    _method,
    _foreign_origin,
    _foreign_site,
    _stranger,
    _unsigned,
    _no_json,
)


def refusal(request: Asked, keys: Keys) -> Refusal | None:
    """Why a request is refused; None if it is answered."""
    return next(filter(None, (rule(request, keys) for rule in RULES)), None)


def guarded(app: App, keys: Keys) -> App:
    """The application behind the rules. Every answer gets the headers of ALWAYS, unless it has stricter ones."""

    async def door(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":  # no route uses them, so refuse all
                await send({"type": "websocket.close", "code": 1008})
            return
        request = Asked.of(scope)
        refused = refusal(request, keys)
        if refused is not None:
            await _answer(send, refused)
            return
        more = [("set-cookie", _cookie(keys))] if request.is_entry(keys) else []

        async def sent(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _completed(message.get("headers", ()), more)
            await send(message)

        await app(scope, receive, sent)

    return door


def _completed(
    headers: Iterable[tuple[bytes, bytes]], more: Iterable[tuple[str, str]]
) -> list[tuple[bytes, bytes]]:
    given = list(headers)
    names = {name.lower() for name, _ in given}
    added = [(k.encode(), v.encode()) for k, v in ALWAYS.items() if k.encode() not in names]
    return [*given, *added, *((k.encode(), v.encode()) for k, v in more)]


def _cookie(keys: Keys) -> str:
    return f"{keys.cookie}={keys.session}; Path=/; HttpOnly; SameSite=Strict"


async def _answer(send: Send, refused: Refusal) -> None:
    phrase = HTTPStatus(refused.status).phrase
    body = f"{refused.status} {phrase}: {refused.message}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    # The body of the request has not been read: the connection ends, rather than taking it for another request.
    close = [(b"connection", b"close")]
    await send(
        {"type": "http.response.start", "status": refused.status, "headers": _completed(headers + close, ())}
    )
    await send({"type": "http.response.body", "body": body})
