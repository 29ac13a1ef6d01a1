"""The settings of the book."""

project = "My book"
extensions = ["myst_parser", "figmill.sphinx"]
html_theme = "furo"
numfig = True
exclude_patterns = ["_build", "build", "questions", "visuals", ".venv"]
