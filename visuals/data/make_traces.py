"""Makes profile.json and pipeline.json: synthetic, not measured; seed 11, the same to the byte at every run.

profile.json has the form of a PyTorch profiler trace of one GPU in data-parallel training: three steps with CPU
calls, kernels on stream 7, NCCL's AllReduce in buckets on stream 20, a copy at the start of each step, and the
memory in use as a counter. pipeline.json has the form of Megatron-LM's pipeline timers: 1F1B on four ranks with
eight microbatches, forwards of 10 ms and backwards of 20 ms, each up to 8 % longer, and 1 ms between ranks.
"""

import json
import random
from pathlib import Path

from figmill_timelines.pipeline import evaluate, schedules

HERE = Path(__file__).parent


def profile(source: random.Random) -> dict[str, object]:
    events: list[dict[str, object]] = [
        {"ph": "M", "name": "process_name", "pid": 4711, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "process_sort_index", "pid": 4711, "tid": 0, "args": {"sort_index": 1}},
        {"ph": "M", "name": "thread_name", "pid": 4711, "tid": 4711, "args": {"name": "main thread"}},
    ]

    def add(category: str, name: str, pid: int, tid: int, start: float, length: float) -> float:
        rounded = {"ts": round(start, 3), "dur": round(length, 3)}
        events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, **rounded})
        return start + length

    def memory(moment: float, gigabytes: float) -> None:
        args = {"Total Allocated": round(gigabytes * 1e9)}
        events.append({"ph": "C", "name": "[memory]", "pid": 4711, "ts": round(moment, 3), "args": args})

    now = 1_000_000.0
    for step in range(3):
        begun = now
        add("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, 13, now, 900)
        gpu = now + 950
        for layer in range(8):
            add("cpu_op", "aten::linear", 4711, 4711, now + 100 * layer, 60)
            gpu = add("kernel", f"forward layer {layer}", 0, 7, gpu, 1000 * source.uniform(0.95, 1.1)) + 15
            memory(gpu, 12 + 2.5 * (layer + 1))
        network = gpu
        for layer in reversed(range(8)):
            gpu = add("kernel", f"backward layer {layer}", 0, 7, gpu, 2000 * source.uniform(0.95, 1.1)) + 15
            memory(gpu, 12 + 2.5 * layer)
            if layer % 2 == 0:
                length = 4600 * source.uniform(0.95, 1.15)
                network = add(
                    "kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 0, 20, max(gpu, network), length
                )
        gpu = add("kernel", "multi_tensor_apply_kernel adam", 0, 7, max(gpu, network), 1500)
        add("user_annotation", f"ProfilerStep#{step}", 4711, 4711, begun, gpu - begun)
        now = gpu + 400
    return {"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": events}


def pipeline(source: random.Random) -> dict[str, dict[str, float]]:
    devices, microbatches = 4, 8
    plan = schedules.plan("1f1b", devices, microbatches)
    clock = 5000.0
    ranks: dict[str, dict[str, float]] = {str(rank): {} for rank in range(devices)}
    times = evaluate.Times(
        *[tuple(base * source.uniform(1, 1.08) for _ in range(devices)) for base in (10, 20, 10, 10)]
    )
    timeline = evaluate.to_timeline(plan, evaluate.run(plan, times, 1.0), 1.0)
    for span in timeline.spans:
        shorter = source.uniform(0.93, 1) * (span.end - span.start)
        name = f"{span.kind}-{span.microbatch}"
        ranks[str(span.lane)][f"{name}-start"] = round(clock + span.start, 3)
        ranks[str(span.lane)][f"{name}-end"] = round(clock + span.start + shorter, 3)
    return ranks


if __name__ == "__main__":
    source = random.Random(11)
    HERE.joinpath("profile.json").write_text(json.dumps(profile(source), indent=1) + "\n")
    HERE.joinpath("pipeline.json").write_text(json.dumps(pipeline(source), indent=1) + "\n")
