"""Members that stay: what `selected_` is, from the errors of the members by five lines of NumPy."""

import numpy as np
import pytest
from reference.ensembles import count_votes, counts_by_row, make_plan, trimmed, up_to_mode

from spinney import BaggingClassifier, BaggingRegressor, CARTClassifier, CARTRegressor

N = 90


@pytest.fixture(scope="module")
def problem():
    """A table with gaps, its classes, its numbers, and weights."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, 4))
    score = 3 * X[:, 0] + 2 * X[:, 1] + 2 * rng.normal(size=N)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.array(["maybe", "no", "yes"])[np.digitize(score, [-1.0, 2.0])]
    return X, y, score, rng.choice([0.0, 0.5, 1.0, 3.0], N)


@pytest.fixture(scope="module")
def new_rows():
    return np.random.default_rng(6).normal(size=(200, 4))


def member_answers(model, X):
    return [member.predict(X) for member in model.estimators_]


@pytest.mark.parametrize("selection", ["trimmed", "mode"])
@pytest.mark.parametrize("data", ["training", "oob", "given"])
def test_members_that_stay_are_those_that_their_errors_say(problem, new_rows, selection, data):
    X, y, _, _ = problem
    given_y = np.resize(["no", "yes", "maybe", "never seen"], len(new_rows))
    model = BaggingClassifier(
        CARTClassifier(max_depth=3, max_surrogates=0),
        40,
        sampling="subsample",
        selection=selection,
        selection_data=(new_rows, given_y) if data == "given" else data,
        trim=0.3,
        random_state=2,
    ).fit(X, y)
    if data == "given":
        errors = np.array([(said != given_y).sum() for said in member_answers(model, new_rows)])
    else:
        plan = make_plan("subsample", 45, seed=2)
        asked = [plan.counts(N, i) == 0 if data == "oob" else np.full(N, True) for i in range(40)]
        wrong = [said != y for said in member_answers(model, X)]
        errors = np.array([w[rows].sum() for w, rows in zip(wrong, asked, strict=True)])
    kept = trimmed(errors, 0.3) if selection == "trimmed" else up_to_mode(errors)
    np.testing.assert_array_equal(model.selected_, kept)
    assert 0 < len(kept) < 40
    answers = np.searchsorted(model.classes_, member_answers(model, new_rows))
    votes = count_votes(answers[kept], 3)
    np.testing.assert_array_equal(model.predict_proba(new_rows), votes / len(kept))
    assert len(model.estimators_) == 40
    assert model.selection_report_.data == data


def test_out_of_bag_errors_are_compared_as_rates(problem):
    X, y, _, _ = problem
    model = BaggingClassifier(
        CARTClassifier(max_depth=2, max_surrogates=0),
        30,
        selection="trimmed",
        selection_data="oob",
        random_state=2,
    ).fit(X, y)
    plan = make_plan("bootstrap", N, seed=2)
    left_out = [plan.counts(N, i) == 0 for i in range(30)]
    said = member_answers(model, X)
    rates = np.array([(said[i] != y)[left_out[i]].mean() for i in range(30)])
    np.testing.assert_allclose(model.selection_report_.errors, rates, rtol=1e-12)
    np.testing.assert_array_equal(model.selected_, trimmed(rates, 0.25))
    assert len(model.selected_) == 22  # floor(0.75 * 30)


@pytest.mark.parametrize("data", ["training", "oob"])
def test_errors_of_weighted_rows_are_weights(problem, data):
    X, y, _, weight = problem
    model = BaggingClassifier(
        CARTClassifier(max_depth=2, max_surrogates=0),
        20,
        selection="trimmed",
        selection_data=data,
        random_state=2,
    ).fit(X, y, sample_weight=weight)
    plan = make_plan("bootstrap", np.count_nonzero(weight), seed=2)
    errors = []
    for i, said in enumerate(member_answers(model, X)):
        rows = counts_by_row(plan, weight, i) == 0 if data == "oob" else np.full(N, True)
        total = weight[rows].sum() if data == "oob" else 1.0
        errors.append(weight[rows & (said != y)].sum() / total)
    np.testing.assert_allclose(model.selection_report_.errors, errors, rtol=1e-12)
    np.testing.assert_array_equal(model.selected_, trimmed(np.round(errors, 9), 0.25))


@pytest.mark.parametrize(("criterion", "power"), [("squared_error", 2), ("absolute_error", 1)])
@pytest.mark.parametrize("data", ["training", "oob", "given"])
def test_numbers_are_trimmed_by_errors_of_the_criterion(problem, new_rows, data, criterion, power):
    X, _, y, _ = problem
    truth = np.sin(np.arange(len(new_rows)))
    model = BaggingRegressor(
        CARTRegressor(criterion, max_depth=3, max_surrogates=0),
        20,
        selection="trimmed",
        selection_data=(new_rows, truth) if data == "given" else data,
        random_state=3,
    ).fit(X, y)
    plan, errors = make_plan("bootstrap", N, seed=3), []
    for i, member in enumerate(model.estimators_):
        if data == "given":
            errors.append((np.abs(member.predict(new_rows) - truth) ** power).mean())
        else:
            rows = plan.counts(N, i) == 0 if data == "oob" else np.full(N, True)
            errors.append((np.abs(member.predict(X) - y)[rows] ** power).mean())
    np.testing.assert_array_equal(model.selected_, trimmed(np.array(errors), 0.25))
    assert len(model.selected_) == 15


def test_a_function_of_the_errors_may_select(problem):
    X, y, _, _ = problem
    model = BaggingClassifier(
        CARTClassifier(max_depth=2), 10, selection=lambda errors: [int(errors.argmin()), 7]
    ).fit(X, y)
    wrong = [(said != y).sum() for said in member_answers(model, X)]
    assert model.selected_.tolist() == sorted({int(np.argmin(wrong)), 7})
