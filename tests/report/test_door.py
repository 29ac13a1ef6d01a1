"""What a log shows goes through one door, `figmill/streams.py`: nothing else in the package prints."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.book import HAND, Space
from helpers.own_code import calls, modules_with, nodes

from figmill import fastpath, streams
from figmill.streams import Painted

PRINTS = {
    "print",
    "pprint",
    "pp",
    "echo",
    "secho",
    "echo_via_pager",
    "print_exc",
    "print_exception",
    "print_last",
    "print_stack",
    "print_tb",
    "basicConfig",
    "StreamHandler",
    "warn",
    "warn_explicit",
    "dump_traceback",
    "input",
    "displayhook",
}
SHELLS = {"os.system", "os.popen"}
STARTS = {"run", "Popen", "call", "check_call", "check_output"}
REACHING = rf"{calls(PRINTS | STARTS)}|os\.(?:writev?|system|popen)|\b(?:__)?std(?:out|err)"
# What else may reach a stream of the command, by module, with the reason.
EXCEPTIONS = {
    ("streams.py", "sys.stdout"): "the door",
    ("streams.py", "sys.stderr"): "the door",
    ("figmill_timelines/training/whatif.py", "print"): "a program of its own, which prints numbers",
    ("render/worker.py", "sys.stdout"): "what a script prints goes into a file",
    ("render/worker.py", "sys.stderr"): "the same",
}


def prints(path: Path) -> Iterator[str]:
    """The places of a module that may write to a standard stream."""
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.__stdout__", "sys.__stderr__"):
            yield ast.unparse(node)
        elif isinstance(node, ast.Assign | ast.AugAssign):
            for target in ast.walk(node.targets[0] if isinstance(node, ast.Assign) else node.target):
                if ast.unparse(target) in ("sys.stdout", "sys.stderr"):
                    yield ast.unparse(target)
        elif isinstance(node, ast.Call):
            yield from _printing(node)


def _printing(node: ast.Call) -> Iterator[str]:
    whole = ast.unparse(node.func)
    name = whole.rpartition(".")[2]
    is_plain = (name in PRINTS and not whole.startswith(("draft.", "self.", "files."))) or whole in SHELLS
    is_descriptor = whole in ("os.write", "os.writev") and ast.unparse(node.args[0]) in ("1", "2")
    is_program = name in STARTS and whole.startswith("subprocess.") and not _is_held(node)
    if is_plain or is_descriptor or is_program:
        yield name
    elif name.startswith("write") and whole.startswith("sys.std"):
        yield whole.rpartition(".")[0]


def _is_held(node: ast.Call) -> bool:
    """Whether what a program says is kept from the command's own streams. `**options` are looked at by hand."""
    given = {keyword.arg for keyword in node.keywords}
    return "capture_output" in given or {"stdout", "stderr"} <= given or None in given


def test_only_one_module_prints() -> None:
    places = {(module, name) for module, path in modules_with(REACHING).items() for name in prints(path)}
    places = {row for row in places if row[0] != "streams.py"}
    assert sorted(places - set(EXCEPTIONS)) == []


@pytest.mark.parametrize(
    "way",
    [
        "print(x)",
        "sys.stdout.write(x)",
        "sys.stderr.writelines(x)",
        "click.echo(x)",
        "os.write(2, b'x')",
        "traceback.print_exc()",
        "warnings.warn(x)",
        "logging.basicConfig()",
        "sys.stderr = x",
        "x = sys.__stderr__",
        "subprocess.run(['git'])",
        "subprocess.Popen(x, stdout=y)",
        "os.system('git')",
    ],
)
def test_the_search_finds_other_ways_to_print(tmp_path: Path, way: str) -> None:
    (tmp_path / "x.py").write_text(way)
    assert list(prints(tmp_path / "x.py"))


# ---------------------------------------------------------------- the door itself

EVIL = (
    "::add-mask::x",
    " \t::error::x",
    "\ufeff::stop-commands::x",
    "a ##[command]x",
    "##vso[task.setvariable]x",
    "##teamcity[x]",
    "\x1b[2Ja",
    "\x1b]0;title\x07",
    "a\rb",
    "a\nb",
    "a\n::error::b",
    "\x9b2J",
    "\u202egvs",
    "\udcff",
    "a\u2028::error::b",
    "\x08\x08",
)
WAYS: dict[str, Callable[[str], None]] = {
    "say": lambda text: streams.say([text]),
    "say, painted": lambda text: streams.say([Painted((text, "31"), (text, ""))]),
    "complain": lambda text: streams.complain(text),
    "redraw": lambda text: streams.redraw(text),
    "annotate": lambda text: streams.annotate([text, f"::error file=x::{text}"]),
    "hand over": lambda text: streams.hand_over(f"first\n{text}\nlast"),
    "print": lambda text: print(text),
    "print, in pieces": lambda text: [print(letter, end="") for letter in text] and print(),  # type: ignore[func-returns-value]
}


def acts(text: str) -> bool:
    """Whether a terminal or a CI service does anything else with the text than to show it."""
    lines = [line.strip("\u180e\u200b\ufeff \t") for line in text.split("\n")]
    obeyed = [line for line in lines if line.startswith("::") and not line.startswith("::error file=x::")]
    markers = any(f"##{word}[" in text for word in ("", "vso", "teamcity"))
    return bool(obeyed) or markers or any(c in text for c in "\x07\x08\r\x9b\udcff") or "\x1b" in text


@pytest.mark.parametrize("way", WAYS)
def test_whatever_is_written_acts_on_nothing(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    for evil in EVIL:
        out = io.StringIO()
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(sys, name, streams._HeldStream(out) if way.startswith("print") else out)
        WAYS[way](evil)
        text = out.getvalue().replace("\x1b[31m", "").replace("\x1b[0m", "").replace("\r\x1b[K", "")
        assert text and not acts(text), (evil, text)


def test_what_is_harmless_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    document = ':::{figure} a.svg\n:alt: "עב\u200f" a::b # ## x\n:::\n\t{"a": "##x"}'
    streams.say(["plain ✓ a::b", "\ttab", ":::{figure}"])
    streams.hand_over(document)
    streams.annotate(["::warning file=a.yaml,line=3::text%0Amore", "1 figure"])
    assert out.getvalue() == (
        "plain ✓ a::b\n\ttab\n:::{figure}\n"
        + document
        + "\n::warning file=a.yaml,line=3::text%0Amore\n1 figure\n"
    )


def test_a_line_without_an_end_comes_with_the_flush() -> None:
    out = io.StringIO()
    held = streams._HeldStream(out)
    held.write("::err")
    assert out.getvalue() == ""
    held.write("or::x\nnext")
    held.flush()
    assert out.getvalue() == "\\::error::x\nnext" and held.isatty() is False


def test_the_fast_answer_goes_through_the_door(space: Space) -> None:
    """A warning with a command in it, as a book or an old snapshot may have one."""
    space.write({"visuals/d.svg": HAND}).question("hand", "source: d.svg, alt: one rank as a box")
    assert space.run().code == 0
    parts = space.kept("snapshot").split(fastpath.SECTION)
    parts[3] = fastpath.ITEM.join(["::add-mask::x", "##[command]x\x1b[2J"])
    space.keep("snapshot", fastpath.SECTION.join(parts))
    done = space.run()
    assert (done.out, done.err) == ("1 figure, all fresh\n", "\\::add-mask::x\n#\\#[command]x\\x1b[2J\n")


def test_a_traceback_of_python_itself_is_held_too() -> None:
    code = (
        "from figmill.streams import stand_in\nstand_in()\nraise ValueError('\\n::error::x\\x1b[2J ##[x]')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "\\::error::x\\x1b[2J #\\#[x]" in done.stderr and "\x1b" not in done.stderr
