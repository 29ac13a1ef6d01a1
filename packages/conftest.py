"""What all tests share is a plugin, for those below packages/ too."""

pytest_plugins = ["helpers.fixtures"]
