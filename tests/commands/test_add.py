"""`add`: a whole site, drawings, or a code block in one command; no page changes, and nothing is written over."""

from __future__ import annotations

import tomllib
from base64 import b64decode

from helpers.book import Space

DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60" viewBox="0 0 120 60">'
    '<rect x="2" y="2" width="116" height="56" fill="#eef" stroke="#224"/>'
    '<text x="60" y="35" text-anchor="middle" font-size="14" fill="#ccc">queue</text>{more}</svg>'
)
PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PAGE = """\
# Jobs

![A queue of jobs, in which two wait](img/queue.svg)

![How it acts](img/acting.svg) ![A photo](img/photo.jpg)

```dot
digraph { a -> b }
```
"""


def site(space: Space) -> Space:
    return space.write(
        {
            "mkdocs.yml": "site_name: Jobs\nplugins:\n  - search\n",
            "docs/index.md": PAGE,
            "docs/more/again.md": "![A queue of jobs, in which two wait](../img/queue.svg)\n",
            "docs/img/queue.svg": DRAWING.format(more=""),
            "docs/img/acting.svg": DRAWING.format(more="<script>1</script>"),
            "docs/img/photo.jpg": b"\xff\xd8\xff",
            "docs/img/spare.svg": DRAWING.format(more=""),
        }
    )


def everything(space: Space) -> dict[str, bytes]:
    paths = (path for path in space.root.rglob("*") if path.is_file() and ".figmill" not in path.parts)
    return {path.relative_to(space.root).as_posix(): path.read_bytes() for path in paths}


def test_a_site_is_added_by_settings_alone(space: Space) -> None:
    before = everything(site(space))
    dry = space.run("add", "--dry-run", "docs")
    assert dry.code == 0, dry
    assert everything(space) == before and not (space.root / ".figmill").exists()
    ran = space.run("add", "docs")
    assert ran.code == 0, ran
    after = everything(space)
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"figmill.toml", "mkdocs.yml"} and before.keys() <= after.keys()
    settings = tomllib.loads(space.read("figmill.toml"))
    assert settings == {"images": ["svg"], "fences": ["dot"]}
    assert "  - figmill\n" in space.read("mkdocs.yml")
    for said in (dry.out, ran.out):
        assert "2 pages in docs: 3 images of 2 files, 1 code block (1 dot)" in said
        assert "3 figures: 2 drawn, 1 left as they are\n    docs/img/acting.svg:1" in said
        assert "1 contrast           in 1 figure, first docs/img/queue.svg:1: " in said
        assert "1 .jpg file stays an image;" in said and "no page shows 1 drawing: docs/img/spare.svg" in said
    again = space.run("add", "docs")
    assert again.code == 0 and "the settings have all that these pages need" in again.out
    assert everything(space) == after


def test_settings_that_are_there_grow(space: Space) -> None:
    site(space).write({"figmill.toml": '# mine\nfences = ["mermaid"]  # and no more\ntimeout = 9\n'})
    assert space.run("add", "--no-setup", "docs/index.md").code == 0
    text = space.read("figmill.toml")
    assert text.startswith("images = ") and '# mine\nfences = ["mermaid", "dot"]  # and no more\n' in text
    space.write({"figmill.toml": 'fences = [\n  "mermaid",\n]\n'})
    ran = space.run("add", "--no-setup", "docs")
    assert (
        ran.code == 1 and 'write into it:\n    images = ["svg"]\n    fences = ["mermaid", "dot"]' in ran.out
    )


def test_drawings_are_repaired_on_request(space: Space) -> None:
    before = site(space).read("docs/img/queue.svg")
    ran = space.run("add", "--fix", "--no-setup", "docs")
    assert "repaired docs/img/queue.svg: 1 of 1 findings" in ran.out
    assert space.read("docs/img/queue.svg") != before and "script" not in space.read("docs/img/acting.svg")
    assert "3 figures: 3 drawn, 0 left" in ran.out


def test_a_drawing_gets_a_question_and_a_block_a_file(space: Space) -> None:
    site(space)
    assert space.run("add", "docs/img/spare.svg", "--id", "spare-1").out.splitlines() == [
        "wrote questions/spare-1.yaml",
        "wrote visuals/spare-1.svg",
    ]
    space.write({"README.md": "![Two jobs: {a}](docs/img/old.png)\n", "docs/img/old.png": PNG})
    ran = space.run("add", "docs/img/old.png")
    assert "README.md:1 shows docs/img/old.png; its alt text goes into the question" in ran.out
    assert "  kind: picture\n  source: old.png\n  alt: >-\n    Two jobs: {{a}}\n" in space.read(
        "questions/old.yaml"
    )
    assert (space.root / "visuals/old.png").read_bytes() == PNG
    assert "already imported as old" in space.run("add", "docs/img/old.png").out
    space.write({"figmill.toml": 'images = ["svg"]\n'})
    shown = space.run("add", "docs/img/queue.svg").out
    assert shown == "docs/img/queue.svg is a figure already: docs/index.md:3 shows it\n"
    ran = space.run("add", "docs/index.md:7", "--id", "flow")
    assert ran.out.splitlines()[-1] == "docs/index.md:7 now shows ![](figmill:flow)"
    assert space.read("visuals/flow.dot") == "digraph { a -> b }\n"
    wrong = space.run("add", "docs/none.svg")
    assert wrong.code == 2 and "docs/none.svg: there is no such file or folder" in wrong.err
