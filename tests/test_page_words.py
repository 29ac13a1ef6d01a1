"""The words that figmill writes into pages, and their catalogues."""

from __future__ import annotations

import re

from babel.messages.pofile import read_po
from helpers.cases import cases

from figmill import page_words
from figmill.page_words import LANGUAGES, Speech
from figmill.paths import PACKAGE

CATALOGUES = sorted(PACKAGE.glob("locale/*.po"))


def test_each_language_has_a_catalogue() -> None:
    assert tuple(path.stem for path in CATALOGUES) == LANGUAGES


@cases("language", LANGUAGES)
def test_a_catalogue_has_every_text_with_its_places_and_reads_as_in_babel(language: str) -> None:
    with PACKAGE.joinpath("locale", f"{language}.po").open("rb") as file:
        messages = [message for message in read_po(file, abort_invalid=True) if message.id]
    assert page_words.catalogue(language) == {message.id: message.string for message in messages}
    assert tuple(page_words.catalogue(language)) == page_words.english()
    for english, text in page_words.catalogue(language).items():
        assert sorted(re.findall(r"{\w*}", text)) == sorted(re.findall(r"{\w*}", english)), english


def test_every_text_has_one_place() -> None:
    places = [page_words.english(place) for place in ("page", "gallery", "serve", "serve script")]
    assert all(places)
    assert sorted(text for place in places for text in place) == sorted(set(page_words.english()))


def test_a_regional_language_takes_the_general_one_and_the_words_of_a_book_go_first() -> None:
    assert Speech("de-AT")("Search") == "Suchen"
    assert Speech("de_AT", {"de": {"Search": "Finden"}})("Search") == "Finden"
    assert Speech("sv")("Search") == "Search"
    assert Speech("sv", {"sv": {"Search": "S\u00f6k"}}).of(page_words.english("gallery")) == {
        "Search": "S\u00f6k"
    }
