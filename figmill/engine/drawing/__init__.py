"""From steps to outcomes: what is drawn, what is known, and what has failed."""
