"""The base learners of an ensemble: given by the user, or trees with its own parameters."""

from typing import Any, TypeVar

from spinney._base import TableEstimator
from spinney.tree._estimator import TreeEstimator

T = TypeVar("T", bound=TreeEstimator)
# What a tree has for itself: the ensemble encodes the table, draws, runs threads, and stops.
OF_THE_ENSEMBLE = {
    "early_stopping",
    "n_iter_no_change",
    "categorical_features",
    "unseen",
    "warm_start",
    "random_state",
    "n_jobs",
    "verbose",
    "shrinkage",
}


def given_learners(ensemble: Any, default: TreeEstimator) -> list[Any]:
    """Return the learners that the parameter `estimator` names; a default tree for None."""
    given = ensemble.estimator
    if given is None:
        return [default]
    learners = list(given) if isinstance(given, list | tuple) else [given]
    for learner in learners:
        _refuse_own_columns(ensemble, learner)
    return learners


def own_tree(ensemble: Any, kind: type[T], **others: Any) -> T:
    """Return an unfitted tree with the parameters that it shares with its ensemble, and others."""
    own = set(vars(ensemble)) - OF_THE_ENSEMBLE
    names = [name for name in kind._get_param_names() if name in own]
    shared = {name: getattr(ensemble, name) for name in names}
    if is_by_member(shared.get("class_weight")):
        shared["class_weight"] = None  # the ensemble sees to it
    return kind(**shared, **others)


def is_by_member(class_weight: Any) -> bool:
    """Return whether classes are balanced within the rows of each member."""
    return isinstance(class_weight, str) and class_weight == "balanced_subsample"


def _refuse_own_columns(ensemble: Any, learner: Any) -> None:
    """Refuse settings of the table that a member has for itself: the table is encoded once."""
    if not isinstance(learner, TableEstimator):
        return
    for name, usual in (("categorical_features", "from_dtype"), ("unseen", "missing")):
        value = getattr(learner, name, usual)
        if repr(value) not in (repr(usual), repr(getattr(ensemble, name))):
            raise ValueError(
                f"estimator has {name}={value!r}, but members share one table. Give {name} to "
                f"{type(ensemble).__name__} instead."
            )
    if getattr(learner, "domains", None) is not None:
        raise ValueError(
            f"estimator has domains={learner.domains!r}, but members share one table. Give the "
            "columns equal categories, or use GPForestClassifier and GPForestRegressor."
        )
