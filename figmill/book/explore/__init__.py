"""The parameters of a figure that readers can change: the key `explore`, and the resulting pictures."""
