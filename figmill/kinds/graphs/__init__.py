"""What surrounds Graphviz: the process that it finds, the attributes that it cannot serve, and what it says."""
