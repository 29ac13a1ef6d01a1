"""Plots of models: x-y plots, stacked bars, messages in steps, with a title and a legend above. They do not know
the models.
"""
