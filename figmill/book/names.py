"""Which texts may be ids and file names, and which may be published at all; the anchor of a figure. Pure."""

from __future__ import annotations

import re

ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
# Names that Windows reserves for devices, whatever follows the first dot.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
# Characters that some file systems or web addresses forbid, and invisible ones that reverse text.
_UNFIT = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\\/:*?"<>|]')
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_ANCHOR = re.compile("^fig[-:]")


def anchor_of(label: str) -> str:
    """The id of a figure in a page, at one place of each page that shows it."""
    return f"fig-{label}"


def label_of(anchor: str) -> str:
    """The label that `anchor_of` made an anchor of, or that follows `fig:`, as in LaTeX; any other text as it is."""
    return _ANCHOR.sub("", anchor)


def id_problem(text: str) -> str | None:
    """Why a text is not an id (or a figure's name in a list); None if it is one."""
    if not ID.fullmatch(text):
        return "must be 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', with a letter or a digit at both ends"
    if text.casefold().endswith(".dark"):
        return "must not end in .dark, which marks dark figures"
    if _DEVICES.fullmatch(text):
        return "must not be a name that Windows reserves for a device"
    return None


def new_id_problem(text: str) -> str | None:
    """Why a text is not an id for `new`, which names the question's file after it; None if it is one."""
    if problem := id_problem(text):
        return problem
    if text.casefold().endswith((".yaml", ".yml")):
        return f"must not end in {text[text.rindex('.') :]}: figmill adds .yaml to it for the question's file"
    return None


def file_name_problem(text: str, may_be_hidden: bool = False) -> str | None:
    """Why a text is not the bare name of a file or folder; None if it is one."""
    if "/" in text or "\\" in text:
        return "must be a bare name, without folders"
    unfit = _UNFIT.search(text)
    if unfit:
        shown = unfit[0] if unfit[0].isprintable() else f"U+{ord(unfit[0]):04X}"
        return f"must not contain the character {shown}"
    if text != text.strip() or (text.startswith(".") and not may_be_hidden) or text.endswith("."):
        return "must not begin or end with a space or a dot"
    if _DEVICES.fullmatch(text):
        return "must not be a name that Windows reserves for a device"
    if not 0 < len(text.encode()) <= 200:
        return "must have 1 to 200 bytes"
    return None


def file_path_problem(text: str, may_be_hidden: bool = False) -> str | None:
    """Why a text is not the path of a file below a folder, with '/' between names; None if it is one."""
    parts = text.split("/")
    if text.startswith("/"):
        return "must be a path relative to the folder of sources, not an absolute one"
    if ".." in parts:
        return "must not lead out of the folder of sources with '..'"
    if "\\" in text:
        return "must have '/' between folders, not '\\'"
    if "" in parts or "." in parts:
        return "must be the names of folders and of a file, with one '/' between them"
    return next(
        (
            f"must not have the part '{part}': it {problem}"
            for part in parts
            if (problem := file_name_problem(part, may_be_hidden))
        ),
        None,
    )


def unseen_problem(text: str) -> str | None:
    """Why a text cannot be published; None if it can."""
    unseen = _UNSEEN.search(text)
    return f"must not contain the character U+{ord(unseen[0]):04X}" if unseen else None
