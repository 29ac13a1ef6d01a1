"""The seccomp filter: the kernel refuses scripts and their children the system calls that no figure needs.

The list names the refused calls, not the allowed ones: scripts use many libraries, and new calls of a new C library
must not break them. Standard library only. Unaware of figures.
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
    }
)

# The allowed socket families: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. A network namespace does not confine some of
# the others (AF_VSOCK); the rest is kernel code that no figure needs.
SOCKETS = (1, 2, 10, 16)
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NAMESPACES = 0x20000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000


@dataclass(frozen=True, slots=True)
class Machine:
    """The numbers that differ between processor architectures."""

    column: int  # of REFUSED
    audit: int  # linux/audit.h: AUDIT_ARCH_...
    clone: int
    clone3: int
    prlimit: int
    socket: int
    end: int  # numbers from here on belong to another interface (x32)


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
    """The filter in the kernel's form: classic BPF, eight bytes per instruction."""
    numbers = [row[machine.column] for row in REFUSED.values()]
    # Instruction, value, and the number of instructions to skip if the test holds, and if it does not.
    tests: list[tuple[int, int, int, int]] = []
    tests += [(_LOAD, _ARCHITECTURE, 0, 0), (_EQUAL, machine.audit, 1, 0), (_RETURN, _KILL, 0, 0)]
    tests += [(_LOAD, _NUMBER, 0, 0), (_AT_LEAST, machine.end, 0, 1), (_RETURN, _ENOSYS, 0, 0)]
    for number in numbers:
        if number is not None:
            tests += [(_EQUAL, number, 0, 1), (_RETURN, _EPERM, 0, 0)]
    # The flags of clone3 are in memory, which no filter can read. On ENOSYS the C library falls back to `clone`.
    tests += [(_EQUAL, machine.clone3, 0, 1), (_RETURN, _ENOSYS, 0, 0)]
    tests += [(_EQUAL, machine.clone, 0, 4), (_LOAD, _FIRST_ARGUMENT, 0, 0)]
    tests += [(_ANY_BIT, _NAMESPACES, 0, 1), (_RETURN, _EPERM, 0, 0), (_RETURN, _ALLOW, 0, 0)]
    # prlimit for a process other than the caller (0).
    tests += [(_EQUAL, machine.prlimit, 0, 4), (_LOAD, _FIRST_ARGUMENT, 0, 0)]
    tests += [(_EQUAL, 0, 1, 0), (_RETURN, _EPERM, 0, 0), (_RETURN, _ALLOW, 0, 0)]
    tests += [(_EQUAL, machine.socket, 0, len(SOCKETS) + 2), (_LOAD, _FIRST_ARGUMENT, 0, 0)]
    tests += [(_EQUAL, kind, len(SOCKETS) - index, 0) for index, kind in enumerate(SOCKETS)]
    tests += [(_RETURN, _EPERM, 0, 0), (_RETURN, _ALLOW, 0, 0)]
    return b"".join(struct.pack("=HBBI", code, yes, no, value) for code, value, yes, no in tests)


def prepare() -> None:
    """Compute this machine's filter now, once, for all processes forked later."""
    machine = MACHINES.get(os.uname().machine)
    if machine is not None:
        program(machine)


def install() -> bool:
    """Put this process and its children under the filter, permanently. Returns whether the kernel accepted it.

    The process must have set no_new_privs before.
    """
    machine = MACHINES.get(os.uname().machine)
    if machine is None:
        return False
    code = ctypes.create_string_buffer(filter_ := program(machine), len(filter_))
    whole = struct.pack("@HP", len(filter_) // 8, ctypes.addressof(code))
    try:
        kernel.prctl(kernel.PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(whole))
    except OSError:
        return False  # a kernel without seccomp
    return True
