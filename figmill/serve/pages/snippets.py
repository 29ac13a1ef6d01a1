"""What an author writes into a page to show a figure, for each host of the book. Looks for the hosts' files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from figmill.integrations.hosts import HOSTS
from figmill.model import Fact

# The file by which a host is known, at the book's root or in its docs/.
MARKS: Mapping[str, str] = MappingProxyType(
    {
        "sphinx": "conf.py",
        "mkdocs": "mkdocs.yml",
        "zensical": "zensical.toml",
        "quarto": "_quarto.yml",
        "pandoc": "figmill.lua",
        "myst": "myst.yml",
    }
)


def hosts_of(root: Path) -> tuple[str, ...]:
    """The hosts of a book; all of them where it has none yet."""
    hosts = tuple(
        host
        for host, name in MARKS.items()
        if any((root / folder / name).is_file() for folder in ("", "docs", "doc"))
    )
    return hosts or tuple(HOSTS)


def snippets(label: str, facts: Mapping[str, Fact], hosts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """(hosts, what to write in a page); hosts that take the same text are grouped."""
    groups: dict[str, list[str]] = {}
    for host in hosts:
        for text in (lines.text for lines in HOSTS[host].lines if lines.where == "a page"):
            groups.setdefault(_filled(text, label, facts), []).append(host)
    yield from ((", ".join(names), text) for text, names in groups.items())
    yield "any other page", f"figmill show {label} --format html"


def _filled(text: str, label: str, facts: Mapping[str, Fact]) -> str:
    fact = next(
        (n for n, v in sorted(facts.items()) if isinstance(v, int | float) and not isinstance(v, bool)), None
    )
    lines = [line for line in text.split("\n") if fact is not None or "FACT" not in line]
    return "\n".join(lines).replace("ID", label).replace("FACT", fact or "").strip()
