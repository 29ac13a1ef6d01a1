"""A connection to one process: ask, receive the answer in time, end the process.

Unaware of what is asked, and of how processes are started.
"""

from __future__ import annotations

import os
import secrets
import select
import socket
import subprocess
import time
from typing import Any

from figmill.enclosure import process_tree
from figmill.errors import ToolError
from figmill.render import protocol
from figmill.render.protocol import NoAnswer, WireMessage

START = 90.0  # seconds in which a process must have loaded its libraries, even from a slow disk
DYING = 1.0  # seconds in which a process that has closed its connections must be gone


class EndedError(ToolError):
    """A process ended before it was ready."""


class DeadError(Exception):
    """The warm process has died too often and is not started again."""


class WorkerConnection:
    """A channel to one process; closing it ends the process.

    - is_ready: the process has said that it can be asked.
    """

    reports_end = True  # whether the warm process says on this channel how its child ended

    def __init__(self, channel: protocol.Channel, process: subprocess.Popen[bytes], is_ready: bool) -> None:
        self.channel, self.process, self.is_ready = channel, process, is_ready
        self._number = ""
        self.asked = 0  # how many times
        self.is_cut = False

    def cut(self) -> None:
        """End the process, from another thread, while somebody waits for its answer."""
        self.is_cut = True
        try:
            self.channel.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it has just ended

    def greet(self) -> None:
        """Wait until the process is ready. Raises ToolError if it could not start."""
        await_ready(self.channel, self.process)
        self.is_ready = True

    def ask(self, header: dict[str, Any], payload: bytes = b"", seconds: float | None = None) -> None:
        """Send a message to be answered within so many seconds.

        The message carries a random number, which the answer repeats: an author's code cannot forge an answer.
        """
        self.asked += 1
        self._number = secrets.token_hex(8)
        self.channel.until = None if seconds is None else time.monotonic() + seconds
        self.channel.post({**header, "number": self._number}, payload)

    def answer(self) -> WireMessage | NoAnswer | None:
        """The answer; None if it has not come yet. Does not wait."""
        try:
            message = self.channel.hear()
        except TimeoutError:
            return NoAnswer(late=True)
        except EOFError:
            return NoAnswer()
        except protocol.GarbledError as error:
            return NoAnswer(garbled=str(error))
        if message is None:
            return None
        self.channel.until = None
        header, payload = message
        number = header.pop("number", None)
        if number != self._number and not (self.reports_end and "ended" in header):
            return NoAnswer(garbled="an answer to another question")
        return header, payload

    def is_good(self) -> bool:
        """Whether the process may be asked again: it lives, and has sent nothing since its answer."""
        return self.process.poll() is None and self.channel.is_quiet()

    def has_died(self) -> bool:
        """Whether the process, or the one it was forked from, is gone; waits a moment for a dying one."""
        if self.is_cut:
            return self.process.poll() is not None
        try:
            self.process.wait(DYING)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        hang_up(self.channel.connection)


class OwnConnection(WorkerConnection):
    """A connection to a process that serves nobody else."""

    reports_end = False

    def close(self) -> None:
        super().close()
        _end_group(self.process)


def hang_up(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # the other side was faster
    connection.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "pidfd_open") and process.returncode is None:
        descriptor = os.pidfd_open(process.pid)  # wakes at once, where wait() polls
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        waiting.poll(1000)
        os.close(descriptor)
    try:
        process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        process_tree.end_started(process)
        process.wait()


def end_for_good(process: subprocess.Popen[bytes]) -> None:
    _end(process)
    if process.stderr:
        process.stderr.close()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process, and whatever its scripts have left running."""
    process_tree.end_started(process)
    end_for_good(process)


def was_killed(process: subprocess.Popen[bytes]) -> bool:
    """Whether a signal ended the process; bubblewrap reports that as a shell does, by a code above 128."""
    return process.poll() is not None and not 0 <= process.returncode <= 128


def starting(connection: socket.socket) -> protocol.Channel:
    """A channel on which a process must report in time that it is ready. Later, each job has its own time limit."""
    return protocol.Channel(connection, time.monotonic() + START)


def await_ready(channel: protocol.Channel, process: subprocess.Popen[bytes]) -> None:
    try:
        header, _ = protocol.awaited(channel)
    except TimeoutError:
        process_tree.end_started(process)
        raise ToolError(
            f"the drawing process did not start within {START:g} s, so figmill ended it"
        ) from None
    except (EOFError, protocol.GarbledError):
        _end(process)
        raise EndedError.quoting("the drawing process did not start: ", _last_words(process)) from None
    if "tool_error" in header:
        raise ToolError.quoting("", str(header["tool_error"]))
    channel.until = None


def _last_words(process: subprocess.Popen[bytes]) -> str:
    output = process.stderr.read().decode("utf-8", "replace").strip() if process.stderr else ""
    return output or "it printed nothing"
