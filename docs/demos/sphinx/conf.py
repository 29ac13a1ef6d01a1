"""The settings of the demo, all of them."""

project = "figmill in Sphinx"
html_title = project
extensions = ["myst_parser", "figmill.sphinx"]
html_theme = "furo"
numfig = True
exclude_patterns = ["out", "build", "questions", "visuals"]
