"""Models in files that are no estimators: a tree, a forest, rules. Commands use them as if."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from spinney import Tree
from spinney._typing import Floats
from spinney.rules import RuleSet


class Saved:
    """A tree, a forest of equal votes or rules, with what commands ask of an estimator.

    Parameters
    ----------
    held : Tree, Forest or RuleSet
        As it was saved.
    """

    def __init__(self, held: Any) -> None:
        self.held = held
        self._schema = held.schema
        if held.classes is not None:
            self.classes_ = np.asarray(held.classes)
        if isinstance(held, Tree):
            self.tree_ = held
        elif isinstance(held, RuleSet):
            self.rules_ = held
        else:
            self.forest_ = held

    def predict_proba(self, X: Any) -> Floats:
        """Return class probabilities."""
        return np.asarray(self._values(X), dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return predictions: of a forest the likeliest class, or the mean."""
        if not hasattr(self, "forest_"):
            return np.asarray(self.held.predict(X))
        values = self._values(X)
        if self.held.classes is None:
            return values
        return np.asarray(self.classes_[values.argmax(axis=1)])

    def _values(self, X: Any) -> Floats:
        name = "predict" if self.held.classes is None else "predict_proba"
        if not hasattr(self, "forest_"):
            return np.asarray(getattr(self.held, name)(X), dtype=np.float64)
        found = [getattr(tree, name)(X) for tree in self.held]
        return np.asarray(np.mean(found, axis=0), dtype=np.float64)

    def explain(self, row: Any) -> Any:
        """Return the rules behind the prediction of a row."""
        return self.held.explain(row)


def as_model(thing: Any) -> Any:
    """Return an estimator as it is, and anything else that a file may hold as one."""
    return thing if isinstance(thing, BaseEstimator) else Saved(thing)


def held_by(model: Any) -> Any:
    """Return what is saved of a model."""
    return model.held if isinstance(model, Saved) else model


def columns_used(model: Any) -> tuple[set[str], set[str]] | None:
    """Return the columns that tests ask, and those that only stand in for missing ones.

    None if that is not known, as of a mixture or of columns that functions compute.
    """
    from spinney._cli.models import trees_of

    if getattr(model, "_derived", ()):
        return None
    trees = trees_of(model)
    if isinstance(model, Saved) and isinstance(model.held, RuleSet):
        asked: list[Any] = [c for rule in model.held for c in rule.conditions]
        places = {f for c in asked for f in getattr(c, "features", None) or (c.feature,)}
        return {model.held.schema.names[place] for place in places}, set()
    if not trees:
        return None
    tested: set[int] = set()
    stand_in: set[int] = set()
    for tree in trees:
        state = tree._state
        tested.update(state["feature"][state["feature"] >= 0].tolist())
        stand_in.update(state["surrogate_feature"][state["surrogate_feature"] >= 0].tolist())
        for node in np.flatnonzero(tree.kind == "expression").tolist():
            tested.update(tree[node].test.features)
        if "surrogate_token_op" in state and len(state["surrogate_token_op"]):
            return None
    names = list(model._schema.names)
    if max(tested | stand_in, default=-1) >= len(names):
        return None
    return {names[k] for k in tested}, {names[k] for k in stand_in - tested}
