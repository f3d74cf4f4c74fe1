"""Small forests beside large ones: what a unit tells is what the models do."""

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from test_parts import OPTIONS, AnyNumber, made

from spinney import RandomForestClassifier, SmallForestClassifier, SmallForestRegressor
from spinney._reproduce import Options, small_runs
from spinney._reproduce.paper import Results, bundled
from spinney._reproduce.paper_small import _means, _methods
from spinney._reproduce.runner import grid, page
from spinney.compare import friedman, wilcoxon

N_FOREST, N_POOL = 50, 20  # of a quick run


@pytest.fixture(scope="module")
def work():
    return small_runs.work_of(Options(quick=True))


def second_fold(name):
    rows = bundled(name)
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(rows.y, rows.y)
    train, test = list(folds)[1]
    return rows.take(train), rows.take(test)


def test_a_small_forest_is_that_of_the_estimator(work) -> None:
    found = work(("classes", "glass", "5 chosen", 1))
    train, test = second_fold("glass")
    model = SmallForestClassifier(5, pool=N_POOL, random_state=1).fit(train.X, train.y)
    assert found["error"] == 100 * np.mean(model.predict(test.X) != test.y)
    shares = np.clip(model.predict_proba(test.X), 1e-3, None)
    shares /= shares.sum(axis=1, keepdims=True)
    assert found["log_loss"] == pytest.approx(log_loss(test.y, shares, labels=model.classes_))
    assert found["trees"] == len(model)
    assert found["leaves"] == sum(tree.n_leaves for tree in model.forest_)


def test_a_forest_is_asked_after_some_of_its_trees(work) -> None:
    found = work(("classes", "heart_disease", "forest", 1))
    train, test = second_fold("heart_disease")
    for size in (3, N_FOREST):
        model = RandomForestClassifier(size, combine="average", oob_score=False, random_state=1)
        model.fit(train.X, train.y)
        error = 100 * np.mean(model.predict(test.X) != test.y)
        assert found[f"error_{size}"] == pytest.approx(error)
    assert found["error"] == found[f"error_{N_FOREST}"]
    assert found["trees"] == N_FOREST
    assert "error_100" not in found


def test_bagging_by_the_mode_counts_the_members_that_stay(work) -> None:
    found = work(("classes", "iris", "mode-based bagging", 0))
    assert 1 <= found["trees"] <= 20
    assert found["leaves"] >= 2 * found["trees"]


def test_numbers_are_judged_by_r_squared(work) -> None:
    found = work(("numbers", "friedman1", "11 chosen", 0))
    assert 0.3 < found["r2"] < 1.0
    assert found["trees"] <= 11
    X = small_runs.numbers("friedman1").X
    assert SmallForestRegressor(1, pool=2).fit(X, X["x0"]).score(X, X["x0"]) > 0.5


def test_lightgbm_takes_names_as_codes(work) -> None:
    pytest.importorskip("lightgbm")
    found = work(("classes", "german_credit", "LightGBM", 0))
    assert found["error"] < 35.0
    assert found["trees"] == 10
    assert found["leaves"] >= found["trees"]


def test_without_lightgbm_the_page_says_so(monkeypatch) -> None:
    monkeypatch.setattr(small_runs, "find_spec", lambda name: None)
    assert "LightGBM" not in list(small_runs.methods_of("classes"))
    paper, contents = made("small")
    text = page(paper, contents, {}, "spinney reproduce small")
    assert "LightGBM is not installed" in text
    assert "| LightGBM |" not in text


def test_tests_are_those_of_the_means_of_the_sets() -> None:
    paper, [(_, content)] = made("small", ["Table 5"])
    table = grid(content.cells)
    results = _results_of(paper, "Table 5")
    means = _means(results, "error", _methods())
    ranks = friedman(means).mean_ranks
    assert [float(row[1]) for row in table[1:]] == pytest.approx(ranks, abs=0.006)
    column = table[0].index("p beside 25, error")
    place = [row[0] for row in table].index("25 chosen") - 1
    expected = wilcoxon(means[:, place], means[:, 0]).p_value
    assert float(table[1][column]) == pytest.approx(expected, abs=0.00006)


def _results_of(paper, name):
    (part,) = [one for one in paper.parts if one.name == name]
    return Results({key: AnyNumber(key) for key in part.units(OPTIONS)})
