"""The system calls that no figure needs, refused by the kernel to a script and to all that it starts.

Standard library only. Unaware of figures. A list of what is refused, and not of what is allowed: the libraries that
scripts use are many, and new calls of a new C library must not break them.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from figmill.enclosure import kernel

# name -> its number on x86-64, and on 64-bit ARM (None: there is none)
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
        "open_by_handle_at": (304, 265),  # passes by every mount, where one may search all folders
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
        # parts of the kernel that are large and that plots do not need
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
    }
)

# The kinds of sockets that there may be: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others are not held by a network
# namespace (AF_VSOCK), or are kernel code that nobody needs here.
SOCKETS = (1, 2, 10, 16)
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NAMESPACES = 0x20000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000


@dataclass(frozen=True, slots=True)
class Machine:
    """What differs from one processor to the other."""

    column: int  # of REFUSED
    audit: int  # linux/audit.h: AUDIT_ARCH_...
    clone: int
    clone3: int
    prlimit: int
    socket: int
    end: int  # numbers from here on are another interface's (x32)


MACHINES: Mapping[str, Machine] = MappingProxyType(
    {
        "x86_64": Machine(0, 0xC000003E, clone=56, clone3=435, prlimit=302, socket=41, end=0x40000000),
        "aarch64": Machine(1, 0xC00000B7, clone=220, clone3=435, prlimit=261, socket=198, end=0x40000000),
    }
)

# linux/bpf_common.h and linux/seccomp.h
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_KILL, _ALLOW = 0x80000000, 0x7FFF0000
_EPERM, _ENOSYS = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_FILTER = 2  # SECCOMP_MODE_FILTER


@cache
def program(machine: Machine) -> bytes:
    """The filter as the kernel takes it: classic BPF, eight bytes an instruction."""
    numbers = [row[machine.column] for row in REFUSED.values()]
    # Instruction, value, and how many instructions to jump over where it holds, and where it does not.
    tests: list[tuple[int, int, int, int]] = []
    tests += [(_LOAD, _ARCHITECTURE, 0, 0), (_EQUAL, machine.audit, 1, 0), (_RETURN, _KILL, 0, 0)]
    tests += [(_LOAD, _NUMBER, 0, 0), (_AT_LEAST, machine.end, 0, 1), (_RETURN, _ENOSYS, 0, 0)]
    for number in numbers:
        if number is not None:
            tests += [(_EQUAL, number, 0, 1), (_RETURN, _EPERM, 0, 0)]
    # Its flags lie in memory, where no filter can look; the C library then takes `clone`.
    tests += [(_EQUAL, machine.clone3, 0, 1), (_RETURN, _ENOSYS, 0, 0)]
    tests += [(_EQUAL, machine.clone, 0, 4), (_LOAD, _FIRST_ARGUMENT, 0, 0)]
    tests += [(_ANY_BIT, _NAMESPACES, 0, 1), (_RETURN, _EPERM, 0, 0), (_RETURN, _ALLOW, 0, 0)]
    # Limits of other processes than the one that asks.
    tests += [(_EQUAL, machine.prlimit, 0, 4), (_LOAD, _FIRST_ARGUMENT, 0, 0)]
    tests += [(_EQUAL, 0, 1, 0), (_RETURN, _EPERM, 0, 0), (_RETURN, _ALLOW, 0, 0)]
    tests += [(_EQUAL, machine.socket, 0, len(SOCKETS) + 2), (_LOAD, _FIRST_ARGUMENT, 0, 0)]
    tests += [(_EQUAL, kind, len(SOCKETS) - index, 0) for index, kind in enumerate(SOCKETS)]
    tests += [(_RETURN, _EPERM, 0, 0), (_RETURN, _ALLOW, 0, 0)]
    return b"".join(struct.pack("=HBBI", code, yes, no, value) for code, value, yes, no in tests)


def prepare() -> None:
    """Make this machine's filter now, and not in each of the processes that are forked from here on."""
    machine = MACHINES.get(os.uname().machine)
    if machine is not None:
        program(machine)


def install() -> bool:
    """Hold this process and all that it starts to the filter, for good; whether the kernel has taken it.

    The process must have given up new privileges before.
    """
    machine = MACHINES.get(os.uname().machine)
    if machine is None:
        return False
    code = ctypes.create_string_buffer(filter_ := program(machine), len(filter_))
    whole = struct.pack("@HP", len(filter_) // 8, ctypes.addressof(code))
    try:
        kernel.prctl(kernel.PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(whole))
    except OSError:
        return False  # a kernel without it
    return True
