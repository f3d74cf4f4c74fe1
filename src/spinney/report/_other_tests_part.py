"""Other tests at the nodes of a tree: the best of other columns, and those of bootstrap samples."""

from typing import Any

import numpy as np
from sklearn.base import clone

from spinney._table._take import as_rows, take_rows
from spinney.report._sample import Sample, some_rows, some_target
from spinney.tree._forced import forced_to_dict, node_at, path_of
from spinney.tree._node import Node
from spinney.tree._tree import Tree

_MOST_ROWS, _MOST_CELLS = 10_000, 1_000_000  # that judge tests
_MOST_NODES = 60  # whose other tests are listed, those with most rows first
_N_TESTS = 5

N_BOOTSTRAPS = 50
_MOST_ROWS = 5000
_MOST_COLUMNS = 6  # that are listed for a place
_PLACES = ((), (0,), (1,))  # the root, where its test is true, and where it is not


def editing_part(model: Any, shown: Tree, data: Sample) -> dict[str, Any] | None:
    """Return the best tests of other columns at the nodes of a model.

    Parameters
    ----------
    model : estimator
        Fitted.
    shown : Tree
        The largest tree of the slider, of which the model's own is a subtree.
    data : Sample
        The rows; of many rows some are drawn.

    Returns
    -------
    dict or None
        None for models that `spinney.edit.TreeEditor` does not edit, and for rows on which it
        cannot begin. `competitors` are None for trees that are cut and not grown again.
    """
    from spinney.edit._editable_rows import Regrowth, is_editable, is_regrown

    if not is_editable(model):
        return None
    paths = {str(node_at(shown, path_of(node)).id): path_of(node) for node in model.tree_}
    if not is_regrown(model):
        return {"paths": paths, "rows": 0, "competitors": None}
    most = min(_MOST_ROWS, max(500, _MOST_CELLS // max(1, data.values.shape[1])))
    places = some_rows(data.n_rows, most)
    X, y = take_rows(as_rows(data.given.X), places), some_target(data, places)
    exposure = data.exposure[places] if len(data.exposure) else None
    try:
        rows = Regrowth(model, X, y, data.weight[places], exposure)
    except ValueError:  # such as a class that no row has
        return None
    nodes = sorted(model.tree_, key=lambda node: (-node.n_samples, node.id))[:_MOST_NODES]
    found: dict[str, list[dict[str, Any]]] = {}
    for node in nodes:
        found[str(node_at(shown, path_of(node)).id)] = _competitors(rows, node)
    return {"paths": paths, "rows": len(places), "competitors": found}


def _competitors(rows: Any, node: Node) -> list[dict[str, Any]]:
    """Return the best tests of the columns at a node as JSON holds them, the best first."""
    columns = list(range(len(rows.schema.columns)))
    best = sorted(rows.best_tests(node, columns), key=lambda one: -one.gain)[:_N_TESTS]
    return [
        {
            "test": forced_to_dict(own.test, rows.schema),
            "gain": own.gain,
            "rows": list(own.n_rows),
            "own": node.test is not None and str(own.test) == str(node.test),
        }
        for own in best
    ]


def stability_part(model: Any, data: Sample) -> dict[str, Any] | None:
    """Return which columns trees of two levels test first, over bootstrap samples.

    Parameters
    ----------
    model : estimator
        Fitted. Only learners that grow a tree from the top are judged.
    data : Sample
        The rows; of many rows some are drawn.

    Returns
    -------
    dict or None
        None for other models, and if there are too few rows.
    """
    from spinney.tree import (
        C45Classifier,
        CARTClassifier,
        CARTRegressor,
        ID3Classifier,
        SurvivalTree,
    )

    grows = (CARTClassifier, CARTRegressor, C45Classifier, ID3Classifier, SurvivalTree)
    if not isinstance(model, grows) or data.n_rows < 10 or model.tree_.n_leaves == 1:
        return None
    places = some_rows(data.n_rows, _MOST_ROWS)
    options: dict[str, Any] = {"sample_weight": data.weight[places]}
    if len(data.exposure) and data.lifetimes is None:
        options["exposure"] = data.exposure[places]
    X, y = take_rows(as_rows(data.given.X), places), some_target(data, places)
    try:
        ensemble = _ensemble(model).fit(X, y, **options)
    except ValueError:  # such as a draw that leaves one class, or parameters of single trees
        return None
    trees = list(ensemble.forest_)
    return {
        "n": len(trees),
        "rows": len(places),
        "places": [_columns_at(trees, model.tree_, place) for place in _PLACES],
    }


def _ensemble(model: Any) -> Any:
    """Return an ensemble of trees of two levels, grown as the model on bootstrap samples."""
    from spinney import BaggingClassifier, BaggingRegressor, RandomSurvivalForest
    from spinney.tree import SurvivalTree

    known = model.get_params()
    if isinstance(model, SurvivalTree):
        forest = RandomSurvivalForest(N_BOOTSTRAPS, max_features=None, oob_score=False)
        of_both = {name: known[name] for name in forest.get_params() if name in known}
        alone = {"ccp_alpha": None, "max_surrogates": 0, "max_leaf_nodes": None}
        alone |= {"max_depth": 2, "early_stopping": False, "random_state": 0}
        return forest.set_params(**{**of_both, **alone})
    shallow = {"max_depth": 2, "pruning": None, "ccp_alpha": None, "max_surrogates": 0}
    shallow |= {"max_leaf_nodes": None, "early_stopping": False, "rules": False}
    learner = clone(model).set_params(**{k: v for k, v in shallow.items() if k in known})
    bagging = BaggingRegressor if model.tree_.classes is None else BaggingClassifier
    return bagging(learner, n_estimators=N_BOOTSTRAPS, random_state=0)


def _columns_at(trees: list[Tree], own: Tree, place: tuple[int, ...]) -> dict[str, Any]:
    """Return the columns that are tested at a place, the most frequent first."""
    asked: dict[int, list[float]] = {}
    for tree in trees:
        node = _node_at(tree, place)
        if node is not None and tree.first_child[node] >= 0 and tree.feature[node] >= 0:
            asked.setdefault(int(tree.feature[node]), []).append(float(tree.threshold[node]))
    order = sorted(asked, key=lambda column: (-len(asked[column]), column))[:_MOST_COLUMNS]
    here = _node_at(own, place)
    return {
        "own": -1 if here is None else int(own.feature[here]),
        "columns": [
            {"column": column, "n": len(asked[column]), "cuts": _spread(asked[column])}
            for column in order
        ],
    }


def _node_at(tree: Tree, place: tuple[int, ...]) -> int | None:
    node = 0
    for branch in place:
        if branch >= tree.n_children[node]:
            return None
        node = int(tree.first_child[node]) + branch
    return node


def _spread(cuts: list[float]) -> list[float] | None:
    """Return the quartiles of thresholds; None for other tests."""
    known = [cut for cut in cuts if np.isfinite(cut)]
    return np.quantile(known, [0.25, 0.5, 0.75]).tolist() if known else None
