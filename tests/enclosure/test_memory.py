"""Memory of kinds whose renderer is V8: it ends at the figure's limit, and the other figures are built."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.book import Space

pytest.importorskip("py_mini_racer")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="Linux has a limit on what a process writes to"
)
LIMIT = 128  # MiB: the less, the sooner it ends
RAN_OUT = f"ran out of memory: a figure may use {LIMIT} MiB; `memory` in the settings allows more"
LESS = f"WaveDrom needed more than {LIMIT} MiB; draw less in one figure"
ENDED = rf"(?:{re.escape(RAN_OUT)}|{re.escape(LESS)})"
# Each takes what it can get; each would be drawn otherwise.
SOURCES = {
    "arrays.wavedrom": "(() => {{ let m = []; {loop} m.push(new Uint8Array(1 << 24).fill(1)); return {drawn} }})()",
    "caught.wavedrom": "(() => {{ let m = []; {loop} try {{ m.push(new Uint8Array(1 << 22).fill(1)) }}"
    " catch {{ m.push(0) }} return {drawn} }})()",
    "grown.wavedrom": "(() => {{ let b = new ArrayBuffer(0, {{maxByteLength: 2 ** 33}}); {loop} try {{"
    " b.resize(b.byteLength + 2 ** 20); new Uint8Array(b).fill(1, b.byteLength - 2 ** 20) }} catch {{ }}"
    " return {drawn} }})()",
    "objects.wavedrom": "(() => {{ let m = []; {loop} m.push({{a: [1, 2, 3]}}); return {drawn} }})()",
    "text.wavedrom": "(() => {{ let s = 'a'.repeat(2 ** 24), m = []; {loop} {{ let t = s + m.length; t.charCodeAt(5);"
    " m.push(t) }} return {drawn} }})()",
}
DRAWN = "{signal: [{name: 'a', wave: '01'}]}"
PLANTUML = "@startuml\n!function $f($x)\n!return $f($x + $x)\n!endfunction\nA -> B : $f('aaaa')\n@enduml\n"
MERMAID = "block-beta\n a space:99999999 b\n"  # one block for each space
PACKAGE = Path(os.environ.get("PLANTUML_CORE") or Path(sys.prefix, "node_modules/@plantuml/core"))


def hungry(loop: str) -> dict[str, str]:
    return {name: text.format(loop=loop, drawn=DRAWN) for name, text in SOURCES.items()}


def peak(space: Space, *arguments: str) -> tuple[str, int]:
    """What a build prints, and the most that one of its processes held at a time, in MiB."""
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)"
    )
    command = [
        sys.executable,
        "-c",
        code,
        sys.executable,
        "-m",
        "figmill",
        "--root",
        str(space.root),
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr, int(done.stdout.split()[-1])


@pytest.mark.parametrize("sandbox", ["off", "auto"])
def test_a_source_ends_at_the_limit_and_the_others_are_built(space: Space, sandbox: str) -> None:
    """In a file and in a fence, with the sandbox and without."""
    sources = hungry("for (;;)")
    settings = f'memory = "{LIMIT} MiB"\nsandbox = "{sandbox}"\nfences = ["wavedrom"]\n'
    space.write(
        {
            "figmill.toml": settings,
            "visuals/good.wavedrom": DRAWN,
            "docs/page.md": f"# P\n\n```wavedrom\n{sources['arrays.wavedrom']}\n```\n",
        }
    )
    space.write({f"visuals/{name}": text for name, text in sources.items()})
    for name in ("good.wavedrom", *sources):
        space.question(name.partition(".")[0], f"source: {name}, alt: A diagram")
    err, most = peak(space, "--jobs", "2")
    lines = sorted(line for line in err.splitlines() if line.startswith(("visuals/", "docs/")))
    assert [line.partition(":")[0] for line in lines] == [
        "docs/page.md",
        *(f"visuals/{name}" for name in sorted(sources)),
    ]
    for line in lines:
        assert re.search(ENDED, line), err
    assert not [line for line in err.splitlines() if line.startswith(" ")], err  # no trace of V8
    assert (space.root / "build/global/good.svg").exists()
    assert most < LIMIT + 200  # figmill's own libraries among it


def test_the_same_sources_are_drawn_where_they_take_little(space: Space) -> None:
    sources = hungry("for (let i = 0; i < 2; i++)")
    space.write({f"visuals/{name}": text for name, text in sources.items()})
    for name in sources:
        space.question(name.partition(".")[0], f"source: {name}, alt: A diagram")
    done = space.run()
    assert done.code == 0, done.err


@pytest.mark.parametrize("sandbox", ["auto", "off"])
def test_mermaid_and_plantuml_end_at_the_limit(space: Space, sandbox: str) -> None:
    space.write(
        {
            "figmill.toml": f'memory = "{LIMIT} MiB"\nsandbox = "{sandbox}"\n',
            "visuals/m.mmd": MERMAID,
            "visuals/good.dot": "digraph { A -> B }",
        }
    )
    space.question("m", "source: m.mmd, alt: A diagram")
    space.question("good", "source: good.dot, alt: A diagram")
    if PACKAGE.exists():
        (space.root / "node_modules/@plantuml/core").mkdir(parents=True)
        for script in PACKAGE.glob("*.js"):
            (space.root / "node_modules/@plantuml/core" / script.name).write_bytes(script.read_bytes())
        space.write({"visuals/p.puml": PLANTUML})
        space.question("p", "source: p.puml, alt: A diagram")
    err, most = peak(space)
    lines = [line for line in err.splitlines() if line.startswith("visuals/")]
    assert len(lines) == 1 + PACKAGE.exists() and all(
        "more than" in line or RAN_OUT in line for line in lines
    ), err
    assert (space.root / "build/global/good.svg").exists() and most < LIMIT + 200


def test_a_chart_of_vega_ends_at_the_limit(space: Space) -> None:
    pytest.importorskip("vl_convert")
    chart = '{"data": {"sequence": {"start": 0, "stop": 1e9}}, "mark": "bar"}'
    space.write(
        {
            "figmill.toml": f'memory = "{LIMIT} MiB"\n',
            "visuals/v.vl.json": chart,
            "visuals/good.dot": "digraph { A -> B }",
        }
    )
    space.question("v", "source: v.vl.json, alt: A chart")
    space.question("good", "source: good.dot, alt: A diagram")
    err, most = peak(space)
    (line,) = (line for line in err.splitlines() if line.startswith("visuals/v"))
    assert RAN_OUT in line or "Vega ran out of memory; put less data into the chart" in line
    assert "    " not in err and (space.root / "build/global/good.svg").exists() and most < LIMIT + 200


def test_a_process_that_stays_measures_itself(space: Space) -> None:
    """As on macOS, where no limit of the kernel works."""
    script = (
        "def draw():\n    x = []\n    for i in range(4096):\n        x.append(bytearray(b'x') * (1 << 20))\n"
    )
    space.write(
        {
            "figmill.toml": f'memory = "{LIMIT} MiB"\nsandbox = "off"\n',
            "visuals/s.py": script,
            "visuals/good.wavedrom": DRAWN,
        }
    )
    space.question("s", "kind: dot, source: s.py, alt: A graph")
    space.question("good", "source: good.wavedrom, alt: A diagram")
    command = [sys.executable, "-m", "figmill", "--root", str(space.root)]
    environment = {**os.environ, "FIGMILL_WORKERS": "stay"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.stderr == f"visuals/s.py: {RAN_OUT}\n"
    assert (space.root / "build/global/good.svg").exists()
