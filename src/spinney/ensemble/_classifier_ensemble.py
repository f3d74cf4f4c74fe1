"""Base class of ensembles that predict classes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from spinney._settings import thread_count
from spinney._typing import Floats
from spinney.ensemble._combine import ClassCombiner
from spinney.ensemble._distil import distil, distil_rules
from spinney.ensemble._ensemble import BaseEnsemble
from spinney.ensemble._routing import Metadata, route
from spinney.shapley._additive import Additive


class ClassifierEnsemble(ClassifierMixin, BaseEnsemble):
    """Base class of ensembles that predict classes."""

    ties = "lowest"  # of ensembles without the parameter
    distil = distil
    distil_rules = distil_rules

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    def _combiner(self) -> ClassCombiner:
        """Return how the answers of members become one."""
        if "_members" not in vars(self):
            check_is_fitted(self)
        return ClassCombiner.of(self)

    def _member_codes(self, X: Any, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the class codes that some members predict, one row per member."""
        if any(len(self._members.groups(i)) for i in members.tolist()):
            raise ValueError(
                "members with targets='regroup' tell groups of classes apart, not classes, so "
                "their answers cannot be compared."
            )
        answers = self._members.answers(self._member_rows(X), members, thread_count(self.n_jobs))
        return np.asarray(answers, dtype=np.int64)

    def predict(self, X: Any, **params: Any) -> NDArray[Any]:
        """Return the class that the members together choose for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows,)
        """
        combiner = self._combiner()
        sums = self._sums(X, combiner.votes, route(self, "predict", params))
        codes = combiner.choose(sums)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any, **params: Any) -> Floats:
        """Return class probabilities: shares of the votes, or means over the members.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        return self._shares(X, route(self, "predict_proba", params))

    def predict_log_proba(self, X: Any, **params: Any) -> Floats:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for members from other packages, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._shares(X, route(self, "predict_log_proba", params))))

    def _additive(self) -> Additive:
        """Return the members as trees whose weighted votes, or class shares, add up."""
        combiner = self._combiner()
        additive = self._weighted_trees(combiner.explained, combiner.votes)
        members = self._voters().tolist()
        if combiner.votes and any(len(self._members.groups(i)) for i in members):
            raise ValueError(
                "members with targets='regroup' vote for groups of classes, whose number differs "
                "from row to row, so the shares of their votes are no sums. Use combine='average'."
            )
        return additive

    def _shares(self, X: Any, metadata: Metadata) -> Floats:
        combiner = self._combiner()
        return combiner.probabilities(self._sums(X, combiner.votes, metadata))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield `predict` of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Yields
        ------
        array of shape (n_rows,)
        """
        combiner = self._combiner()
        for _, sums in self._staged_sums(X, combiner.votes):
            yield self.classes_[combiner.choose(sums)]

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield `predict_proba` of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Yields
        ------
        array of shape (n_rows, n_classes)
        """
        combiner = self._combiner()
        for _, sums in self._staged_sums(X, combiner.votes):
            yield combiner.probabilities(sums)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy of the first member, the first two, and so on.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : array of shape (n_rows,)
            The true classes.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.

        Yields
        ------
        float
        """
        from sklearn.metrics import accuracy_score  # here: it takes long to import

        for labels in self.staged_predict(X):
            yield float(accuracy_score(y, labels, sample_weight=sample_weight))
