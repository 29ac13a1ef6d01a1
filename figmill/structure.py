"""The former name of figmill_structure."""

from figmill import former_names

former_names.stand_for(__name__, "figmill_structure")
