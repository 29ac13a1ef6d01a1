"""The former name of figmill_timelines."""

from figmill import former_names

former_names.stand_for(__name__, "figmill_timelines")
