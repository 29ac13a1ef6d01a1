"""The seccomp filter: the kernel refuses scripts and their children the system calls that no figure needs.

The list names the refused calls, not the allowed ones: scripts use many libraries, and new calls of a new C library
must not break them. Standard library only. Unaware of figures.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import TypeAlias

from figmill.enclosure import kernel
from figmill.enclosure.mode import Mode
from figmill.late_dataclasses import dataclass

# name -> its number on x86-64 and on 64-bit ARM; None: ARM has no such call
REFUSED: Mapping[str, tuple[int, int | None]] = MappingProxyType(
    {
        # reaching into other processes
        "ptrace": (101, 117),
        "process_vm_readv": (310, 270),
        "process_vm_writev": (311, 271),
        "process_madvise": (440, 440),
        "pidfd_getfd": (438, 438),
        "kcmp": (312, 272),
        "migrate_pages": (256, 238),
        "move_pages": (279, 239),
        # another view of the machine
        "mount": (165, 40),
        "umount2": (166, 39),
        "pivot_root": (155, 41),
        "chroot": (161, 51),
        "open_tree": (428, 428),
        "move_mount": (429, 429),
        "fsopen": (430, 430),
        "fsconfig": (431, 431),
        "fsmount": (432, 432),
        "fspick": (433, 433),
        "mount_setattr": (442, 442),
        "open_tree_attr": (467, 467),
        "unshare": (272, 97),
        "setns": (308, 268),
        "open_by_handle_at": (304, 265),  # bypasses mounts for a process with CAP_DAC_READ_SEARCH
        "quotactl": (179, 60),
        "quotactl_fd": (443, 443),
        "fanotify_init": (300, 262),
        # the machine itself
        "init_module": (175, 105),
        "finit_module": (313, 273),
        "delete_module": (176, 106),
        "kexec_load": (246, 104),
        "kexec_file_load": (320, 294),
        "reboot": (169, 142),
        "swapon": (167, 224),
        "swapoff": (168, 225),
        "acct": (163, 89),
        "syslog": (103, 116),
        "settimeofday": (164, 170),
        "clock_settime": (227, 112),
        "adjtimex": (159, 171),
        "clock_adjtime": (305, 266),
        "sethostname": (170, 161),
        "setdomainname": (171, 162),
        "vhangup": (153, 58),
        "iopl": (172, None),
        "ioperm": (173, None),
        # memory that no limit of a process counts, or that outlives it
        "memfd_create": (319, 279),
        "memfd_secret": (447, 447),
        "shmget": (29, 194),
        "shmat": (30, 196),
        "shmctl": (31, 195),
        "shmdt": (67, 197),
        "semget": (64, 190),
        "semop": (65, 193),
        "semctl": (66, 191),
        "semtimedop": (220, 192),
        "msgget": (68, 186),
        "msgsnd": (69, 189),
        "msgrcv": (70, 188),
        "msgctl": (71, 187),
        "mq_open": (240, 180),
        "mq_unlink": (241, 181),
        "vmsplice": (278, 75),  # a pipe keeps pages that the process has unmapped
        # large parts of the kernel that plots do not need
        "bpf": (321, 280),
        "perf_event_open": (298, 241),
        "userfaultfd": (323, 282),
        "io_uring_setup": (425, 425),
        "io_uring_enter": (426, 426),
        "io_uring_register": (427, 427),
        "add_key": (248, 217),
        "request_key": (249, 218),
        "keyctl": (250, 219),
        "modify_ldt": (154, None),
        "lookup_dcookie": (212, 18),
        "nfsservctl": (180, 42),
        "io_setup": (206, 0),
    }
)

# Refused in Mode.BARE. Landlock keeps a script from writing to the book, but not from these calls, and the filter
# sees no paths. In a sandbox the book is read-only. chmod and utime instead claim to have worked (PRETENDED).
METADATA: Mapping[str, tuple[int, int | None]] = MappingProxyType(
    {
        "chown": (92, None),
        "lchown": (94, None),
        "fchown": (93, 55),
        "fchownat": (260, 54),
        "setxattr": (188, 5),
        "lsetxattr": (189, 6),
        "fsetxattr": (190, 7),
        "setxattrat": (463, 463),
        "removexattr": (197, 14),
        "lremovexattr": (198, 15),
        "fremovexattr": (199, 16),
        "removexattrat": (466, 466),
        "file_setattr": (469, 469),
    }
)

# shutil.copy, shutil.copy2, zipfile and tarfile would fail on an error, and figures need neither mode nor time.
PRETENDED: Mapping[str, tuple[int, int | None]] = MappingProxyType(
    {
        "chmod": (90, None),
        "fchmod": (91, 52),
        "fchmodat": (268, 53),
        "fchmodat2": (452, 452),
        "utime": (132, None),
        "utimes": (235, None),
        "futimesat": (261, None),
        "utimensat": (280, 88),
    }
)

# The allowed socket families, AF_NETLINK, and without a sandbox AF_UNIX, AF_INET and AF_INET6. A network namespace does
# not confine Unix sockets that have a path, nor AF_VSOCK, and all scripts of a build share one. socketpair is another
# call.
_NETLINK = (16,)
_NETWORK = (1, 2, 10)
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NAMESPACES = 0x20000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
# MAP_SHARED and MAP_ANONYMOUS: such memory stays until its last page is unmapped, and no limit counts the others.
_SHARED_MEMORY = 0x21
_HUGE_PAGES = 0x40000  # MAP_HUGETLB: not in the count of a process
# linux/fs.h: FS_IOC_SETFLAGS, FS_IOC_SETVERSION, FS_IOC_FSSETXATTR. They change a file that is only open for reading.
_FILE_FLAGS = (0x40086602, 0x40087602, 0x401C5820)


# linux/bpf_common.h and linux/seccomp.h
_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_KILL, _ALLOW = 0x80000000, 0x7FFF0000
_EPERM, _ENOSYS, _NOTHING = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS, 0x00050000
_NO_FAMILY = 0x00050000 | errno.EAFNOSUPPORT
_FILTER = 2  # SECCOMP_MODE_FILTER

# An instruction, its value, and the number of instructions to skip if its test holds, and if it does not.
_Step: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class ArgumentRule:
    """The values allowed for one argument of a call. Only its lower half counts: all these arguments are C integers."""

    numbers: tuple[int, int]
    argument: int
    only: tuple[int, ...] = ()  # the allowed values
    never: tuple[int, ...] = ()  # the refused values
    not_any: int = 0  # bits that must all be clear
    not_all: int = 0  # bits that must not all be set
    answer: int = _EPERM

    def steps(self, number: int) -> list[_Step]:
        """Load the argument; refuse it, or continue after these steps with the call's number loaded again."""
        tests: list[_Step] = []
        refuse = (_RETURN, self.answer, 0, 0)
        if self.only:
            left = range(len(self.only), 0, -1)
            tests += [(_EQUAL, value, skip, 0) for value, skip in zip(self.only, left, strict=True)]
            tests += [refuse]
        for value in self.never:
            tests += [(_EQUAL, value, 0, 1), refuse]
        if self.not_any:
            tests += [(_ANY_BIT, self.not_any, 0, 1), refuse]
        if self.not_all:
            tests += [(_AND, self.not_all, 0, 0), (_EQUAL, self.not_all, 0, 1), refuse]
        load = (_LOAD, _FIRST_ARGUMENT + 8 * self.argument, 0, 0)
        whole = [load, *tests, (_LOAD, _NUMBER, 0, 0)]
        return [(_EQUAL, number, 0, len(whole)), *whole]


OWN = (0,)  # a process names itself as 0
RULES: tuple[tuple[str, ArgumentRule], ...] = (
    ("clone", ArgumentRule((56, 220), 0, not_any=_NAMESPACES)),
    ("prlimit64", ArgumentRule((302, 261), 0, only=OWN)),
    # changing the priority of other processes
    ("setpriority", ArgumentRule((141, 140), 0, only=(0,))),  # PRIO_PROCESS
    ("setpriority", ArgumentRule((141, 140), 1, only=OWN)),
    ("ioprio_set", ArgumentRule((251, 30), 0, only=(1,))),  # IOPRIO_WHO_PROCESS
    ("ioprio_set", ArgumentRule((251, 30), 1, only=OWN)),
    ("sched_setparam", ArgumentRule((142, 118), 0, only=OWN)),
    ("sched_setscheduler", ArgumentRule((144, 119), 0, only=OWN)),
    ("sched_setattr", ArgumentRule((314, 274), 0, only=OWN)),
    ("sched_setaffinity", ArgumentRule((203, 122), 0, only=OWN)),
    ("mmap", ArgumentRule((9, 222), 3, not_any=_HUGE_PAGES)),
    ("mmap", ArgumentRule((9, 222), 3, not_all=_SHARED_MEMORY)),
    ("ioctl", ArgumentRule((16, 29), 1, never=_FILE_FLAGS)),
)
_SOCKET = (41, 198)


@dataclass(frozen=True, slots=True)
class Architecture:
    """The numbers of system calls that differ between processor architectures."""

    column: int  # of the tables above
    audit: int  # linux/audit.h: AUDIT_ARCH_...
    clone3: int
    end: int  # numbers from here on belong to another interface (x32)

    @property
    def clone(self) -> int:
        return dict(RULES)["clone"].numbers[self.column]


MACHINES: Mapping[str, Architecture] = MappingProxyType(
    {
        "x86_64": Architecture(0, 0xC000003E, clone3=435, end=0x40000000),
        "aarch64": Architecture(1, 0xC00000B7, clone3=435, end=0x40000000),
    }
)


def rules(mode: Mode) -> tuple[tuple[str, ArgumentRule], ...]:
    """The rules on arguments in a mode."""
    families = _NETLINK if mode.is_sandboxed else (*_NETWORK, *_NETLINK)
    return (*RULES, ("socket", ArgumentRule(_SOCKET, 0, only=families, answer=_NO_FAMILY)))


@cache
def program(machine: Architecture, mode: Mode) -> bytes:
    """The filter in the kernel's form: classic BPF, eight bytes per instruction."""
    return b"".join(
        struct.pack("=HBBI", code, yes, no, value) for code, value, yes, no in _steps(machine, mode)
    )


def _steps(machine: Architecture, mode: Mode) -> Iterator[_Step]:
    yield from ((_LOAD, _ARCHITECTURE, 0, 0), (_EQUAL, machine.audit, 1, 0), (_RETURN, _KILL, 0, 0))
    yield from ((_LOAD, _NUMBER, 0, 0), (_AT_LEAST, machine.end, 0, 1), (_RETURN, _ENOSYS, 0, 0))
    for name, answer in answers(mode).items():
        number = _TABLE[name][machine.column]
        if number is not None:
            if name == "utimensat":
                yield from _touch(number)
            yield from ((_EQUAL, number, 0, 1), (_RETURN, answer, 0, 0))
    # The flags of clone3 are in memory, which no filter can read. On ENOSYS the C library falls back to `clone`.
    yield from ((_EQUAL, machine.clone3, 0, 1), (_RETURN, _ENOSYS, 0, 0))
    for _, rule in rules(mode):
        yield from rule.steps(rule.numbers[machine.column])
    yield (_RETURN, _ALLOW, 0, 0)


_TABLE = {**REFUSED, **METADATA, **PRETENDED}


def answers(mode: Mode) -> dict[str, int]:
    """The calls refused in a mode whatever their arguments, each with the result that the caller gets."""
    results = dict.fromkeys(REFUSED, _EPERM)
    if mode is Mode.BARE:
        results |= dict.fromkeys(METADATA, _EPERM) | dict.fromkeys(PRETENDED, _NOTHING)
    return results


def _touch(number: int) -> list[_Step]:
    """Refuse utimensat of a path without times: Path.touch() makes the file only if this call fails."""
    halves = [(argument, half) for argument in (2, 1) for half in (0, 4)]  # of `times`, of the path
    offsets = [_FIRST_ARGUMENT + 8 * argument + half for argument, half in halves]
    # times is NULL if both halves are; the path is not NULL if one half is not.
    inner: list[_Step] = [
        (_LOAD, offsets[0], 0, 0),
        (_EQUAL, 0, 0, 7),
        (_LOAD, offsets[1], 0, 0),
        (_EQUAL, 0, 0, 5),
        (_LOAD, offsets[2], 0, 0),
        (_EQUAL, 0, 0, 2),
        (_LOAD, offsets[3], 0, 0),
        (_EQUAL, 0, 1, 0),
        (_RETURN, _EPERM, 0, 0),
        (_LOAD, _NUMBER, 0, 0),
    ]
    return [(_EQUAL, number, 0, len(inner)), *inner]


def prepare(mode: Mode) -> None:
    """Compute this machine's filter now, once, for all processes forked later."""
    machine = MACHINES.get(os.uname().machine)
    if machine is not None:
        program(machine, mode)


def install(mode: Mode) -> bool:
    """Put this process and its children under the filter, permanently. Returns whether the kernel accepted it.

    The process must have set no_new_privs before.
    """
    machine = MACHINES.get(os.uname().machine)
    if machine is None:
        return False
    code = ctypes.create_string_buffer(filter_ := program(machine, mode), len(filter_))
    whole = struct.pack("@HP", len(filter_) // 8, ctypes.addressof(code))
    try:
        kernel.prctl(kernel.PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(whole))
    except OSError:
        return False  # a kernel without seccomp
    return True
