"""The ids of code blocks that state none: made from the page and the block's content. `model.is_made` knows them.

So an id stays the same wherever the block is in its page. Equal blocks of a page are counted. Pure.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter

LONGEST_SLUG = 40


def made(path: str, key: str, counts: Counter[str]) -> str:
    """The id of a block. key: its content; counts: how often each id has been made for this page, updated here."""
    id_ = id_of(path, f"{path} {key}")
    counts[id_] += 1
    return id_ if counts[id_] == 1 else f"{id_}-{counts[id_]}"


def id_of(path: str, key: str) -> str:
    """An id that shows the path of a page or an image. key: what else the id depends on, with the path."""
    parts = path[: path.rindex(".")].split("/")[-2:]
    slug = re.sub("[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")[:LONGEST_SLUG].strip("-") or "page"
    digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{slug}-{digest[:8]}"
