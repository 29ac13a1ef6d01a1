"""Closed forms and simulators of systems: queues, serving, memory, links, failures. None of them knows figures."""
