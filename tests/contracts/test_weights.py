"""What weights mean: only their proportions count, zero is absence, integers are repetitions."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from contracts.estimators import (
    LISTED,
    answers,
    columns,
    every,
    every_scale_free,
    over,
    same_model,
    trees,
)
from contracts.tables import codes_for, mixed_table, shape_of
from spinney import C45Classifier, CARTClassifier, ID3Classifier, RandomForestClassifier

every_whole = over([one for one in LISTED if not one.draws_rows and not one.counts_rows])
SCALES = {"double": 2.0, "tiny": 2.0**-900, "huge": 2.0**900}


@every_scale_free
@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_scaling_all_weights_scales_the_counts_and_nothing_else(listed, scale, rng):
    X = mixed_table(rng)
    y, weight = listed.target(codes_for(X, rng)), rng.random(len(X))
    fitted = listed.new().fit(X, y, sample_weight=weight)
    scaled = listed.new().fit(X, y, sample_weight=weight * scale)
    assert answers(fitted, X) == answers(scaled, X)
    for one, other in zip(trees(fitted), trees(scaled), strict=True):
        assert shape_of(one) == shape_of(other)
        for name in ("n_samples", "impurity", "risk"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
        if not listed.is_classifier:
            assert one.value.tobytes() == other.value.tobytes()
        elif scale == 2.0 and listed.is_tree:
            assert (one.value * 2.0).tobytes() == other.value.tobytes()
        else:
            shares = [tree.value / tree.value.sum(axis=1, keepdims=True) for tree in (one, other)]
            np.testing.assert_allclose(*shares, rtol=1e-12)


@every
def test_weights_of_one_are_no_weights(listed, rng):
    X = mixed_table(rng)
    y = listed.target(codes_for(X, rng))
    plain = listed.new().fit(X, y)
    for ones in (np.ones(len(X)), np.ones(len(X), int), [1] * len(X), pd.Series(1.0, X.index)):
        assert same_model(plain, listed.new().fit(X, y, sample_weight=ones), X)


def _with_absent_rows(X, codes, rng):
    """Put rows between the others that would change thresholds, vocabularies and classes."""
    n_new = 40
    strange = mixed_table(rng, n_new)
    strange["income"] = rng.normal(size=n_new) * 10
    strange["age"] = rng.random(n_new) * 100
    strange.loc[::3, "purpose"] = "boat"
    strange["grade"] = pd.Categorical(["low"] * n_new, X["grade"].cat.categories, ordered=True)
    both = pd.concat([X, strange], ignore_index=True)
    place = np.concatenate([np.arange(len(X)), rng.integers(0, len(X), n_new) - 0.5])
    order = np.argsort(place, kind="stable")
    all_codes = np.concatenate([codes, rng.integers(0, 7, n_new)])
    weight = np.concatenate([rng.integers(1, 4, len(X)), np.zeros(n_new)])
    return both.iloc[order].reset_index(drop=True), all_codes[order], weight[order]


@every
def test_rows_of_weight_zero_are_as_if_absent(listed, rng):
    X = mixed_table(rng)
    X = X[X["grade"] != "low"].reset_index(drop=True)
    X["grade"] = X["grade"].astype(pd.CategoricalDtype(["low", "mid", "top"], ordered=True))
    codes = codes_for(X, rng)
    more, all_codes, weight = _with_absent_rows(X, codes, rng)
    used = weight > 0
    pd.testing.assert_frame_equal(more[used].reset_index(drop=True), X)
    without = listed.new().fit(X, listed.target(codes), sample_weight=weight[used])
    padded = listed.new().fit(more, listed.target(all_codes), sample_weight=weight)
    assert same_model(without, padded, more)
    assert columns(padded)[2].categories == columns(without)[2].categories
    if listed.is_classifier:
        assert padded.classes_.tolist() == without.classes_.tolist()


@pytest.mark.parametrize(
    "model",
    [
        CARTClassifier(min_samples_leaf=0.2),
        CARTClassifier(min_samples_split=0.6),
        C45Classifier(min_samples_leaf=0.2, pruning=None),
        ID3Classifier(min_samples_split=0.6),
        RandomForestClassifier(3, min_samples_leaf=0.2, oob_score=False, random_state=0),
    ],
    ids=str,
)
def test_a_share_of_the_rows_is_one_of_rows_that_weigh_something(model, rng):
    X = mixed_table(rng)
    codes = (X["age"] > X["age"].median()).to_numpy(dtype=int)
    without = clone(model).fit(X, codes)
    padded = clone(model).fit(
        pd.concat([X, X, X], ignore_index=True),
        np.tile(codes, 3),
        sample_weight=np.repeat([1.0, 0.0, 0.0], len(X)),
    )
    assert trees(without)[0].n_nodes > 1
    assert same_model(without, padded, X)


@pytest.mark.parametrize("missing", ["surrogate", "majority"])
def test_a_class_of_weight_zero_is_as_if_absent(missing, rng):
    X = mixed_table(rng)
    codes = codes_for(X, rng)
    weighed = CARTClassifier(class_weight={0: 0.0}, missing=missing).fit(X, codes)
    kept = X[codes > 0].reset_index(drop=True)
    without = CARTClassifier(missing=missing).fit(kept, codes[codes > 0])
    assert shape_of(weighed.tree_) == shape_of(without.tree_)
    np.testing.assert_array_equal(weighed.predict(X), without.predict(X))


def test_weights_and_costs_may_name_a_class_whose_rows_weigh_nothing(rng):
    """A bootstrap by weights may leave out a rare class."""
    X = mixed_table(rng)
    codes = codes_for(X, rng)
    used = codes < 2
    named = CARTClassifier(class_weight={0: 1, 1: 3, 2: 5}, cost_matrix={(2, 0): 9, (1, 0): 4})
    without = CARTClassifier(class_weight={0: 1, 1: 3}, cost_matrix={(1, 0): 4})
    named.fit(X, np.minimum(codes, 2), sample_weight=used.astype(float))
    assert shape_of(named.tree_) == shape_of(without.fit(X[used], codes[used]).tree_)
    with pytest.raises(ValueError, match="class_weight names 7, which is no class of y"):
        named.set_params(class_weight={7: 1}).fit(X, codes)


@every_whole
def test_integer_weights_are_repeated_rows(listed, rng):
    """Where sums are rounded, tests of equal gain may change places, so there are no such tests.

    Numbers get one column and targets without ties, whose sums are exact; the fractional rule gets
    no gaps. Surrogates need two rows each way, and repeated rows are more rows: they are left out.
    An evolved test and its negation always gain alike: there the predictions are compared.
    """
    X = mixed_table(rng)
    if listed.is_fractional:
        X = X.dropna().reset_index(drop=True)
    y = listed.target(codes_for(X, rng))
    if not listed.is_classifier:
        X, y = X[["income"]], y + rng.integers(0, 2**20, len(X)) / 2**20
    weight = rng.integers(1, 4, len(X))
    rows = np.repeat(np.arange(len(X)), weight)
    plain = {"max_surrogates": 0} if listed.has("max_surrogates") else {}
    weighed = listed.new(**plain).fit(X, y, sample_weight=weight)
    repeated = listed.new(**plain).fit(X.iloc[rows].reset_index(drop=True), y[rows])
    exactly = 0.0 if listed.is_classifier and listed.is_tree else 1e-9
    if listed.evolves and not listed.is_classifier:
        np.testing.assert_allclose(weighed.predict(X), repeated.predict(X), rtol=1e-9)
        return
    for first, second in zip(trees(weighed), trees(repeated), strict=True):
        assert shape_of(first) == shape_of(second)
        for name in ("value", "risk", "impurity"):
            one, other = (getattr(tree, name) for tree in (first, second))
            np.testing.assert_allclose(one, other, rtol=exactly, atol=exactly, err_msg=name)
