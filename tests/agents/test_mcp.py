"""`figmill mcp`, by the library's own client over standard input and output."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import warm
from helpers.book import Space
from helpers.seeded_drawings import by_hand, overlapping

from figmill.agents import SKILL, tools
from figmill.config import Options
from figmill.errors import ToolError

Call = Callable[..., Awaitable[Any]]


def spoken(
    root: Path, script: Callable[[Call], Awaitable[None]], *, at: Path | None = None, path: str | None = None
) -> list[str]:
    """Run a script of calls against a server of the book; returns the names of its tools. path: the server's PATH."""
    return spoken_to(
        warm.command(*(["--root", str(root)] if at is None else []), "mcp"), at or root, script, path
    )


def spoken_to(
    command: list[str], place: Path, script: Callable[[Call], Awaitable[None]], path: str | None = None
) -> list[str]:
    """The same with the command line of a server, and the folder where it runs."""

    from mcp import Client, StdioServerParameters  # takes a second to load

    async def main() -> list[str]:
        environ = {**os.environ, **({} if path is None else {"PATH": path})}
        started = StdioServerParameters(command=command[0], args=command[1:], cwd=str(place), env=environ)
        async with Client(started) as client:

            async def call(name: str, /, **given: Any) -> Any:
                result = await client.call_tool(name, given)
                if result.is_error:
                    return "\n".join(part.text for part in result.content)
                structured = result.structured_content
                if structured is None:
                    return result.content
                return structured.get("result", structured) if set(structured) == {"result"} else structured

            names = sorted(tool.name for tool in (await client.list_tools()).tools)
            await script(call)
            return names

    return asyncio.run(main())


def checks(result: dict[str, Any]) -> list[str]:
    return [finding["check"] for finding in result["findings"]]


def test_a_script_turns_an_overlapping_drawing_into_a_figure_without_findings(space: Space) -> None:
    space.write({"questions/.keep": "", "visuals/.keep": ""})
    seeded = by_hand(overlapping(1))

    async def script(call: Call) -> None:
        svg = seeded
        report = await call("lint", svg=svg)
        assert checks(report) == ["text-overlap"]
        for _ in range(10):  # an agent that moves what lies over other words
            if not report["findings"]:
                break
            overlap = re.search(r"the text '(.+?)' lies over", report["findings"][0]["message"])
            assert overlap is not None
            svg = re.sub(
                rf'(<text x="[\d.]+" y=")([\d.]+)("[^>]*>{overlap[1]}<)',
                lambda match: f"{match[1]}{float(match[2]) + 30:g}{match[3]}",
                svg,
            )
            report = await call("lint", svg=svg)
        assert checks(report) == []
        alt = "Four services in a column, each calling the next; the second one retries twice"
        drawn = await call("draw", source=svg, kind="svg", alt=alt)
        assert drawn["errors"] == [] and drawn["svg"].startswith("<svg")
        assert checks(drawn) == ["off-palette"] * len(drawn["findings"])
        (picture,) = await call("preview", svg=drawn["svg"])
        assert base64.b64decode(picture.data).startswith(b"\x89PNG") and picture.mime_type == "image/png"
        question = f"id: calls\ntitle: Calls\nvisual: {{source: calls.svg, alt: '{alt}'}}\n"
        written = await call(
            "write_question", figure="calls", question=question, source_name="calls.svg", source=svg
        )
        assert isinstance(written, dict), written
        assert written["written"] == ["questions/calls.yaml", "visuals/calls.svg"]
        assert [row["id"] for row in await call("figures")] == ["calls"]
        again = await call("write_question", figure="calls", question=question)
        assert again.endswith("questions/calls.yaml already exists; set replace to overwrite it")
        assert (await call("claims"))["summary"]["contradicted"] == 0
        changes = await call("diff")
        assert [(row["id"], row["status"]) for row in changes["figures"]] == [("calls", "would-create")]
        assert (await call("skill")) == SKILL.read_text(encoding="utf-8")
        space.write({"figmill.toml": "[style]\ntext_sizes = 1\n"})
        assert checks(await call("lint", svg=svg)) == ["style-text-sizes"]
        receipt = await call("layout", svg=svg)
        assert (len(receipt["boxes"]), checks(receipt)) == (4, ["style-text-sizes"])
        (space.root / "figmill.toml").unlink()

    names = spoken(space.root, script)
    assert " ".join(names) == (
        "claims diff draw facts figures fix layout lint preview schema skill write_question"
    )
    assert space.run().code == 0


# What an agent gives, with what is said of it.
ELSEWHERE: list[tuple[dict[str, Any], str]] = [
    ({"figure": "../a"}, "id '../a'"),
    ({"figure": "a", "source_name": "../../a.svg"}, "source_name '../../a.svg' must be a file name"),
    ({"figure": "a", "source_name": "a.sh"}, "source_name 'a.sh' must be a file name"),
    ({"figure": "a", "source_name": ".a.svg"}, "source_name '.a.svg' must be a file name"),
    ({"figure": "linked", "replace": True}, "is a link"),
]


def test_nothing_is_written_elsewhere(space: Space) -> None:
    outside = space.root.parent / "outside.yaml"
    outside.write_text("mine")
    space.write({"questions/.keep": "", "visuals/.keep": ""})
    (space.root / "questions/linked.yaml").symlink_to(outside)
    before = sorted(space.root.parent.rglob("*"))

    async def script(call: Call) -> None:
        for given, said in ELSEWHERE:
            source = {"source": "<svg/>"} if "source_name" in given else {}
            question = f"id: {given['figure']}\n"
            assert said in await call("write_question", question=question, **source, **given)
            assert (outside.read_text(), sorted(space.root.parent.rglob("*"))) == ("mine", before), given

    spoken(space.root, script)


def test_drawings_need_no_book_and_mistakes_are_answers(tmp_path: Path) -> None:
    async def script(call: Call) -> None:
        graph = await call(
            "draw", source="digraph { a -> b }", kind="dot", alt="One node that leads to another"
        )
        assert graph["errors"] == [] and graph["svg"].startswith("<svg")
        wrong = await call("draw", source="digraph { a -> }", kind="dot", alt="Wrong")
        assert wrong["svg"] is None and "draft.dot" in wrong["errors"][0]["file"]
        assert "there is no kind 'cad'" in await call("draw", source="", kind="cad")
        assert "there is no book here" in await call("figures")
        text = '<text x="5" y="20" fill="#ccc">pale</text>'
        pale = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 40">{text}</svg>'
        mended = await call("fix", svg=pale)
        assert mended["left"] == [] and "#767676" in mended["svg"]

    spoken(tmp_path, script, at=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_script_runs_in_the_sandbox_or_not_at_all(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    source = (
        "from pathlib import Path\nfrom matplotlib.figure import Figure\n\n\ndef draw():\n"
        f"    try:\n        Path({str(canary)!r}).write_text('out')\n    except OSError:\n        pass\n"
        "    figure = Figure((4, 3))\n    figure.add_subplot().plot([1, 2])\n    return figure\n"
    )

    async def script(call: Call) -> None:
        drawn = await call("draw", source=source, kind="matplotlib", alt="A line that rises from one to two")
        assert isinstance(drawn, str) or drawn["svg"] or "bubblewrap" in str(drawn["errors"])

    spoken(tmp_path, script, at=tmp_path)
    assert not canary.exists()


SCRIPT = (
    "from pathlib import Path\nfrom matplotlib.figure import Figure\n\n\ndef draw():\n"
    "    Path({canary!r}).write_text('out')\n    figure = Figure((4, 3))\n    figure.add_subplot().plot([1, 2])\n"
    "    return figure\n"
)
QUESTION = "id: line\ntitle: A line\nvisual: {source: line.py, kind: matplotlib, alt: A line that rises}\n"


def test_every_tool_runs_scripts_in_the_sandbox_or_not_at_all(space: Space) -> None:
    """On a machine without bubblewrap, which is not in this PATH, and with settings that do not ask for it."""
    canary = space.root.parent / "canary"
    source = SCRIPT.format(canary=str(canary))
    space.write({"figmill.toml": 'sandbox = "off"\n'}).question("b", "source: b.dot, alt: A box")
    space.write({"visuals/b.dot": "digraph { a }"})

    async def script(call: Call) -> None:
        written = await call(
            "write_question", figure="line", question=QUESTION, source_name="line.py", source=source
        )
        assert "questions/line.yaml and visuals/line.py written, but not checked: " in written
        answers = [written, await call("lint"), await call("lint", ids=["line"]), await call("diff")]
        answers.append(await call("draw", source=source, kind="matplotlib", alt="A line that rises"))
        assert all("bubblewrap" in str(answer) for answer in answers)
        assert "error" not in str(await call("lint", ids=["b"])).casefold()  # a graph needs no sandbox

    spoken(space.root, script, path=str(space.root))
    assert not canary.exists()


def test_a_question_with_another_id_is_not_written(space: Space) -> None:
    space.write({"visuals/a.dot": "digraph { a }", "questions/.keep": ""})
    question = "id: b\ntitle: A box\nvisual: {source: a.dot, alt: A box}\n"

    async def script(call: Call) -> None:
        told = await call("write_question", figure="a", question=question)
        assert told.endswith("the question has the id 'b', and the figure is 'a'; write `id: a` in it")
        assert "questions/a.yaml:2:1: YAML: " in await call("write_question", figure="a", question="id: [\n")
        assert "the file is empty" in await call("write_question", figure="a", question="")

    spoken_to([sys.executable, "-m", "figmill", "mcp"], space.root, script)
    assert not (space.root / "questions/a.yaml").exists()


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("a\0b", "an argument has the character U+0000, which no name has"),
        ("x" * 5000, "characters; at most 4,000 are taken"),
        ("\ud800", "the text has half of a character, U+D800; send whole characters"),
    ],
)
def test_an_argument_that_no_command_can_have_is_told(space: Space, word: str, told: str) -> None:
    space.write({"visuals/a.dot": "digraph { a }"}).question("a", "source: a.dot, alt: A box")
    for call in (
        lambda: tools.facts(space.root, word),
        lambda: tools.schema(space.root, word),
        lambda: tools.diff(space.root, word),
    ):
        with pytest.raises(ToolError, match=re.escape(told)):
            call()
    with pytest.raises(ToolError, match="the ids have 120,004 characters"):
        tools.lint(space.root, None, ["a"] * 20_000)


def test_an_svg_is_read_within_the_limits_of_a_figure() -> None:
    """The limit is short, and the drawing long: it is ended in another process."""
    texts = "".join(f'<text x="{n}" y="{n}">word</text>' for n in range(3000))
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{texts}</svg>'
    for work in (tools._judged, tools._mended, tools._pictured):
        with pytest.raises(ToolError, match=r"the drawing could not be read within 0.01 s$"):
            tools._in_child(work, svg, Options(timeout=0.01))
