"""`make` and `make test` on a machine that has nothing: a bare Debian 12, as an ordinary user and as root.

    make fresh                 both; an hour at most
    make fresh AS=user         one of them
    make fresh ROOT=FOLDER     in a bare root that is kept there, for the next time
    make fresh STEPS=yes       the shell steps of the workflows instead; see tests/steps.py

Needs root and debootstrap, and says so where they are missing. Packages come from the mirror that this machine's
apt is set up with, libraries from pip's index. There is no /dev/shm, no display and no /sys; and in a chroot, nobody
makes user namespaces. What is committed is tested, and no more.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
SUITE, PACKAGES = "bookworm", "python3,python3-venv,make,git"  # what the README asks for
NEEDED = ("debootstrap", "apt-get", "unshare", "chroot", "git")
# Who runs the commands: the user's number, and a home.
USERS = {"user": (1000, "home/user"), "root": (0, "root")}
COMMANDS = (("make", 600), ("make test", 3600))  # and the seconds that each may take
# What pip needs to find the same index from within.
OF_PIP = ("index-url", "extra-index-url", "trusted-host", "proxy", "cert", "default-timeout")
OF_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt")
TAIL = 25  # lines of each command that are shown, after those that tell of failures
TELLING = re.compile(r"_{3,} .+ _{3,}$|E  |INTERNALERROR|make: ")
MOST = 100


def missing() -> str:
    """Why this cannot be done here; nothing where it can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "it needs Linux and root, for a root folder of its own"
    return ", ".join(name for name in NEEDED if shutil.which(name) is None)


def mirror() -> str:
    """Where apt finds Debian."""
    told = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(ORIGIN) $(COMPONENT) $(REPO_URI)", "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    uris = [line.split()[2] for line in told.splitlines() if line.startswith("Debian main ")]
    return next((uri for uri in uris if "security" not in uri), "")


def bare(root: Path) -> None:
    """A Debian with the packages that the README names, and what a network needs."""
    where = mirror()
    if not where:
        sys.exit("make fresh: apt is set up with no Debian mirror, or has not been updated (apt-get update)")
    done = subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(root), where],
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )
    if done.returncode:
        sys.exit(f"make fresh: debootstrap: {(done.stdout + done.stderr)[-1000:]}")
    for name in OF_NETWORK:
        if Path(name).exists():
            target = root / name[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(name, target)
    shutil.rmtree(root / "dev/shm", ignore_errors=True)
    number, home = USERS["user"]
    subprocess.run(
        [
            "chroot",
            str(root),
            "useradd",
            "--create-home",
            "--uid",
            str(number),
            "--home-dir",
            f"/{home}",
            "user",
        ],
        check=True,
        capture_output=True,
        timeout=60,
    )


def environment(home: str) -> dict[str, str]:
    """Hardly anything; and how pip and apt reach their servers."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout
    options = dict(re.findall(r"^[^.\n]+\.([\w-]+)='(.*)'$", told, re.MULTILINE))
    proxies = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    # uv, which asks the index about the locks, and npm have certificates of their own, but where these name a file.
    names = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
    authority = {name: OF_NETWORK[-1] for name in names if os.environ.get(name) == OF_NETWORK[-1]}
    # A folder of this machine is not within the root.
    shown = {name: [word for word in options.get(name, "").split() if "file:" not in word] for name in OF_PIP}
    pip = {
        f"PIP_{name.upper().replace('-', '_')}": " ".join(values) for name, values in shown.items() if values
    }
    basics = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": f"/{home}", "LANG": "C.UTF-8"}
    return basics | proxies | authority | pip


def checkout(root: Path, name: str) -> str:
    """A clean one in a user's home; where it is from within."""
    number, home = USERS[name]
    folder = root / home / "figmill"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(
        ["git", "clone", "--quiet", "--depth", "1", REPOSITORY.as_uri(), str(folder)], check=True, timeout=120
    )
    for path in (root / home, *(root / home).rglob("*")):
        os.chown(path, number, number, follow_symlinks=False)
    return f"/{home}/figmill"


def within(root: Path, name: str, command: str, folder: str, variables: Mapping[str, str]) -> list[str]:
    """The words that run a command there, alone with its own processes, which end when it does."""
    number, _ = USERS[name]
    inner = (
        'mount -t proc proc "$1/proc" && exec chroot --userspec="$2" "$1" env -i "${@:5}" sh -c "cd $3 && $4"'
    )
    return [
        "unshare",
        "--mount",
        "--pid",
        "--ipc",
        "--fork",
        "--kill-child",
        "bash",
        "-c",
        inner,
        "fresh",
        str(root),
        f"{number}:{number}",
        folder,
        command,
        *(f"{key}={value}" for key, value in variables.items()),
    ]


def run(root: Path, name: str, command: str, seconds: float, folder: str) -> tuple[int, float, list[str]]:
    """Its exit code, how long it took, and what it printed."""
    variables, began = environment(USERS[name][1]), time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        try:
            code = subprocess.run(
                within(root, name, command, folder, variables),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
                timeout=seconds,
            ).returncode
        except subprocess.TimeoutExpired:
            code = 124
        log.seek(0)
        return code, time.monotonic() - began, log.read().splitlines()


def main() -> int:
    parser = argparse.ArgumentParser(description="make and make test on a bare Debian.")
    parser.add_argument("--as", dest="users", choices=USERS, action="append", help="default: both, root last")
    parser.add_argument("--root", type=Path, help="a bare root that is kept, and made where it is missing")
    parser.add_argument("--steps", action="store_true", help="the shell steps of the workflows")
    parser.add_argument("commands", nargs="*", help="others than make and make test")
    options = parser.parse_args()
    why = missing()
    if why:
        print(f"make fresh is skipped: {why}")
        return 0
    wanted = [(command, 3600) for command in options.commands] or COMMANDS
    failed = False
    with tempfile.TemporaryDirectory(prefix="figmill-fresh-", dir="/var/tmp") as temporary:
        root = options.root or Path(temporary, "root")
        if not (root / "usr/bin/make").exists():
            bare(root)
        if options.steps:
            import steps  # needs PyYAML

            return steps.main(root)
        for name in options.users or USERS:
            folder = checkout(root, name)
            for command, seconds in wanted:
                code, took, said = run(root, name, command, seconds, folder)
                print(f"== {command}, as {name}: exit code {code}, {took:.0f} s", flush=True)
                telling = [line for line in said[:-TAIL] if TELLING.match(line)]
                print("\n".join([*telling[:MOST], *said[-TAIL:]]), flush=True)
                failed = failed or code != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
