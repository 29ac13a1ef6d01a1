"""The file of a book's settings: figmill.toml, or `[tool.figmill]` in pyproject.toml. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from figmill.config.toml_lines import MOST_PARTS, deepest_line, line_of, long_key
from figmill.errors import ToolError
from figmill.fastpath import CONFIGURATION
from figmill.host import files
from figmill.late_dataclasses import dataclass

_LONG_NUMBER = re.compile(r"[0-9_]{4000}")


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file with settings, and figmill's table in it."""

    name: str
    text: str
    prefix: tuple[str, ...]  # the path of figmill's table
    table: Mapping[str, Any]

    def error(self, keys: tuple[str, ...], message: str, value: str = "") -> ToolError:
        """The error about a setting, at its line; with `value`, at the line of that item."""
        line = line_of(self.text, (*self.prefix, *keys), value)
        return ToolError(f"{self.name}:{line}: {message}" if line else f"{self.name}: {message}")


def settings_file(root: Path) -> SettingsFile | None:
    """The first file in the folder with a table of figmill's; None: there is none. Raises ToolError with its line."""
    for name in CONFIGURATION:
        try:
            text = files.read(root / name, files.SETTINGS).decode("utf-8-sig")
        except FileNotFoundError:
            continue
        except OSError as error:
            raise ToolError(f"{name}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise ToolError(f"{name}: is not UTF-8, as TOML must be: {error.reason}") from None
        if name == "pyproject.toml" and "figmill" not in text:
            continue
        document = _parsed(name, text)
        tool = document.get("tool")
        table = tool.get("figmill") if isinstance(tool, dict) else None
        if isinstance(table, dict):
            return SettingsFile(name, text, ("tool", "figmill"), table)
        if table is not None:
            message = "tool.figmill must be a table, like [tool.figmill]"
            raise SettingsFile(name, text, (), document).error(("tool", "figmill"), message)
        if name == "figmill.toml":
            return SettingsFile(name, text, (), document)
    return None


def _parsed(name: str, text: str) -> dict[str, Any]:
    """The document of TOML. Raises ToolError with the line of what is wrong."""
    if (line := long_key(text)) is not None:
        raise ToolError(f"{name}:{line}: a key has more than {MOST_PARTS} parts; no setting has more than 5")
    import tomllib  # slow to load: many books have no settings, and processes that draw read none

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line (\d+), column (\d+)\)", str(error))
        where = f"{name}:{place[1]}:{place[2]}" if place else f"{name}:{len(text.splitlines())}"
        raise ToolError(f"{where}: {re.sub(r' [(]at .*', '', str(error))}") from None
    except ValueError:  # Python limits the digits of a number
        line = next((n for n, row in enumerate(text.splitlines(), 1) if _LONG_NUMBER.search(row)), 1)
        raise ToolError(f"{name}:{line}: a number has too many digits") from None
    except RecursionError:
        raise ToolError(f"{name}:{deepest_line(text)}: lists or tables are nested too deep") from None
