"""Schedules as torch.distributed.pipelining dumps them, of computing alone and with communication."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import pytest
from helpers.generators import generator, texts

from figmill_timelines.pipeline import schedules
from figmill_timelines.spans import Timeline
from figmill_timelines.traces import readers
from figmill_timelines.traces.schedule_csv import Action

LETTERS = {"forward": "F", "backward": "B", "backward_input": "I", "backward_weight": "W"}


def read(folder: Path, text: str) -> Timeline:
    path = folder / "s.csv"
    path.write_text(text, encoding="utf-8")
    return readers.read(path).timeline


def rows(timeline: Timeline) -> list[list[tuple[int, str, int, int]]]:
    """(slot, kind, stage, microbatch) of each rank."""
    return [
        [(int(s.start), s.kind, s.stage, s.microbatch) for s in timeline.spans if s.lane == lane]
        for lane in range(len(timeline.lanes))
    ]


def dumped(path: Path, schedule: str, devices: int, microbatches: int) -> Timeline:
    """A schedule of our own, written in slots as torch writes one; every operation takes a slot."""
    times = (
        {"forward": 1, "backward_input": 1, "backward_weight": 1}
        if "zb" in schedule
        else {"forward": 1, "backward": 1}
    )
    timeline = schedules.simulate(schedule, devices, microbatches, **times)
    slots = int(timeline.makespan)
    with path.open("w", newline="") as file:
        for lane in range(devices):
            row: list[str] = [""] * slots
            for span in timeline.spans:
                if span.lane == lane:
                    row[int(span.start)] = f"{span.stage}{LETTERS[span.kind]}{span.microbatch}"
            csv.writer(file).writerow(row)
    return timeline


@pytest.mark.parametrize("schedule", ["1f1b", "gpipe", "interleaved", "zb-h1", "zb-v"])
def test_slots_and_stages_are_those_of_the_schedule(tmp_path: Path, schedule: str) -> None:
    simulated = dumped(tmp_path / "s.csv", schedule, 4, 8)
    timeline = readers.read(tmp_path / "s.csv").timeline
    assert rows(timeline) == rows(simulated)
    assert timeline.facts()["bubble_fraction"] == pytest.approx(simulated.facts()["bubble_fraction"])


@pytest.mark.parametrize("schedule", ["1f1b", "interleaved", "zb-v"])
def test_without_its_empty_cells_a_schedule_runs_as_before(tmp_path: Path, schedule: str) -> None:
    """Then a column is no slot, and each operation runs as soon as what it needs is done."""
    simulated = dumped(tmp_path / "s.csv", schedule, 3, 7 if schedule != "interleaved" else 9)
    dense = [",".join(cell for cell in row if cell) for row in csv.reader((tmp_path / "s.csv").open())]
    assert rows(read(tmp_path, "\n".join(dense))) == rows(simulated)


COMMS = """\
0UNSHARD,0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1,0REDUCE_GRAD,0RESHARD
1UNSHARD,1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1,1REDUCE_GRAD,1RESHARD
"""


def test_with_communication_a_message_takes_one_slot_at_both_ends(tmp_path: Path) -> None:
    timeline = read(tmp_path, COMMS)
    first, second = rows(timeline)
    assert [slot for slot, *_ in second] == [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert [slot for slot, *_ in first] == [0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12]
    assert [kind for _, kind, _, _ in first[:3]] == ["unshard", "forward", "send"]
    # A second look at the same: every message is sent no later than received, and no rank does two things at once.
    at = {(kind, stage, number): slot for row in (first, second) for slot, kind, stage, number in row}
    assert at["send", 0, 0] == at["receive", 1, 0] and at["send", 1, 1] == at["receive", 0, 1] == 9
    assert all(before[0] < after[0] for row in (first, second) for before, after in pairwise(row))


def test_a_pair_shares_its_slot_and_stages_of_a_rank_differ(tmp_path: Path) -> None:
    timeline = read(tmp_path, "0F0,0F1,(3F1;0B0)OVERLAP_F_B,3I1,3W1\n")
    assert [(s.start, s.kind, s.label, s.stage, s.row, s.chunk) for s in timeline.spans] == [
        (0, "forward", "0", 0, 0, 0),
        (1, "forward", "1", 0, 0, 0),
        (2, "forward", "1", 3, 1, 1),
        (2, "backward", "0", 0, 2, 0),
        (3, "backward_input", "1", 3, 0, 1),
        (4, "backward_weight", "1", 3, 0, 1),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0F0,0X1\n", "s.csv:1: column 2: '0X1' is not an action like 0F1, 0SEND_F1 or 0UNSHARD"),
        ("0F0\n,1F\n", "s.csv:2: column 2: '1F' lacks its microbatch, as in 1F0"),
        ("0F0\n,,1SEND_F\n", "s.csv:2: column 3: '1SEND_F' lacks its microbatch"),
        (
            "0UNSHARD3\n",
            "s.csv:1: column 1: '0UNSHARD3' is of a whole stage and takes no microbatch, as in 0UNSHARD",
        ),
        ("0F0,-1F1\n", "s.csv:1: column 2: '-1F1' is not an action"),
        ("0F0 0F1\n", "s.csv:1: column 1: '0F0 0F1' is not an action"),
        ("0F99999999\n", "s.csv:1: column 1: '0F99999999' is not an action"),
        (
            "0F0,(0F1;0F2)OVERLAP_F_B\n",
            "s.csv:1: column 2: '(0F1;0F2)OVERLAP_F_B' is not a pair like (0F1;3B0)OVERLAP_F_B",
        ),
        ("(0F1)OVERLAP_F_B\n", "s.csv:1: column 1: '(0F1)OVERLAP_F_B' is not a pair"),
        ("(0F1;0B)OVERLAP_F_B\n", "s.csv:1: column 1: '0B' lacks its microbatch"),
        ("OVERLAP_F_B\n", "s.csv:1: column 1: 'OVERLAP_F_B' is not a pair"),
        ("0F0\n1F0,0F0\n", "s.csv:2: column 2: 0F0 stands at line 1, column 1 already"),
        ("0F0\n1RECV_F0,1F0\n", "s.csv:2: column 1: 1RECV_F0 has no 0SEND_F0 on any rank"),
        ("0RECV_B0,0SEND_F0\n1RECV_F0,1SEND_B0\n", "s.csv:1: column 1: 0RECV_B0 can never run"),
        ("\n\n", "s.csv: no actions like 0F1"),
    ],
)
def test_a_mistake_is_told_at_its_line_and_column(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(readers.TraceError) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(message)


def test_an_action_reads_as_it_was_written() -> None:
    assert [str(Action(3, "SEND_F", 12)), str(Action(0, "UNSHARD", -1))] == ["3SEND_F12", "0UNSHARD"]


def test_a_rank_that_does_nothing_keeps_its_number(tmp_path: Path) -> None:
    assert read(tmp_path, "0F0\n,\n2F0\n\n").lanes == ("GPU 0", "GPU 1", "GPU 2")


def test_the_figure_names_what_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "s.csv").write_text(COMMS, encoding="utf-8")
    module = generator("trace_timeline")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "trace_timeline.py"))
    drawing = module.draw(source="s.csv")
    said = texts(drawing.figure)
    assert {"Forward", "Backward", "Send", "Receive", "Unshard", "Reshard", "Reduce gradients"} <= set(said)
    idle = 26 - 22
    assert drawing.facts["idle_fraction"] == pytest.approx(idle / 26)
    assert "15.4% of the slots are idle" in said and drawing.facts["busy_send"] == 4
