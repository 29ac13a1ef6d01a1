"""Simulators of data-parallel training: workers, data stalls, collectives."""
