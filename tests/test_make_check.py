"""`make check` runs the tests nearest to a change."""

from __future__ import annotations

from check import nearest


def test_the_tests_that_import_a_module_come_first() -> None:
    tests = nearest(["figmill/publish/not_drawn.py"])
    assert tests[0] == "tests/publish/test_not_drawn.py"
    assert "tests/publish/test_finalise.py" in tests and "tests/svg/test_colours.py" not in tests
    orders = nearest(["packages/timelines/figmill_timelines/pipeline/orders.py"])
    assert orders[0].startswith("packages/timelines/tests/pipeline/") and len(orders) < 30


def test_a_changed_test_runs_alone_and_a_helper_with_all_that_import_it() -> None:
    assert nearest(["tests/test_make_check.py"]) == ["tests/test_make_check.py"]
    tests = nearest(["tests/helpers/drawn_numbers.py"])
    assert "packages/timelines/tests/test_drawn_numbers.py" in tests[:3]


def test_what_is_no_code_touches_no_test() -> None:
    assert nearest(["docs/lint.md", "nowhere.py"]) == []
