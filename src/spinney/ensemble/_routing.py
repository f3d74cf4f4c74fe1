"""Metadata that methods of an ensemble hand on to its members, by scikit-learn's routing.

Members of other packages are asked by their own methods, and get what they request. Trees of this
package are trained and asked in the core, which knows `sample_weight` only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
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


def routing_of(ensemble: Any) -> MetadataRouter:
    """Return what an ensemble and its learners request."""
    router = MetadataRouter(owner=ensemble).add_self_request(ensemble)
    for name, learner in learners_of(ensemble).items():
        if isinstance(learner, BaseEstimator) and not is_own_tree(learner):
            methods = MethodMapping().add(caller="fit", callee="fit")
            for caller in filter(lambda name: hasattr(ensemble, name), _CALLERS):
                methods.add(caller=caller, callee=ensemble._callee(caller, learner))
            router.add(method_mapping=methods, **{name: learner})
    return router


def route(ensemble: Any, method: str, params: Mapping[str, Any]) -> Metadata:
    """Return what each learner is to get of the extra arguments of a method."""
    if not params:
        return ()
    _raise_for_params(params, ensemble, method)
    routed = process_routing(ensemble, method, **params)
    return [routed.get(name, {}) for name in learners_of(ensemble)]


def learners_of(ensemble: Any) -> dict[str, Any]:
    """Return what the parameter `estimator` holds, each learner under a name for routing."""
    given = getattr(ensemble, "estimator", None)
    if not isinstance(given, list | tuple):
        return {"estimator": given}
    return {f"estimator_{i}": learner for i, learner in enumerate(given)}
