"""Running, going on, and what is written."""

import csv
import re

import pytest

from spinney._reproduce import Options, reproduce
from spinney.compare import JournalError

TWO = Options(quick=True, runs=2)


def run(folder, *tables, options=TWO, name="car", progress=False):
    return reproduce(name, tables=tables, options=options, folder=folder, progress=progress)


def test_a_folder_holds_the_page_the_cells_and_each_table(tmp_path) -> None:
    report = run(tmp_path, "1", "2")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "## Table 1" in page
    assert "## Table 2" in page
    assert "| bagging |" in page
    with open(tmp_path / "cells.csv", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == sum(len(content.cells) for _, content in report.made) == 18
    assert {row["verdict"] for row in rows} <= {"agrees", "better", "worse", ""}
    assert len((tmp_path / "table_1.csv").read_text(encoding="utf-8").splitlines()) == 4


def test_only_the_units_of_the_chosen_table_are_run(tmp_path) -> None:
    run(tmp_path, "2")
    lines = (tmp_path / "results.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 3 * 2
    assert all(line.startswith("listing,") for line in lines[1:])


def test_a_second_run_does_nothing_again_and_writes_the_same(tmp_path) -> None:
    run(tmp_path, "1")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    seen = []
    reproduce(
        "car", tables=["1"], options=TWO, folder=tmp_path, progress=lambda *at: seen.append(at)
    )
    assert seen == []
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_more_runs_go_on_from_those_that_are_done(tmp_path) -> None:
    run(tmp_path, "1")
    seen = []
    more = Options(quick=True, runs=3)
    reproduce(
        "car", tables=["1"], options=more, folder=tmp_path, progress=lambda *at: seen.append(at)
    )
    assert len(seen) == 3  # one more run of each of three methods


def test_other_settings_in_the_same_folder_are_refused(tmp_path) -> None:
    run(tmp_path, "1")
    with pytest.raises(JournalError, match="seed"):
        run(tmp_path, "1", options=Options(quick=True, runs=2, seed=7))


def test_tables_are_found_by_both_kinds_of_numerals() -> None:
    for number in ("2", "II", "ii"):
        report = run(None, number, name="igpa")
        assert [part.name for part, _ in report.made] == ["Table II"]


@pytest.mark.parametrize(
    ("kind", "number", "words"),
    [
        ("table", "9", "--table 9: car has the tables 1, 2, 3."),
        ("figure", "1", "--figure 1: car has no figures."),
    ],
)
def test_a_table_that_is_not_there_is_refused(kind, number, words) -> None:
    chosen = {f"{kind}s": [number]}
    with pytest.raises(ValueError, match=re.escape(words)):
        reproduce("car", options=TWO, progress=False, **chosen)


def test_an_unknown_experiment_is_refused() -> None:
    with pytest.raises(ValueError, match="Choose from: igpa, gp, mode, car, chapters"):
        reproduce("adaboost")
