"""The guide for when something goes wrong quotes messages: each of them is what a book with that mistake says."""

from __future__ import annotations

import re

from helpers.book import DOT, REPOSITORY, Space
from helpers.hosts import BIN, run

SLOW = "import time\n\n\ndef draw():\n    time.sleep(60)\n"
WRITES = "def draw():\n    open(__file__ + '.csv', 'w').write('x')\n"
LOADS = "from urllib.request import urlopen\n\n\ndef draw():\n    urlopen('http://127.0.0.1:9/')\n"


def quoted() -> set[str]:
    """What stands in the first column of the first table, without exit codes."""
    text = (REPOSITORY / "docs/guide/troubleshooting.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `([^`]+)` \|", text.partition("\n## A figure is missing")[0], re.MULTILINE))


def test_each_quoted_message_is_what_a_book_with_that_mistake_says(space: Space) -> None:
    mistakes = {
        "bubble": "kind: matplotlib, source: takes.py, params: {device: 4}",
        "gone": "source: rong.dot",
        "slow": "kind: matplotlib, source: slow.py, timeout: 1",
        "writes": "kind: matplotlib, source: writes.py",
        "loads": "kind: matplotlib, source: loads.py",
        "lacks": "kind: matplotlib, source: lacks.py",
        "empty": "kind: matplotlib, source: empty.py",
        "ring": "source: ring.dot, expect: {nodes: 6}",
    }
    space.write(
        {
            "visuals/ring.dot": "digraph { a -> b -> c -> d -> e }",
            "visuals/takes.py": "def draw(devices=4):\n    pass\n",
            "visuals/slow.py": SLOW,
            "visuals/writes.py": WRITES,
            "visuals/loads.py": LOADS,
            "visuals/lacks.py": "import absent\n\n\ndef draw():\n    pass\n",
            "visuals/empty.py": "def draw():\n    pass\n",
            "mkdocs.yml": "site_name: x\nplugins: [figmill]\n",
            "docs/index.md": "![](figmill:ringg)\n",
            "visuals/other.dot": DOT,
        }
    )
    for name, fields in mistakes.items():
        space.question(name, f"{fields}, alt: a figure")
    said = [run([BIN / "figmill"], space.root) for _ in range(2)]
    page = run([BIN / "mkdocs", "build"], space.root)
    text = "\n".join([*(build.said for build in said), page.said])
    assert [build.code for build in said] == [1, 1]
    assert len(quoted()) >= 10
    of_sandbox = {"a script has no network"} if "scripts ran without a sandbox" in text else set[str]()
    assert {message for message in quoted() if message not in text} == of_sandbox, text
