"""Many at once: a hundred pages, a thousand moves of a slider, a client that never reads, and Ctrl-C in the middle."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from helpers.book import DOT, PLOT, Space
from helpers.served import Served, serving

from figmill.serve.connections import AT_ONCE, MOST, PATIENCE, once

SLOW = PLOT.replace("    figure = Figure", "    import time\n    time.sleep(n / 10)\n    figure = Figure")


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Space:
    root = tmp_path_factory.mktemp("load") / "book"
    root.mkdir()
    space = Space(root)
    space.write({"visuals/a.dot": DOT, "visuals/b.py": PLOT, "visuals/slow.py": SLOW})
    space.question("graph", "source: a.dot, alt: a sends to b which sends to c")
    space.question("slow", "kind: matplotlib, source: slow.py, params: {n: 1}, alt: a line")
    return space.question("plot", "kind: matplotlib, source: b.py, params: {n: 4}, alt: a line")


@pytest.fixture
def ended(space: Space) -> Iterator[Served]:
    """A server that the test ends."""
    with serving(space) as served:
        yield served


def memory(served: Served) -> float:
    """Of the server itself, in MB."""
    with open(f"/proc/{served.process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.parametrize("moves", [30, pytest.param(1000, marks=pytest.mark.soak)])
def test_a_hundred_moves_a_second(served: Served, moves: int) -> None:
    """Whatever a client sends, one render is under way; the last wish is drawn, and the server goes on."""
    ours = served.enter()
    served.wish(ours, "plot", n=5)
    before = memory(served)
    began = time.monotonic()
    answers: list[Any] = [None] * moves

    def move(number: int) -> None:
        time.sleep(max(0.0, began + number / 100 - time.monotonic()))
        answers[number] = served.wish(ours, "plot", n=2 + number % 60)

    with ThreadPoolExecutor(64) as many:
        list(many.map(move, range(moves)))
    statuses = [answer.status for answer in answers]
    assert set(statuses) == {200, 409}
    drawn = statuses.count(200)
    assert 1 <= drawn < 0.7 * moves, "nothing gave way"
    last = served.wish(ours, "plot", n=64).json
    assert "63" not in str(last) or last["pictures"]
    assert time.monotonic() - began < 30
    assert memory(served) - before < 60
    assert served.ask("/", ours | {"Origin": None}).status == 200


def test_a_newer_wish_of_the_same_page_ends_a_long_render(served: Served) -> None:
    """Another page's wish waits for its turn, and is not lost."""
    ours = served.enter()
    served.wish(ours, "plot", n=5)
    with ThreadPoolExecutor(4) as many:
        first = many.submit(served.wish, ours, "slow", "one", n=100)
        time.sleep(1)
        other = many.submit(served.wish, ours, "plot", "two", n=6)
        time.sleep(0.1)
        began = time.monotonic()
        second = served.wish(ours, "slow", "one", n=2)
        assert time.monotonic() - began < 8
        assert second.json["pictures"] and first.result().status == 409 and other.result().json["pictures"]


def test_the_first_line_is_the_address_and_a_taken_port_is_told(served: Served, space: Space) -> None:
    assert served.address.startswith(f"http://127.0.0.1:{served.port}/?token=")
    ran = space.run("watch", "--no-open", "--port", str(served.port))
    assert ran.code == 2
    assert f"--port {served.port}: cannot listen there" in ran.err


def test_a_running_server_and_a_build_leave_the_same_bytes(served: Served, space: Space) -> None:
    ours = served.enter()
    served.wish(ours, "plot", n=7)
    space.write({"visuals/a.dot": DOT.replace("sends", "waits")})
    deadline = time.monotonic() + 30
    while "waits" not in space.read("build/global/graph.svg") and time.monotonic() < deadline:
        time.sleep(0.05)
    served.interrupt()
    outputs = space.outputs()
    assert json.loads(space.run("--force", "--format", "json").out)["summary"]
    assert space.outputs() == outputs


@pytest.mark.parametrize("many", [8, pytest.param(100, marks=pytest.mark.soak)])
def test_many_pages_then_a_change_then_ctrl_c(ended: Served, space: Space, browser: Any, many: int) -> None:
    """One stream serves all pages of a browser: the last is as alive as the first."""
    served, context = ended, browser.new_context()
    first = context.new_page()
    first.goto(served.address)
    first.evaluate("many => { for (let n = 1; n < many; n++) window.open('/') }", many)
    deadline = time.monotonic() + 40
    while len(context.pages) < many and time.monotonic() < deadline:
        first.wait_for_timeout(100)
    pages = context.pages
    assert len(pages) == many
    for page in pages:
        page.locator("#card-graph").wait_for(state="attached", timeout=30_000)
    pages[0].wait_for_timeout(300)
    space.question("graph", "source: a.dot, alt: a sends to b, caption: everybody hears of it")
    for page in (*pages[:3], pages[many // 2], *pages[-3:]):
        page.get_by_text("everybody hears of it").wait_for(state="attached", timeout=30_000)
    code, seconds = served.interrupt()
    assert (code, seconds < 2) == (130, True), (code, seconds)
    assert not any("Traceback" in line for line in served.lines)
    context.close()


def test_clients_that_never_read_hold_nobody_up_nor_does_a_render(ended: Served, space: Space) -> None:
    """Neither while the server runs, nor when it is to end."""
    served = ended
    ours = served.enter()
    silent = []
    try:
        for path in ("/events", "/", "/events", "/files/serve.js", "/events"):
            line = socket.create_connection(("127.0.0.1", served.port))
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            asked = (
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nCookie: {ours['Cookie']}\r\n\r\n"
            )
            line.sendall(asked.encode())
            silent.append(line)
        before = memory(served)
        for number in range(6):
            space.question("graph", f"source: a.dot, alt: a sends to b, caption: Round {number}")
            deadline = time.monotonic() + 30
            while f"Round {number}".encode() not in served.ask("/card/graph", ours | {"Origin": None}).body:
                assert time.monotonic() < deadline
                time.sleep(0.02)
        assert memory(served) - before < 30
        half = socket.create_connection(("127.0.0.1", served.port))  # half a request, and then nothing
        half.sendall(b"POST /what-if/plot HTTP/1.1\r\nHost:")
        silent.append(half)
        assert served.wish(ours, "plot", n=9).json["pictures"]
        body = b'{"page": "q", "params": {"n": 300}}'
        head = "\r\n".join(f"{k}: {v}" for k, v in {**ours, "Content-Length": len(body)}.items())
        slow = socket.create_connection(("127.0.0.1", served.port))
        slow.sendall(
            f"POST /what-if/slow HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n{head}\r\n\r\n".encode() + body
        )
        silent.append(slow)
        time.sleep(1)  # a render is under way
        code, seconds = served.interrupt()
        assert (code, seconds < 2) == (130, True), (code, seconds)
    finally:
        for line in silent:
            line.close()


@pytest.mark.parametrize("many", [150, pytest.param(3000, marks=pytest.mark.soak)])
def test_connections_that_ask_for_nothing_hold_nobody_up(ended: Served, many: int) -> None:
    """Half of them begin a request and never end it. A page of ours is answered meanwhile, and nothing is logged."""
    resource = pytest.importorskip("resource", reason="limits of open files are POSIX")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < many + 200:
        if hard != resource.RLIM_INFINITY and hard < many + 200:
            pytest.skip(f"this machine lets a process open {hard} files")
        resource.setrlimit(resource.RLIMIT_NOFILE, (many + 200, hard))
    served = ended
    ours = served.enter() | {"Origin": None}
    open_files = f"/proc/{served.process.pid}/fd"
    if not os.access(open_files, os.R_OK):
        pytest.skip("an ordinary user may not count the files of a process that is not to be traced")
    before, silent = len(os.listdir(open_files)), []
    try:
        for number in range(many):
            line = socket.create_connection(("127.0.0.1", served.port), timeout=10)
            silent.append(line)
            if number % 2:
                with contextlib.suppress(ConnectionError):
                    line.sendall(b"GET / HTTP/1.1\r\nHost:")
            if number % 200 == 0:
                assert served.ask("/card/graph", ours).status == 200
        assert served.ask("/card/graph", ours).status == 200
        assert len(os.listdir(open_files)) - before <= MOST + AT_ONCE
        deadline = time.monotonic() + 4 * PATIENCE
        while len(os.listdir(open_files)) - before > 10 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(os.listdir(open_files)) - before <= 10, "who says nothing goes"
        assert served.ask("/card/graph", ours).status == 200
    finally:
        for line in silent:
            line.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    code, _ = served.interrupt()
    assert code == 130 and not any("Traceback" in line or "accept" in line for line in served.lines)


@pytest.mark.soak
def test_a_slow_second_request_goes_too(ended: Served) -> None:
    """A connection that was answered once has no more time than a new one."""
    with socket.create_connection(("127.0.0.1", ended.port), timeout=4 * PATIENCE) as line:
        ours = ended.enter()
        head = f"GET /card/graph HTTP/1.1\r\nHost: 127.0.0.1:{ended.port}\r\nCookie: {ours['Cookie']}\r\n"
        line.sendall(f"{head}\r\n".encode())
        assert line.recv(1 << 16).startswith(b"HTTP/1.1 200")
        line.sendall(head.encode())
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):
            while line.recv(1 << 16):
                pass
        assert time.monotonic() - began < 3 * PATIENCE


def half(served: Served) -> bytes:
    """A request of our own page without the end of its body."""
    ours = {**served.enter(), "Host": f"127.0.0.1:{served.port}", "Content-Length": "1000"}
    head = "".join(f"{name}: {value}\r\n" for name, value in ours.items())
    return f'POST /what-if/graph HTTP/1.1\r\n{head}\r\n{{"page": "p"'.encode()


def test_a_request_that_is_cut_short_is_not_reported(ended: Served) -> None:
    for path in ("what-if", "edit", "write", "undo"):
        with socket.create_connection(("127.0.0.1", ended.port)) as line:
            line.sendall(half(ended).replace(b"what-if", path.encode()))
    ours = ended.enter()
    assert ended.wish(ours, "graph").status == 200  # what came before has been looked at
    code, _ = ended.interrupt()
    assert code == 130 and not any("Traceback" in line or "disconnect" in line for line in ended.lines)


@pytest.mark.soak
def test_a_request_whose_body_never_comes_goes_too(ended: Served) -> None:
    with socket.create_connection(("127.0.0.1", ended.port), timeout=4 * PATIENCE) as line:
        line.sendall(half(ended))
        with contextlib.suppress(ConnectionResetError):
            assert line.recv(1 << 16) == b""  # closed without an answer; a timeout otherwise
    assert not any("Traceback" in line for line in ended.lines)


def test_what_the_loop_reports_is_one_line_and_told_once() -> None:
    told: list[str] = []
    report, loop = once(told.append), asyncio.new_event_loop()
    for number in range(300):
        report(
            loop, {"message": "socket.accept() out of system resource", "exception": OSError(24, "Too many")}
        )
        report(loop, {"message": f"another {number}"})
    loop.close()
    assert told[0] == "socket.accept() out of system resource (OSError: [Errno 24] Too many)"
    assert len(told) == len(set(told)) == 100
