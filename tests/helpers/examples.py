"""How many examples a test of made-up values has: some in each run, and many more in `make soak`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

Test = Callable[..., None]


def examples(
    some: int, most: int, *values: SearchStrategy[Any], always_the_same: bool = False
) -> Callable[[Test], Test]:
    """In the place of `hypothesis.given(*values)`: a test of `some` examples, and one of `most` for `make soak`.

    always_the_same: each run has the same ones.
    """

    def decorated(test: Test) -> Test:
        @pytest.mark.parametrize("count", [some, pytest.param(most, marks=pytest.mark.soak)])
        def counted(count: int) -> None:
            settings(max_examples=count, deadline=None, derandomize=always_the_same)(given(*values)(test))()

        counted.__name__, counted.__module__, counted.__doc__ = test.__name__, test.__module__, test.__doc__
        return counted

    return decorated
