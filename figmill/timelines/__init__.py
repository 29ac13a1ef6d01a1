"""Timelines of machines at work: simulators, readers of traces, and their drawing.

An island: nothing here knows of questions, plans or outputs, and of figmill it imports the palette alone.
Every simulator turns parameters or data into a `Timeline`; `gantt` draws one, `ascii` writes one as text.

Generators in books write `from figmill.timelines import gantt, schedules`. The table below says in which folder each
of these modules lies. Both names mean one module, which is imported when it is first used.
"""

from __future__ import annotations

from types import MappingProxyType

from figmill.timelines import moved

# Nothing else is imported here or there: `python -m` comes by before the current folder is taken from the path.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# A public name -> where the module is, below this package. `bounds`, `files` and `quantities` lie here.
PUBLIC: Mapping[str, str] = MappingProxyType(
    {
        "model": "spans",
        "ascii": "charts.ascii",
        "canvas": "charts.canvas",
        "cells": "charts.cells",
        "chart": "charts.xy_chart",
        "bars": "plots.bars",
        "stepchart": "plots.step_chart",
        "fieldchart": "plots.field_chart",
        "blockchart": "plots.block_chart",
        "sequencechart": "plots.sequence_chart",
        "labels": "plots.labels",
        "page": "plots.page",
        "plot": "plots.plot",
        "gantt": "charts.gantt",
        "layout": "charts.layout",
        "legends": "charts.legends",
        "look": "charts.looks",
        "shares": "charts.shares",
        "stallchart": "charts.stall_chart",
        "collectives": "training.collectives",
        "queueing": "training.queueing",
        "stalls": "training.stalls",
        "stalltable": "training.stall_table",
        "whatif": "training.whatif",
        "workers": "training.workers",
        "evaluate": "pipeline.evaluate",
        "filling": "pipeline.filling",
        "memory": "pipeline.activations",
        "orders": "pipeline.orders",
        "schedules": "pipeline.schedules",
        "budget": "models.memory_budget",
        "accelerators": "models.accelerators",
        "mixtures": "models.mixtures",
        "rooflines": "models.rooflines",
        "chains": "models.chains",
        "steps": "models.collective_steps",
        "stragglers": "models.stragglers",
        "speculation": "models.speculation",
        "failures": "models.failures",
        "sharding": "models.sharding",
        "queues": "models.queues",
        "serving": "models.serving",
        "bits": "models.bit_fields",
        "networks": "models.networks",
        "messages": "models.messages",
        "paging": "models.paged_serving",
        "columns": "traces.columns",
        "events": "traces.pipeline_events",
        "meaning": "traces.event_kinds",
        "nsight": "traces.nsight",
        "tracejson": "traces.chrome_json",
    }
)

if TYPE_CHECKING:  # the same table for a type checker, which runs none of the code above
    from figmill.timelines import spans as model
    from figmill.timelines.charts import ascii, canvas, cells, gantt, layout, legends, shares  # noqa: A004 - the word for it
    from figmill.timelines.charts import looks as look
    from figmill.timelines.charts import stall_chart as stallchart
    from figmill.timelines.charts import xy_chart as chart
    from figmill.timelines.models import (
        accelerators,
        chains,
        failures,
        messages,
        mixtures,
        networks,
        queues,
        rooflines,
        serving,
        sharding,
        speculation,
        stragglers,
    )
    from figmill.timelines.models import bit_fields as bits
    from figmill.timelines.models import collective_steps as steps
    from figmill.timelines.models import memory_budget as budget
    from figmill.timelines.models import paged_serving as paging
    from figmill.timelines.pipeline import activations as memory
    from figmill.timelines.pipeline import evaluate, filling, orders, schedules
    from figmill.timelines.plots import bars, labels, page, plot
    from figmill.timelines.plots import block_chart as blockchart
    from figmill.timelines.plots import field_chart as fieldchart
    from figmill.timelines.plots import sequence_chart as sequencechart
    from figmill.timelines.plots import step_chart as stepchart
    from figmill.timelines.traces import chrome_json as tracejson
    from figmill.timelines.traces import columns, nsight
    from figmill.timelines.traces import event_kinds as meaning
    from figmill.timelines.traces import pipeline_events as events
    from figmill.timelines.training import collectives, queueing, stalls, whatif, workers
    from figmill.timelines.training import stall_table as stalltable

    __all__ = [
        "accelerators",
        "ascii",
        "bars",
        "bits",
        "blockchart",
        "budget",
        "canvas",
        "cells",
        "chains",
        "chart",
        "collectives",
        "columns",
        "evaluate",
        "events",
        "failures",
        "fieldchart",
        "filling",
        "gantt",
        "labels",
        "layout",
        "legends",
        "look",
        "meaning",
        "memory",
        "messages",
        "mixtures",
        "model",
        "networks",
        "nsight",
        "orders",
        "page",
        "paging",
        "plot",
        "queueing",
        "queues",
        "rooflines",
        "schedules",
        "sequencechart",
        "serving",
        "sharding",
        "shares",
        "speculation",
        "stallchart",
        "stalls",
        "stalltable",
        "stepchart",
        "steps",
        "stragglers",
        "tracejson",
        "whatif",
        "workers",
    ]

moved.install(__name__, PUBLIC)
