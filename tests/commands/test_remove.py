"""`remove`: pages without figmill, with plain images and numbers; nothing is deleted, and nothing written over."""

from __future__ import annotations

from helpers.book import CopyOf, Space
from helpers.hosts import book

MARKDOWN = """\
# About [](figmill:plot#half:.1f)

![](figmill:graph){width=300}

![Own *words*](figmill:plot "A tip") and `![](figmill:graph)` in [words](figmill:graph), [](figmill:plot#points).

```{figmill} graph
Its *caption*.
```

```text
![](figmill:graph)
```

![by name][g]

[g]: figmill:graph
"""
PLAIN = """\
# About 2.0

![a "sends" to b & c](images/graph.svg "A chain of 3 nodes."){width=300}

![a line](images/plot.svg "A tip") and `![](figmill:graph)` in [words](images/graph.svg), 4.

```{figure} images/graph.svg
:alt: a "sends" to b & c
Its *caption*.
```

```text
![](figmill:graph)
```

![by name][g]

[g]: images/graph.svg
"""
RST = """\
About
=====

.. figmill:: graph
   :width: 300
   :theme: light

Half of it is :figmill-fact:`plot#half:.1f`.
"""
PLAIN_RST = """\
About
=====

.. figure:: ../images/graph.svg
   :width: 300
   :alt: a "sends" to b & c

   A chain of 3 nodes.

Half of it is 2.0.
"""


def built(space: Space) -> Space:
    book(space).write({"docs/index.md": MARKDOWN, "docs/more/about.rst": RST})
    assert space.run().code == 0
    return space


def test_pages_show_plain_images_and_numbers(copy_of: CopyOf) -> None:
    space = copy_of(built)
    dry = space.run("remove", "--dry-run", "docs")
    assert dry.code == 0 and space.read("docs/index.md") == MARKDOWN
    ran = space.run("remove", "docs")
    assert ran.code == 0, ran
    assert ran.out == dry.out.replace("would write", "wrote").replace("would change", "changed")
    assert space.read("docs/index.md") == PLAIN
    assert space.read("docs/more/about.rst") == PLAIN_RST
    for name in ("graph.svg", "graph.dark.svg", "plot.svg"):
        assert space.read(f"docs/images/{name}") == space.read(f"build/global/{name}")
    assert space.read("questions/graph.yaml") and space.read("visuals/a.dot")


def test_one_question_goes_and_the_others_stay(copy_of: CopyOf) -> None:
    space = copy_of(built)
    space.write({"docs/images/graph.svg": "mine"})
    ran = space.run("remove", "graph")
    assert (
        ran.code == 2 and "docs/images/graph.svg already exists; choose another folder with --into" in ran.err
    )
    assert space.read("docs/index.md") == MARKDOWN
    ran = space.run("remove", "graph", "--into", "docs/pictures")
    text = space.read("docs/index.md")
    assert "](pictures/graph.svg" in text and "![Own *words*](figmill:plot" in text
    assert "questions/graph.yaml and its sources stay; delete them" in ran.out
    wrong = space.run("remove", "grpah")
    assert wrong.code == 2 and "there is no built figure 'grpah'; did you mean 'graph'?" in wrong.err
    # The beginning of an id is not an id.
    assert "there is no built figure 'gra'" in space.run("remove", "gra").err
