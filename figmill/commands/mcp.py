"""`mcp`: the book for programs that speak the Model Context Protocol, over standard input and output."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from figmill import __version__
from figmill.agents import SKILL, tools
from figmill.commands.environment import root_of
from figmill.errors import AuthorError, ToolError
from figmill.streams import say

T = TypeVar("T")
INSTRUCTIONS = """figmill draws the figures of a book and checks whether readers can read them.
To make a figure: draw a source until it has no errors and no findings, look at it with preview, then write_question.
To repair any SVG: lint it, then fix it, and redraw what is left.
Read skill first: it says what to do with each finding."""


@click.command("mcp")
@click.option("--skill", is_flag=True, help="Print where SKILL.md is, the instructions for agents, and end.")
@click.pass_obj
def command(root: Path | None, skill: bool) -> int:
    """Serve the book to an agent over the Model Context Protocol, on standard input and output."""
    if skill:
        say([str(SKILL)])
        return 0
    try:
        place: Path | None = root_of(root)
    except ToolError:
        if root is not None:
            raise
        place = None  # without a book, drawings can still be drawn, checked and repaired
    server(place).run("stdio")
    return 0


def server(root: Path | None) -> Any:
    """The server with its tools. Raises ToolError if the library is not installed."""
    try:
        from mcp.server.mcpserver import Image, MCPServer
        from mcp.server.mcpserver.exceptions import ToolError as Refusal
    except ImportError:
        raise ToolError("`figmill mcp` needs the package mcp: pip install 'figmill[mcp]'") from None
    mcp = MCPServer("figmill", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")

    async def run(work: Callable[[], T]) -> T:
        """Run slow work in a thread; an author's mistake becomes the tool's answer, not a protocol error."""
        try:
            return await asyncio.to_thread(work)
        except (ToolError, AuthorError) as error:
            raise Refusal(str(error)) from None

    def book() -> Path:
        return tools.book_at(root)

    @mcp.tool()
    async def skill() -> str:
        """Return SKILL.md: how to draw and repair a layout from its findings, and what each of them means."""
        return SKILL.read_text(encoding="utf-8")

    @mcp.tool()
    async def figures() -> list[dict[str, Any]]:
        """List the figures of the book: id, kind, title, source, output, alt text."""
        return await run(lambda: tools.figures(book()))

    @mcp.tool()
    async def schema(source: str | None = None) -> dict[str, Any]:
        """Return the JSON Schema of a question file, or of the params of `source`, a generator of the book."""
        return await run(lambda: tools.schema(book(), source))

    @mcp.tool()
    async def draw(
        source: str,
        kind: str = "dot",
        alt: str = "A draft of a figure, not described yet",
        params: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Draw a source (kind dot, svg, mermaid, vega-lite, matplotlib or another) and check it; keep nothing.

        Returns the SVG, the errors that prevent it, and the findings of all checks. Scripts run in the sandbox or not
        at all.
        """
        return await run(lambda: tools.draw(source, kind, alt, params or {}))

    @mcp.tool()
    async def lint(svg: str | None = None, ids: list[str] | None = None) -> dict[str, Any]:
        """Check one SVG from any tool, or figures of the book (all of them without ids)."""
        return await run(lambda: tools.lint(root, svg, ids or []))

    @mcp.tool()
    async def fix(svg: str) -> dict[str, Any]:
        """Repair an SVG without redrawing it; returns the SVG, the changes, and what is left."""
        return await run(lambda: tools.fix(svg))

    @mcp.tool()
    async def facts(figure: str) -> dict[str, Any]:
        """Return the numbers that a built figure of the book states."""
        return await run(lambda: tools.facts(book(), figure))

    @mcp.tool()
    async def layout(svg: str | None = None, figure: str | None = None) -> dict[str, Any]:
        """Return the boxes, lines and labels of an SVG, or of a built figure, with what is wrong with their places."""
        return await run(lambda: tools.layout(root, svg, figure))

    @mcp.tool()
    async def claims(files: list[str] | None = None) -> dict[str, Any]:
        """Compare the numbers in the book's texts, or in these files, with what its built figures state."""
        return await run(lambda: tools.claims(book(), files or []))

    @mcp.tool()
    async def diff(against: str | None = None) -> dict[str, Any]:
        """Show what a build would change, figure by figure; write nothing. `against`: a git commit to compare with."""
        return await run(lambda: tools.diff(book(), against))

    @mcp.tool(structured_output=False)
    async def preview(svg: str | None = None, figure: str | None = None) -> Any:
        """Return a PNG of an SVG, or of a built figure of the book."""
        return Image(data=await run(lambda: tools.preview(root, svg, figure)), format="png")

    @mcp.tool()
    async def write_question(
        figure: str,
        question: str,
        source_name: str | None = None,
        source: str | None = None,
        replace: bool = False,
    ) -> dict[str, Any]:
        """Write the question file of a figure id, and its source into visuals/; returns the findings.

        Overwrites an existing file only with `replace`.
        """
        return await run(lambda: tools.write_question(book(), figure, question, source_name, source, replace))

    return mcp
