"""A warm process of plots leaves no font open: forked children would share the position in its file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from figmill.enclosure import sandbox

WARMED = """
import os
from figmill.kinds import KINDS
KINDS["matplotlib"].load().warm(())
links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
print([link for link in links if os.path.exists(link) and os.readlink(link).endswith(".ttf")])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="lists open files in /proc")
def test_no_font_is_left_open(tmp_path: Path) -> None:
    home = dict.fromkeys(("HOME", "MPLCONFIGDIR"), str(tmp_path))
    ran = subprocess.run(
        [sys.executable, "-c", WARMED],
        env={**os.environ, **sandbox.FIXED, **home},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stdout == "[]\n"
