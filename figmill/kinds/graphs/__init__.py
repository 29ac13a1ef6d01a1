"""Around Graphviz: the state of its process, the attributes it cannot serve, and its messages."""
