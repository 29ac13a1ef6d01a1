"""Schedules of torch.distributed.pipelining as CSV, a line for each rank, an action in each cell.

`0F1` is stage 0, forward, microbatch 1. Every action takes one slot of time. Most schedules of computing alone are in
slots already: a cell's column is its slot. DualPipeV's schedules are not, and neither are those with communication
(`format="compute_comms"`): there, the cells of a line only have an order, and each runs as soon as its rank is free and
its needs are done. A message takes the same slot at both ends, if its receiver is free.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from figmill_timelines.files import csv_rows
from figmill_timelines.spans import Span, Timeline, timeline
from figmill_timelines.traces.columns import TraceError
from figmill_timelines.traces.rank_files import text_of

MOST_ACTIONS = 500_000

# torch's name of an action -> the kind of its span. Those above take a microbatch, those below are of a whole stage.
OF_A_MICROBATCH: Mapping[str, str] = {
    "F": "forward",
    "B": "backward",
    "I": "backward_input",
    "W": "backward_weight",
    "SEND_F": "send",
    "RECV_F": "receive",
    "SEND_B": "send",
    "RECV_B": "receive",
}
OF_A_STAGE: Mapping[str, str] = {
    "UNSHARD": "unshard",
    "RESHARD": "reshard",
    "REDUCE_GRAD": "reduce gradients",
}
# a receive -> its send, and how many stages away that is
_SENT = {
    "RECV_F": ("SEND_F", -1),
    "RECV_B": ("SEND_B", 1),
}

# (action, what it needs of the same microbatch, how many stages away that is)
_NEEDS = (
    ("F", "F", -1),
    *((backward, needed, away) for backward in "BI" for needed, away in (("F", 0), ("B", 1), ("I", 1))),
    ("W", "I", 0),
    ("SEND_F", "F", 0),
    ("SEND_B", "B", 0),
    ("SEND_B", "I", 0),
    *((receive, sent, away) for receive, (sent, away) in _SENT.items()),
)

_ACTION = re.compile(r"(\d{1,6})([A-Z]+(?:_[A-Z]+)*?)(\d{0,6})")
_PAIR = re.compile(r"\(([^;()]*);([^;()]*)\)OVERLAP_F_B")


class Action(NamedTuple):
    """One action of a cell.

    - microbatch: -1 if the action is of the whole stage.
    """

    stage: int
    name: str
    microbatch: int

    def __str__(self) -> str:
        return f"{self.stage}{self.name}{self.microbatch if self.microbatch >= 0 else ''}"


class ScheduleCell(NamedTuple):
    """The actions of one cell, two where they overlap; line and column count from 1."""

    actions: tuple[Action, ...]
    line: int
    column: int


def read(path: Path) -> Timeline:
    """The schedule in slots, with a lane for each rank. TraceError names line and column of a cell."""
    ranks = _cells(path)
    starts = _slots(path.name, ranks)
    spans = [
        span
        for rank, (row, begun) in enumerate(zip(ranks, starts, strict=True))
        for span in _spans(rank, row, begun)
    ]
    return timeline([f"GPU {rank}" for rank in range(len(ranks))], spans)


def _cells(path: Path) -> list[list[ScheduleCell]]:
    """The cells of each rank that have an action; empty lines at the end are not ranks."""
    ranks: list[list[ScheduleCell]] = []
    seen: dict[Action, ScheduleCell] = {}
    rows = csv.reader(text_of(path).splitlines())
    for row in csv_rows(rows, f"{path.name}:"):
        ranks.append([])
        for column, text in enumerate(row, start=1):
            if not text.strip():
                continue
            where = f"{path.name}:{rows.line_num}: column {column}"
            cell = ScheduleCell(_parsed(text.strip(), where), rows.line_num, column)
            for action in cell.actions:
                if action.microbatch >= 0 and action in seen:
                    before = seen[action]
                    raise TraceError(
                        f"{where}: {action} stands at line {before.line}, column {before.column} already"
                    )
                seen[action] = cell
            ranks[-1].append(cell)
        if len(seen) > MOST_ACTIONS:
            raise TraceError(f"{path.name}: more than {MOST_ACTIONS} actions")
    while ranks and not ranks[-1]:
        ranks.pop()
    if not ranks:
        raise TraceError(f"{path.name}: no actions like 0F1, and no spans are left to draw")
    return ranks


def _parsed(text: str, where: str) -> tuple[Action, ...]:
    if "OVERLAP_F_B" not in text:
        return (_action(text, where),)
    pair = _PAIR.fullmatch(text)
    actions = tuple(_action(part.strip(), where) for part in pair.groups()) if pair else ()
    if [action.name in "BI" for action in actions] not in ([False, True], [True, False]) or not any(
        action.name == "F" for action in actions
    ):
        raise TraceError(f"{where}: '{text:.40}' is not a pair like (0F1;3B0)OVERLAP_F_B")
    return actions


def _action(text: str, where: str) -> Action:
    match = _ACTION.fullmatch(text)
    name = match[2] if match else ""
    if match and name in OF_A_MICROBATCH and match[3]:
        return Action(int(match[1]), name, int(match[3]))
    if match and name in OF_A_STAGE and not match[3]:
        return Action(int(match[1]), name, -1)
    if name in OF_A_MICROBATCH:
        raise TraceError(f"{where}: '{text:.40}' lacks its microbatch, as in {text}0")
    if match and name in OF_A_STAGE:
        raise TraceError(
            f"{where}: '{text:.40}' is of a whole stage and takes no microbatch, as in {match[1]}{name}"
        )
    raise TraceError(f"{where}: '{text:.40}' is not an action like 0F1, 0SEND_F1 or 0UNSHARD")


def _slots(name: str, ranks: list[list[ScheduleCell]]) -> list[list[int]]:
    """The slot of each cell: its column, if that satisfies all needs; otherwise the first slot after its needs."""
    places = _places(ranks)
    columns = [[cell.column - 1 for cell in row] for row in ranks]
    communicates = any(action.name in _SENT for action in places)
    in_columns = not communicates and all(
        columns[rank][number] < columns[own_rank][own_number]
        for action, (own_rank, own_number) in places.items()
        for rank, number in _needs(action, places)
    )
    return columns if in_columns else _in_turn(name, ranks, places)


def _places(ranks: list[list[ScheduleCell]]) -> dict[Action, tuple[int, int]]:
    """Rank and number in its line of each action."""
    return {
        action: (rank, number)
        for rank, row in enumerate(ranks)
        for number, cell in enumerate(row)
        for action in cell.actions
    }


def _needs(action: Action, places: Mapping[Action, tuple[int, int]]) -> list[tuple[int, int]]:
    """The places of the actions in the file whose results this one needs."""
    stage, name, microbatch = action
    wanted = [Action(stage + away, needed, microbatch) for kind, needed, away in _NEEDS if kind == name]
    return [places[needed] for needed in wanted if needed in places]


def _in_turn(
    name: str, ranks: list[list[ScheduleCell]], places: Mapping[Action, tuple[int, int]]
) -> list[list[int]]:
    """The slot of each cell: after the cell before it on its rank, and after its needs."""
    for row in ranks:
        for cell in row:
            for stage, kind, microbatch in cell.actions:
                sent = Action(stage + _SENT[kind][1], _SENT[kind][0], microbatch) if kind in _SENT else None
                if sent is not None and sent not in places:
                    where = f"{name}:{cell.line}: column {cell.column}"
                    raise TraceError(f"{where}: {cell.actions[0]} has no {sent} on any rank")
    starts: list[list[int]] = [[] for _ in ranks]
    waiting = dict.fromkeys(range(len(ranks)))
    while waiting:
        before = sum(map(len, starts))
        for rank in list(waiting):
            row, done = ranks[rank], starts[rank]
            while len(done) < len(row):
                needs = [place for action in row[len(done)].actions for place in _needs(action, places)]
                if any(number >= len(starts[other]) for other, number in needs):
                    break
                # a message takes one slot at both ends
                lag = 0 if row[len(done)].actions[0].name in _SENT else 1
                done.append(
                    max(
                        [starts[other][at] + lag for other, at in needs] + [last + 1 for last in done[-1:]],
                        default=0,
                    )
                )
            if len(done) == len(row):
                del waiting[rank]
        if waiting and sum(map(len, starts)) == before:
            rank = next(iter(waiting))
            cell = ranks[rank][len(starts[rank])]
            where = f"{name}:{cell.line}: column {cell.column}"
            raise TraceError(
                f"{where}: {cell.actions[0]} can never run; its needs wait for it, or come later"
            )
    return starts


def _spans(rank: int, row: list[ScheduleCell], starts: list[int]) -> list[Span]:
    """The spans of a rank. A pair shares the height of the lane; each second stage of a rank is another chunk."""
    stages = sorted({action.stage for cell in row for action in cell.actions})
    spans = []
    for cell, start in zip(row, starts, strict=True):
        pair = len(cell.actions) > 1
        for number, action in enumerate(sorted(cell.actions, key=lambda action: action.name != "F"), start=1):
            kind = (OF_A_MICROBATCH | OF_A_STAGE)[action.name]  # type: ignore[operator]
            label = str(action.microbatch) if action.microbatch >= 0 else ""
            spans.append(
                Span(
                    rank,
                    start,
                    start + 1,
                    kind,
                    label,
                    action.stage,
                    action.microbatch,
                    stages.index(action.stage),
                    number if pair else 0,
                )
            )
    return spans
