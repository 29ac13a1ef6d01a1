"""How many false numbers `figmill claims` finds, and how many true ones it doubts, in this repository's own texts.

    python -m benchmarks.claims [FOLDER]...

Each number that is bound is falsified in turn (another value, the last digit, another unit, another word), and must
then be contradicted, by its words alone and with a record of the true text; a value that happens to be true of the
same fact does not count. FOLDER: further books, built.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from figmill import config
from figmill.claims import bind, context
from figmill.claims.bind import BOUND, CONTRADICTED, Claim, NearbyFigure
from figmill.claims.context import OWN
from figmill.claims.numbers import WrittenNumber
from figmill.claims.passages import Passage
from figmill.claims.record import Recorded, by_text
from figmill.engine.claims import BookClaims, Judged, book_claims
from figmill.paths import PACKAGE

WORDS = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
]
UNITS = {"ms": "s", "s": "ms", "GB": "MB", "MB": "GB", "KiB": "MiB", "minutes": "seconds", "min": "s"}
PARTS = {"half": "a third", "a quarter": "half", "a third": "a quarter", "twice": "triple"}
_WRITTEN = re.compile(r"(?P<digits>\d[\d, \u00a0\u202f]*(?:\.\d+)?)(?P<rest>.*)", re.DOTALL)


def falsified(number: WrittenNumber, luck: random.Random) -> str | None:
    """Another number in the form of this one."""
    text = number.text
    if fraction := re.fullmatch(r"(\d+)/(\d+)", text):
        return f"{int(fraction[1]) + 1}/{fraction[2]}"
    if match := _WRITTEN.fullmatch(text):
        digits, rest = re.sub(r"[^\d.]", "", match["digits"]), match["rest"]
        blank = match["digits"][len(match["digits"].rstrip()) :]
        unit = rest.strip()
        if unit in UNITS and luck.random() < 0.3:
            return f"{match['digits']}{rest.replace(unit, UNITS[unit])}"
        decimals = len(digits.partition(".")[2])
        value = float(digits)
        step = 10.0**-decimals * max(1, 10 ** (len(str(int(value))) - 2) if not decimals else 1)
        other = (
            value * luck.choice((1.5, 2, 3, 0.5, 0.7))
            if luck.random() < 0.5
            else value + luck.choice((1, 2, 3)) * step
        )
        other = other if f"{other:.{decimals}f}" != digits else 3 * value
        return f"{other:.{decimals}f}{blank}{rest}"
    for word in WORDS:
        if re.match(rf"{word}\b", text, re.IGNORECASE):
            other_word = luck.choice([each for each in WORDS[:10] if each != word])
            return (other_word.capitalize() if text[0].isupper() else other_word) + text[len(word) :]
    return next((text.replace(part, other) for part, other in PARTS.items() if part in text), None)


def filled(book: BookClaims) -> Iterator[Passage]:
    """The texts of figures with their facts filled in, as an author would have typed them, then all other passages."""
    for label, figure in book.figures.items():
        for key in ("alt", "caption", "title"):
            if text := getattr(figure.published, key):
                yield Passage(figure.visual.at().path, text, (label,), (), OWN, text, 0, f"visual.{key}")
    yield from dict.fromkeys(
        judged.passage for judged in book.claims if not judged.passage.key.startswith("visual")
    )


def claims(
    passage: Passage, shown: dict[str, NearbyFigure], text: str, recorded: Recorded
) -> Sequence[Claim]:
    near, far = (
        [shown[label] for label in labels if label in shown] for labels in (passage.near, passage.far)
    )
    return bind.claims(text, near, far, kind=passage.kind, recorded=recorded)


def recorded_of(
    passages: Sequence[Passage], shown: dict[str, NearbyFigure]
) -> dict[tuple[str, str], Recorded]:
    """The record of these texts as they are, by file and key."""
    judged = tuple(
        Judged(passage, claim, "")
        for passage in passages for claim in claims(passage, shown, passage.text, {})
    )  # fmt: skip
    return dict(by_text(BookClaims(judged).recorded(accepting=False)))


def verdict_of(
    false: Passage, shown: dict[str, NearbyFigure], text: str, claim: Claim, recorded: Recorded
) -> str:
    """What becomes of a number that was falsified; empty: the new number is true as well."""
    start = claim.number.start
    again = next((each for each in claims(false, shown, text, recorded) if each.number.start == start), None)
    if again is None:
        return "not a number"
    is_true = again.verdict == BOUND and claim.offer is not None and again.number.fits(claim.offer.value)
    return "" if is_true else again.verdict


def main(roots: Sequence[Path]) -> None:
    luck, true = random.Random(44), Counter[tuple[str, str]]()
    false = {"by words alone": Counter[tuple[str, str]](), "with the record": Counter[tuple[str, str]]()}
    for root in roots:
        book = book_claims(root, config.load(root))
        shown = {label: figure.shown for label, figure in book.figures.items()}
        texts = list(filled(book))
        record = recorded_of(texts, shown)
        for passage in texts:
            recorded = record.get((passage.path, passage.key), {})
            for claim in claims(passage, shown, passage.text, {}):
                true[passage.kind, claim.verdict] += 1
                if claim.verdict == CONTRADICTED:
                    print("doubted:", passage.path, claim.number.text, claim.offer and claim.offer.name)
                wrong = falsified(claim.number, luck) if claim.verdict == BOUND else None
                if wrong is None:
                    continue
                text = passage.text[: claim.number.start] + wrong + passage.text[claim.number.end :]
                for name, known in zip(false, ({}, recorded), strict=True):
                    if verdict := verdict_of(passage, shown, text, claim, known):
                        false[name][passage.kind, verdict] += 1
            for claim in claims(passage, shown, passage.text, recorded):
                if claim.verdict == CONTRADICTED:
                    true[passage.kind, "contradicted by the record"] += claim.was is not None
    for name, counts in {"true numbers": true, **false}.items():
        for kind in context.KINDS:
            row = {verdict: count for (each, verdict), count in sorted(counts.items()) if each == kind}
            print(
                f"{name}, {kind}: {sum(row.values())} in all;",
                ", ".join(f"{n} {verdict}" for verdict, n in row.items()),
            )


if __name__ == "__main__":
    main([PACKAGE.parent, *map(Path, sys.argv[1:])])
