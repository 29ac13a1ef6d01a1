"""An example of every option of every command, for the reference. A test parses each, and looks for each option.

A command -> its examples, as in a shell: a line, and what it does.
"""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "": (
        ("figmill", "build what has changed"),
        ("figmill --root books/networks --id 'cloud-*' --force", "draw some figures of another book again"),
        ("figmill --dry-run --explain --verbose", "say what would change, and why; write nothing"),
        ("figmill --check --strict --quiet", "in CI: exit 3 if an output is old, 1 after a warning"),
        ("figmill --jobs 4 --format json", "four processes, and a report for programs"),
        ("figmill --version", "the version"),
        ("figmill --help", "all of this, in short"),
    ),
    "add": (
        ("figmill add docs --dry-run", "what would become of a site, and what the checks find"),
        ("figmill add docs --fix --jobs 2", "also repair its drawings"),
        ("figmill add docs/guide.md --no-setup", "leave the files of the host alone"),
        ("figmill add plan.svg --id net-1 --track net", "a question for a drawing"),
    ),
    "build": (
        ("figmill build --id 'net-*' --force --jobs 4", "draw some figures again, with four processes"),
        ("figmill build --dry-run --explain --verbose", "say what would change, and why; write nothing"),
        ("figmill build --check --strict --quiet --color never", "in CI: exit 3 if an output is old"),
        ("figmill build --sandbox require --format github", "never without a sandbox"),
        ("figmill build --scheduler tcp://10.0.0.5:8786", "draw on a Dask cluster"),
    ),
    "watch": (
        ("figmill watch", "show the figures, and every change at once"),
        ("figmill watch --port 8000 --no-open --quiet", "on another machine, through a tunnel"),
        ("figmill watch --editor code --jobs 2 --sandbox require", "with links into Visual Studio Code"),
        ("figmill watch --no-page --id 'net-*' --strict --verbose --color never", "only build, and print"),
    ),
    "check": (
        ("figmill check", "whether every figure can be drawn"),
        (
            "figmill check --strict --format github --jobs 2 --sandbox require",
            "in CI: exit 1 after a warning",
        ),
        ("figmill check --id 'net-*' --explain --verbose --quiet --color never", "some of them"),
        ("figmill check --scheduler tcp://10.0.0.5:8786", "on a Dask cluster"),
    ),
    "export": (
        ("figmill export --to pdf --to png --scale 2", "PDFs, and PNGs of twice the size"),
        ("figmill export --to pdf --width 112mm", "PDFs no wider than the column of a book"),
        ("figmill export --to pdf --ink grey --id 'net-*'", "some PDFs, for a printer without colour"),
        (
            "figmill export --to png --force --strict --explain --jobs 4 --sandbox require",
            "all again, with four processes",
        ),
        (
            "figmill export --to pdf --format json --quiet --verbose --color never",
            "with a report for programs",
        ),
        ("figmill export --to png --scheduler tcp://10.0.0.5:8786", "figures are drawn on a Dask cluster"),
    ),
    "adopt": (
        ("figmill adopt docs/guide.md --dry-run", "what would become of the page's blocks"),
        ("figmill adopt docs/guide.md:15 --id flow --track net", "move one block to files of its own"),
    ),
    "claims": (
        ("figmill claims", "the numbers that figures contradict"),
        ("figmill claims docs/index.md --verbose --color always", "every number of a page"),
        ("figmill claims --fix --dry-run", "which numbers could be references"),
        ("figmill claims --record", "remember what each number is bound to"),
        ("figmill claims --baseline known.json --format github", "in CI: only what is new"),
        ("figmill claims --help", "all of this, in short"),
    ),
    "clean": (("figmill clean --dry-run", "what is left over"), ("figmill clean", "remove it")),
    "demo": (
        ("figmill demo", "five figures in figmill-demo/"),
        ("figmill demo first-look --open", "elsewhere, and shown in your browser"),
    ),
    "diff": (
        ("figmill diff", "what you have changed since the last commit"),
        ("figmill diff origin/main --report changes.html", "what a branch changes, as a page"),
        ("figmill diff origin/main --ignore-invisible --summary --pictures changed", "in a job's summary"),
        ("figmill diff v1 v2 --id 'net-*' --jobs 4 --sandbox require", "some figures between two commits"),
        ("figmill diff before/build build --format markdown", "two built folders"),
        ("figmill diff --scheduler tcp://10.0.0.5:8786", "drawn on a Dask cluster"),
    ),
    "doctor": (("figmill doctor", "what works here"), ("figmill doctor --format json", "for a program")),
    "import": (
        ("figmill import drawing.svg net-racks --track net --dry-run", "what would be taken out"),
        ("figmill import drawing.svg net-racks", "begin a question with it"),
        ("figmill import 'exports/*.svg'", "many: their ids are the names of the files"),
        ("figmill import drawing.svg --id net-racks", "the same, with the id as an option"),
    ),
    "lint": (
        ("figmill lint", "every check on every figure"),
        ("figmill lint --id 'net-*' --twice --jobs 4", "draw some twice, and compare the bytes"),
        ("figmill lint docs/*.svg --level contrast=error --format sarif", "any drawings, for a code host"),
        ("figmill lint --strict --quiet --sandbox require --color never", "in CI"),
        ("figmill lint --verbose", "every finding"),
        ("figmill lint --fix export.svg --dry-run", "what would be repaired"),
        (
            "figmill lint --fix export.svg -o docs/network.svg --title Network --alt 'Two racks, one switch.'",
            "a repaired copy",
        ),
        ("figmill lint --fix assets", "every drawing in a folder"),
        ("figmill lint --fix --layout export.svg", "also moves text, boxes and lines"),
        ("figmill lint --fix --layout --check assets", "in CI: exit 3 if anything would be repaired"),
        ("figmill lint --fix --id 'net-*' --in-place", "the drawings of a book's figures"),
    ),
    "mcp": (
        ("figmill mcp", "for the settings of an agent's program"),
        ("figmill mcp --skill", "where the instructions for agents are"),
    ),
    "mdbook": (("figmill mdbook supports html", "what mdBook asks first; book.toml names the rest"),),
    "new": (
        ("figmill new tour --kind dot", "a graph"),
        ("figmill new bubble --from pipeline_bubble --track net", "one of figmill's generators, in a track"),
    ),
    "page": (("figmill page --json < document.json", "what the filter for pandoc asks"),),
    "remove": (
        ("figmill remove docs --dry-run", "what would change if you left"),
        ("figmill remove flow --into docs/pictures", "one question, with its pictures in another folder"),
    ),
    "schema": (
        ("figmill schema > question.schema.json", "for an editor"),
        ("figmill schema --layout", "of what `show --layout` prints"),
        ("figmill schema --source pipeline_bubble.py --sandbox require", "the parameters of a script"),
    ),
    "show": (
        ("figmill show --id 'net-*'", "some figures, their kinds, sources and outputs"),
        ("figmill show bubble", "what a figure is, and the facts that it states"),
        ("figmill show bubble#bubble_fraction:.1%", "one fact, as pages show it"),
        ("figmill show bubble --format json", "all facts, for a program"),
        ("figmill show flow --layout", "its boxes, lines and labels, for a program"),
        ("figmill show export.svg --layout", "those of a drawing outside a book"),
        ("figmill show tour --format mdx --base /figures", "for Docusaurus"),
        ("figmill show tour --format md --theme light --language de", "the German figure, light only"),
        ("figmill show --all --output data/figmill.json", "all figures, in the file that Hugo reads"),
    ),
    "setup": (
        ("figmill setup mkdocs", "the lines for mkdocs.yml"),
        ("figmill setup sphinx --into docs --apply --dry-run", "what would be written into docs/"),
    ),
    "translate": (
        ("figmill translate de ja", "write or update visuals/locale/de.po and ja.po"),
        ("figmill translate --check --quiet", "in CI: list what is not translated; exit 3 if a file is old"),
        ("figmill translate de --jobs 2 --sandbox require", "two processes, never without a sandbox"),
    ),
}


WIDEST = 80  # characters that the site shows of a line


def shell(name: str) -> str:
    """The examples of a command, as a code block. Empty for a command without any.

    What a line does stands beside it, or above all of them if one line would be too long.
    """
    rows = EXAMPLES.get(name, ())
    width = max((len(line) for line, _ in rows), default=0)
    lines = [f"{line.ljust(width)}  # {about}" for line, about in rows]
    if any(len(line) > WIDEST for line in lines):
        lines = [f"# {about}\n{line}" for line, about in rows]
    return "\n".join(["```sh", *lines, "```\n"]) if rows else ""
