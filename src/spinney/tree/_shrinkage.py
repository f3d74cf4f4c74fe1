"""Hierarchical shrinkage: the strength that was given, or the best for rows that are held out.

Candidates are numbers of rows of average weight, so that a factor on all weights changes nothing.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from spinney import _core
from spinney._folds import make_folds
from spinney._table import Schema
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.tree._measures import rescaled_tree
from spinney.tree._tree import Tree

AUTO = "auto"
STRENGTHS = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
_FOLDS = 10  # of estimators without a parameter for them


def is_fixed(estimator: Any) -> bool:
    """Return whether a strength is given as a number, so that the size of the weights matters."""
    return getattr(estimator, "shrinkage", None) not in (None, AUTO)


def candidates(target: FitTarget) -> Floats:
    """Return the strengths that "auto" tries."""
    used = target.weight > 0
    scale = target.class_scale[target.truth[used]] if len(target.class_scale) else 1.0
    return np.array(STRENGTHS) * float(np.mean(target.weight[used] * scale))


def best_of(strengths: Floats, losses: Floats) -> float:
    """Return the strength of least loss, the weakest of equals; 0 if no row could judge."""
    return 0.0 if np.isnan(losses).any() else float(strengths[int(losses.argmin())])


def shrink_fit(
    estimator: Any,
    fitted: dict[str, Any],
    values: Floats,
    schema: Schema,
    target: FitTarget,
    groups: Any,
) -> dict[str, Any]:
    """Return the attributes of a fit with its tree shrunk, and the strength among them.

    Parameters
    ----------
    estimator : estimator
        Its parameters `shrinkage` and, if it has one, `cv` are used.
    fitted : dict
        The attributes, with the tree in `tree_`.
    values, schema, target : array, Schema, FitTarget
        What the tree was learned from.
    groups : array or None
        For the splitter of `cv`.

    Returns
    -------
    dict
    """
    strength = estimator.shrinkage or 0.0
    if strength == AUTO:
        strength = _cross_validated(estimator, fitted, values, schema, target, groups)
    tree = fitted["tree_"].shrink(strength) if strength else fitted["tree_"]
    return {**fitted, "tree_": tree, "shrinkage_": float(strength)}


def _cross_validated(
    estimator: Any,
    fitted: dict[str, Any],
    values: Floats,
    schema: Schema,
    target: FitTarget,
    groups: Any,
) -> float:
    """Return the strength at which trees of the folds predict the rows left out best."""
    strengths = candidates(target)
    trial = _core.ShrinkageTrial(target.core(), strengths, target.criterion, False)
    alike = _of_the_size(estimator, fitted)
    cv, used = getattr(estimator, "cv", _FOLDS), target.weight > 0
    for train, test in make_folds(cv, values, target.strata, used, estimator.random_state, groups):
        own = replace(target, weight=np.where(train, target.weight, 0.0))
        tree: Tree = alike._learner().learn(values, schema, own)["tree_"]
        if target.exponent:
            tree = rescaled_tree(tree, -target.exponent, -target.loss_exponent)
        trial.add_tree(tree._core, values, test)
    return best_of(strengths, trial.losses())


def _of_the_size(estimator: Any, fitted: dict[str, Any]) -> Any:
    """Return an estimator whose trees are pruned as far as the fitted one, and no further made."""
    changes: dict[str, Any] = {"shrinkage": None}
    if hasattr(estimator, "rules"):
        changes["rules"] = False
    path = fitted.get("pruning_path_")
    if path is not None and path.selected is not None:
        ends = [*path.alphas.tolist(), np.inf]
        changes["ccp_alpha"] = float(np.sqrt(ends[path.selected] * ends[path.selected + 1]))
        if ends[path.selected + 1] == np.inf:
            changes["ccp_alpha"] = np.inf  # a single leaf
    return clone(estimator).set_params(**changes)
