"""Pictures of pages as readers and authors see them, for the documentation.

make screenshots                          all of them
.venv/bin/python docs/screenshots live    some of them
"""

from __future__ import annotations

import sys
from importlib import import_module

# Each takes its pictures from what the one before has built.
EVERY = ("gallery", "changes", "hosts", "explore", "live")

for name in sys.argv[1:] or EVERY:
    import_module(name).main()
