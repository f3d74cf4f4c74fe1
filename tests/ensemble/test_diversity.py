"""Measures of diversity equal plain loops over pairs and rows."""

import itertools
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from spinney import CARTClassifier, CARTRegressor
from spinney.ensemble import _diversity
from spinney.ensemble._diversity import (
    disagreement,
    diversity,
    kappa,
    pair_mean,
    q_statistic,
)


@st.composite
def problems(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels of members, true labels, and whole weights, some of them 0."""
    n_members, n_rows = draw(st.integers(1, 6)), draw(st.integers(1, 12))
    code = st.integers(0, draw(st.integers(0, 3)))
    row = st.lists(code, min_size=n_rows, max_size=n_rows)
    labels = draw(st.lists(row, min_size=n_members, max_size=n_members))
    weight = draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows).filter(any))
    return np.array(labels), np.array(draw(row)), np.array(weight, float)


def by_pairs(measure: Any, labels: np.ndarray) -> np.ndarray:
    pairs = itertools.product(labels, labels)
    return np.array([measure(a, b) for a, b in pairs]).reshape(len(labels), len(labels))


def plain_q(a: np.ndarray, b: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    n = dict.fromkeys(itertools.product((True, False), repeat=2), 0.0)
    for i in range(len(y)):
        n[bool(a[i] == y[i]), bool(b[i] == y[i])] += weight[i]
    same, different = n[True, True] * n[False, False], n[True, False] * n[False, True]
    if same + different:
        return (same - different) / (same + different)
    return 1.0 if n[True, False] == n[False, True] == 0 else 0.0


def plain_kappa(a: np.ndarray, b: np.ndarray, weight: np.ndarray) -> float:
    total = weight.sum()
    agree = sum(w for u, v, w in zip(a, b, weight, strict=True) if u == v) / total
    chance = sum((weight @ (a == c)) * (weight @ (b == c)) for c in range(4)) / total**2
    return 1.0 if chance == 1 else (agree - chance) / (1 - chance)


@given(problems())
def test_measures_equal_plain_loops(problem):
    labels, y, weight = problem
    wanted = by_pairs(lambda a, b: sum(weight[a != b]) / sum(weight), labels)
    np.testing.assert_allclose(disagreement(labels, weight), wanted, atol=1e-14)
    wanted = by_pairs(lambda a, b: plain_kappa(a, b, weight), labels)
    np.testing.assert_allclose(kappa(labels, weight), wanted, atol=1e-12)
    wanted = by_pairs(lambda a, b: plain_q(a, b, y, weight), labels)
    np.testing.assert_allclose(q_statistic(labels, y, weight), wanted, atol=1e-12)


@pytest.mark.slow
@given(problems())
def test_kappa_is_that_of_scikit_learn(problem):
    labels, _, weight = problem

    def theirs(a: np.ndarray, b: np.ndarray) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one label only gives NaN
            return cohen_kappa_score(a, b, labels=range(4), sample_weight=weight)

    wanted = by_pairs(theirs, labels)
    known = ~np.isnan(wanted)
    np.testing.assert_allclose(kappa(labels, weight)[known], wanted[known], atol=1e-12)
    assert (kappa(labels, weight)[~known] == 1).all()


@given(problems())
def test_weights_are_repetitions_of_rows(problem):
    labels, y, weight = problem
    times = weight.astype(int)
    repeated = np.repeat(labels, times, axis=1)
    for scale in (1.0, 1 / 3, 1e120):
        np.testing.assert_allclose(
            disagreement(labels, weight * scale), disagreement(repeated), atol=1e-14
        )
        np.testing.assert_allclose(kappa(labels, weight * scale), kappa(repeated), atol=1e-12)
        np.testing.assert_allclose(
            q_statistic(labels, y, weight * scale),
            q_statistic(repeated, np.repeat(y, times)),
            atol=1e-12,
        )


@given(problems())
def test_matrices_are_symmetric_and_a_member_agrees_with_itself(problem):
    labels, y, weight = problem
    weight = weight / 3
    for matrix, own in (
        (disagreement(labels, weight), 0),
        (kappa(labels, weight), 1),
        (q_statistic(labels, y, weight), 1),
    ):
        assert (matrix == matrix.T).all()
        assert (np.diag(matrix) == own).all()


@given(problems())
def test_blocks_of_rows_change_nothing(problem):
    labels, y, weight = problem
    whole = [disagreement(labels, weight), kappa(labels, weight), q_statistic(labels, y, weight)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_diversity, "_CELLS", 3)
        parts = [disagreement(labels, weight), kappa(labels, weight)]
        parts.append(q_statistic(labels, y, weight))
    np.testing.assert_allclose(parts, whole, atol=1e-12)


def test_a_table_of_kuncheva_and_whitaker_form_gives_q():
    # 40 rows both right, 30 both wrong, 20 and 10 one right
    right = np.repeat([[1, 0, 1, 0], [1, 0, 0, 1]], [40, 30, 20, 10], axis=1)
    assert q_statistic(right, np.ones(100))[0, 1] == pytest.approx((1200 - 200) / (1200 + 200))
    assert disagreement(right)[0, 1] == pytest.approx(0.3)
    assert kappa(right)[0, 1] == pytest.approx((0.7 - 0.5) / (1 - 0.5))


def test_zero_over_zero_has_documented_values():
    y = np.array([0, 0, 1, 1])
    perfect, wrong, one, two = y, 1 - y, np.array([0, 1, 1, 1]), np.array([1, 0, 1, 1])
    q = q_statistic(np.array([perfect, perfect, wrong, one, two]), y)
    assert q[0].tolist() == [1, 1, 0, 0, 0]
    assert q[3].tolist() == [0, 0, 0, 1, -1]
    constant = np.array([[1, 1, 1], [1, 1, 1], [0, 0, 0], [0, 1, 1]])
    assert kappa(constant)[0].tolist() == [1, 1, 0, 0]


def test_a_class_of_rows_without_weight_does_not_count():
    labels = np.array([[1, 1, 0], [1, 1, 1]])
    assert kappa(labels, [1, 1, 0]).tolist() == [[1, 1], [1, 1]]
    assert disagreement(labels, [0.1, 0.7, 0])[0, 1] == 0


def test_tiny_weights_are_not_lost():
    labels = np.array([[1, 1, 0], [1, 1, 1]])
    weight = np.array([1.0, 1.0, 1e-30])
    np.testing.assert_allclose(disagreement(labels, weight)[0, 1], 0.5e-30)
    assert kappa(labels, weight)[0, 1] == 0


def test_the_mean_is_over_pairs_or_of_the_only_member():
    assert pair_mean(np.array([[9.0, 1, 2], [1, 9, 6], [2, 6, 9]])) == 3
    assert pair_mean(np.array([[0.0]])) == 0


@pytest.mark.parametrize(
    "labels", [[0, 1], [[]], [[0.0, 1.0]], [["a", "b"]], np.zeros((0, 3), int)]
)
def test_what_are_no_codes_is_refused(labels):
    with pytest.raises(ValueError, match=r"labels must be class codes, an integer array of shape"):
        kappa(labels)


def test_other_lengths_are_refused():
    with pytest.raises(ValueError, match=r"y must have 2 entries, got shape \(3,\)"):
        q_statistic([[0, 1]], [0, 1, 1])
    with pytest.raises(ValueError, match="sample_weight has 3 entries for 2 rows"):
        disagreement([[0, 1]], [1, 1, 1])


# Of an ensemble


@pytest.fixture
def ensemble() -> Any:
    """Three trees on other rows each, of which the first and the last vote."""
    random = np.random.default_rng(2)
    X = random.normal(size=(90, 3))
    y = np.where(X[:, 0] + random.normal(size=90) > 0, "yes", "no")
    trees = [CARTClassifier(max_depth=2).fit(X[k::3], y[k::3]) for k in range(3)]
    return SimpleNamespace(
        X=X, y=y, estimators_=trees, classes_=trees[0].classes_, selected_=np.array([0, 2])
    )


def test_an_ensemble_is_compared_member_by_member(ensemble):
    found = diversity(ensemble, ensemble.X, ensemble.y, voting=False)
    labels = [tree.predict(ensemble.X) for tree in ensemble.estimators_]
    assert found.members.tolist() == [0, 1, 2]
    np.testing.assert_allclose(found.errors, [(own != ensemble.y).mean() for own in labels])
    assert found.kappa[0, 1] == pytest.approx(cohen_kappa_score(labels[0], labels[1]))
    assert found.disagreement[1, 2] == pytest.approx((labels[1] != labels[2]).mean())
    right = np.array([own == ensemble.y for own in labels]).astype(int)
    np.testing.assert_allclose(found.q_statistic, q_statistic(right, np.ones(90)))
    kappas, errors = found.pairs()
    assert kappas.tolist() == [found.kappa[0, 1], found.kappa[0, 2], found.kappa[1, 2]]
    assert errors[2] == pytest.approx((found.errors[1] + found.errors[2]) / 2)
    assert found.mean_kappa == pytest.approx(kappas.mean())
    assert found.mean_q_statistic == pytest.approx(pair_mean(found.q_statistic))


def test_those_that_vote_are_compared_unless_all_are_asked_for(ensemble):
    everyone = diversity(ensemble, ensemble.X, ensemble.y, voting=False)
    found = diversity(ensemble, ensemble.X, ensemble.y)
    assert found.members.tolist() == [0, 2]
    assert found.kappa.tolist() == everyone.kappa[np.ix_([0, 2], [0, 2])].tolist()
    del ensemble.selected_
    assert diversity(ensemble, ensemble.X, ensemble.y).members.tolist() == [0, 1, 2]


def test_rows_without_weight_are_as_if_absent(ensemble):
    weight = (np.arange(90) % 2).astype(float)
    found = diversity(ensemble, ensemble.X, ensemble.y, weight)
    wanted = diversity(ensemble, ensemble.X[1::2], ensemble.y[1::2])
    for name in ("errors", "disagreement", "q_statistic", "kappa"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), atol=1e-12)


def test_a_true_class_that_no_member_knows_is_an_error_of_all(ensemble):
    found = diversity(ensemble, ensemble.X, ["maybe"] * 90)
    assert found.errors.tolist() == [1, 1]
    assert (found.q_statistic == 1).all()


def test_a_single_member_agrees_with_itself(ensemble):
    ensemble.selected_ = np.array([1])
    found = diversity(ensemble, ensemble.X, ensemble.y)
    means = found.mean_disagreement, found.mean_q_statistic, found.mean_kappa
    assert means == (0, 1, 1)
    assert str(found).startswith("1 members, 0 pairs")


def test_the_text_gives_mean_least_and_most(ensemble):
    found = diversity(ensemble, ensemble.X, ensemble.y, voting=False)
    lines = str(found).splitlines()
    assert lines[0] == "3 members, 3 pairs"
    assert lines[1].split() == ["mean", "least", "most"]
    kappas = found.pairs()[0]
    wanted = [f"{value:.3f}" for value in (kappas.mean(), kappas.min(), kappas.max())]
    assert lines[-1].split() == ["kappa", *wanted]
    assert len({len(line) for line in lines[1:]}) == 1


def test_other_models_are_refused(ensemble):
    with pytest.raises(TypeError, match="needs a fitted ensemble of classifiers, got CARTClas"):
        diversity(CARTClassifier(), ensemble.X, ensemble.y)
    numbers = SimpleNamespace(estimators_=[CARTRegressor()])
    with pytest.raises(TypeError, match="needs a fitted ensemble of classifiers"):
        diversity(numbers, ensemble.X, ensemble.y)
    ensemble.classes_ = np.array(["n", "yes"])
    with pytest.raises(ValueError, match="member 0 predicts labels that are none of the classes"):
        diversity(ensemble, ensemble.X, ensemble.y)


def test_labels_that_are_missing_are_refused(ensemble):
    y = ensemble.y.astype(object)
    y[3] = None
    with pytest.raises(ValueError, match="missing in 1 rows"):
        diversity(ensemble, ensemble.X, y)
