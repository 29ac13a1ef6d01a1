"""From a book and a request to a report: load, plan, produce, and write or compare. Unaware of the command line."""
