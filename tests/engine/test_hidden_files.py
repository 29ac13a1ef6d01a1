"""What is hidden is read where the settings or a question name it, and nowhere else; what is secret, never."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from helpers.book import DOT, Space

from figmill.book.fields import BLOCK, FIGURE
from figmill.scaffold import generators

TOKEN = "T0K3N0fs0meb0dy"
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 30">{}</svg>'
SHOWN = DRAWING.format('<text x="5" y="20">shown</text>')
FRAME = DRAWING.format('<image width="90" height="30" href="{}"/>')
SECRET = DRAWING.format(f'<text x="5" y="20">{TOKEN}</text>')


def test_folders_in_the_settings_may_be_hidden(space: Space) -> None:
    """They are the builder's own word; a hidden folder in them is not."""
    settings = (
        'visuals = ".figs"\nquestions = ".asked"\npages = ".handbook"\nfences = ["dot"]\noutput = ".out"\n'
    )
    space.write(
        {"figmill.toml": settings, ".figs/a.svg": FRAME.format("parts/b.svg"), ".figs/parts/b.svg": SHOWN}
    )
    space.write(
        {".handbook/page.md": f"```dot id=block\n{DOT}\n```\n", ".figs/c.svg": FRAME.format(".parts/b.svg")}
    )
    space.write(
        {".figs/.parts/b.svg": SHOWN, ".asked/a.yaml": "id: a\nvisual: {source: a.svg, alt: a frame}\n"}
    )
    ran = space.run()
    assert ran.code == 0, ran.err
    assert "shown" in space.read(".out/global/a.svg") and (space.root / ".out/global/block.svg").exists()
    assert space.run().out == "2 figures, all fresh\n" and space.run("--check").code == 0
    space.write({".asked/c.yaml": "id: c\nvisual: {source: c.svg, alt: a frame}\n"})
    assert (
        "'.figs/.parts/b.svg' is hidden" in space.run().err
        or "hidden by the name '.parts'" in space.run().err
    )


def test_a_question_may_name_a_hidden_file_under_inputs(space: Space) -> None:
    space.write({"visuals/a.svg": FRAME.format(".parts/b.svg"), "visuals/.parts/b.svg": SHOWN})
    space.question("a", "source: a.svg, alt: a frame")
    ran = space.run()
    assert (
        ran.code == 1
        and "is hidden by the name '.parts', and figures read no hidden files; rename it, or" in ran.err
    )
    space.question("a", "source: a.svg, alt: a frame, inputs: [.parts/b.svg]")
    assert space.run().code == 0 and "shown" in space.read("build/global/a.svg")
    assert space.run().out == "1 figure, all fresh\n"
    space.write({"visuals/.parts/b.svg": SHOWN.replace("shown", "changed")})  # it is an input like any other
    assert space.run().code == 0 and "changed" in space.read("build/global/a.svg")


@pytest.mark.parametrize("name", [".env", ".ssh/config", "store/description", "server.pem"])
def test_inputs_name_no_secret(space: Space, name: str) -> None:
    """A question may be a stranger's as well; a script has no sight of these files in a sandbox either."""
    space.write({f"visuals/store/{each}": "" for each in ("HEAD", "objects/a", "refs/a")})
    space.write({"visuals/a.dot": DOT, f"visuals/{name}": TOKEN})
    space.question("a", f"source: a.dot, alt: a graph, inputs: [{name}]")
    ran = space.run()
    assert ran.code == 1 and f"questions/a.yaml:4:48: 'visuals/{name}' " in ran.err
    assert "no figure reads" in ran.err and TOKEN not in ran.err


def test_a_block_of_a_page_has_no_inputs() -> None:
    assert "inputs" in FIGURE.table and "inputs" not in BLOCK.table


def digests(space: Space) -> str:
    """All that a build keeps: the journal, decoded, and what is published."""
    kept = space.kept("journal")
    return kept + "".join(path.read_text() for path in (space.root / "build").rglob("*") if path.is_file())


def test_no_digest_of_a_secret_is_kept(space: Space, tmp_path: Path) -> None:
    """A short secret could be guessed from its digest. A script may read one where there is no sandbox."""
    secrets = {".env": "a", "store/description": "b", "x.pem": "c"}
    (space.root.parent / "outside").write_text("d")
    space.write({f"visuals/store/{each}": "" for each in ("HEAD", "objects/a", "refs/a")})
    space.write(dict(zip((f"visuals/{name}" for name in secrets), secrets.values(), strict=True)))
    (space.root / "visuals/link").symlink_to("../../outside")
    reads = "".join(f"(here / {name!r}).read_text()\n    " for name in (*secrets, "link"))
    head = (
        "from pathlib import Path\nimport graphviz\n\n\ndef draw():\n    here = Path(__file__).parent\n    "
    )
    space.write({"visuals/a.py": f"{head}{reads}return 'digraph {{ a -> b }}'\n"})
    space.question("a", "source: a.py, alt: a graph")
    ran = space.run("--sandbox=off")
    assert ran.code == 0, ran.err
    kept = digests(space)
    assert '"visuals/.env"' in kept and '"visuals/link"' in kept
    for text in "abcd":
        assert hashlib.sha256(text.encode()).hexdigest() not in kept
    assert space.run("--sandbox=off").out == "1 figure, all fresh\n"
    space.write({"visuals/.env": "another"})  # a change is seen by its size and time
    assert "visuals/.env" in space.run("--sandbox=off", "--explain").out


def test_a_dry_run_prints_no_file_that_an_output_leads_to(space: Space) -> None:
    """Outputs are committed in some books, and a commit can make one a link."""
    space.write({"visuals/a.dot": DOT, ".env": SECRET}).question("a", "source: a.dot, alt: a graph")
    assert space.run().code == 0
    for words in (("--dry-run",), ("--check", "--format", "markdown")):
        for name in ("a.svg", "a.dark.svg"):
            (space.root / f"build/global/{name}").unlink()
            (space.root / f"build/global/{name}").symlink_to("../../.env")
        ran = space.run(*words)
        assert (
            TOKEN not in ran.out + ran.err and "figmill itself" not in ran.err and "Traceback" not in ran.err
        )


@pytest.mark.parametrize("mode", ["off", "auto"])
def test_libraries_for_scripts_read_no_secret_that_a_question_names(space: Space, mode: str) -> None:
    """A generator of the book may be trusted, while a question is not: the name of its data comes from there."""
    script, _ = generators.read("trace_timeline")
    space.write({"visuals/trace.py": script, "visuals/.env": TOKEN, "visuals/data/trace.json": "no"})
    (space.root.parent / "outside.json").write_text(json.dumps([TOKEN]))
    (space.root / "visuals/link.json").symlink_to("../../outside.json")
    (space.root / "visuals/hidden.json").symlink_to(".env")
    for number, name in enumerate((".env", "hidden.json", "link.json")):
        space.question(
            f"a{number}", f"kind: matplotlib, source: trace.py, params: {{source: {name}}}, alt: a trace"
        )
    ran = space.run(f"--sandbox={mode}", "--verbose")
    assert ran.code == 1 and TOKEN not in ran.out + ran.err
    if mode == "off":
        assert "'.env' leads to '.env'" in ran.err and "is a link that leads out of the book" in ran.err
