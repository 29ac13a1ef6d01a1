"""The tables of commands, and nothing else: modules are imported on first use."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from figmill.commands.error_handler import guarded
from figmill.late import imported

if TYPE_CHECKING:
    from figmill.fastpath import Seen

# A command -> its click command, its heading in the help, and its line there, whole on 80 columns. The order is that
# of the help, which does not list a command without a heading: programs call it, or it has a newer name.
COMMANDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "build": (
            "figmill.commands.drawing:build",
            "Build",
            "Draw the figures that are out of date; `figmill` is short for it.",
        ),
        "watch": (
            "figmill.commands.serve:command",
            "Build",
            "Build after every change, and show the figures in a browser.",
        ),
        "check": (
            "figmill.commands.drawing:check",
            "Build",
            "Draw and check every figure, and write nothing: for CI.",
        ),
        "clean": (
            "figmill.commands.clean:command",
            "Build",
            "Remove outputs that no longer belong to a figure.",
        ),
        "doctor": (
            "figmill.commands.doctor:command",
            "Build",
            "Check what works on this machine and in this book.",
        ),
        "show": (
            "figmill.commands.show:command",
            "Look",
            "List the figures; or print one of them, or one of its facts.",
        ),
        "diff": (
            "figmill.commands.diff:command",
            "Look",
            "Show what has changed since a commit, or between two builds.",
        ),
        "lint": (
            "figmill.commands.lint:command",
            "Look",
            "Run every check on figures or drawings; --fix repairs drawings.",
        ),
        "claims": (
            "figmill.commands.claims:command",
            "Look",
            "Compare the numbers in texts with what the figures state.",
        ),
        "demo": (
            "figmill.commands.demo:command",
            "Bring in",
            "Draw a small book of figures in a new folder, to look at.",
        ),
        "new": (
            "figmill.commands.new:command",
            "Bring in",
            "Create a question and its source, ready to build.",
        ),
        "add": (
            "figmill.commands.add:command",
            "Bring in",
            "Bring in the pages of a site, drawings, or a code block.",
        ),
        "setup": (
            "figmill.commands.setup:command",
            "Publish",
            "Write what Sphinx, MkDocs, Quarto or another host needs.",
        ),
        "export": (
            "figmill.commands.drawing:export",
            "Publish",
            "Write each figure also as PNG or PDF, or in grey for printers.",
        ),
        "translate": (
            "figmill.commands.translate:command",
            "Publish",
            "Write the texts of all figures to catalogues for translators.",
        ),
        "remove": (
            "figmill.commands.remove:command",
            "Publish",
            "Turn figures back into plain images, in pages without figmill.",
        ),
        "adopt": (
            "figmill.commands.adopt:command",
            "",
            "Move code blocks from a page into question files and source files, and refer to them from the page.",
        ),
        "import": (
            "figmill.commands.import_:command",
            "",
            "Create a question from the drawing of another program: a still copy without active content.",
        ),
        "mcp": (
            "figmill.commands.mcp:command",
            "",
            "Serve the book to an agent over the Model Context Protocol, on standard input and output.",
        ),
        "mdbook": (
            "figmill.commands.mdbook:command",
            "",
            "Put the figures into the chapters of mdBook, as its preprocessor.",
        ),
        "page": (
            "figmill.commands.page:command",
            "",
            "Answer a program that makes pages, such as pandoc: put the figures into one document.",
        ),
        "schema": (
            "figmill.commands.schema:command",
            "",
            "Print the JSON Schema of a question file, or of a generator's params, for editors.",
        ),
    }
)
# A former name -> what it stands for. Those with --format print data.
FORMER: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "adopt": ("add",),
        "embed": ("show", "--format", "html"),
        "facts": ("show", "--format", "json"),
        "fix": ("lint", "--fix"),
        "import": ("add",),
        "list": ("show",),
        "serve": ("watch",),
    }
)
_BUILD, _WATCH, _CHECK, _SHOW = "`figmill`", "`figmill watch`", "`figmill check`", "`figmill show`"
_BEGIN = "`figmill new ID --kind dot` to begin a figure, or `figmill setup HOST` for a site"
# A verb of other programs -> what to type here.
VERBS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("all", "compile", "draw", "generate", "make", "render", "run", "update"), _BUILD),
        **dict.fromkeys(("dev", "live", "open", "preview", "start", "view"), _WATCH),
        **dict.fromkeys(("test", "validate", "verify"), _CHECK),
        **dict.fromkeys(("cat", "figures", "get", "info", "ls", "print"), _SHOW),
        **dict.fromkeys(("begin", "init", "quickstart"), _BEGIN),
        **dict.fromkeys(("config", "install", "integrate", "plugin"), "`figmill setup HOST`"),
        **dict.fromkeys(("create", "generators"), "`figmill new ID --kind dot`"),
        **dict.fromkeys(("convert", "pdf", "png", "save"), "`figmill export --to pdf`"),
        **dict.fromkeys(
            ("deploy", "publish"), "`figmill`, and publish its build/; `figmill setup` lists hosts"
        ),
        **dict.fromkeys(("format", "fmt", "repair"), "`figmill lint --fix FILE.svg`"),
        **dict.fromkeys(("compare", "changes"), "`figmill diff`"),
        "example": "`figmill demo`",
        "help": "`figmill --help`",
        "i18n": "`figmill translate`",
        "prune": "`figmill clean`",
        "status": "`figmill --dry-run`",
        "version": "`figmill --version`",
    }
)
# For a plain build, and for the parser of the command line.
PLAIN = "figmill.commands.build:build_plainly"
SANDBOX = "figmill.enclosure.sandbox:look_ahead"  # takes as long as loading the build
GROUP = "figmill.commands.group:run"


def main(plain: tuple[str | None, bool] | None, seen: Seen | None) -> int:
    """The whole command; returns its exit code. A plain build, given as its root and `quiet`, does not use click."""
    return guarded(run if plain is None else lambda: build(*plain, seen))


def build(root: str | None, quiet: bool, seen: Seen | None) -> int:
    """A plain build; returns the exit code. Raises what `guarded` handles."""
    imported(SANDBOX)()
    return int(imported(PLAIN)(root, quiet, seen))


def run() -> int:
    """Parse the command line and run the command; returns the exit code. Raises what `guarded` handles."""
    return int(imported(GROUP)(COMMANDS, FORMER, VERBS, lambda name: imported(COMMANDS[name][0])))
