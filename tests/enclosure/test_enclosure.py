"""What a script may try against other processes, the machine and the book's secrets, and what must come of it: nothing.

Every attack is a figure of one book, drawn at the same time as honest ones; each states as a fact what it got. The
book is built in the sandbox, without bubblewrap, and with the sandbox off; by whoever runs the tests, and by a user
without rights.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers.book import Ran, Space
from helpers.machine import sandboxed

from figmill.enclosure import kernel, seccomp
from figmill.enclosure.mode import Mode
from figmill.paths import code_folders

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are kept apart on Linux")

TOKEN = "hunter2-of-the-build"
ORDINARY = 65534  # a user without rights, on every Linux

SCRIPT = """\
import ctypes, errno, glob, os, socket, stat, struct, sys, time
from pathlib import Path
from figmill import Drawing

ARM = os.uname().machine == "aarch64"


def system(numbers, *arguments):
    "The result of a system call, or its error as a negative number."
    libc = ctypes.CDLL(None, use_errno=True)
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(numbers[ARM]), *passed)
    return result if result >= 0 else -ctypes.get_errno()


def parent(pid):
    return int(Path(f"/proc/{{pid}}/stat").read_text().rpartition(")")[2].split()[1])


def others():
    "The process that has forked this one, those that have started it, and its other children."
    found, pid = set(), os.getpid()
    for _ in range(3):
        pid = parent(pid)
        if pid <= 1:
            break
        found.add(pid)
    above = os.getppid()
    if above:
        for task in glob.glob(f"/proc/{{above}}/task/*/children"):
            found |= set(map(int, Path(task).read_text().split()))
    else:  # in a namespace
        found |= {{int(name) for name in os.listdir("/proc") if name.isdigit()}}
    return sorted(found - {{os.getpid()}})


def attack():
    {code}


def draw():
    deadline = time.monotonic() + {seconds}
    got = ""
    while True:
        try:
            got = str(attack() or "")
        except OSError:
            got = ""
        if got or time.monotonic() >= deadline:
            break
        time.sleep(0.02)
    return Drawing("digraph {{ a }}", facts={{"got": got, "others": len(others())}})
"""

HONEST = """\
import time
from figmill import Drawing


def draw():
    time.sleep({seconds})
    return Drawing("digraph {{ honest }}", facts={{"got": ""}})
"""

# Against other processes: what the kernel keeps off also where there is no sandbox.
PROCESSES: Mapping[str, str] = {
    "ptrace": "return [p for p in others() if system((101, 117), 0x4206, p, 0, 0) != -errno.EPERM]",
    "memory": "return [p for p in others() if opened(f'/proc/{p}/mem')]",
    "environment": "return [p for p in others() if opened(f'/proc/{p}/environ')]",
    "open-files": "return [p for p in others() if reached(f'/proc/{p}/fd')]",
    "descriptors": (
        "return [p for p in others() if system((438, 438), os.pidfd_open(p), 0, 0) != -errno.EPERM]"
    ),
    "other-memory": "return [p for p in others() if system((311, 271), p, 0, 0, 0, 0, 0) != -errno.EPERM]",
    "kill": "return [p for p in others() if p > 1 and system((62, 129), p, 0) == 0]",
    "pidfd-kill": (
        "return [p for p in others() if p > 1 and system((424, 424), os.pidfd_open(p), 0, 0, 0) == 0]"
    ),
    "limits": "return [p for p in others() if system((302, 261), p, 7, 0, ctypes.create_string_buffer(16)) >= 0]",
    "files-it-was-given": (
        "return [os.readlink(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd') if int(n) > 2 and "
        "os.path.exists(f'/proc/self/fd/{n}') and 'pidfd' in os.readlink(f'/proc/self/fd/{n}')]"
    ),
    "unshare": "return system((272, 97), 0x10000000 | 0x20000000) == 0",
    "clone": (
        "pid = system((56, 220), 0x10000000 | 17, 0, 0, 0, 0)\n"
        "    if pid == 0: os._exit(0)\n    return pid > 0"
    ),
    "clone3": "return system((435, 435), ctypes.create_string_buffer(88), 88) != -errno.ENOSYS",
    "mount": "return system((165, 40), b'none', b'/dev', b'tmpfs', 0, None) != -errno.EPERM",
    "io_uring": "return system((425, 425), 1, ctypes.create_string_buffer(120)) != -errno.EPERM",
    "keys": "return system((250, 219), 0, -3, 0, 0, 0) != -errno.EPERM",
    "bpf": "return system((321, 280), 0, 0, 0) != -errno.EPERM",
    "perf": "return system((298, 241), 0, 0, -1, -1, 0) != -errno.EPERM",
    "userfaultfd": "return system((323, 282), 0) != -errno.EPERM",
    "handles": "return system((304, 265), -100, 0, 0) != -errno.EPERM",
    "vsock": "return socket.socket(40, socket.SOCK_STREAM)",
    "capabilities": (
        "held = [l.split()[1] for l in open('/proc/self/status') if l.startswith(('CapPrm', 'CapEff', 'CapBnd'))]\n"
        "    return [h for h in held[:2] if int(h, 16) & ~4]"
    ),
    "new-privileges": "return 'NoNewPrivs:\\t1' not in open('/proc/self/status').read()",
    "nice": "return [(k, w) for k, w in ((2, 0), (1, 0), (0, 1)) if system((141, 140), k, w, 19) != -errno.EPERM]",
    "nice-input-output": (
        "return [w for w in ((3, 0), (2, 0), (1, 1)) if system((251, 30), *w, 3 << 13) != -errno.EPERM]"
    ),
    "affinity": "return [p for p in others() if system((203, 122), p, 8, b'\\1' * 8) != -errno.EPERM]",
    "scheduler": "return [p for p in others() if system((144, 119), p, 3, bytes(8)) != -errno.EPERM]",
}
# Memory that no limit of a process counts, and that may outlive it.
UNCOUNTED: Mapping[str, str] = {
    "memfd": "return system((319, 279), b'x', 0) != -errno.EPERM",
    "memfd-secret": "return system((447, 447), 0) != -errno.EPERM",
    "segment": "return system((29, 194), 0x66696701, 4096, 0o1600) != -errno.EPERM",
    "segment-of-others": "return [n for n in range(9) if system((30, 196), n, 0, 0) != -errno.EPERM]",
    "semaphores": "return system((64, 190), 0x66696702, 1, 0o1600) != -errno.EPERM",
    "messages": "return system((68, 186), 0x66696703, 0o1600) != -errno.EPERM",
    "queue": "return system((240, 180), b'/figmill-queue', os.O_CREAT | os.O_RDWR, 0o600, 0) != -errno.EPERM",
    "pages-in-a-pipe": ("found = os.pipe()\n    return system((278, 75), found[1], 0, 0, 8) != -errno.EPERM"),
    "anonymous-and-shared": "import mmap\n    return mmap.mmap(-1, 4096)",
    "huge-pages": "import mmap\n    return mmap.mmap(-1, 2 << 20, flags=0x40022)",
}
# What may be written to.
WRITING: Mapping[str, str] = {
    "siblings-folder": (
        "mine = os.getcwd()\n    found = [f for f in glob.glob(os.path.dirname(os.environ['TMPDIR']) + '/../*/*')"
        " if os.path.isdir(f) and not mine.startswith(os.path.realpath(f))]\n"
        "    return [f for f in found if written(f + '/forged')]"
    ),
    "kernel-settings": "return writable('/proc/sys/kernel/hostname')",
    "book": "return written('{root}/visuals/forged')",
    "beside": "return written('{home}/forged')",
    "zero-device": "import mmap\n    return mmap.mmap(os.open('/dev/zero', os.O_RDONLY), 4096, prot=mmap.PROT_READ)",
    "shared-memory": "written('/dev/shm/forged-{abstract}')",  # where it may, in one of its own
    # Out of Python's sight, and whether something was changed is seen from outside.
    "mode": "system((268, 53), -100, HONEST, 0o777)",
    "mode-when-open": "system((91, 52), os.open(HONEST, os.O_RDONLY), 0o777)",
    "mode-with-flags": "system((452, 452), -100, HONEST, 0o777, 0)",
    "owner": "system((260, 54), -100, HONEST, 1, 1, 0)",
    "time": "system((280, 88), -100, HONEST, struct.pack('4q', 1, 0, 1, 0), 0)",
    "time-now": "system((280, 88), -100, HONEST, 0, 0)",
    "time-when-open": "system((280, 88), os.open(HONEST, os.O_RDONLY), 0, struct.pack('4q', 1, 0, 1, 0), 0)",
    "attribute": "system((188, 5), HONEST, b'user.forged', b'1', 1, 0)",
    "attribute-when-open": "system((190, 7), os.open(HONEST, os.O_RDONLY), b'user.forged', b'1', 1, 0)",
    "flags": (
        "import fcntl\n    fcntl.ioctl(os.open(HONEST, os.O_RDONLY), 0x40086602, bytes([128, *bytes(7)]))"
    ),
}
# What there is to see and to reach.
SEEING: Mapping[str, str] = {
    "home": "return opened('{home}/secret')",
    "git": "return opened('{root}/.git/config')",
    "state": "return opened('{root}/.figmill/secret')",
    "git-below": "return opened('{root}/vendor/one/.git/config') or opened('{root}/vendor/one/.figmill/secret')",
    "git-file-below": "return os.path.getsize('{root}/vendor/two/.git')",
    "bare-below": "return opened('{root}/vendor/three.git/config')",
    "tokens-below": "return [f for f in ('.netrc', '.npmrc', '.env') if os.path.getsize('{root}/vendor/' + f)]",
    "socket-in-the-book": "return connected('{root}/visuals/listener')",
    "socket-by-datagram": "return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "pipe-in-the-book": "return os.open('{root}/visuals/pipe', os.O_WRONLY | os.O_NONBLOCK)",
    "socket": "return connected('{socket}')",
    "abstract-socket": "return connected('\\0{abstract}')",
    "passwords": "return opened('/etc/shadow')",
    "empty": (
        "return [f for f in ('/run', '/var/run', '/mnt', '/srv', '/var/tmp') if os.path.exists(f) and os.listdir(f)]"
    ),
    "elsewhere": "return opened('{elsewhere}/secret') or opened('/proc/1/root{elsewhere}/secret')",
    "processes": "return [p for p in others() if p != 1]",
}
TOOLS = """

def opened(path):
    os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    return path


def reached(path):
    return [name for name in os.listdir(path) if os.readlink(f'{path}/{name}')]


def writable(path):
    os.close(os.open(path, os.O_WRONLY))
    return path


def written(path):
    os.close(system_open(path))
    return path


def system_open(path):  # out of Python's sight
    found = system((257, 56), -100, os.fsencode(path), os.O_WRONLY | os.O_CREAT, 0o600)
    if found < 0:
        raise OSError(-found, path)
    return found


HONEST = b'{root}/visuals/honest0.py'


def connected(name):
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        client.connect(name)
        return name
"""


@dataclass(frozen=True)
class Builder:
    """Somebody who builds books: a command, and its environment."""

    command: tuple[str, ...]
    env: Mapping[str, str]
    uid: int

    def run(self, space: Space, *arguments: str, **env: str) -> Ran:
        done = subprocess.run(
            [*self.command, "-m", "figmill", *arguments],
            cwd=space.root,
            env={**os.environ, **self.env, **env},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return Ran(done.returncode, done.stdout, done.stderr)


PROBE = "import figmill.engine.build, subprocess, sys; subprocess.run([sys.executable, '-c', ''])"


def ordinary() -> Builder:
    """A user without rights, with a Python that such a one may run."""
    become = ("setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups")
    packages = dict.fromkeys(str(folder.parent) for folder in code_folders().values())
    env = {"PYTHONPATH": os.pathsep.join([*(p for p in sys.path if "site-packages" in p), *packages])}
    named = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/{named}", f"/usr/local/bin/{named}"):
        command = (*become, python)
        probe = subprocess.run(
            [*command, "-c", PROBE], env={**os.environ, **env}, capture_output=True, check=False, cwd="/"
        )
        if probe.returncode == 0:
            return Builder(command, env, ORDINARY)
    pytest.skip("no Python of this version that an ordinary user may run")


BUILDERS = ("self", *(["ordinary"] if os.geteuid() == 0 else []))


@pytest.fixture
def builder(request: pytest.FixtureRequest) -> Builder:
    return ordinary() if request.param == "ordinary" else Builder((sys.executable,), {}, os.geteuid())


@contextmanager
def place(builder: Builder) -> Iterator[Path]:
    """A folder that is the builder's own, in the machine's folder for temporary files."""
    folder = Path(tempfile.mkdtemp(prefix="enclosure-"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder)


def given(folder: Path, uid: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, uid, uid)


# What somebody may have checked out or written down in a book.
BELOW = (
    "vendor/one/.git/config",
    "vendor/one/.figmill/secret",
    "vendor/two/.git",
    "vendor/.netrc",
    "vendor/.npmrc",
    "vendor/.env",
    *(f"vendor/three.git/{name}" for name in ("HEAD", "config", "objects/x", "refs/x")),
)
ENCLOSED, BARE, OFF = "enclosed", "bare", "off"
TRIED: Mapping[str, Mapping[str, str]] = {
    ENCLOSED: {**PROCESSES, **UNCOUNTED, **WRITING, **SEEING},
    BARE: {**PROCESSES, **UNCOUNTED, **WRITING},
    OFF: {**PROCESSES, **UNCOUNTED},
}
SETTINGS = {ENCLOSED: "require", BARE: "auto", OFF: "off"}


def attacks(how: str, *, soaked: bool) -> Mapping[str, str]:
    """Each second one with the sandbox off, unless soaked: what the filter refuses there has a test of its own."""
    step = 1 if soaked or how != OFF else 2
    return dict([*TRIED[how].items()][::step])


def script(code: str, seconds: float) -> str:
    """A script that attacks; others come and go, so it goes on for `seconds` if they are what it attacks."""
    whole = SCRIPT.replace("{code}", code).replace("{seconds}", str(seconds) if "others()" in code else "0")
    return whole.replace("{{", "{").replace("}}", "}") + TOOLS


def attacked(folder: Path, builder: Builder, how: str, *, soaked: bool) -> tuple[Ran, Space]:
    """A book with its attacks and three honest figures, built."""
    space, home = Space(folder / "book"), folder / "home"
    names = {
        "root": space.root,
        "home": home,
        "elsewhere": folder / "elsewhere",
        "socket": folder / "listener",
        "abstract": f"{folder.name}",
    }
    for path in (space.root, home, folder / "elsewhere", folder / "none"):
        path.mkdir()
    for path in (home, folder / "elsewhere"):
        (path / "secret").write_text(TOKEN)
    space.write(
        {".git/config": TOKEN, ".figmill/secret": TOKEN, "figmill.toml": f'sandbox = "{SETTINGS[how]}"\n'}
    )
    space.write(dict.fromkeys(BELOW, TOKEN))
    for name, code in attacks(how, soaked=soaked).items():
        code = script(code, 0.3 if soaked else 0.1)
        for old, new in names.items():
            code = code.replace(f"{{{old}}}", str(new))
        space.write({f"visuals/{name}.py": code})
        space.question(name, f'kind: dot, source: "{name}.py", alt: nothing')
    for number, seconds in enumerate((0, 1, 2)):
        space.write({f"visuals/honest{number}.py": HONEST.format(seconds=seconds)})
        space.question(f"honest{number}", f"kind: dot, source: honest{number}.py, alt: an honest figure")
    given(folder, builder.uid)
    for path in (space.root / "visuals").glob("honest*"):
        path.chmod(0o600)
        os.utime(path, ns=(STAMP, STAMP))
    env = {"HOME": str(home), "GITHUB_TOKEN": TOKEN}
    if how == BARE:
        env["PATH"] = str(folder / "none")
        command = tuple(shutil.which(word) or word for word in builder.command)
        builder = Builder(command, builder.env, builder.uid)
    paths = (folder / "listener", space.root / "visuals/listener")
    os.mkfifo(space.root / "visuals/pipe")
    (space.root / "visuals/pipe").chmod(0o666)
    with ExitStack() as stack:
        for path in (*map(str, paths), f"\0{folder.name}"):
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(path)
            listener.listen()
        for path in paths:
            path.chmod(0o777)
        stack.callback(os.close, os.open(space.root / "visuals/pipe", os.O_RDONLY | os.O_NONBLOCK))
        return builder.run(space, "--jobs", "4", **env), space


STAMP = 1_500_000_000_000_000_000  # when a file was last changed, in nanoseconds


def shared_memory() -> list[str]:
    """The segments, semaphores and queues of this machine, without those that the kernel has by itself."""
    return [
        line
        for name in ("shm", "sem", "msg")
        for line in Path(f"/proc/sysvipc/{name}").read_text().splitlines()
    ]


def facts(space: Space) -> dict[str, dict[str, object]]:
    figures = json.loads(space.read("build/manifest.json"))["figures"]
    return {figure["id"]: figure["facts"] for figure in figures}


# In this order a run in which there is each third case has the sandbox, and none, and both builders.
EACH_WAY = [(builder, how) for how in (BARE, OFF, ENCLOSED) for builder in BUILDERS]


@pytest.mark.parametrize("soaked", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("builder", "how"), EACH_WAY, indirect=["builder"])
def test_no_script_gets_at_anything_but_its_own_figure(builder: Builder, how: str, soaked: bool) -> None:
    if how == ENCLOSED:
        sandboxed()
    with place(builder) as folder:
        memory = shared_memory()
        done, space = attacked(folder, builder, how, soaked=soaked)
        assert done.code == 0, done.err
        assert shared_memory() == memory
        assert not Path(f"/dev/shm/forged-{folder.name}").exists()
        honest = space.root / "visuals/honest0.py"
        status = honest.stat()
        assert (status.st_mode & 0o777, status.st_uid, status.st_mtime_ns) == (0o600, builder.uid, STAMP)
        assert os.listxattr(honest) == []
        figures = facts(space)
        assert {name: fact["got"] for name, fact in figures.items() if fact["got"]} == {}
        assert set(figures) == {*attacks(how, soaked=soaked), "honest0", "honest1", "honest2"}
        if how != ENCLOSED:  # there was somebody to attack
            assert all(fact["others"] for name, fact in figures.items() if "honest" not in name)
        pictures = {space.read(f"build/global/honest{n}.svg").replace(f"honest{n}", "x") for n in range(3)}
        assert len(pictures) == 1 and "honest" in pictures.pop()
        assert not list(space.root.rglob("forged")) and not (folder / "home/forged").exists()
        without = "scripts ran without a sandbox: bubblewrap is not installed"
        assert (done.err.count("\n"), without in done.err) == ((1, True) if how == BARE else (0, False))


def test_what_is_kept_off_is_really_tried(tmp_path: Path) -> None:
    """The measure itself: outside of figmill the same attacks get what they are after."""
    # A build in this process may have hidden it, even from its own user.
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
    code = "found = {}\n" + "".join(
        f"def attack():\n    {code}\ntry: found[{name!r}] = bool(attack())\nexcept OSError: found[{name!r}] = False\n"
        for name, code in PROCESSES.items()
        if name in ("memory", "environment", "open-files", "kill", "pidfd-kill", "new-privileges")
    )
    preface = SCRIPT.partition("def attack")[0].replace("{{", "{").replace("}}", "}")
    script = f"{preface}{TOOLS}\n{code}\nimport json\nprint(json.dumps(found))\n"
    (tmp_path / "script.py").write_text(script)
    # A process of its own between this one and the script: it reaches no other than that and its parents.
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == dict.fromkeys(json.loads(done.stdout), True)


def test_a_book_anywhere_is_readable_with_its_python(tmp_path: Path) -> None:
    """Also where its folder lies in what is empty otherwise; and what the settings name, and nothing beside it."""
    sandboxed()
    data = tmp_path / "data"
    for name in ("sets/a.csv", "more.csv", "other/b.csv"):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text("1")
    space = Space(tmp_path / "home/book")
    space.root.mkdir(parents=True)
    space.write(
        {
            "figmill.toml": f'sandbox = "require"\nsandbox_read = ["{data}/sets", "{data}/more.csv"]\n',
            "visuals/helper.py": "VALUE = 1\n",
            "visuals/a.csv": "1",
            "visuals/a.py": (
                "import glob, os, subprocess, sys\nfrom matplotlib.figure import Figure\n"
                "from figmill import Drawing\nimport helper\n\ndef draw():\n"
                "    read = open(os.path.dirname(__file__) + '/a.csv').read()\n"
                "    subprocess.run([sys.executable, '-c', 'import figmill, numpy, ssl'], check=True)\n"
                f"    found = sorted(glob.glob('{data}/**', recursive=True))\n"
                "    return Drawing(Figure(figsize=(1, 1)), facts={'read': read, 'found': found})\n"
            ),
        }
    )
    space.question("a", "kind: matplotlib, source: a.py, alt: nothing")
    done = space.run(env={"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)})
    assert (done.code, done.err) == (0, "")
    expected = [f"{data}/", f"{data}/more.csv", f"{data}/sets", f"{data}/sets/a.csv"]
    assert facts(space)["a"] == {"read": "1", "found": expected}


HUNGRY = """\
import mmap, os, time
def draw():
    kept = []
    for _ in range({processes}):
        if os.fork() == 0:
            own = bytearray({size} << 20)
            own[::4096] = b"x" * len(own[::4096])
            time.sleep(20)
            os._exit(0)
        {pause}
    time.sleep({seconds})
    return "graph {{ a }}"
"""
SHARING = """\
import os, time
def draw():
    common = bytearray(60 << 20)
    common[::4096] = b"x" * len(common[::4096])
    started = [pid for _ in range(6) if (pid := os.fork()) or time.sleep(1) or os._exit(0)]
    for pid in started:
        os.waitpid(pid, 0)
    return "graph { a }"
"""


@pytest.mark.parametrize(
    ("builder", "how"), [(b, how) for how in ("require", "off") for b in BUILDERS], indirect=["builder"]
)
def test_what_the_processes_of_a_figure_hold_counts_together(builder: Builder, how: str) -> None:
    """Eight times 45 MiB are more than 128, and each alone is not; what six processes have in common counts once."""
    if how == "require":
        sandboxed()
    with place(builder) as folder:
        space = Space(folder / "book")
        space.root.mkdir()
        hungry = HUNGRY.format(processes=8, size=45, pause="pass", seconds=20)
        space.write(
            {
                "figmill.toml": f'sandbox = "{how}"\nmemory = "128 MiB"\n',
                "visuals/sharing.py": SHARING,
                "visuals/hungry.py": hungry,
                "visuals/honest.py": HONEST.format(seconds=0),
            }
        )
        for name in ("hungry", "honest", "sharing"):
            space.question(name, f"kind: dot, source: {name}.py, alt: nothing")
        given(folder, builder.uid)
        done = builder.run(space)
        reason = "a figure may use 128 MiB; `memory` in the settings allows more"
        assert done.err == f"visuals/hungry.py: ran out of memory: {reason}\n"
        assert "3 figures, 2 rendered, 1 failed" in done.out


ENDS = {
    # how a script's process ends, in a namespace as anywhere -> how that is told
    "os.kill(os.getpid(), signal.SIGKILL)": "its process was ended by SIGKILL",
    "os.kill(os.getpid(), signal.SIGXCPU)": "used more than 60 s of processor time, so figmill ended it",
    "os.kill(os.getpid(), signal.SIGTERM)": "its process was ended by SIGTERM",
    "ctypes.string_at(0)": "its process was ended by SIGSEGV",
    "os.abort()": "its process was ended by SIGABRT",
    "os._exit(7)": "its process exited with exit code 7 before it returned a figure",
}


@pytest.mark.parametrize("how", ["require", "off"])
def test_how_a_process_ended_is_told_exactly(space: Space, how: str) -> None:
    if how == "require":
        sandboxed()
    space.write({"figmill.toml": f'sandbox = "{how}"\n'})
    for number, code in enumerate(ENDS):
        text = f"import ctypes, os, signal\ndef draw():\n    {code}\n"
        space.write({f"visuals/end{number}.py": text})
        space.question(f"end{number}", f"kind: dot, source: end{number}.py, alt: nothing")
    done = space.run()
    assert done.err.splitlines() == [
        f"visuals/end{n}.py: {message}" for n, message in enumerate(ENDS.values())
    ]


def test_where_namespaces_do_not_nest_scripts_have_one_together(tmp_path: Path, space: Space) -> None:
    """Some containers forbid it; then there is the sandbox around all, and the kernel between them."""
    sandboxed()
    forbidding = tmp_path / "bin/bwrap"
    forbidding.parent.mkdir()
    forbidding.write_text(
        f'#!/bin/sh\ncase "$*" in *CAP_SYS_ADMIN*) exit 1;; esac\nexec {shutil.which("bwrap")} "$@"\n'
    )
    forbidding.chmod(0o755)
    code = "return [p for p in others() if opened(f'/proc/{p}/mem') or opened(f'/proc/{p}/environ')]"
    space.write({"figmill.toml": 'sandbox = "require"\n', "visuals/a.py": script(code, 0.3)})
    space.question("a", "kind: dot, source: a.py, alt: nothing")
    done = space.run(env={"PATH": f"{forbidding.parent}:{os.environ['PATH']}"})
    assert (done.code, done.err) == (0, "")
    assert facts(space)["a"]["got"] == "" and facts(space)["a"]["others"]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_the_filter_refuses_what_its_tables_say(machine: str, mode: Mode) -> None:
    """As a small reader of classic BPF has it, on both machines."""
    of = seccomp.MACHINES[machine]
    told = {**seccomp.REFUSED, **seccomp.METADATA, **seccomp.PRETENDED}
    for name, row in told.items():
        number = row[of.column]
        expected = seccomp.answers(mode).get(name, seccomp._ALLOW)
        assert number is None or verdict(of, mode, number, 1, 1, 1) == expected, name
    assert seccomp.answers(Mode.BARE).keys() == told.keys()
    assert {seccomp.answers(Mode.BARE)[name] for name in seccomp.PRETENDED} == {seccomp._NOTHING}
    for name, allowed, refused in ARGUMENTS:
        number = dict(seccomp.rules(mode))[name].numbers[of.column]
        assert {verdict(of, mode, number, *call) for call in allowed} == {seccomp._ALLOW}, name
        assert {verdict(of, mode, number, *call) for call in refused} == {seccomp._EPERM}, name
    number = dict(seccomp.rules(mode))["socket"].numbers[of.column]
    network = seccomp._NO_FAMILY if mode.is_sandboxed else seccomp._ALLOW
    assert {verdict(of, mode, number, family) for family in (1, 2, 10)} == {network}
    assert verdict(of, mode, number, 16) == seccomp._ALLOW
    assert verdict(of, mode, number, 17) == verdict(of, mode, number, 40) == seccomp._NO_FAMILY
    assert verdict(of, mode, of.clone3) == verdict(of, mode, of.end + 101) == seccomp._ENOSYS
    other = next(candidate.audit for candidate in seccomp.MACHINES.values() if candidate is not of)
    assert verdict(of, mode, 0, audit=other) == seccomp._KILL


# a call: arguments with which it comes through, arguments with which it does not
ARGUMENTS = (
    ("clone", [(17,)], [(0x10000011,), (0x20000011,)]),
    ("prlimit64", [(0,)], [(5,)]),
    ("setpriority", [(0, 0, 5)], [(0, 7, 5), (1, 0, 5), (2, 0, 5)]),
    ("ioprio_set", [(1, 0)], [(1, 7), (2, 0), (3, 0)]),
    ("sched_setaffinity", [(0,)], [(7,)]),
    ("sched_setattr", [(0,)], [(7,)]),
    ("sched_setparam", [(0,)], [(7,)]),
    ("sched_setscheduler", [(0,)], [(7,)]),
    (
        "mmap",
        [(0, 9, 3, 0x22), (0, 9, 1, 0x1), (0, 9, 1, 0x2)],
        [(0, 9, 3, 0x21), (0, 9, 3, 0x23), (0, 9, 3, 0x40022)],
    ),
    ("ioctl", [(0, 0x5401)], [(0, 0x40086602), (0, 0x401C5820)]),
)


def test_a_file_is_touched_where_times_are_not_set() -> None:
    """Path.touch() makes the file when it is told that there is none whose time could be set."""
    for of in seccomp.MACHINES.values():
        number = seccomp.PRETENDED["utimensat"][of.column]
        assert number is not None
        high = 7 << 32
        for path, times, answer in (
            (9, 0, seccomp._EPERM),
            (high, 0, seccomp._EPERM),
            (0, 0, seccomp._NOTHING),
            (9, 9, seccomp._NOTHING),
            (9, high, seccomp._NOTHING),
            (0, high, seccomp._NOTHING),
        ):
            assert verdict(of, Mode.BARE, number, -100, path, times) == answer


def verdict(
    of: seccomp.Architecture, mode: Mode, number: int, *arguments: int, audit: int | None = None
) -> int:
    data = dict.fromkeys(range(16, 64, 4), 0) | {0: number, 4: of.audit if audit is None else audit}
    for index, value in enumerate(arguments):
        data[16 + 8 * index], data[20 + 8 * index] = value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF
    steps = list(struct.iter_unpack("=HBBI", seccomp.program(of, mode)))
    held = at = 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == 0x20:
            held = data[value]
        elif code == 0x54:
            held &= value
        elif code == 0x06:
            return int(value)
        else:
            holds = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            at += yes if holds else no
