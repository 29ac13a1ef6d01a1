"""Charts: timelines and tables of scenarios as figures or as text. No chart knows a simulator."""
