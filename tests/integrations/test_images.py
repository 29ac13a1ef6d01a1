"""Images of pages as figures, in every host: drawn as figures, or left as they were, with a line that says why."""

from __future__ import annotations

import re

import pytest
from helpers.book import Space
from helpers.hosts import HOSTS

HOSTS_WITH_PATHS = {name: host for name, host in HOSTS.items() if name != "markdown"}
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60" viewBox="0 0 120 60">'
    '<rect x="2" y="2" width="116" height="56" fill="#eef" stroke="#224"/>'
    '<text x="60" y="35" text-anchor="middle" font-size="14">queue</text>{more}</svg>'
)
PAGE = """\
# One

![A *queue* of jobs](images/queue.svg "The queue")

Here ![it](images/queue.svg) is again, not `![](images/queue.svg)`, and ![gone](images/gone.svg).

![Refused](images/refused.svg)

```
![An example](images/queue.svg)
```
"""


def book(space: Space, host: str) -> Space:
    pages = "docs" if host in ("sphinx", "mkdocs", "properdocs", "zensical") else "."
    folder = "" if pages == "." else "docs/"
    settings = f'images = ["svg"]\npages = ["{pages}"]\noutput = "docs/figures"\n'
    return space.write(
        {
            "docs/.keep": "",
            "figmill.toml": settings,
            f"{folder}images/queue.svg": DRAWING.format(more=""),
            f"{folder}images/refused.svg": DRAWING.format(more="<script>alert(1)</script>"),
        }
    )


@pytest.fixture(params=HOSTS_WITH_PATHS)
def host(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_images_of_a_page_become_figures_or_a_line_says_why_not(host: str, space: Space) -> None:
    ran = HOSTS[host](book(space, host), PAGE)
    names = re.findall(r'images-queue-[0-9a-f]{8}(?:\.dark)?\.svg"', ran.page)
    assert len(set(names)) >= 2, ran.said
    alts = ("A queue of jobs", "it")
    for alt in alts:
        assert re.search(rf'"?alt"?[:=] ?"{alt}"', ran.page), ran.page
    assert "![An example]" in ran.page or "An example" in ran.page
    written = sorted(path.name for path in (space.root / "docs/figures/global").iterdir())
    assert len([name for name in written if re.search(r"[0-9a-f]\.svg$", name)]) == 2
    assert "gone.svg" in ran.page
    assert "images-refused-" not in ran.page and "refused.svg" in ran.page
    assert "script" in ran.said and "images/refused.svg:1" in ran.said


def test_a_page_stays_as_it_is_unless_the_book_asks(host: str, space: Space) -> None:
    book(space, host).write({"figmill.toml": "", "visuals/a.dot": "digraph {a}"})
    space.question("other", "source: a.dot, alt: one node")
    ran = HOSTS[host](space, PAGE)
    assert "images-queue-" not in ran.page and "queue.svg" in ran.page
