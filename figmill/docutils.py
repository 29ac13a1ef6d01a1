"""reStructuredText without Sphinx: importing this gives docutils the directive `figmill` and the role `figmill-fact`.

`python -m figmill.docutils page.rst page.html` is `rst2html5` with both. A program that uses docutils itself imports
this module first.
"""

from __future__ import annotations

from figmill.integrations.docutils_directive import main as main
from figmill.integrations.docutils_directive import register

register()

if __name__ == "__main__":
    raise SystemExit(main())
