"""The joined forms of Arabic letters, for measuring: each letter becomes the form that a reader sees.

The forms are Unicode's presentation forms, which fonts of Arabic have; so widths are those of HarfBuzz. Other scripts
with joined letters, such as Devanagari, are measured letter by letter. Standard library only.
"""

from __future__ import annotations

import unicodedata
from functools import cache

FORMS = (range(0xFB50, 0xFBFF + 1), range(0xFE70, 0xFEFC + 1))
ISOLATED, FINAL, INITIAL, MEDIAL = "<isolated>", "<final>", "<initial>", "<medial>"
TATWEEL, JOINER = "\u0640", "\u200d"  # they join on both sides


def has_letters(text: str) -> bool:
    """Whether a text has letters of Arabic, Persian, Urdu and the like."""
    return any("\u0600" <= character <= "\u06ff" or "\u0750" <= character <= "\u077f" for character in text)


def joined(text: str) -> str:
    """A text in reading order with the form of each letter; lam and alef become one. Other characters stay."""
    forms, pairs = _tables()
    letters: list[str] = []
    for character in text:
        if letters and (letters[-1] + character) in pairs:
            letters[-1] += character
        else:
            letters.append(character)
    seen = [index for index, letter in enumerate(letters) if unicodedata.category(letter[0]) != "Mn"]
    shown = list(letters)
    for place, index in enumerate(seen):
        own = forms.get(letters[index])
        if own is None:
            continue
        before = place > 0 and _joins_on(letters[seen[place - 1]])
        after = place + 1 < len(seen) and _joins_back(letters[seen[place + 1]])
        wanted = {
            (True, True): MEDIAL,
            (True, False): FINAL,
            (False, True): INITIAL,
            (False, False): ISOLATED,
        }
        # A letter that does not join onwards has no medial and no initial form.
        fallback = FINAL if before else ISOLATED
        shown[index] = own.get(wanted[before, after]) or own.get(fallback) or letters[index]
    return "".join(shown)


def letters_of(form: str) -> str:
    """The letters of a presentation form; any other character as it is."""
    kind, _, codes = unicodedata.decomposition(form).partition(" ")
    if kind not in (ISOLATED, FINAL, INITIAL, MEDIAL):
        return form
    return "".join(chr(int(code, 16)) for code in codes.split())


def _joins_on(letters: str) -> bool:
    """Whether a letter joins the one after it."""
    forms, _ = _tables()
    return letters in (TATWEEL, JOINER) or INITIAL in forms.get(letters, {})


def _joins_back(letters: str) -> bool:
    """Whether a letter joins the one before it."""
    forms, _ = _tables()
    return letters in (TATWEEL, JOINER) or FINAL in forms.get(letters, {})


@cache
def _tables() -> tuple[dict[str, dict[str, str]], frozenset[str]]:
    """Letters -> kind of form -> form; and the pairs of letters that become one, which are lam with an alef."""
    forms: dict[str, dict[str, str]] = {}
    for code in (code for some in FORMS for code in some):
        form = chr(code)
        kind = unicodedata.decomposition(form).partition(" ")[0]
        letters = letters_of(form)
        if letters != form and (len(letters) == 1 or (len(letters) == 2 and code >= 0xFEF5)):
            forms.setdefault(letters, {})[kind] = form
    return forms, frozenset(letters for letters in forms if len(letters) == 2)
