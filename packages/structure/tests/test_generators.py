"""The generators of structure in a book: what the repository is, and what changes with it."""

from __future__ import annotations

import shutil

from helpers.book import Space
from helpers.showcase import REPOSITORY


def test_a_renamed_module_is_named(space: Space) -> None:
    (space.root / "visuals").mkdir(parents=True, exist_ok=True)
    shutil.copy(REPOSITORY / "visuals/imports.py", space.root / "visuals")
    space.write(
        {f"src/shop/{name}.py": "" for name in ("__init__", "storage")}
        | {"src/shop/web.py": "import shop.storage"}
    )
    space.question(
        "shop", "kind: dot, source: imports.py, params: {source: ../src/shop}, alt: what imports what"
    )
    done = space.run()
    assert (done.code, done.err) == (0, "")
    assert space.run("facts", "shop").json["names"] == ["shop.storage", "shop.web"]
    (space.root / "src/shop/storage.py").rename(space.root / "src/shop/store.py")
    (space.root / "src/shop/web.py").write_text("import shop.store")
    checked = space.run("--check")
    assert checked.code == 3 and "'storage' is now 'store'" in checked.out
    space.write({"src/shop/web.py": "import ("})
    failed = space.run()
    assert failed.code == 1 and "web.py:1: Python cannot parse this" in failed.err
