"""Finds the known word that a misspelled word most likely means. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """`; did you mean 'dot'?` if a known word is near, else an empty string.

    Near means that a quarter of its letters are wrong, missing, extra or swapped with a neighbour, at least one and
    at most three. A word of two letters is near only to itself in different case. A known word with a prefix, as in
    `d2Version`, is not near: nobody mistypes like that. Nor is the word itself: another fault was found in it.
    """
    folded = {name.casefold(): name for name in names}
    mine = word.casefold()
    best: tuple[int, str] | None = None
    for name in folded:
        room = min(3, (len(mine) + 1) // 4)
        if best is not None:
            room = min(room, best[0] - 1)
        if folded[name] == word or (len(mine) > len(name) + 1 and mine.endswith(name)):
            continue
        if room >= 0 and (edits := _edits(mine, name, room)) is not None:
            best = edits, name
    return f"; did you mean '{folded[best[1]]}'?" if best else ""


def _edits(word: str, target: str, most: int) -> int | None:
    """The number of letters to change, add, drop or swap to turn one word into the other; None if more than `most`.

    The optimal string alignment distance.
    """
    if abs(len(word) - len(target)) > most:
        return None
    before: list[int] = []
    row = list(range(len(target) + 1))
    for i, letter in enumerate(word, 1):
        earlier, before, row = before, row, [i]
        for j, wanted in enumerate(target, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == target[j - 2] and word[i - 2] == wanted:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return None
    return row[-1] if row[-1] <= most else None
