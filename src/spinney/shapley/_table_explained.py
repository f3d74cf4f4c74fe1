"""Explanations of estimators, which take raw tables and may compute columns from others."""

from typing import Any

from spinney._base import TableEstimator
from spinney._table import Schema
from spinney._typing import Floats
from spinney.shapley._explained import Explained


class TableExplained(Explained, TableEstimator):
    """Shapley values and reasons of estimators of trees."""

    def _explained_rows(self, X: Any) -> Floats:
        return self._rows(X)

    def _explained_schema(self) -> Schema:
        return self._schema

    def _by_base_column(self, values: Floats, pairs: bool) -> Floats:
        if not self._derived:
            return values
        from spinney.evolve._derived import base_pairs, base_values  # only evolved models need it

        own = base_pairs if pairs else base_values
        return own(values, self._derived, self.n_features_in_)
