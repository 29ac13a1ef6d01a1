"""Draw in processes: the pool, its slots and launchers, and the worker that runs in each process."""
