"""The links that a source states, as addresses that browsers take as they are. Pure."""

from __future__ import annotations

import re
from urllib.parse import quote

SIGNS = "!$&'()*+,;=:@/?#[]%-._~"  # characters allowed in an address besides letters and digits (RFC 3986)
# An address that leads to another program, or to another site without saying how.
_ELSEWHERE = re.compile(r"(?!https?://|mailto:|figmill:)[A-Za-z][A-Za-z0-9+.\-]*:|[/\\]{2}", re.IGNORECASE)


def address(written: str) -> str:
    """The address of a link to a page, a part of one, a figure or a mailbox; empty for any other."""
    target = quote(written.strip(), safe=SIGNS, errors="replace")
    return "" if _ELSEWHERE.match(target) or target == "#" else target
