"""Fixtures: a small book in a temporary folder, and one with a good figure of each kind."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers import book as books
from helpers import parsing, warm
from helpers.book import CopyOf, Space
from helpers.chromium import QUIET, chromium
from helpers.machine import BWRAP
from helpers.showcase import built

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A shell that runs this in the background has it ignore SIGINT, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

parsing.install()
warm.use(warm.in_use)

# Takes a name and what makes a folder of it.
Once = Callable[[str, Callable[[Path], object]], Path]

# Files that take long, by processor time, come first: no process then waits for the others at the end.
LONG = (
    "test_axe.py", "test_plantuml.py", "test_exporter.py", "test_cli.py", "test_own_site.py", "test_cluster.py",
    "test_wheel.py", "test_phones.py", "test_fences.py", "test_mermaid.py", "test_pool.py", "test_doctor.py",
    "test_sphinx.py", "test_warnings.py", "test_explore.py", "test_lint_seeded.py", "test_other_packages.py",
    "test_plots.py", "test_holding.py", "test_sites.py", "test_mcp.py", "test_faults.py", "test_mkdocs.py",
    "test_change_page.py", "test_fit.py", "test_links.py", "test_following.py", "test_languages.py",
    "test_import_tracer.py", "test_gallery.py", "test_versions.py",
)  # fmt: skip
THEN = (
    "browser",
    "integrations",
    "soak",
    "engine",
    "commands",
)  # folders of files that take longer than most


# Tests of many like cases, of which each takes a build or a site: every run has each nth, `make soak` has them all.
# Tests on machines with each mode of the sandbox (the fixture `machine`) are sampled alike: each in one mode.
SAMPLED = {
    "test_a_block_that_cannot_be_drawn_is_told_at_its_line_and_stays": 6,
    "test_a_build_over_damaged_files_of_its_own_ends_well": 2,
    "test_a_cache_entry_that_is_no_file_is_a_miss": 4,
    "test_a_caller_that_stops_early_leaves_nothing_running": 2,
    "test_a_caption_is_a_change_that_no_file_of_the_figure_shows": 3,
    "test_a_caption_keeps_all_its_words": 4,
    "test_a_command_without_its_extra_says_how_to_get_it": 4,
    "test_a_comparison_writes_nothing_in_a_folder_that_may_not_be_written": 4,
    "test_a_copy_is_built_anew_with_all_its_times": 2,
    "test_a_drawing_of_a_tool_is_one_picture": 6,
    "test_a_failure_of_every_step_is_kept": 6,
    "test_a_fault_of_figmills_own_is_one_figures_error": 10,
    "test_a_figure_keeps_to_its_page_and_palette": 12,
    "test_a_figure_stands_in_the_middle": 6,
    "test_a_figure_that_failed_shows_its_last_good_form_and_says_so": 8,
    "test_a_figure_that_takes_too_long_or_too_much_is_ended_and_the_others_go_on": 2,
    "test_a_figure_without_a_caption_stands_in_a_page": 7,
    "test_a_file_that_a_kill_left_unfinished_is_swept_by_the_next_build": 2,
    "test_a_folder_that_may_not_be_written_is_told_and_loses_nothing": 4,
    "test_a_folder_where_a_file_is_to_be_written_is_one_figures_error": 4,
    "test_a_generator_ends_soon_whatever_it_is_called_with": 4,
    "test_a_hand_drawing_has_the_limits_of_a_figure": 4,
    "test_a_host_makes_its_pages_elsewhere": 2,
    "test_a_key_that_is_almost_visual_is_told_by_every_build": 12,
    "test_a_kind_that_cannot_be_taken_is_one_line": 3,
    "test_a_link_leads_to_the_page_that_shows_the_figure": 2,
    "test_a_link_that_leads_nowhere_is_told": 4,
    "test_a_link_to_a_figure_that_no_page_shows_is_told_at_its_line": 4,
    "test_a_lost_report_is_one_line_and_exit_1": 2,
    "test_a_million_spans_take_less_than_eighty_megabytes": 2,
    "test_a_module_is_seen_however_it_is_imported": 3,
    "test_a_new_id_is_held_to_the_rules_of_new": 3,
    "test_a_number_of_any_size": 4,
    "test_a_page_does_not_move_when_its_pictures_come": 10,
    "test_a_page_of_all_figures_inlined_has_no_violation": 2,
    "test_a_page_of_another_site_in_a_browser_that_has_the_cookie": 2,
    "test_a_page_shows_its_figures_and_facts": 8,
    "test_a_page_that_is_left_cancels_its_picture": 3,
    "test_a_png_is_the_picture_that_chromium_shows": 2,
    "test_a_poisoned_entry_is_a_miss": 2,
    "test_a_process_that_does_not_start_is_ended_and_told": 2,
    "test_a_reader_refuses_what_it_cannot_read": 5,
    "test_a_reader_that_has_gone_changes_no_exit_code": 6,
    "test_a_reader_turns_it": 6,
    "test_a_real_export_looks_as_it_did": 6,
    "test_a_report_that_is_lost_is_told": 3,
    "test_a_script_whose_text_is_a_bomb_fails_alone": 6,
    "test_a_simulation_stays_in_its_own_interval": 3,
    "test_a_starter_builds_and_shows_its_figure": 2,
    "test_a_stranger_sees_nothing_and_renders_nothing": 3,
    "test_a_summary_that_is_no_regular_file_is_one_line": 4,
    "test_a_theme_without_a_dark_form_shows_the_light_picture": 4,
    "test_a_title_of_many_words_takes_further_lines_and_states_facts": 4,
    "test_a_title_of_the_authors_own_stands_above_the_figure": 3,
    "test_a_warm_process_that_is_killed_from_without_is_started_again": 2,
    "test_a_warning_and_a_failure_are_told_once_and_the_page_is_there": 8,
    "test_a_warning_of_a_build_is_an_error_if_strict": 3,
    "test_a_wrong_exploration_is_one_line": 6,
    "test_an_edit_while_a_figure_is_drawn_is_seen_by_the_next_build": 8,
    "test_an_ordinary_script_is_not_in_the_way": 3,
    "test_an_unknown_name_is_a_warning_at_its_line_and_an_error_if_strict": 8,
    "test_an_unusual_environment": 6,
    "test_an_unusual_path": 6,
    "test_any_change_means_no_answer": 3,
    "test_any_sequence_of_edits_ends_as_whole_builds_do": 4,
    "test_axe_finds_nothing": 3,
    "test_axe_finds_nothing_and_nothing_sticks_out": 4,
    "test_blocks_of_code_become_figures": 6,
    "test_every_engine_draws_every_set_of_attributes": 2,
    "test_every_input_of_a_failure_has_it_drawn_again": 4,
    "test_every_other_switch": 2,
    "test_every_python_can_install_what_is_locked": 6,
    "test_exactly_the_dependents_of_a_file_are_stale": 4,
    "test_exactly_what_depends_on_a_change_is_rebuilt": 4,
    "test_exports_are_the_same_in_every_mode_and_from_every_folder": 4,
    "test_facts_follow_the_controls_of_their_figure": 3,
    "test_four_times_as_much_takes_about_four_times_as_long": 10,
    "test_html_is_what_every_host_writes": 2,
    "test_in_the_prose_of_every_host": 4,
    "test_it_is_drawn_as_in_a_browser": 10,
    "test_it_looks_as_it_did": 2,
    "test_letters_of_other_styles_keep_them": 2,
    "test_letters_stand_where_the_browser_has_them": 10,
    "test_no_book_is_one_clear_line": 4,
    "test_no_command_draws_where_the_sandbox_is_required_and_missing": 2,
    "test_no_input_takes_long": 4,
    "test_no_label_lies_over_a_line_or_another_label": 3,
    "test_no_module_of_the_book_is_loaded_for_another": 3,
    "test_no_process_and_no_folder_outlives_the_build": 2,
    "test_no_script_gets_at_anything_but_its_own_figure": 6,
    "test_no_words_are_below_nine_px": 2,
    "test_no_words_lie_over_others_or_off_the_page": 12,
    "test_nothing_is_written_elsewhere": 3,
    "test_nothing_is_written_through_a_link": 3,
    "test_nothing_moves_while_a_control_does": 2,
    "test_nothing_moves_while_a_control_does_and_it_is_said_once": 3,
    "test_nothing_of_one_script_is_left_to_the_next": 2,
    "test_nothing_shines_through_between_cells": 3,
    "test_one_element_of_a_page_has_the_id_of_a_figure": 4,
    "test_one_picture_is_seen_at_a_time_while_it_blinks_and_nothing_in_the_difference_of_equals": 2,
    "test_pages_are_served": 2,
    "test_pages_stay_as_they_are_unless_the_book_asks": 6,
    "test_paper_is_light_and_axe_finds_nothing": 8,
    "test_pictures_of_two_sizes_lie_over_each_other_in_one_scale_with_nothing_cut_off": 2,
    "test_processes_that_come_and_go_are_not_counted_together": 3,
    "test_real_exports_are_a_fixed_point_in_both_themes": 4,
    "test_results_come_in_the_order_of_the_jobs": 2,
    "test_scripts_see_no_token_and_end_in_time_and_have_no_sandbox": 2,
    "test_search": 8,
    "test_setup_writes_once_and_knows_what_is_old": 6,
    "test_setup_writes_over_nothing_else": 3,
    "test_several_things_are_made_of_one_drawing_in_their_order": 2,
    "test_the_address_holds_what_a_reader_has_chosen": 3,
    "test_the_closed_form_holds_over_a_grid": 6,
    "test_the_corpus": 6,
    "test_the_default_colours_of_a_program_are_told_by_lint_alone": 3,
    "test_the_examples_run_and_load_nothing_else_of_figmill": 4,
    "test_the_exit_code_follows_the_levels": 2,
    "test_the_gallery_has_no_violation": 2,
    "test_the_least_value_of_a_scale_may_be_white": 3,
    "test_the_markdown_shows_what_it_names": 4,
    "test_the_number_of_processes_is_limited": 4,
    "test_the_page_and_the_markdown_tell_the_same_changes": 4,
    "test_the_same_bytes_from_every_system": 2,
    "test_the_showcase_expects_numbers_of_each": 3,
    "test_the_source_that_was_changed_last_tells": 3,
    "test_the_theme_s_own_switch": 12,
    "test_the_theme_s_switch_works_on_what_is_shown": 2,
    "test_the_words_of_a_book_are_plain_text": 4,
    "test_the_words_of_a_figure_are_translated_wherever_a_page_names_it": 2,
    "test_the_words_of_a_page_keep_their_markup": 4,
    "test_what_begins_with_a_generator_builds_and_is_unfinished": 2,
    "test_what_cannot_be_shown_is_one_line": 3,
    "test_what_draw_returns_is_taken_for_what_it_is": 3,
    "test_what_has_no_schema_is_told_in_one_line": 2,
    "test_what_has_to_be_written_is_told": 6,
    "test_what_is_computed_is_what_happens_event_by_event": 8,
    "test_what_is_gone_or_damaged_is_made_again_without_drawing": 8,
    "test_what_is_no_drawing_is_refused_in_one_line": 3,
    "test_what_is_no_regular_file_is_refused_and_holds_nobody": 22,
    "test_what_is_no_source_is_told_as_what_it_is": 2,
    "test_what_tells_of_all_figures_is_never_left_out": 3,
    "test_what_the_processes_of_a_figure_hold_counts_together": 4,
    "test_what_would_take_a_browser_long_is_refused": 4,
    "test_whatever_a_book_says_is_no_command": 12,
    "test_whatever_a_script_reads_in_the_book_is_recorded_and_nothing_else": 2,
    "test_whatever_is_foreign_is_refused": 2,
    "test_whatever_is_made_is_made_elsewhere": 2,
    "test_whatever_was_asked_the_fault_is_told_and_nothing_else_stops": 6,
    "test_who_kills_the_warm_process_fails_by_name_and_the_others_are_built": 3,
    "test_without_a_script_and_on_paper_it_is_the_plain_figure": 7,
    "test_without_bubblewrap": 3,
    "test_wrong_settings_are_told_in_one_line": 3,
}

# Tests that take some four seconds on a slow machine, and whose subject other tests of each run hold in the main: many
# servers, clients and commits, large books, and whole builds for one message. `make soak` has them.
SLOW = frozenset(
    (
        "test_a_cluster_without_workers",
        "test_a_commit_with_nested_folders_stops_no_later_build",
        "test_a_figure_is_drawn_anew_for_the_modules_that_it_uses",
        "test_a_figure_that_not_everybody_can_read_is_refused",
        "test_a_file_that_cannot_be_opened_is_told",
        "test_a_large_book_with_many_mistakes_is_resolved_in_time",
        "test_a_large_page_is_compressed_and_opens",
        "test_a_library_that_does_not_load_is_told_and_the_others_are_tried",
        "test_a_server_that_starts_again_takes_its_old_tabs_in",
        "test_a_slow_picture_can_be_cancelled",
        "test_a_slow_sender_does_not_hold_up_the_others",
        "test_an_earlier_commit_is_drawn_with_the_package_of_the_book",
        "test_builds_at_once_leave_what_one_leaves",
        "test_clients_that_never_read_hold_nobody_up_nor_does_a_render",
        "test_closed_streams_take_nothing_from_a_build",
        "test_connections_that_ask_for_nothing_hold_nobody_up",
        "test_damage_by_number",
        "test_dark_figures_are_lettered_like_the_light_ones",
        "test_each_quoted_message_is_what_a_book_with_that_mistake_says",
        "test_exports_of_another_version_are_made_again",
        "test_hosts_and_a_tree_that_may_not_be_written_are_told",
        "test_killed_at_random_times",
        "test_killed_while_a_part_of_the_book_is_built",
        "test_many_pages_then_a_change_then_ctrl_c",
        "test_mkdocs_tells_it_in_each_build",
        "test_mystmd_leads_to_the_label_of_the_figure",
        "test_nothing_is_written_where_there_is_nothing_to_write",
        "test_serving_builds_again_on_a_change_and_never_by_itself",
        "test_settings_that_cannot_be_read",
        "test_the_three_pages_of_a_demo",
        "test_two_thousand_figures",
        "test_what_a_killed_build_left_nested_is_swept",
        "test_what_plantuml_leaves_out_stands_as_words",
        "test_whatever_a_figure_is_drawn_from_is_looked_at",
        "test_without_exports_and_without_a_book_nothing_is_wrong",
        "test_zensical_publishes_what_was_built_meanwhile",
        "test_zensical_tells_it_in_each_build",
    )
)


@pytest.hookimpl(tryfirst=True)  # before tests are left out by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    names = [getattr(item, "originalname", item.name) for item in items]
    many, seen = Counter(names), Counter[str]()
    for name, item in zip(names, items, strict=True):
        modes = len(BWRAP) if "machine" in getattr(item, "fixturenames", ()) else 1
        step = SAMPLED.get(name, modes)
        # Tests of the same cases begin with different ones.
        first = zlib.crc32(name.encode()) % min(step, many[name])
        if name in SLOW or (seen[name] - first) % step:
            item.add_marker(pytest.mark.soak)
        seen[name] += 1
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    """Where the tests of a file come."""
    if item.path.name in LONG:
        return LONG.index(item.path.name)
    return len(LONG) + (not any(part in item.path.parts for part in THEN))


def pytest_collection_finish() -> None:
    """The tests stay, so that the garbage collector need not visit ten thousand of them again and again."""
    gc.collect()
    gc.freeze()


# Tests of the processes that draw, and of what they may do: there each build starts its own, as anywhere else.
STARTS_ITS_OWN = ("enclosure", "render", "soak", "test_prestart.py")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what needs a browser before anything is made for it, where there is none."""
    warm.own_alone[0] = any(part in item.path.parts for part in STARTS_ITS_OWN)
    if "browser" in getattr(item, "fixturenames", ()):
        chromium()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without a window."""
    from playwright.sync_api import sync_playwright  # most tests need no browser

    executable = chromium()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Makes a folder of a name once for all processes of a run. Not to be changed by a test."""
    here = tmp_path_factory.getbasetemp()
    folder = here if "PYTEST_XDIST_WORKER" not in os.environ else here.parent

    def made(name: str, make: Callable[[Path], object]) -> Path:
        place, done = folder / name, folder / f"{name}.done"
        with open(folder / f"{name}.lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(place, ignore_errors=True)  # of an attempt that failed
                make(place)
                done.touch()
        return place

    return made


@pytest.fixture(scope="session")
def showcase(once: Once) -> Path:
    """The showcase as a book of its own, built in both themes. Not to be changed."""
    return once("showcase", built)


@pytest.fixture(scope="session")
def distributions(once: Once) -> Path:
    """The sdist and the wheel, in a folder."""
    from helpers.installed import distributions as build

    return once("distributions", build)


@pytest.fixture(scope="session")
def installed(once: Once, distributions: Path) -> Path:
    """The bin folder of an environment that has the wheel, and the libraries of this one."""
    from helpers.installed import environment

    wheel = next(distributions.glob("*.whl"))
    return once("environment", lambda place: environment(place, wheel)) / "bin"


@pytest.fixture
def space(tmp_path: Path) -> Space:
    root = tmp_path / "book"
    root.mkdir()
    return Space(root)


@pytest.fixture(scope="session")
def two_figures(once: Once) -> Path:
    """The book that hosts show in their pages, built. Not to be changed."""
    from helpers import hosts  # most tests need no host

    def make(place: Path) -> None:
        ran = hosts.book(Space(place)).run("--quiet")
        assert ran.code == 0, ran.err

    return once("two-figures", make)


@pytest.fixture
def hosted(two_figures: Path, space: Space) -> Space:
    """A copy of it to change: a host that builds it draws only what a test has changed."""
    shutil.copytree(two_figures, space.root, symlinks=True, dirs_exist_ok=True)
    books.believed(space.root)
    return space


@pytest.fixture
def small_book(space: Space) -> Space:
    """A graph and a drawing by hand: the figures that are drawn soonest."""
    return books.two_figures(space)


@pytest.fixture
def book(space: Space) -> Space:
    """One good figure of each kind."""
    return books.four_figures(space)


@pytest.fixture
def copy_of(space: Space, once: Once) -> CopyOf:
    """Gives a copy of a book that was built once, and looked at since, so that all of it is fresh."""

    def made(written: books.Written) -> Space:
        name = f"{written.__module__}-{written.__name__}"
        return books.copied(once(name, lambda place: books.built(place, written)), space)

    return made


@pytest.fixture
def built_book(copy_of: CopyOf) -> Space:
    """One good figure of each kind, built."""
    return copy_of(books.four_figures)
