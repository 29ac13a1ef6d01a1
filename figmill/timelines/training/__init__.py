"""Data-parallel training as it is simulated: workers, data stalls, queues, collectives."""
