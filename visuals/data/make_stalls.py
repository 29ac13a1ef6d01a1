"""Makes stalls.csv: synthetic, not measured. Four GPUs, two epochs of 60 steps, seed 7.

A model of a shared file server: a fetch takes 90 ms and is log-normal (sigma 0.18); GPU 3 reads over a slower
link (+12 %); every 15th batch comes from a cold shard (+70 ms on one GPU). A step needs 90 ms besides;
queues hold two batches; the step of all ends with the slowest. Run it again and the file is the same to the byte.
"""

import random
from pathlib import Path

from figmill_timelines.training.stall_table import write
from figmill_timelines.training.stalls import StallRow

GPUS, EPOCHS, STEPS, DEPTH = 4, 2, 60, 2


def rows(source: random.Random) -> list[StallRow]:
    made: list[StallRow] = []
    now = 0.0
    free = [0.0] * GPUS
    began = [0.0] * DEPTH
    for epoch in range(EPOCHS):
        for index in range(STEPS):
            cold = source.randrange(GPUS) if index % 15 == 14 else -1
            fetches = [
                0.090 * source.lognormvariate(0, 0.18) * (1.12 if gpu == 3 else 1)
                + (0.070 if gpu == cold else 0)
                for gpu in range(GPUS)
            ]
            starts = [max(free[gpu], began[-DEPTH]) + source.uniform(0, 0.004) for gpu in range(GPUS)]
            free = [start + fetch for start, fetch in zip(starts, fetches, strict=True)]
            stalls = [max(end - now, 2e-6) for end in free]
            pure = 0.090 + abs(source.gauss(0, 0.002))
            began.append(now + max(stalls))
            for gpu in range(GPUS):
                iteration = max(stalls) + pure
                made.append(
                    StallRow(epoch, index, gpu, starts[gpu], fetches[gpu], began[-1], iteration, stalls[gpu])
                )
            now = began[-1] + pure
    return made


if __name__ == "__main__":
    write(rows(random.Random(7)), Path(__file__).with_name("stalls.csv"), __doc__.strip())
