"""Treelite says what the model says, as its own reader predicts."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from export_cases import COSTS, N_ROWS, fitted, intervals, multiway, new_rows
from handover_models import data, handed, hard_rows

from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    C45Classifier,
    CARTClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from spinney._table._encode import encode_for
from spinney.export import to_treelite

treelite = pytest.importorskip("treelite")
FLAG = {"categorical_features": ["code"], "missing": "majority", "random_state": 0}


def answers(model: Any, schema: Any, X: pd.DataFrame) -> Any:
    """What treelite says of rows that are encoded, after a trip through its file format."""
    made = treelite.Model.deserialize_bytes(to_treelite(model).serialize_bytes())
    found = treelite.gtil.predict(made, encode_for("the model", schema, X))
    return found.reshape(len(X), -1)


def check(model: Any, schema: Any, X: pd.DataFrame, same_shares: bool = True) -> None:
    found = answers(model, schema, X)
    classes = getattr(model, "classes_", getattr(model, "classes", None))
    if classes is None:
        np.testing.assert_allclose(found[:, 0], model.predict(X), rtol=1e-12)
        return
    assert classes[found.argmax(axis=1)].tolist() == model.predict(X).tolist()
    if same_shares:
        np.testing.assert_allclose(found, model.predict_proba(X), rtol=0, atol=1e-12)


TREES = {
    "majority": lambda: fitted("majority", n_classes=30, max_depth=7).tree_,
    "learned": lambda: fitted("learned", max_depth=7).tree_,
    "category": lambda: fitted("category", max_depth=7).tree_,
    "regression": lambda: fitted("majority", n_classes=0, max_depth=8).tree_,
    "multiway": lambda: multiway("majority"),
    "intervals": lambda: intervals("majority"),
    "one node": lambda: fitted("majority", min_samples_leaf=1400).tree_,
}


@pytest.mark.parametrize("name", TREES)
def test_its_reader_predicts_as_the_tree(name):
    tree = TREES[name]()
    check(tree, tree.schema, new_rows(tree))


ENSEMBLES = {
    "votes": RandomForestClassifier(7, oob_score=False, **FLAG),
    "average": RandomForestClassifier(6, combine="average", oob_score=False, **FLAG),
    "mean": RandomForestRegressor(6, oob_score=False, **FLAG),
    "extra": ExtraTreesRegressor(6, **FLAG),
    "regrouped": BaggingClassifier(
        CARTClassifier(max_depth=4, missing="majority"), 5, targets="regroup", combine="average",
        random_state=0,
    ),
    "AdaBoost": AdaBoostClassifier(CARTClassifier(max_depth=2, missing="majority"), 8,
        random_state=0),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ENSEMBLES)
def test_its_reader_predicts_as_the_ensemble(name):
    X, y = data(2, 0 if name in ("mean", "extra") else 3)
    model = ENSEMBLES[name].fit(X, y)
    rows = hard_rows(N_ROWS, 77, new=True)
    check(model, model._schema, rows, same_shares=name != "AdaBoost")


@pytest.mark.parametrize(
    ("model", "match"),
    [
        (lambda: fitted(max_depth=3), "surrogate tests.*missing='majority'.*to_onnx"),
        (lambda: fitted("fractional", max_depth=3), "several branches.*to_pmml"),
        (lambda: handed("oblique").model, "expressions.*to_onnx"),
        (lambda: fitted("majority", max_depth=3, text=False, cost_matrix=COSTS), "costs.*to_sql"),
        (lambda: handed("votes 1").model, "abstention.*to_onnx"),
        (lambda: handed("bagging of numbers 1").model, "median"),
        (lambda: C45Classifier().fit(*data(2, 3)).rules_, "not rules"),
    ],
)
def test_what_it_cannot_hold_is_refused(model, match):
    with pytest.raises(ValueError, match=match):
        to_treelite(model())
