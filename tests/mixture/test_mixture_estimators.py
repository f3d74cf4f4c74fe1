"""Mixtures as estimators: weights, row order, copies, threads, tables, text and shares."""

import io
import pickle
import threading
from contextlib import redirect_stdout

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from mixture_kit import two_regimes
from reference.mixture import shares
from sklearn.base import clone

from spinney import CARTClassifier, MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from spinney.mixture._base_mixture import _controller, one_thread

pytestmark = pytest.mark.filterwarnings(r"ignore:MixtureOfExperts\w+ still climbs")
MODELS = [
    MixtureOfExpertsClassifier(random_state=0),
    MixtureOfExpertsClassifier(branching=(2, 2), random_state=0),
    MixtureOfExpertsClassifier(branching=2, solver="gradient", random_state=0),
    MixtureOfExpertsRegressor(random_state=0),
    MixtureOfExpertsRegressor(branching=(2, 2), solver="gradient", random_state=0),
]
every_model = pytest.mark.parametrize(
    "model", MODELS, ids=lambda model: " ".join(f"{model}".split())
)


@pytest.fixture(scope="module")
def table():
    """Return a mixed table with gaps, codes and numbers."""
    rng = np.random.default_rng(0)
    n = 120
    frame = pd.DataFrame(
        {
            "income": rng.normal(size=n).round(1),
            "age": rng.integers(18, 60, n).astype(float),
            "word": rng.choice(["car", "house", "other"], n).astype(object),
            "grade": pd.Categorical(rng.choice(["lo", "hi"], n), ["lo", "hi"], ordered=True),
        }
    )
    for name in frame:
        frame.loc[rng.random(n) < 0.08, name] = None
    codes = (frame["income"] > 0).to_numpy(int) + (frame["word"] == "car").to_numpy(int)
    return frame, codes


def target_of(model, codes):
    if isinstance(model, MixtureOfExpertsRegressor):
        return codes * 1.5
    return np.array(["low", "mid", "top"])[codes]


def answers(fitted, X):
    names = [name for name in ("predict", "predict_proba") if hasattr(fitted, name)]
    found = [getattr(fitted, name)(X) for name in (*names, "responsibilities")]
    return [*(array.tolist() for array in found), fitted.log_likelihood_.tolist()]


@every_model
def test_a_row_of_weight_two_is_two_rows_to_the_last_bit(model, table):
    X, codes = table
    y = target_of(model, codes)
    weight = np.random.default_rng(1).integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), weight)
    weighed = clone(model).fit(X, y, sample_weight=weight)
    repeated = clone(model).fit(X.iloc[rows], y[rows])
    assert answers(weighed, X) == answers(repeated, X)


@every_model
def test_the_order_of_the_rows_does_not_matter_to_the_last_bit(model, table):
    X, codes = table
    y, weight = target_of(model, codes), np.random.default_rng(2).random(len(X))
    first = clone(model).fit(X, y, sample_weight=weight)
    order = np.random.default_rng(3).permutation(len(X))
    again = clone(model).fit(X.iloc[order], y[order], sample_weight=weight[order])
    assert answers(first, X) == answers(again, X)


@every_model
@pytest.mark.parametrize("n_jobs", [2, 7])
def test_threads_change_not_one_bit(model, table, n_jobs):
    X, codes = table
    y = target_of(model, codes)
    one = clone(model).set_params(n_init=4).fit(X, y)
    more = clone(model).set_params(n_init=4, n_jobs=n_jobs).fit(X, y)
    assert answers(one, X) == answers(more, X)


@pytest.mark.slow
def test_trees_as_experts_do_not_depend_on_threads(table):
    X, codes = table
    model = MixtureOfExpertsClassifier(
        CARTClassifier(max_depth=2, max_features=2), max_iter=3, random_state=0
    )
    one, two = (clone(model).set_params(n_jobs=k).fit(X, codes) for k in (1, 2))
    assert answers(one, X) == answers(two, X)


@every_model
def test_a_pickle_answers_alike(model, table):
    X, codes = table
    fitted = clone(model).fit(X, target_of(model, codes))
    file = io.BytesIO()
    joblib.dump(fitted, file)
    file.seek(0)
    for other in (pickle.loads(pickle.dumps(fitted)), joblib.load(file)):
        assert answers(other, X) == answers(fitted, X)
        assert other.gate_text() == fitted.gate_text()


@every_model
def test_the_same_seed_gives_the_same_model_and_another_one_other_starts(model, table):
    X, codes = table
    y = target_of(model, codes)
    one, same, other = (
        clone(model).set_params(random_state=seed, n_init=1, max_iter=2).fit(X, y)
        for seed in (0, 0, 1)
    )
    assert answers(one, X) == answers(same, X)
    assert answers(one, X) != answers(other, X)


@pytest.mark.parametrize("kind", [pl.from_pandas, lambda X: X.to_dict("series")])
def test_any_table_gives_the_same_mixture(kind, table):
    X, codes = table
    X = X[["income", "age", "word"]]
    model = MixtureOfExpertsClassifier(random_state=0)
    plain, other = clone(model).fit(X, codes), clone(model).fit(kind(X), codes)
    assert plain.predict_proba(X).tolist() == other.predict_proba(kind(X)).tolist()


def test_responsibilities_are_the_gates_shares_and_with_y_those_of_who_explains_it():
    rng = np.random.default_rng(4)
    X, score, _ = two_regimes(rng, 200)
    for cls, y in ((MixtureOfExpertsClassifier, score > 0), (MixtureOfExpertsRegressor, score)):
        model = cls(branching=(2, 2), random_state=0).fit(X, y)
        found = model.responsibilities(X)
        expected = np.array([shares(model.gates_, row) for row in X])
        np.testing.assert_allclose(found, expected, atol=1e-9)
        known = model.responsibilities(X, y)
        np.testing.assert_allclose(known.sum(axis=1), 1.0)
        assert np.mean(np.max(known, axis=1)) > np.mean(np.max(found, axis=1))


def test_the_shares_of_a_gate_are_those_of_its_experts():
    rng = np.random.default_rng(5)
    X, score, _ = two_regimes(rng, 200)
    weight = rng.random(200)
    model = MixtureOfExpertsClassifier(branching=(2, 3), random_state=0)
    model.fit(X, score > 0, sample_weight=weight)
    mean = weight @ model.responsibilities(X) / weight.sum()
    assert [gate.path for gate in model.gates_] == [(), (0,), (1,)]
    for gate in model.gates_:
        expected = [mean[list(below)].sum() for below in gate.experts]
        np.testing.assert_allclose(gate.shares, expected)
    assert model.gates_[2].experts == ((3,), (4,), (5,))


def test_the_gates_are_written_as_a_tree():
    rng = np.random.default_rng(6)
    X, score, _ = two_regimes(rng, 300)
    frame = pd.DataFrame(X, columns=["side", "height"])
    frame["word"] = rng.choice(["a", "b"], 300)
    model = MixtureOfExpertsRegressor(branching=(2, 2), gate_C=100, random_state=0)
    lines = model.fit(frame, score).gate_text().splitlines()
    assert len(lines) == 6
    assert [line.count("|") for line in lines] == [1, 2, 2, 1, 2, 2]
    assert lines[0].startswith("|-- experts 0-1 (")
    assert lines[2].startswith("|   |-- expert 1 (")
    assert all("% of the rows): " in line for line in lines)
    assert "side" in model.gate_text(max_terms=1)
    assert "side" not in model.gate_text(max_terms=0)
    assert model.gate_text(max_terms=0).splitlines()[0].endswith(" + ...")
    with pytest.raises(ValueError, match=r"max_terms .*got -1"):
        model.gate_text(-1)


def test_verbose_prints_a_line_for_every_start():
    X, score, _ = two_regimes(np.random.default_rng(7), 100)
    told = io.StringIO()
    with redirect_stdout(told):
        MixtureOfExpertsRegressor(n_init=2, verbose=1, random_state=0).fit(X, score)
    assert [line.split(":")[0] for line in told.getvalue().splitlines()] == ["start 0", "start 1"]


def test_the_limit_of_threads_is_lifted_by_the_last_who_leaves():
    def limits():
        return [info["num_threads"] for info in _controller().info() if info["user_api"] == "blas"]

    before = limits()
    inside, leave = threading.Event(), threading.Event()

    def stay():
        with one_thread():
            inside.set()
            leave.wait(10)

    other = threading.Thread(target=stay)
    with one_thread():
        other.start()
        assert inside.wait(10)
        assert set(limits()) <= {1}
    assert set(limits()) <= {1}
    leave.set()
    other.join()
    assert limits() == before
