"""Golden files with one value that no fit leaves behind: each is refused, with the reason."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import KFold

import spinney
from files.kit import with_array, with_text, written
from spinney import CARTClassifier, VotingCombiner

GOLDEN = Path(__file__).parent / "golden" / "1.0"
CLASSES, NUMBERS = "MixtureOfExpertsClassifier", "MixtureOfExpertsRegressor"


def put(value, place=-1):
    def change(array):
        array.reshape(-1)[place] = value

    return change


ARRAYS = {
    "a gate beyond all bounds": (CLASSES, "levels.0.0", put(1.7e308), "beyond 1e.150"),
    "an expert beyond all bounds": (CLASSES, "3.coef", put(-1e160), "beyond 1e.150"),
    "an expert that is NaN": (NUMBERS, "3.coef", put(np.nan), "not finite, or beyond"),
    "a category with an end": (CLASSES, "low", put(-0.0, 2), "is a category, and has no ends"),
    "votes that are NaN": ("VotingCombiner", "weights_", put(np.nan), "finite and >= 0"),
    "votes below 0": ("VotingCombiner", "weights_", put(-1.0), "finite and >= 0"),
    "boosting beyond all bounds": (
        "AdaBoostClassifier",
        "estimator_weights_",
        put(1.7e308),
        "beyond 1e.150",
    ),
}


@pytest.mark.parametrize(("name", "end", "change", "words"), ARRAYS.values(), ids=ARRAYS)
def test_numbers_that_no_fit_leaves_are_refused(name, end, change, words, tmp_path):
    model = spinney.load(GOLDEN / f"{name}.spinney")
    path = written(with_array(model, end, change), tmp_path / "model.spinney")
    with pytest.raises(spinney.ModelFileError) as caught:
        spinney.load(path)
    assert re.search(words, str(caught.value)), caught.value


TEXTS = {
    "a splitter without folds": (
        CARTClassifier(cv=KFold(4)),
        '"n_splits":4,',
        "",
        "KFold lacks 'n_splits'",
    ),
    "a quorum above 1": (
        VotingCombiner(
            [("a", CARTClassifier().fit([[0.0], [1.0]], [0, 1]))], rule=0.75, abstain_label=9
        ).fit([[0.0], [1.0]], [0, 1]),
        '"share":0.75',
        '"share":1.5',
        "share must be a number from 0 to 1",
    ),
}


@pytest.mark.parametrize(("model", "old", "new", "words"), TEXTS.values(), ids=TEXTS)
def test_descriptions_that_no_fit_leaves_are_refused(model, old, new, words, tmp_path):
    path = written(with_text(model, old, new), tmp_path / "model.spinney")
    with pytest.raises(spinney.ModelFileError, match=words):
        spinney.load(path)


def test_a_function_under_another_name_is_refused(tmp_path):
    given = {"far": lambda a, b: a > b}
    model = spinney.load(GOLDEN / "GPTreeClassifier.spinney", functions=given)
    changed = with_text(model, '"name":"far"', '"name":"near"')
    path = written(changed, tmp_path / "model.spinney")
    with pytest.raises(spinney.ModelFileError, match="another name than what it calls"):
        spinney.load(path, functions=given)


def test_a_random_state_of_another_size_is_refused(tmp_path):
    model = CARTClassifier(random_state=np.random.RandomState(1))
    for change in (lambda key: key[:-1], lambda key: np.append(key, key[:1])):
        path = written(with_array(model, "key", change), tmp_path / "model.spinney")
        with pytest.raises(spinney.ModelFileError, match="key must be 624 whole numbers"):
            spinney.load(path)


def test_a_mixture_with_the_largest_coefficients_gives_shares(tmp_path):
    X = np.array([[0.0], [1.0], [2.0], [np.inf], [-np.inf], [1e308], [np.nan]])
    model = spinney.MixtureOfExpertsClassifier(branching=2, n_init=1, max_iter=3, tol=1.0)
    model.fit(X, [0, 1, 0, 1, 1, 0, 1])
    contents = with_array(model, "levels.0.0", lambda coef: np.full_like(coef, 1e150))
    shares = spinney.load(written(contents, tmp_path / "model.spinney")).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def _selected():
    X = np.random.default_rng(0).random((60, 2))
    y = (X[:, 0] > 0.5).astype(int)
    return spinney.BaggingClassifier(
        n_estimators=8, max_samples=12, selection="trimmed", random_state=0
    ).fit(X, y)


REPORTS = {
    "a place that is no member": ("kept", put(99), "kept has a place that is no member"),
    "a place below 0": ("dropped", put(-1), "dropped has a place that is no member"),
    "a member twice": ("kept", put(0, 1), "not all members, each once"),
    "too few errors": ("values", lambda values: values[:-1], "values has 7 entries of 8"),
    "a value that is not counted": ("values", put(0.25), "frequencies do not count the values"),
}


@pytest.mark.parametrize(("end", "change", "words"), REPORTS.values(), ids=REPORTS)
def test_a_report_of_other_members_is_refused(end, change, words, tmp_path):
    path = written(with_array(_selected(), f".{end}", change), tmp_path / "model.spinney")
    with pytest.raises(spinney.ModelFileError, match=words):
        spinney.load(path)


def test_a_report_of_fewer_members_than_the_ensemble_is_refused(tmp_path):
    model = _selected()
    other = spinney.BaggingClassifier(
        n_estimators=5, max_samples=12, selection="trimmed", random_state=0
    ).fit([[0.0], [1.0], [2.0], [3.0]] * 6, [0, 0, 1, 1] * 6)
    model.selection_report_ = other.selection_report_
    spinney.save(model, tmp_path / "model.spinney")
    with pytest.raises(spinney.ModelFileError, match="selection_report_ has other members"):
        spinney.load(tmp_path / "model.spinney")


NUMERIC, ORDERED, NOMINAL = range(3)


@pytest.mark.parametrize("kind", [ORDERED, NOMINAL])
@pytest.mark.parametrize(
    "make",
    [
        lambda: CARTClassifier(),
        lambda: spinney.RandomForestClassifier(n_estimators=2, random_state=0, oob_score=False),
        lambda: spinney.ID3Classifier(),
    ],
    ids=["threshold", "forest", "intervals"],
)
def test_numbers_of_a_column_without_any_are_refused(make, kind, tmp_path):
    X, y = np.arange(40.0).reshape(-1, 1), np.repeat([0, 1], 20)
    contents = with_array(make().fit(X, y), "kinds", put(kind))
    path = written(contents, tmp_path / "model.spinney")
    with pytest.raises(spinney.ModelFileError, match="asks for numbers in column 'x0'"):
        spinney.load(path)


def test_rules_on_a_column_without_categories_are_refused(tmp_path):
    X, y = np.arange(40.0).reshape(-1, 1), np.repeat([0, 1], 20)
    rules = CARTClassifier().fit(X, y).tree_.rules().prune(X, y)
    path = written(with_array(rules, "kinds", put(NOMINAL)), tmp_path / "model.spinney")
    with pytest.raises(spinney.ModelFileError, match="the column has no categories"):
        spinney.load(path)


PARAMETERS = {
    "unseen": ('["unseen","missing"]', '["unseen","perhaps"]', "unseen must be"),
    "no unseen": ('["unseen","missing"]', '["unseen",null]', "unseen must be"),
    "threads by name": ('["n_jobs",null]', '["n_jobs","many"]', "n_jobs must be"),
    "no threads": ('["n_jobs",null]', '["n_jobs",0]', "n_jobs must be"),
}


@pytest.mark.parametrize(("old", "new", "words"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameters_that_fail_at_prediction_are_refused(old, new, words, tmp_path):
    model = spinney.CARTRegressor().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    path = written(with_text(model, old, new), tmp_path / "model.spinney")
    with pytest.raises(spinney.ModelFileError, match=rf"CARTRegressor\): {words}"):
        spinney.load(path)
