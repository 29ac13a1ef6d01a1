"""Print the nine alignment scenarios of a table of steps: `python -m figmill_timelines.training.whatif TABLE`.

With `--scheduler tcp://HOST:8786` the workers of a Dask cluster replay the scenarios: `stalls.sweep` takes any `map`.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the current folder, whose modules would replace those of Python

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from figmill_timelines.training import stall_table, stalls

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

# Each column: its heading, the fact below it, and its format.
COLUMNS = (
    ("step s", "iteration_mean", "8.4f"),
    ("+- s", "iteration_sd", "8.4f"),
    ("stall s", "stall_mean", "8.4f"),
    ("delay s", "delay_mean", "8.4f"),
    ("delay sd", "delay_sd", "8.4f"),
    ("delayed %", "effective_delay_percent", "9.1f"),
    ("samples/s", "samples_per_s", "9.1f"),
)


@contextmanager
def cluster(address: str | None) -> Iterator[Map]:
    """The `map` of the cluster at this address; for None, Python's own."""
    if address is None:
        yield map
        return
    from distributed import Client

    with Client(address, timeout="10s") as client:
        yield lambda work, items: client.gather(client.map(work, list(items)))


def lines(scenarios: Mapping[tuple[str, str], Mapping[str, Any]]) -> Iterator[str]:
    """The scenarios as a table of text, a line for each."""
    yield f"{'fetches':8} {'starts':9} " + " ".join(
        f"{head:>{form.split('.')[0]}}" for head, _, form in COLUMNS
    )
    for (fetch, start), facts in scenarios.items():
        values = " ".join(format(facts[name], form) for _, name, form in COLUMNS)
        yield f"{fetch:8} {start:9} {values}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("table", help="CSV, one row for each step and GPU")
    parser.add_argument("--carry", action="store_true", help="with a prefetch queue, delays carried over")
    parser.add_argument("--depth", type=int, default=2, help="of the prefetch queue")
    parser.add_argument("--skip", type=int, default=10, help="first steps left out")
    parser.add_argument("--batch", type=int, default=1, help="samples a GPU and step")
    parser.add_argument("--scheduler", metavar="ADDR", help="of a Dask cluster that replays the scenarios")
    options = parser.parse_args()
    try:
        table = stall_table.read(options.table)
        with cluster(options.scheduler) as mapped:
            scenarios = stalls.sweep(
                table,
                map=mapped,
                carry=options.carry,
                depth=options.depth,
                skip=options.skip,
                batch=options.batch,
            )
    except (ValueError, OSError) as error:
        sys.exit(f"{options.table}: {error}")
    print("\n".join(lines(scenarios)))


if __name__ == "__main__":
    main()
