"""What is made when the package is built: the fonts, the list of what it holds of others, its links.

matplotlib mis-measures variable fonts, so the four styles of the book font are shipped as plain static files, cut out
of Arimo's variable ones. They are data of the wheel, made here and not committed; the same inputs give the same bytes.
The list of parts (SBOM) is CycloneDX, and lies where PEP 770 says.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# The file, and what it is cut from at which weight.
FACES = (
    ("Regular.ttf", "Arimo[wght].ttf", 400),
    ("Bold.ttf", "Arimo[wght].ttf", 700),
    ("Italic.ttf", "Arimo-Italic[wght].ttf", 400),
    ("BoldItalic.ttf", "Arimo-Italic[wght].ttf", 700),
)


class CutFonts(BuildHookInterface):  # type: ignore[type-arg]
    """The build hook that hatchling runs, for an sdist, a wheel and an editable install alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "wheel":
            fonts = Path(self.root) / "figmill" / "fonts"
            cut(fonts)
            if version != "editable":  # which finds the scripts where they are
                build_data["force_include"] |= generators(Path(self.root))
                _write(fonts / PARTS, parts(Path(self.root), self.metadata.version))
                build_data["sbom_files"].append(f"figmill/fonts/{PARTS}")


class Links(MetadataHookInterface):
    """Where the project lives, which only whoever builds it knows: $REPOSITORY_URL and $DOCUMENTATION_URL.

    Without them, the package names no place. An sdist keeps what it was built with.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        source, pages = (
            os.environ.get(name, "").rstrip("/") for name in ("REPOSITORY_URL", "DOCUMENTATION_URL")
        )
        links = {"Documentation": pages, "Changelog": f"{pages}/changelog.html"} if pages else {}
        metadata["urls"] = links | ({"Source": source, "Issues": f"{source}/issues"} if source else {})


def generators(tree: Path) -> dict[str, str]:
    """The scripts that `new --from` copies, with their places in the wheel. Their data are in pyproject.toml."""
    return {str(path): f"figmill/showcase/{path.name}" for path in sorted((tree / "visuals").glob("*.py"))}


PARTS = "figmill.cdx.json"


def parts(tree: Path, ours: str) -> bytes:
    """The list of what the wheel holds of others, in CycloneDX 1.6: the fonts. ours: our version."""
    fontpkg = version("fontpkg-arimo")
    package = f"pkg:pypi/figmill@{ours}"
    source = f"pkg:pypi/fontpkg-arimo@{fontpkg}"
    fonts = [
        _part(
            tree,
            f"figmill/fonts/Arimo-{style}",
            description=f"{variable} of {source}, at weight {weight}",
        )
        for style, variable, weight in FACES
    ]
    components = [_library("Arimo", fontpkg, source, "OFL-1.1", fonts)]
    return json.dumps(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {
                "component": {
                    "type": "application",
                    "bom-ref": package,
                    "name": "figmill",
                    "version": ours,
                    "purl": package,
                    "licenses": [{"license": {"id": "MIT"}}],
                }
            },
            "components": components,
            "dependencies": [
                {"ref": package, "dependsOn": [component["bom-ref"] for component in components]}
            ],
        },
        indent=1,
    ).encode()


def _library(name: str, version: str, purl: str, licence: str, files: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "licenses": [{"license": {"id": licence}}],
        "components": files,
    }


def _part(tree: Path, name: str, **more: str) -> dict[str, Any]:
    digest = hashlib.sha256((tree / name).read_bytes()).hexdigest()
    hashes = [{"alg": "SHA-256", "content": digest}]
    return {"type": "file", "bom-ref": name, "name": name, **more, "hashes": hashes}


CUT_FROM = "cut-from"


def cut(folder: Path) -> None:
    """Write the four faces, their licence and one digest of them all; and `CUT_FROM`, a digest of what they depend on.

    Where that and the faces are as it says, an earlier build has cut them: that takes 5 s.
    """
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    spec = find_spec("fontpkg_arimo")
    if spec is None or spec.origin is None:
        raise RuntimeError("fontpkg-arimo is not installed: it holds the font that is shipped")
    source = Path(spec.origin).parent
    folder.mkdir(parents=True, exist_ok=True)
    variables = sorted({variable for _, variable, _ in FACES})
    inputs = [source / "LICENSE", Path(__file__), *(source / "files" / name for name in variables)]
    key = _digest([version("fonttools").encode(), *(path.read_bytes() for path in inputs)])
    if _holds(folder, key):
        return
    digest = hashlib.sha256()
    for style, variable, weight in FACES:
        font = TTFont(source / "files" / variable, recalcTimestamp=False)
        instancer.instantiateVariableFont(font, {"wght": weight}, inplace=True, updateFontNames=True)
        data = _bytes(font)
        _write(folder / f"Arimo-{style}", data)
        digest.update(data)
    _write(folder / "OFL.txt", (source / "LICENSE").read_bytes())
    _write(folder / "digest", f"{digest.hexdigest()}\n".encode("ascii"))
    _write(folder / CUT_FROM, f"{key} {_of_all(folder)}\n".encode("ascii"))


def _holds(folder: Path, key: str) -> bool:
    """Whether all files that `cut` writes there are those that it would write, by what `CUT_FROM` says."""
    try:
        return (folder / CUT_FROM).read_text("ascii") == f"{key} {_of_all(folder)}\n"
    except OSError:
        return False


def _of_all(folder: Path) -> str:
    names = [*(f"Arimo-{style}" for style, _, _ in FACES), "OFL.txt", "digest"]
    return _digest((folder / name).read_bytes() for name in names)


def _digest(parts: Iterable[bytes]) -> str:
    """Of digests, so that it is clear where each part ends."""
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def _bytes(font: Any) -> bytes:
    buffer = io.BytesIO()
    font.save(buffer)
    return buffer.getvalue()


def _write(path: Path, data: bytes) -> None:
    """Write a file that other processes may be reading: whole, and only if its bytes are others."""
    if path.is_file() and path.read_bytes() == data:
        return
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_bytes(data)
    beside.replace(path)
