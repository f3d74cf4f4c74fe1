"""Metadata that methods of an ensemble pass to its members, by scikit-learn's routing.

Members of other packages are called by their own methods and get what they request. Trees of this
package are trained and applied in the core, which knows `sample_weight` only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    process_routing,
)
from sklearn.utils.validation import _check_method_params

from spinney.tree._estimator import is_own_tree

Metadata = Sequence[Mapping[str, Any]]  # by method, for each learner; empty if there are none
_CALLERS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


@dataclass(frozen=True)
class FitMetadata:
    """What the fit of a learner gets besides X, y and weights.

    Parameters
    ----------
    params : mapping of str to object
        Metadata by name. Those with an entry for each row of the table are cut to rows.
    n_rows : int
        Rows of the table.
    places : array of int
        The rows of positive weight: those that members are trained on.
    """

    params: Mapping[str, Any]
    n_rows: int
    places: NDArray[np.intp]

    def take(self, places: NDArray[np.intp]) -> dict[str, Any]:
        """Return the metadata of some of the rows of positive weight."""
        table = range(self.n_rows)  # only its length is looked at
        taken: dict[str, Any] = _check_method_params(
            table, dict(self.params), indices=self.places[places]
        )
        return taken


def metadata_for(member: Any, metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a member gets: the `DummyClassifier` of rows of one class gets nothing."""
    return {} if type(member) is DummyClassifier else metadata


def get_metadata_routing(self: Any) -> MetadataRouter:
    """Return the metadata that the ensemble and its members request.

    A single learner is named `estimator` for routing; those of a list have their names in it, or
    are `estimator_0`, `estimator_1` and so on.

    Returns
    -------
    MetadataRouter
    """
    router = MetadataRouter(owner=self).add_self_request(self)
    for name, learner in learners_of(self).items():
        if isinstance(learner, BaseEstimator) and not is_own_tree(learner):
            methods = MethodMapping().add(caller="fit", callee="fit")
            for caller in filter(lambda name: hasattr(self, name), _CALLERS):
                methods.add(caller=caller, callee=self._callee(caller, learner))
            router.add(method_mapping=methods, **{name: learner})
    return router


def predict_of_member(self: Any, caller: str, learner: Any) -> str:
    """Return the method of a member that a method of the ensemble calls, for `_callee`."""
    return "predict"


def route(ensemble: Any, method: str, params: Mapping[str, Any]) -> Metadata:
    """Return what each learner is to get of the extra arguments of a method."""
    if not params:
        return ()
    _raise_for_params(params, ensemble, method)
    routed = process_routing(ensemble, method, **params)
    return [routed.get(name, {}) for name in learners_of(ensemble)]


def learners_of(ensemble: Any) -> dict[str, Any]:
    """Return the learners, or fitted members, that are parameters, each under a routing name."""
    given = getattr(ensemble, "estimator", None)
    given = getattr(ensemble, "estimators", given)
    if not isinstance(given, list | tuple):
        return {"estimator": given}
    return dict(_named(i, entry) for i, entry in enumerate(given))


def _named(i: int, entry: Any) -> tuple[str, Any]:
    """Return a routing name and the learner; a frozen estimator requests what it holds."""
    pair = isinstance(entry, tuple) and len(entry) == 2
    name, learner = entry if pair else (f"estimator_{i}", entry)
    while isinstance(learner, FrozenEstimator):
        learner = learner.estimator
    return name, learner
