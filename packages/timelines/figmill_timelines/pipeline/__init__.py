"""Pipeline schedules: each device's order, when it runs, the memory it takes, and work for its bubbles.

Of these modules, only `schedule_panels` knows about figures, so that a simulation does not load matplotlib.
"""
