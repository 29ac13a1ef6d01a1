"""The table of commands, and nothing else: modules are imported on first use."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from figmill.commands.error_handler import guarded
from figmill.late import imported

if TYPE_CHECKING:
    from figmill.fastpath import Seen

# Each command, and its line in the help.
COMMANDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "add": (
            "figmill.commands.add:command",
            "Bring in what is there: the pages of a site, drawings, or a code block of a page.",
        ),
        "adopt": (
            "figmill.commands.adopt:command",
            "Move code blocks from a page into question files and source files, and refer to them from the page.",
        ),
        "claims": (
            "figmill.commands.claims:command",
            "Compare the numbers in alt texts, captions, questions and pages with what the figures state.",
        ),
        "clean": ("figmill.commands.clean:command", "Remove outputs that no longer belong to a figure."),
        "demo": (
            "figmill.commands.demo:command",
            "Draw a small book of figures in a new folder, to look at.",
        ),
        "diff": (
            "figmill.commands.diff:command",
            "Compare two built folders; exit 3 if they differ.",
        ),
        "doctor": (
            "figmill.commands.doctor:command",
            "Check what works on this machine and in this book, and say how to fix the rest.",
        ),
        "embed": ("figmill.commands.embed:command", "Print a figure as text to paste into a page."),
        "facts": (
            "figmill.commands.facts:command",
            "Print the numbers that a built figure states: all as JSON, or one.",
        ),
        "fix": (
            "figmill.commands.fix:command",
            "Repair drawings from any tool without redrawing them, and report what is left.",
        ),
        "import": (
            "figmill.commands.import_:command",
            "Create a question from the drawing of another program: a still copy without active content.",
        ),
        "lint": (
            "figmill.commands.lint:command",
            "Run every check on every figure, or on the drawings that you name; build nothing.",
        ),
        "list": (
            "figmill.commands.list:command",
            "List every figure with its kind, its source and its output.",
        ),
        "mcp": (
            "figmill.commands.mcp:command",
            "Serve the book to an agent over the Model Context Protocol, on standard input and output.",
        ),
        "mdbook": (
            "figmill.commands.mdbook:command",
            "Put the figures into the chapters of mdBook, as its preprocessor.",
        ),
        "new": ("figmill.commands.new:command", "Create a question and its source, ready to build."),
        "page": (
            "figmill.commands.page:command",
            "Answer a program that makes pages, such as pandoc: put the figures into one document.",
        ),
        "remove": (
            "figmill.commands.remove:command",
            "Turn figures back into plain images: SVGs beside the pages, and pages that show them without figmill.",
        ),
        "schema": (
            "figmill.commands.schema:command",
            "Print the JSON Schema of a question file, or of a generator's params, for editors.",
        ),
        "serve": (
            "figmill.commands.serve:command",
            "Show the figures in a browser, and every change at once, with a control for each parameter.",
        ),
        "setup": (
            "figmill.commands.setup:command",
            "Write what Sphinx, MkDocs, pandoc or another host needs, and print the lines to add.",
        ),
        "translate": (
            "figmill.commands.translate:command",
            "Write the text of all figures to catalogues for translators, and list what is not translated.",
        ),
    }
)
# The functions for a build without a command's name, and the parser of the command line.
BUILD, PLAIN = "figmill.commands.build:run", "figmill.commands.build:build_plainly"
WATCH = "figmill.commands.watch:run"
GROUP = "figmill.commands.group:run"


def main(plain: tuple[str | None, bool] | None, seen: Seen | None) -> int:
    """The whole command; returns its exit code. A plain build, given as its root and `quiet`, does not use click."""
    return guarded(run if plain is None else lambda: imported(PLAIN)(*plain, seen))


def run() -> int:
    """Parse the command line and run the command; returns the exit code. Raises what `guarded` handles."""
    helps = {name: line for name, (_, line) in COMMANDS.items()}
    return int(imported(GROUP)(helps, _command, lambda request: imported(WATCH if request.watch else BUILD)))


def _command(name: str) -> Any:
    return imported(COMMANDS[name][0])
