"""Known failures: reported by every build, but not tried again until one of their inputs changes.

Only a failure that the same inputs must cause again is saved. A job that reached a limit, died or read a file outside
the book may succeed the next time.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

from figmill.config import Options
from figmill.engine.drawing.outcome import Failed
from figmill.engine.plan import FailedBefore, Stale, Step
from figmill.errors import AuthorError
from figmill.kinds import KINDS, is_script
from figmill.model import Inputs, Visual
from figmill.store.disk import Disk
from figmill.store.ledger import Failure, key

# Parts of a graph that may refer to another file of the book; and those of a drawing, which reads only pictures.
_REFERS = re.compile(rb"image|<\s*img|href", re.IGNORECASE)
_SHOWS = re.compile(
    rb"<\s*(?:\w+:)?(?:image|img|feimage)\b[^>]*?(?:href|src)\s*=\s*[\"'](?!#|data:)", re.IGNORECASE
)


def around(options: Options) -> Inputs:
    """The inputs of a failure that are not inputs of a figure: the installed packages, and the limits of scripts."""
    return Inputs.of(
        [
            ("installed", _installed()),
            ("limits of a process", f"{options.memory} {options.sandbox} {' '.join(options.sandbox_read)}"),
        ]
    )


def _installed() -> str:
    """A text that changes when a package is installed or removed."""
    rows = [sys.prefix]
    for folder in sys.path:
        if not folder.endswith(("site-packages", "dist-packages")):
            continue  # the current folder, say
        try:
            rows.append(f"{folder} {os.stat(folder).st_mtime_ns}")
        except OSError:
            continue
    return hashlib.sha256("\n".join(rows).encode("utf-8", "surrogateescape")).hexdigest()


def recalled(
    steps: tuple[Step, ...], failures: Mapping[str, Failure], options: Options, digest: Callable[[str], str]
) -> tuple[Step, ...]:
    """The steps; a step whose last build failed on the same inputs has that failure."""
    if not failures:
        return steps
    beside = around(options)
    return tuple(_recalled(step, failures.get(key(step.visual)), beside, digest) for step in steps)


def _recalled(step: Step, failure: Failure | None, beside: Inputs, digest: Callable[[str], str]) -> Step:
    if failure is None or not isinstance(step.state, Stale):
        return step
    if failure.inputs != step.drawn_from | step.settling | beside:
        return step
    try:
        holds = all(digest(name) == then for name, then in failure.traced.rows)
    except AuthorError:
        return step
    return replace(step, state=FailedBefore(step.state.reasons, failure)) if holds else step


def failure_of(failed: Failed, options: Options) -> Failure | None:
    """The ledger's record of a failure; None: there is none."""
    if failed.traced is None:
        return None
    step = failed.step
    return Failure(step.drawn_from | step.settling | around(options), failed.traced, failed.errors)


def lasting(visual: Visual, names: tuple[str, ...] | None, disk: Disk, began: int) -> Inputs | None:
    """The present files that a failed job read; None if the job must be tried again.

    names: of these files; None: the job may succeed without a change. began: when it began, in ns; a file that was
    edited since may have another content.
    """
    if names is None:
        return None
    files = (visual.source, *visual.inputs, *names)
    if any(disk.has_changed(name, began) for name in files):
        return None
    text = disk.read(visual.source) or b"" if visual.fence is None else visual.fence.text.encode()
    refers = _SHOWS if KINDS[visual.kind].by_hand else _REFERS
    if not is_script(visual.source) and refers.search(text):
        return None
    return Inputs.of((name, disk.digest(name)) for name in names)
