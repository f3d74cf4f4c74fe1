"""Facts of the single experiments."""

import numpy as np
import pytest

from spinney._reproduce import PAPERS, Options, reproduce
from spinney._reproduce.igpa_runs import partition
from spinney._reproduce.paper import Options as SameOptions
from spinney._reproduce.paper_chapters import PROBLEMS, NaiveBayes, read
from spinney._reproduce.runner import find_paper
from spinney.datasets import make_gaussian_mixture
from spinney.datasets._generators import best_rule

QUICK = Options(quick=True)


def done(name, *key, options=QUICK):
    return find_paper(name).work(options)(key)


@pytest.mark.parametrize("name", PAPERS)
def test_every_unit_has_the_same_parts_and_is_named_once(name) -> None:
    paper = find_paper(name)
    for part in paper.parts:
        keys = list(part.units(SameOptions()))
        assert len(set(keys)) == len(keys)
        assert all(len(key) == len(paper.key_names) for key in keys)


@pytest.mark.parametrize(
    ("name", "tables", "figures"),
    [
        ("igpa", ["I", "II", "III", "IV", "V", "rules"], ["1", "2", "3", "4", "5", "6"]),
        ("gp", ["2", "3"], ["3", "4", "5"]),
        ("mode", ["1", "2", "3", "4", "5", "6", "rules"], []),
        ("car", ["1", "2", "3"], []),
        ("chapters", ["12.5", "12.6", "13.5", "13.8"], []),
        ("small", ["1", "2", "3", "4", "5", "6"], ["1", "2"]),
    ],
)
def test_all_tables_and_figures_are_there(name, tables, figures) -> None:
    parts = find_paper(name).parts
    assert [part.number for part in parts if part.kind == "table"] == tables
    assert [part.number for part in parts if part.kind == "figure"] == figures


# -- Cars


def test_the_tree_of_the_cars_is_better_than_the_printed_one() -> None:
    found = done("car", "stated", "car_evaluation", "tree", 0)
    assert found == {"correct": 818, "good": 23, "vgood": 25}


def test_a_tree_that_is_silent_in_empty_branches_is_the_printed_one() -> None:
    found = done("car", "listing", "car_evaluation", "tree", 0)
    assert (found["correct"], found["good"]) == (777, 18)


def test_bagging_of_two_levels_gives_what_is_printed_of_bagging() -> None:
    found = done("car", "tried", "car_evaluation", "bagged CART, depth 2, 100 rows", 0)
    assert (found["correct"], found["good"]) == (678, 0)


# -- IGPA


def test_a_partition_depends_on_its_number_only() -> None:
    first, again, other = partition("sonar", 4), partition("sonar", 4), partition("sonar", 5)
    assert np.array_equal(first[0], again[0])
    assert not np.array_equal(first[0], other[0])
    assert [len(one) for one in first] == [120, 120, 88, 88]


def test_no_row_is_in_both_parts() -> None:
    X, _, X_test, _ = partition("sonar", 0)
    together = np.vstack([X, X_test])
    assert len(np.unique(together, axis=0)) == 208


def test_an_ensemble_is_asked_after_each_tree() -> None:
    found = done("igpa", "forest", "sonar", "igpa", 0)
    assert all(0.0 <= found[f"error_{i}"] <= 100.0 for i in range(1, 12))
    counted = sum(found[f"iterations_{i}"] for i in ("2", "3", "4", "5", "more"))
    assert counted == 11


def test_seconds_are_measured_for_both_ensembles() -> None:
    found = done("igpa", "seconds", "waveform", "both", 0)
    assert set(found) == {"cart_bagging_seconds", "igpa_ensemble_seconds"}
    assert min(found.values()) > 0.0


# -- Evolved trees


def test_the_best_rule_gets_about_95_of_100_points_right() -> None:
    X, y = make_gaussian_mixture(20_000, random_state=1)
    assert np.mean(best_rule(X) == y) == pytest.approx(0.95, abs=0.006)


def test_larger_forests_that_boosting_did_not_reach_are_the_last_one() -> None:
    found = done("gp", "figure", "points", "AdaBoost.M1", 0)
    assert set(found) == {"accuracy_1", "accuracy_3", "accuracy_5"}
    assert min(found.values()) > 60.0


def test_a_fold_of_the_table_has_an_error() -> None:
    found = done("gp", "table", "breast_cancer_wisconsin", "GP single tree", 12)
    assert 0.0 <= found["error"] < 30.0


# -- Problems


def likeliest(X, y, row):
    """Count by hand: each column may also hold what was not seen."""
    best = {}
    for label in np.unique(y):
        own = y == label
        chance = own.mean()
        for name, column in X.items():
            known = len(np.unique(column)) + 1
            chance *= (np.sum(column[own] == row[name]) + 1) / (own.sum() + known)
        best[label] = chance
    return max(best, key=best.get)


def test_naive_bayes_multiplies_smoothed_shares() -> None:
    rows = read("12.5", "party")
    byhand = [
        likeliest(rows.X, rows.y, {name: column[i] for name, column in rows.X.items()})
        for i in range(len(rows.y))
    ]
    assert NaiveBayes().fit(rows.X, rows.y).predict(rows.X).tolist() == byhand


def test_naive_bayes_takes_categories_that_it_has_not_seen() -> None:
    rows = read("12.5", "party")
    model = NaiveBayes().fit(rows.X, rows.y)
    other = {name: np.array(["never"], dtype=object) for name in rows.X}
    assert model.predict(other)[0] in rows.y


def test_a_gap_is_a_category_of_its_own() -> None:
    column = read("12.5", "breast_cancer_wisconsin").X["bare_nuclei"]
    assert np.sum(column == "?") == 16


def test_ordered_categories_are_texts_in_the_problem_that_counts_categories() -> None:
    column = read("12.5", "car_evaluation").X["safety"]
    assert set(column.tolist()) == {"low", "med", "high"}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_method_answers_every_fold(problem) -> None:
    data = {"12.5": "party", "12.6": "cpu_performance", "13.5": "breast_cancer_wisconsin"}
    method = list(PROBLEMS[problem])[1]
    found = done("chapters", problem, data.get(problem, "car_evaluation"), method, 0)
    assert len(found) == 10
    assert all(np.isfinite(loss) and loss >= 0.0 for loss in found.values())


@pytest.mark.slow
def test_points_are_drawn_without_any_unit(tmp_path) -> None:
    reproduce("gp", figures=["3"], options=QUICK, folder=tmp_path, progress=False)
    for name in ("figure_3.png", "figure_3.svg"):
        assert (tmp_path / name).stat().st_size > 5_000


def test_regions_of_two_forests_are_drawn() -> None:
    from matplotlib.figure import Figure

    report = reproduce("gp", figures=["5"], options=QUICK, progress=False)
    drawing = report.made[0][1]
    axes = Figure().subplots(drawing.n_rows, drawing.n_axes)
    drawing.draw(axes)
    assert all(len(one.images) == 1 and len(one.lines) == 3 for one in axes.ravel())
    assert all(one.collections for one in axes.ravel())  # the root test
