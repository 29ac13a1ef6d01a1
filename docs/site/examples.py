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
        ("figmill --check --against origin/main --report changes.html", "what a branch changes, as a page"),
        (
            "figmill --check --against origin/main --ignore-invisible --summary --pictures changed",
            "the same in a job's summary",
        ),
        ("figmill --to pdf --to png --scale 2", "also write PDFs, and PNGs of twice the size"),
        ("figmill --to pdf --ink grey", "PDFs for a printer without colour"),
        ("figmill --jobs 4 --sandbox require --format github", "four processes, never without a sandbox"),
        ("figmill --watch --color never", "build again after every change"),
        ("figmill --scheduler tcp://10.0.0.5:8786", "draw on a Dask cluster"),
        ("figmill --version", "the version"),
        ("figmill --help", "all of this, in short"),
    ),
    "add": (
        ("figmill add docs --dry-run", "what would become of a site, and what the checks find"),
        ("figmill add docs --fix --jobs 2", "also repair its drawings"),
        ("figmill add docs/guide.md --no-setup", "leave the files of the host alone"),
        ("figmill add plan.svg --id net-1 --track net", "a question for a drawing"),
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
        ("figmill diff before/build build --report changes.html", "two builds, as a page"),
        ("figmill diff before/build build --format markdown", "as Markdown"),
    ),
    "doctor": (("figmill doctor", "what works here"), ("figmill doctor --format json", "for a program")),
    "embed": (
        ("figmill embed tour --format mdx --base /figures", "for Docusaurus"),
        ("figmill embed tour --format md --theme light", "the light picture alone"),
        ("figmill embed tour --language de", "the German figure"),
        ("figmill embed --all --format html", "all figures, as JSON for Hugo or Jekyll"),
        ("figmill embed --all --output data/figmill.json", "the same, as the file that Hugo reads"),
    ),
    "facts": (
        ("figmill facts bubble", "all numbers, as JSON"),
        ("figmill facts bubble bubble_fraction", "one of them"),
        ("figmill facts flow --layout", "its boxes, lines and labels, for a program"),
        ("figmill facts export.svg --layout", "those of a drawing outside a book"),
    ),
    "fix": (
        ("figmill fix export.svg --dry-run", "what would be repaired"),
        (
            "figmill fix export.svg -o docs/network.svg --title Network --alt 'Two racks, one switch.'",
            "a repaired copy",
        ),
        ("figmill fix assets", "every drawing in a folder"),
        ("figmill fix --layout export.svg", "also moves text, boxes and lines"),
        ("figmill fix --layout --check assets", "in CI: exit 3 if anything would be repaired"),
        ("figmill fix --id 'net-*' --in-place", "the drawings of a book's figures"),
        ("figmill fix export.svg --in-place --strict --color never", "in CI: exit 1 if anything is left"),
    ),
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
    ),
    "list": (("figmill list --id 'net-*'", "some figures, their kinds, sources and outputs"),),
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
        ("figmill schema --layout", "of what `facts --layout` prints"),
        ("figmill schema --source pipeline_bubble.py --sandbox require", "the parameters of a script"),
    ),
    "serve": (
        ("figmill serve", "show the figures, and every change at once"),
        ("figmill serve --port 8000 --no-open --quiet", "on another machine, through a tunnel"),
        ("figmill serve --editor code --jobs 2 --sandbox require", "with links into Visual Studio Code"),
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


def shell(name: str) -> str:
    """The examples of a command, as a code block. Empty for a command without any."""
    rows = EXAMPLES.get(name, ())
    width = max((len(line) for line, _ in rows if len(line) < 70), default=0)
    lines = [
        f"{line.ljust(width)}  # {about}" if len(line) <= width else f"# {about}\n{line}"
        for line, about in rows
    ]
    return "\n".join(["```sh", *lines, "```\n"]) if rows else ""
