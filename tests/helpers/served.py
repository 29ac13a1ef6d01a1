"""`figmill watch` as a process, and raw requests to it: what a browser would never send, too."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helpers import warm
from helpers.book import Space

if TYPE_CHECKING:
    from playwright.sync_api import SetCookieParam


@dataclass
class Served:
    """A running server. lines: what it has printed, but for its first line, the address."""

    process: subprocess.Popen[str]
    address: str
    lines: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return self.address.partition("/?")[0]

    @property
    def port(self) -> int:
        return int(self.origin.rpartition(":")[2])

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    def ask(
        self,
        path: str,
        headers: Mapping[str, str | None] | None = None,
        method: str = "GET",
        body: bytes | None = None,
    ) -> Answer:
        """One request with exactly these headers, and the right Host unless they have another one, or None."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            sent = {"Host": f"127.0.0.1:{self.port}", **(headers or {})}
            if body is not None and "Content-Length" not in sent:
                sent["Content-Length"] = str(len(body))
            for name, value in sent.items():
                if value is not None:
                    line.putheader(name, value)
            line.endheaders(body)
            got = line.getresponse()
            return Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
        finally:
            line.close()

    def enter(self) -> dict[str, str]:
        """The headers of a page of ours, once it has opened the first address."""
        came = self.ask(f"/?token={self.token}")
        token = re.search(rb'name="figmill-token" content="([^"]+)"', came.body)
        assert came.status == 200 and token
        return {
            "Cookie": came.headers["set-cookie"].partition(";")[0],
            "Origin": self.origin,
            "X-Figmill-Token": token[1].decode(),
            "Content-Type": "application/json",
        }

    def cookie(self) -> SetCookieParam:
        """What lets a browser in that has not opened the first address."""
        name, _, value = self.enter()["Cookie"].partition("=")
        return {"name": name, "value": value, "url": self.origin}

    def wish(self, headers: Mapping[str, str], figure: str, page: str = "p", /, **params: Any) -> Answer:
        """Ask for a figure with these parameters."""
        body = json.dumps({"page": page, "params": params}).encode()
        return self.ask(f"/what-if/{figure}", headers, "POST", body)

    def until(self, text: str, seconds: float = 30) -> str:
        """Await a line with these words."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            log_line = next((line for line in self.lines if text in line), None)
            if log_line is not None:
                return log_line
            time.sleep(0.02)
        raise AssertionError(f"no line with {text!r}: {self.lines}")

    def interrupt(self) -> tuple[int, float]:
        """Ctrl-C: the exit code, and the seconds that it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20), time.monotonic() - began


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@contextmanager
def serving(space: Space, *arguments: str, ready: bool = True) -> Iterator[Served]:
    """A server of this book. ready: wait until its figures are built."""
    process = subprocess.Popen(
        warm.command("watch", "--no-open", *arguments),
        cwd=space.root,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "EDITOR": ""},
    )
    try:
        assert process.stdout
        first = ""
        for line in process.stdout:
            first = line.strip()
            if first.startswith("http://"):
                break
        assert first.startswith("http://"), first
        served = Served(process, first)
        threading.Thread(target=lambda: served.lines.extend(_lines(process)), daemon=True).start()
        if ready:
            served.until(" figure")
        yield served
    finally:
        process.kill()
        process.wait()


def _lines(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stdout
    for line in process.stdout:
        yield line.rstrip()


def files(root: Path) -> dict[str, bytes]:
    """Every file of a book that its author wrote."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {"build", ".figmill"} & {*path.relative_to(root).parts}
    }
