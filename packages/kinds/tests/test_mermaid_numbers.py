"""The numbers of a diagram of Mermaid are facts, named after its labels."""

from __future__ import annotations

import json
from typing import Any

from helpers.book import Space

PIE = 'pie showData title Time\n "compute": 3\n "wait time": 5\n "2024": 0\n'
SANKEY = "sankey-beta\nfrom,to,3\nto,end,2\n"
XY = 'xychart-beta\n x-axis [jan, feb]\n y-axis "Wait (ms)" 0 --> 10\n bar "old" [4, 6]\n line "new" [2, 3]\n'
# Id -> a source, and the facts that it states beside its counts.
NUMBERS: dict[str, tuple[str, dict[str, float]]] = {
    "pie": (
        PIE,
        {
            "compute": 3,
            "wait_time": 5,
            "slice_2024": 0,
            "compute_fraction": 0.375,
            "wait_time_fraction": 0.625,
        }
        | {"slice_2024_fraction": 0, "total": 8},
    ),
    "gantt": (
        "gantt\n dateFormat YYYY-MM-DD\n excludes weekends\n section Plan\n Sketch :a, 2024-01-01, 10d\n"
        " Look at it :b, after a, 6h\n Ship :milestone, after b, 0d\n",
        {"sketch_days": 14, "look_at_it_days": 0.25, "span_days": 14.25},
    ),
    "xy": (
        XY,
        {"jan_wait_ms_old": 4, "jan_wait_ms_new": 2, "feb_wait_ms_old": 6, "feb_wait_ms_new": 3},
    ),
    "bars": (
        'xychart-beta\n x-axis "Load" 0 --> 10\n bar [1, 2, 3]\n',
        {"load_0": 1, "load_5": 2, "load_10": 3},
    ),
    "radar": ("radar-beta\n axis speed, size\n curve ours{1, 2}\n", {"speed_ours": 1, "size_ours": 2}),
    "quadrant": ("quadrantChart\n x-axis Low --> High\n Here: [0.3, 0.6]\n", {"here_x": 0.3, "here_y": 0.6}),
    "sankey": (SANKEY, {"from_to_to": 3, "to_to_end": 2, "from": 3, "to": 3, "end": 2}),
    "packet": (
        'packet-beta\n0-15: "port"\n16-47: "port"\n48-79: "sequence"\n',
        {"port_bits": 16, "port_bits_2": 32, "sequence_bits": 32, "bits": 80},
    ),
    "timeline": (
        "timeline\n 2001 : one\n 2002 : two; twin : three\n",
        {"period_2001_events": 1, "period_2002_events": 2, "events": 3},
    ),
    "treemap": (
        'treemap-beta\n"All"\n  "part": 3\n  "rest": 1\n',
        {"part": 3, "rest": 1, "part_fraction": 0.75, "rest_fraction": 0.25, "total": 4},
    ),
    "journey": ("journey\n section Work\n Read: 3: Me\n Write: 5: Me\n", {"read_score": 3, "write_score": 5}),
    "flow": (
        "flowchart LR\n a[Client] -->|30 ms| b[Cache]\n b -->|1.5 GB/s| c[Disk]\n c -->|no| a\n",
        {"client_to_cache_ms": 30, "cache_to_disk_gb_per_s": 1.5},
    ),
}
COUNTS = {
    "type",
    "title",
    "description",
    "slices",
    "tasks",
    "sections",
    "axes",
    "curves",
    "points",
    "nodes",
    "edges",
} | {"fields", "periods", "leaves", "actors"}


def facts(space: Space) -> dict[str, dict[str, Any]]:
    return {row["id"]: row["facts"] for row in json.loads(space.read("build/manifest.json"))["figures"]}


def test_the_numbers_of_each_type_are_facts(space: Space) -> None:
    for id_, (source, _) in NUMBERS.items():
        space.write({f"visuals/{id_}.mmd": source}).question(id_, f"source: {id_}.mmd, alt: A diagram")
    assert space.run("--jobs", "1").code == 0
    numbers = {
        id_: {k: v for k, v in stated.items() if k not in COUNTS} for id_, stated in facts(space).items()
    }
    assert numbers == {id_: stated for id_, (_, stated) in NUMBERS.items()}
    assert space.run("facts", "pie", "wait_time_fraction").out == "0.625\n"


def test_alt_and_expect_use_them_and_a_wrong_one_fails_at_its_line(space: Space) -> None:
    space.write({"visuals/pie.mmd": PIE, "visuals/gantt.mmd": NUMBERS["gantt"][0]})
    space.question(
        "pie", "source: pie.mmd, alt: '{wait_time_fraction:.1%} wait', expect: {facts: {wait_time: 5}}"
    )
    space.question("gantt", "source: gantt.mmd, alt: '{span_days:si}', expect: {facts: {sketch_days: 10}}")
    space.question("none", "source: pie.mmd, alt: '{wait_time_fractio}'")
    done = space.run("--jobs", "1")
    assert done.code == 1
    assert "questions/gantt.yaml:4:82: sketch_days: expected 10, drawn 14" in done.err
    assert "the figure states no fact 'wait_time_fractio'; did you mean 'wait_time_fraction'?" in done.err
    assert json.loads(space.read("build/manifest.json"))["figures"][0]["alt"] == "62.5% wait"


def test_in_another_language_the_facts_have_the_same_names(space: Space) -> None:
    space.write({"figmill.toml": 'languages = ["de"]\n', "visuals/pie.mmd": PIE})
    space.write({"visuals/flow.mmd": NUMBERS["flow"][0]})
    translations = (
        ("pie", "wait time", "Warten"),
        ("flow", "Cache", "Lager"),
        ("flow", "{1} GB/s", "mit {1} GB/s"),
    )
    po = "".join(f'msgctxt "{of}"\nmsgid "{text}"\nmsgstr "{into}"\n\n' for of, text, into in translations)
    space.write({"visuals/locale/de.po": f'msgid ""\nmsgstr "Language: de\\n"\n\n{po}'})
    space.question("pie", "source: pie.mmd, alt: '{wait_time}'")
    space.question("flow", "source: flow.mmd, alt: '{client_to_cache_ms} and {cache_to_disk_gb_per_s}'")
    assert space.run().code == 0
    assert "Warten" in space.read("build/global/pie.de.svg") and "Lager" in space.read(
        "build/global/flow.de.svg"
    )
    assert "mit 1,5 GB/s" in space.read("build/global/flow.de.svg")


def test_a_diagram_states_two_hundred_numbers_and_how_many_more_there_are(space: Space) -> None:
    bars = "xychart-beta\n x-axis [" + ", ".join(f"b{n}" for n in range(230)) + "]\n"
    space.write({"visuals/many.mmd": f"{bars} bar [{', '.join(map(str, range(230)))}]\n"})
    space.question("many", "source: many.mmd, alt: Many bars")
    assert space.run().code == 0
    stated = facts(space)["many"]
    assert stated["facts_left_out"] == 30 and stated["b199"] == 199 and "b200" not in stated
