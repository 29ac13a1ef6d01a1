"""The parameters of a figure that readers turn: the key `explore`, and the pictures that it asks for."""
