"""Nobody gets in: attacks that other development servers have fallen for, on the real command."""

from __future__ import annotations

import http.server
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.book import DOT, Space
from helpers.served import Served, files, serving

CHAIN = """\
import time

from figmill import Drawing


def draw(n: int = 3, style: str = "plain") -> Drawing:
    return Drawing(f"digraph {{ a -> {n} }}", facts={"points": n, "half": n / 2})
"""
ENDLESS = CHAIN.replace("    return", "    while n > 5:\n        time.sleep(1)\n    return")


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Space:
    root = tmp_path_factory.mktemp("served") / "book"
    root.mkdir()
    space = Space(root)
    space.write(
        {"visuals/a.dot": DOT, "visuals/b.py": CHAIN, "visuals/unused.py": "SECRET = 1\n", "secret.txt": "no"}
    )
    space.write({"visuals/endless.py": ENDLESS})
    space.question("endless", "kind: dot, source: endless.py, timeout: 2, alt: a line")
    space.question("graph", "source: a.dot, alt: a sends to b which sends to c")
    return space.question("plot", "kind: dot, source: b.py, params: {n: 4}, alt: a line")


@pytest.fixture(scope="module")
def served(space: Space) -> Iterator[Served]:
    with serving(space, "--quiet", ready=False) as served:
        ours = served.enter()
        while served.ask("/card/plot", ours).status != 200:
            time.sleep(0.1)
        yield served


PAGES = (
    "/",
    "/figure/graph",
    "/card/graph",
    "/events",
    "/source/visuals/a.dot",
    "/files/serve.js",
    "/nothing",
)

CROSS = {"Origin": None, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
# Attack -> the headers that differ from those of our own page.
FOREIGN: dict[str, dict[str, str | None]] = {
    "a name that leads to 127.0.0.1 (DNS rebinding)": {"Host": "attacker.example:{port}", "Origin": None},
    "the same, in an Origin too": {
        "Host": "attacker.example:{port}",
        "Origin": "http://attacker.example:{port}",
    },
    "our address at another port": {"Host": "127.0.0.1:1"},
    "our address without its port": {"Host": "127.0.0.1"},
    "another name of this machine": {"Host": "localhost:{port}"},
    "another spelling of it": {"Host": "127.1:{port}"},
    "our address before another one": {"Host": "127.0.0.1:{port}.attacker.example"},
    "no Host": {"Host": None},
    "a page of another site": {"Origin": "https://attacker.example"},
    "a page of any IP address": {"Origin": "http://10.0.0.1:{port}"},
    "a page of another port": {"Origin": "http://127.0.0.1:1"},
    "our Origin with https": {"Origin": "https://127.0.0.1:{port}"},
    "our Origin with more": {"Origin": "http://127.0.0.1:{port}.attacker.example"},
    "a page without an Origin (a sandboxed frame, a file)": {"Origin": "null"},
    "a script or picture tag of another site": {**CROSS, "Sec-Fetch-Mode": "no-cors"},
    "a script tag of another port": {
        "Origin": None,
        "Sec-Fetch-Site": "same-site",
        "Sec-Fetch-Mode": "no-cors",
    },
    "a frame in another site": {**CROSS, "Sec-Fetch-Dest": "iframe"},
    "a link of another site": {**CROSS, "Sec-Fetch-Dest": "document"},
    "nobody that we know": {"Cookie": None},
    "a cookie of an earlier run": {"Cookie": "figmill-{port}=abc"},
    "a cookie with the token of the address": {"Cookie": "figmill-{port}={token}"},
    "a cookie of another port": {"Cookie": "figmill-1={session}"},
}


@pytest.mark.parametrize("attack", FOREIGN)
def test_a_stranger_sees_nothing_and_renders_nothing(served: Served, attack: str) -> None:
    ours = served.enter()
    session = ours["Cookie"].partition("=")[2]
    fields = {"port": served.port, "token": served.token, "session": session}
    theirs = {k: v and v.format(**fields) for k, v in FOREIGN[attack].items()}
    seen = {k: v for k, v in {**ours, **theirs}.items() if k not in ("X-Figmill-Token", "Content-Type")}
    for path in PAGES:
        assert served.ask(path, {"Origin": None, **seen}).status in (400, 403), path
    answer = served.ask("/what-if/plot", {**ours, **theirs}, "POST", b'{"page": "p", "params": {"n": 7}}')
    assert answer.status in (400, 403)
    assert not any(name.startswith("access-control") for name in answer.headers)
    assert "set-cookie" not in answer.headers


def test_our_own_page_is_let_in(served: Served) -> None:
    """The same requests without an attack pass: what is refused above is refused for its difference."""
    ours = served.enter()
    for path in PAGES:
        if path not in ("/events", "/nothing"):
            assert served.ask(path, {"Cookie": ours["Cookie"]}).status == 200, path
    assert served.wish(ours, "plot", n=7).json["pictures"]


# What a page of ours sends, with one thing wrong -> the answer.
WRITES: list[tuple[str, dict[str, str | None], int]] = [
    ("no Origin", {"Origin": None}, 403),
    ("no token", {"X-Figmill-Token": None}, 403),
    ("another token", {"X-Figmill-Token": "guess"}, 403),
    ("the token of the address", {"X-Figmill-Token": "{token}"}, 403),
    ("a form (CSRF)", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ("a form with a file", {"Content-Type": "multipart/form-data; boundary=x"}, 415),
    ("plain text, which needs no preflight", {"Content-Type": "text/plain"}, 415),
    ("no type", {"Content-Type": None}, 415),
    ("a type that begins as ours", {"Content-Type": "application/json-patch+json"}, 415),
    ("no length", {"Content-Length": None, "Transfer-Encoding": "chunked"}, 411),
    ("too much", {"Content-Length": "70000"}, 413),
    ("far too much", {"Content-Length": "9" * 30}, 400),
]


@pytest.mark.parametrize(("wrong", "headers", "status"), WRITES, ids=[row[0] for row in WRITES])
def test_what_renders_comes_from_our_own_page(
    served: Served, wrong: str, headers: dict[str, str | None], status: int
) -> None:
    ours = served.enter()
    sent = {**ours, **{k: v and v.format(token=served.token) for k, v in headers.items()}}
    body = b'{"page": "p", "params": {"n": 7}}'
    if "Content-Length" in headers:
        body = b"" if "Transfer-Encoding" not in headers else b"5\r\nhello\r\n0\r\n\r\n"
    assert served.ask("/what-if/plot", sent, "POST", body).status == status


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PROPFIND"])
def test_there_is_get_and_post(served: Served, method: str) -> None:
    """A preflight, too, gets no answer that lets anything through."""
    answer = served.ask("/what-if/plot", served.enter(), method)
    assert answer.status in (400, 405)
    assert not any(name.startswith("access-control") for name in answer.headers)


TRAVERSALS = (
    "/source/secret.txt",
    "/source/visuals/unused.py",
    "/source/../secret.txt",
    "/source/visuals/../secret.txt",
    "/source/..%2fsecret.txt",
    "/source/%2e%2e/%2e%2e/etc/passwd",
    "/source//etc/passwd",
    "/source/%2fetc%2fpasswd",
    "/source/visuals%5c..%5csecret.txt",
    "/source/visuals/a.dot%00",
    "/files/../app.py",
    "/files/..%2fapp.py",
    "/files/%2e%2e%2fapp.py",
    "/picture/../../secret.txt",
    "/picture/..%2f..%2fsecret.svg",
    "/picture/" + "0" * 64 + ".svg",
    "/figure/../secret.txt",
    "/card/..%2f..%2fsecret",
    "/@fs/etc/passwd",
    "/.figmill/journal",
    "/build/manifest.json",
    "/visuals/b.py",
)


@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_path_leads_to_a_file(served: Served, path: str) -> None:
    answer = served.ask(path, {"Cookie": served.enter()["Cookie"]})
    assert answer.status == 404
    assert b"root:" not in answer.body and b"SECRET" not in answer.body


PARAMS: list[tuple[dict[str, Any], str]] = [
    ({"n": "7"}, "parameter 'n' must be integer"),
    ({"n": 1.5}, "parameter 'n' must be integer"),
    ({"figure": 1}, "draw() has no parameter 'figure'"),
    ({"__class__": 1}, "draw() has no parameter '__class__'"),
    ({"style": ["a"]}, "parameter 'style' must be text"),
    ({"n": {"a": 1}}, "parameter 'n' must be integer"),
]


@pytest.mark.parametrize(("params", "message"), PARAMS)
def test_parameters_come_through_the_checked_signature(
    served: Served, params: dict[str, Any], message: str
) -> None:
    told = served.wish(served.enter(), "plot", **params).json
    assert told["errors"][0]["message"].startswith(message)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"1",
        b'{"page": 1, "params": {}}',
        b'{"page": "p", "params": {}, "theme": "blue"}',
        b'{"page": "p", "params": {}, "theme": {}}',
        b'{"page": "p"}',
        b'{"page": "p", "params": []}',
        b"\xff",
        b'{"page": "p", "params": {"n": 1e999}}',
        b'{"page": "p", "params": {"n": NaN}}',
        b'{"page": "p", "params": {"n": -Infinity}}',
        b'{"page": "p", "params": {"n": Infinity}}',
        b'{"page": "p", "params": {"n": [1, Infinity]}}',
        b'{"page": "p", "params": {"n": 1' + b"0" * 400 + b"}}",
        b'{"page": "p", "params": {}, "id": 3}',
        b'{"page": "p", "params": {}, "sha256": []}',
        b"[" * 50_000,
        b'{"page": "p", "params": {"n": ' + b"9" * 5000 + b"}}",
        b'{"page": "p", "params": {"style": "\\ud800"}}',
    ],
)
def test_what_is_no_wish_is_told(served: Served, body: bytes) -> None:
    answer = served.ask("/what-if/plot", served.enter(), "POST", body)
    assert answer.status == 400 or "errors" in answer.json
    assert served.process.poll() is None


def test_every_answer_keeps_others_out(served: Served) -> None:
    ours = served.enter()
    for path in (*PAGES[:3], *PAGES[4:]):
        for headers in ({"Cookie": ours["Cookie"]}, {}):
            got = served.ask(path, headers).headers
            assert got["x-content-type-options"] == "nosniff", path
            assert got["cross-origin-resource-policy"] == "same-origin"
            assert got["referrer-policy"] == "no-referrer"
            assert "'unsafe-inline'" not in got["content-security-policy"]
            assert "default-src 'none'" in got["content-security-policy"]
            assert not any(name.startswith("access-control") for name in got)
    assert {"httponly", "samesite=strict"} <= {
        word.strip().lower()
        for word in served.ask(f"/?token={served.token}").headers["set-cookie"].split(";")
    }
    assert served.token not in str(served.enter())


def test_a_picture_opened_by_itself_runs_nothing(served: Served) -> None:
    ours = {"Cookie": served.enter()["Cookie"]}
    page = served.ask("/card/graph", ours).body.decode()
    picture = served.ask(page.partition('src="')[2].partition('"')[0], ours)
    assert picture.headers["content-type"] == "image/svg+xml"
    policy = picture.headers["content-security-policy"]
    assert "sandbox" in policy and "script" not in policy and "default-src 'none'" in policy


def test_it_listens_on_this_machine_alone(served: Served) -> None:
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {
        "127.0.0.1"
    }
    for address in {*others, "127.0.0.2"}:
        with pytest.raises(OSError):
            socket.create_connection((address, served.port), timeout=2).close()


def test_a_websocket_is_not_let_in(served: Served) -> None:
    ours = served.enter()
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    assert served.ask("/events", {**upgrade, "Origin": "https://attacker.example"}).status == 403
    assert served.ask("/nothing", {**upgrade, "Cookie": ours["Cookie"]}).status == 404


def test_a_render_has_the_limits_of_a_build(served: Served, space: Space) -> None:
    """What a control asks for is held to the figure's own timeout, and writes nothing outside."""
    ours = served.enter()
    before = files(space.root)
    assert "2 s" in served.wish(ours, "endless", n=6).json["errors"][0]["message"]
    assert served.wish(ours, "endless", n=5).json["pictures"]
    assert files(space.root) == before


# ---- a real browser, on a real foreign site ----------------------------------------------------------------------

ATTACK = """<!doctype html><title>attack</title><script>
const target = "TARGET";
const found = [];
const tell = (name, value) => found.push(name + ": " + value);
async function attack() {
  for (const path of ["/", "/files/serve.js", "/card/plot", "/events"])
    try { const answer = await fetch(target + path, {credentials: "include"}); tell("read " + path, answer.status); }
    catch { tell("read " + path, "refused"); }
  const body = '{"page": "p", "params": {"n": 9}}';
  for (const type of ["text/plain", "application/json"])
    try {
      await fetch(target + "/what-if/plot", {method: "POST", mode: type === "text/plain" ? "no-cors" : "cors",
        credentials: "include", headers: {"Content-Type": type}, body});
      tell("post " + type, "sent");
    } catch { tell("post " + type, "refused"); }
  for (const tag of ["script", "img"]) await new Promise((done) => {
    const node = document.createElement(tag);
    node.onload = () => { tell(tag, "loaded"); done(); };
    node.onerror = () => { tell(tag, "refused"); done(); };
    node.src = target + (tag === "script" ? "/files/serve.js" : "/files/icon.svg");
    document.documentElement.append(node);
  });
  await new Promise((done) => {
    const stream = new EventSource(target + "/events", {withCredentials: true});
    stream.onmessage = () => { tell("events", "heard"); done(); };
    stream.onerror = () => { tell("events", "refused"); stream.close(); done(); };
  });
  document.title = found.join("; ");
}
attack();
</script>"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_page_of_another_site_in_a_browser_that_has_the_cookie(
    served: Served, browser: Any, host: str
) -> None:
    """The author has the gallery open, and visits a page of another port or name: it reads and renders nothing."""

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = ATTACK.replace("TARGET", served.origin).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    evil = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=evil.serve_forever, daemon=True).start()
    context = browser.new_context()
    try:
        ours = context.new_page()
        ours.goto(served.address)
        assert ours.locator(".card").count() == 3
        assert "token" not in ours.url
        page = context.new_page()
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url))
        page.goto(f"http://{host}:{evil.server_address[1]}/")
        page.wait_for_function("document.title.includes('events')", timeout=20_000)
        told = page.title()
        assert "loaded" not in told and "heard" not in told and ": 200" not in told, told
        assert sum(url.startswith(served.origin) for url in sent) >= 8, sent  # the browser did try
    finally:
        context.close()
        evil.shutdown()
        evil.server_close()
