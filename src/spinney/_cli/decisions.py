"""Decisions by a threshold: from which probability on the positive class is predicted."""

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import Tree, _core
from spinney._cli.errors import Refusal
from spinney._cli.memory import memory_of, positive_of, remember
from spinney._cli.metrics import Costs

_NEARLY = 1 - 1e-9  # so that a probability of exactly the threshold is above it


def parse_threshold(text: str | None) -> float | str | None:
    """Return a threshold from 0 to 1, or "cost" for the one of least cost."""
    if text is None or text == "cost":
        return text
    try:
        cut = float(text)
    except ValueError:
        cut = -1.0
    if not 0.0 <= cut <= 1.0:
        raise Refusal(f"--threshold: give a probability from 0 to 1, or cost, not {text!r}.")
    return cut


def need_two_classes(model: Any, option: str = "--threshold") -> None:
    """Refuse a model that has no probability of a positive class."""
    if len(getattr(model, "classes_", ())) != 2 or not hasattr(model, "predict_proba"):
        raise Refusal(f"{option} needs a model with two classes and their probabilities.")


def threshold_of(model: Any) -> float | None:
    """Return the threshold that a model remembers."""
    memory = memory_of(model)
    return None if memory is None else memory.threshold


def positive_scores(model: Any, X: Any, positive: Any = None) -> NDArray[np.float64]:
    """Return the probability of the positive class."""
    label = positive_of(model) if positive is None else positive
    place = model.classes_.tolist().index(label)
    return np.asarray(model.predict_proba(X)[:, place], dtype=np.float64)


def decide(model: Any, X: Any) -> NDArray[Any]:
    """Return the predictions of a model, by its threshold if it has one."""
    cut = threshold_of(model)
    if cut is None:
        return np.asarray(model.predict(X))
    positive = positive_of(model)
    labels = model.classes_.tolist()
    place = labels.index(positive)
    chosen = positive_scores(model, X, positive) >= cut
    return np.asarray(model.classes_[np.where(chosen, place, 1 - place)])


def with_threshold(model: Any, positive: Any, cut: float) -> Any:
    """Return a copy of a model that decides by a threshold, and remembers it.

    The tree of a single-tree model gets the equivalent costs, so that rules, pictures and exported
    code decide as `predict` of the command line does.
    """
    need_two_classes(model)
    memory = memory_of(model)
    if memory is None:
        raise Refusal(
            "--threshold: this model was not made by `spinney train`, and remembers nothing. Train "
            "it with --threshold."
        )
    made = copy.copy(model)
    if hasattr(made, "tree_"):
        vars(made).pop("rules_", None)  # those of C4.5 decide by the likeliest class
        place = model.classes_.tolist().index(positive)
        made.tree_ = tree_with_threshold(model.tree_, place, cut)
    remember(made, memory, positive=positive, threshold=cut)
    return made


def tree_with_threshold(tree: Tree, place: int, cut: float) -> Tree:
    """Return a tree whose nodes predict a class from a probability on, by costs that say so."""
    cost = np.zeros((2, 2))
    cost[place, 1 - place], cost[1 - place, place] = 1.0 - cut * _NEARLY, cut * _NEARLY
    state = dict(tree._core.state())
    state["cost"] = cost.ravel()
    return Tree(_core.Tree(state), tree.schema, tree.classes)


def two_costs(costs: Costs, positive: Any, other: Any) -> tuple[float, float]:
    """Return the cost of a missed positive row, and of a false alarm."""
    return costs.get((positive, other), 1.0), costs.get((other, positive), 1.0)
