"""Guesses the kind of a recorded event from the words of its name and its category."""

from __future__ import annotations

import re
from functools import lru_cache

# Categories of events that are work of a GPU. Kineto writes the same names for CUDA, ROCm, XPU and custom devices; MTIA
# has its own. Those with a capital letter are from the PyTorch profiler before Kineto.
COPIES = frozenset({"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"})
GPU_CATEGORIES = COPIES | {"kernel", "concurrent_kernel", "mtia_ccp_events", "Kernel"}

# Categories that name a stretch of a GPU's time and are not work: record_function and ProfilerStep, in the GPU's time.
ANNOTATIONS = frozenset({"gpu_user_annotation"})
# More of them on a GPU's streams: waiting, records of events, counters, the profiler's own time.
NO_WORK = ANNOTATIONS | {
    "cuda_sync",
    "xpu_sync",
    "cuda_event",
    "cuda_profiler_range",
    "xpu_scope_profiler",
    "mtia_insight",
    "mtia_counters",
    "overhead",
    "Trace",
}

# For a kernel, only the name of a library or of a collective: many compute kernels have "broadcast" in their names.
_COLLECTIVE_KERNEL = re.compile(
    r"nccl|rccl|(?<![a-z])(?:h|ms|one)?ccl|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|send_?recv"
    r"|cross_device_reduce|nvshmem|deep_?ep",
    re.I,
)
_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "communication",
        re.compile(
            r"nccl|rccl|(?<![a-z])(?:h|ms|one)ccl|all_?reduce|all_?gather|reduce_?scatter|broadcast|all_?to_?all|\bsend|\brecv",
            re.I,
        ),
    ),
    ("fetch", re.compile(r"data_?loader|prefetch|\bfetch", re.I)),
    ("optimizer", re.compile(r"optimi[sz]er|adam(?![a-z])|adamw|\bsgd\b|\blamb\b", re.I)),
    ("memory", re.compile(r"memcpy|memset", re.I)),
    ("backward_weight", re.compile(r"backward_?w|wgrad|weight_?grad", re.I)),
    ("backward_input", re.compile(r"backward_?(input|d)\b|dgrad", re.I)),
    ("backward", re.compile(r"backward|\bbwd", re.I)),
    ("forward", re.compile(r"forward|\bfwd", re.I)),
)
_MICROBATCH = re.compile(r"(?:micro_?batch|\bmb)[ _#=:]*(\d+)", re.I)


@lru_cache(maxsize=1 << 16)
def what_is(name: str, category: str = "") -> tuple[str, str, int]:
    """(kind, label, microbatch) of an event; microbatch is -1 if the name has none."""
    number = _MICROBATCH.search(name)
    microbatch = int(number[1]) if number else -1
    return _kind(name, category), str(microbatch) if number else "", microbatch


def _kind(name: str, category: str) -> str:
    if category in COPIES:
        return "memory"
    on_gpu = category in GPU_CATEGORIES
    if on_gpu and _COLLECTIVE_KERNEL.search(name):
        return "communication"
    for kind, pattern in _WORDS:
        if pattern.search(name) and not (on_gpu and kind == "communication"):
            return kind
    return "compute" if on_gpu or category == "" else "other"
