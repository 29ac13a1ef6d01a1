"""Pages without figmill: plain images and plain numbers in place of its figures and facts. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote

from figmill.book.pages import markdown, restructuredtext
from figmill.book.pages.blocks import fields
from figmill.integrations import lookup
from figmill.integrations.lookup import SCHEME, Target
from figmill.late_dataclasses import dataclass

_USE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|<!--.*?-->)"
    rf"|(?P<image>!?)\[(?P<words>{markdown.WORDS})\]"
    r"\([ \t]*(?:<(?P<angled>figmill:[^<>\n]*)>|(?P<address>figmill:[^\s()<>]+))"
    r"(?P<title>[ \t]+(?:\"[^\"]*\"|'[^']*'))?[ \t]*\)"
    r"|^(?P<named> {0,3}\[[^\[\]]+\]:[ \t]*)<?(?P<definition>figmill:[^\s<>]+)>?",
    re.S | re.M,
)
_ROLE = re.compile(r"(?::figmill-fact:|\{figmill-fact\})`(?:figmill:)?(?P<target>[^`]+)`")
_ADDRESS = re.compile(r"figmill:[A-Za-z0-9_.%-]+")
_OWN = ("theme", "inline")  # options of the directive that a plain image does not have


@dataclass(frozen=True, slots=True)
class PlainFigure:
    """A figure as a plain image."""

    alt: str
    caption: str | None
    title: str | None
    address: str  # of its file, relative to the page


@dataclass(frozen=True, slots=True)
class Plain:
    """What pages show without figmill.

    - figures: by label.
    - say: the text of a fact, or None if there is none.
    """

    figures: Mapping[str, PlainFigure]
    say: Callable[[Target], str | None]


def without_figures(path: str, text: str, plain: Plain) -> tuple[str, list[int]]:
    """A page with plain images and numbers in place of these figures, and the lines that still name them."""
    lines = text.split("\n")
    new = _rst(lines, plain) if path.endswith(".rst") else _markdown(lines, plain)
    text = _ROLE.sub(lambda match: _fact(match, plain), "\n".join(new))
    return text, list(_left(path, text, plain))


def _markdown(lines: list[str], plain: Plain) -> list[str]:
    numbers, directives = markdown.prose(lines)
    written = set(numbers)
    new: dict[int, str] = {}
    for each in directives:
        target = lookup.target(f"{SCHEME}{each.argument.removeprefix(SCHEME)}")
        figure = plain.figures.get(target.label) if target else None
        if figure is None or each.name not in ("figmill", "figure", "image"):
            continue
        if each.name != "figmill" and not each.argument.startswith(SCHEME):
            continue
        name = "figure" if each.name == "figmill" else each.name
        line = f"{lines[each.at].partition('{')[0]}{{{name}}} {figure.address}"
        options = {option.key for option in each.options}
        new[each.at] = line if "alt" in options else f"{line}\n:alt: {figure.alt}"
    blank = "\n".join(line if number in written else "\0" for number, line in enumerate(lines))
    replaced = _USE.sub(lambda match: _use(match, plain), blank).split("\n")
    rows = iter(replaced)
    return [_row(number, line, next(rows), new, written) for number, line in enumerate(lines)]


def _row(number: int, line: str, replaced: str, new: Mapping[int, str], written: set[int]) -> str:
    return replaced if number in written else new.get(number, line)


def _use(match: re.Match[str], plain: Plain) -> str:
    """What replaces an image, a link or a fact; as many lines as before."""
    target = (
        None if match["code"] else lookup.target(match["angled"] or match["address"] or match["definition"])
    )
    figure = plain.figures.get(target.label) if target else None
    if target is None or figure is None:
        return match[0]
    ends = "\n" * match[0].count("\n")
    if match["named"]:
        return f"{match['named']}{figure.address}"
    if match["image"]:
        caption = " ".join((match["words"] or figure.caption or "").split()).replace('"', "'")
        title = match["title"] or (f' "{caption}"' if caption else "")
        return f"![{_in_brackets(figure.alt)}]({figure.address}{title}){ends}"
    if target.fact is not None:
        return (plain.say(target) or match[0]) + ends
    text = match["words"].strip() or _in_brackets(figure.title or figure.alt)
    return f"[{text}]({figure.address}){ends}"


def _in_brackets(text: str) -> str:
    return re.sub(r"[\[\]\\]", r"\\\g<0>", " ".join(text.split()))


def _rst(lines: list[str], plain: Plain) -> list[str]:
    new = list(lines)
    for each in reversed([*restructuredtext.directives(lines, ())]):
        target = lookup.target(f"{SCHEME}{each.argument.removeprefix(SCHEME)}") if each.argument else None
        figure = plain.figures.get(target.label) if target else None
        is_own = each.name == "figmill" or each.argument.startswith(SCHEME)
        if figure is None or not is_own or each.name not in ("figmill", "figure", "image"):
            continue
        inside = [line.strip() for line in lines[each.at + 1 : each.end]]
        options, count = fields(inside, 0)
        given = {option.key: option.value for option in options}
        caption = given.pop("caption", None) or figure.caption
        given.setdefault("alt", " ".join(figure.alt.split()))
        pad = f"{each.indent}   "
        name = "figure" if each.name == "figmill" else each.name
        head = lines[each.at].replace(f"{each.name}::", f"{name}::").replace(each.argument, figure.address)
        rest = lines[each.at + 1 + count : each.end]
        if caption and name == "figure" and not any(line.strip() for line in rest):
            rest = ["", f"{pad}{caption}", *rest]
        rows = [f"{pad}:{key}: {value}".rstrip() for key, value in given.items() if key not in _OWN]
        new[each.at : each.end] = [head, *rows, *rest]
    return new


def _fact(match: re.Match[str], plain: Plain) -> str:
    target = lookup.target(f"{SCHEME}{match['target']}")
    is_ours = target is not None and target.label in plain.figures
    return (plain.say(target) if target and is_ours else None) or match[0]


def _left(path: str, text: str, plain: Plain) -> Iterator[int]:
    lines = text.split("\n")
    written = range(len(lines)) if path.endswith(".rst") else markdown.prose(lines)[0]
    for number in written:
        plainly = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", lines[number])
        names = (lookup.target(match[0]) for match in _ADDRESS.finditer(plainly))
        if any(target and target.label in plain.figures for target in names):
            yield number + 1


def address(way: str) -> str:
    """A path as an address in a page."""
    return quote(way, safe="/:@")
