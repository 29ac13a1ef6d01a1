"""Where the processor time of a first build of twenty graphs goes: a table in ms, each row the least of several runs.

`python -m benchmarks.stages`. Processes are measured whole, stages of a figure in this process, after a trial.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.compare.figures import GRAPH, figures
from benchmarks.compare.measure import run
from benchmarks.compare.tools import TOOLS, Machine

TIMES = 7
COUNT = 20
# What each process runs before its first figure, after the row above it.
STARTS: Mapping[str, str] = {
    "Python itself": "pass",
    "the command: its modules": "import figmill.commands.build, figmill.engine.build, figmill.commands.printing",
    "the warm process: what runs jobs": "import figmill.render.worker",
    "Graphviz, and a first layout": "; from figmill.kinds import KINDS; KINDS['dot'].load().warm(())",
    "what settles, and a trial": "; from figmill.publish import settling; settling.warm()",
}


def row(what: str, ms: float, remark: str = "") -> None:
    print(f"| {what} | {ms:.1f} | {remark} |", flush=True)


def of_process(program: str) -> float:
    """ms of processor time of a Python that runs this."""
    folder = Path(tempfile.gettempdir())
    return min(run([sys.executable, "-c", program], folder).used for _ in range(TIMES)) * 1e3


def of_call(work: Callable[[], object]) -> float:
    """ms of processor time of a call."""
    least = float("inf")
    for _ in range(TIMES):
        began = time.process_time()
        work()
        least = min(least, time.process_time() - began)
    return least * 1e3


def starts() -> None:
    python = of_process("pass")
    row("Python itself", python)
    before, so_far = python, ""
    for what, program in list(STARTS.items())[1:]:
        is_more = program.startswith(";")
        so_far = so_far + program if is_more else program
        took = of_process(so_far)
        row(what, took - (before if is_more else python))
        before = took


def stages(root: Path) -> None:
    """One graph, in this process."""
    from figmill.checks import CHECKS, OFF  # the rest of this module measures processes alone
    from figmill.config import Options
    from figmill.kind.job import Job, Raw
    from figmill.kinds import KINDS
    from figmill.kinds.drawing import drawn
    from figmill.model import Origin, Visual
    from figmill.publish.finalise import settle
    from figmill.publish.settling import packed

    KINDS["dot"].load().warm(())
    figure = figures(GRAPH, 1)[0]
    source = f"visuals/{figure.name}.dot"
    job = Job("dot", source, "file", engine="dot", timeout=60.0)
    raw = drawn(job, root)
    at = {"": Origin(f"questions/{figure.name}.yaml")}
    both = Visual("x", None, "", None, "dot", source, "x.svg", figure.alt, None, at, themes=("light", "dark"))
    light = replace(both, themes=("light",))
    usual = Options()
    no_checks = replace(Options(), lint=tuple((name, OFF) for name in CHECKS))

    def settled(visual: Visual, drawing: Raw, options: Options, every: bool = False) -> float:
        settle(visual, drawing, options, every)
        return of_call(lambda: packed(settle(visual, drawing, options, every)))

    bare = replace(raw, tables=(), stated=type(raw.stated)())
    plain = settled(light, bare, no_checks)
    row("one graph: drawn, with its tables", of_call(lambda: drawn(job, root)))
    row("settled, light, without checks", plain)
    row("the dark theme as well", settled(both, bare, no_checks) - plain)
    row("the checks of a build", settled(both, bare, usual) - settled(both, bare, no_checks))
    row("its source compared with its picture", settled(both, raw, usual) - settled(both, bare, usual))
    row(
        "all checks of `figmill lint` instead",
        settled(both, raw, usual, every=True) - settled(both, raw, usual),
    )


def whole(root: Path) -> None:
    command = [sys.executable, "-m", "figmill", "--root", str(root), "--quiet"]

    def cold() -> tuple[float, float]:
        for name in ("build", ".figmill"):
            shutil.rmtree(root / name, ignore_errors=True)
        took = run(command, root)
        return took.used * 1e3, took.clock * 1e3

    runs = [cold() for _ in range(TIMES)]
    least, clock = (min(parts) for parts in zip(*runs, strict=True))
    row(f"the build of {COUNT} graphs", least, f"{clock:.0f} ms by the clock")
    one = run(command, root)
    row("the same again, unchanged", one.used * 1e3)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        tool = next(tool for tool in TOOLS if tool.name == "figmill" and tool.kind == GRAPH)
        tool.write(root, figures(GRAPH, COUNT), Machine(None, None, None, None))
        print("| stage | ms | |\n|---|---|---|")
        starts()
        stages(root)
        whole(root)


if __name__ == "__main__":
    main()
