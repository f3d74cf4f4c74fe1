"""The methods of models that can be explained by Shapley values."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from spinney._settings import thread_count
from spinney._table import Schema
from spinney._typing import Floats
from spinney.shapley._additive import Additive
from spinney.shapley._reasons import Reason, pick_reasons

EXPECTED = "expected_value_"


class ExpectedValue:
    """The mean answer that Shapley values start from, worked out where none was remembered.

    A descriptor without `__set__`: what `shap_values` remembers in the model comes first.
    """

    def __get__(self, model: Any, owner: Any = None) -> Any:
        if model is None:
            return self
        try:
            return model._shapley(None, None, False)[1]
        except (TypeError, ValueError) as refusal:
            if isinstance(refusal, AttributeError):
                raise
            raise AttributeError(str(refusal)) from None  # so that hasattr is False


class Explained:
    """Shapley values and reasons, of trees and of models that add up answers of trees."""

    expected_value_ = ExpectedValue()

    def _additive(self) -> Additive:
        """Return the trees whose answers add up to what is explained; an error if none do."""
        raise NotImplementedError

    def _explained_rows(self, X: Any) -> Floats:
        """Encode a table as the trees take it."""
        raise NotImplementedError

    def _explained_schema(self) -> Schema:
        """Return the columns of the user's."""
        raise NotImplementedError

    def _by_base_column(self, values: Floats, pairs: bool) -> Floats:
        """Divide what derived columns add among those that they are computed from."""
        return values

    def _shapley(self, X: Any, background: Any, pairs: bool) -> tuple[Floats, Any]:
        """Return the values of a table, of none for None, and what is expected."""
        additive = self._additive()
        if X is None:
            n_derived = len(getattr(self, "_derived", ()))
            rows = np.zeros((0, len(self._explained_schema().columns) + n_derived))
        else:
            rows = self._explained_rows(X)
        others = None if background is None else self._background_rows(background)
        n_threads = thread_count(getattr(self, "n_jobs", None))
        values, expected = additive.divide(rows, others, pairs, n_threads)
        base: Any = float(expected) if expected.ndim == 0 else expected
        return self._by_base_column(values, pairs), base

    def _labels(self) -> Any:
        """Return the classes; None for numbers."""
        return getattr(self, "classes_", getattr(self, "classes", None))

    def _background_rows(self, background: Any) -> Floats:
        try:
            return self._explained_rows(background)
        except ValueError as problem:
            raise ValueError(f"background: {problem}") from None

    def _remember_expected(self, expected: Any) -> None:
        vars(self)[EXPECTED] = expected

    def shap_values(self, X: Any, background: Any = None) -> Floats:
        """Return what each column adds to the answer for each row: its Shapley values.

        With `expected_value_` they add up to `predict_proba`, to the number that `predict`
        returns, and for AdaBoost to `decision_function`.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        background : table of shape (n_others, n_features) or None, default=None
            Rows to compare with: a column that is not known takes the values that it has there
            (interventional values). None averages over the branches that the column would
            decide, by the weight of the training rows in them (path-dependent values).

        Returns
        -------
        array of shape (n_rows, n_features, n_classes), or (n_rows, n_features)
            With classes last for `predict_proba`. `expected_value_` is then what the values of
            this call start from: the mean answer over the training rows, or over the background.
        """
        values, expected = self._shapley(X, background, False)
        self._remember_expected(expected)
        return values

    def shap_interaction_values(self, X: Any, background: Any = None) -> Floats:
        """Return what pairs of columns add to the answer for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        background : table of shape (n_others, n_features) or None, default=None
            As for `shap_values`.

        Returns
        -------
        array of shape (n_rows, n_features, n_features, n_classes), or without the last axis
            What two columns do together is divided evenly between both orders of the pair; the
            diagonal holds what a column does by itself. Each row of the matrix adds up to the
            Shapley value of its column.
        """
        values, expected = self._shapley(X, background, True)
        self._remember_expected(expected)
        return values

    def shap_explanation(self, X: Any, background: Any = None) -> Any:
        """Return the values as the `Explanation` of shap that `shap.plots` draws.

        Needs the package shap, which is imported here only.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        background : table of shape (n_others, n_features) or None, default=None
            As for `shap_values`.

        Returns
        -------
        shap.Explanation
        """
        try:
            shap = import_module("shap")
        except ImportError:
            raise ImportError(
                "shap_explanation needs the package shap: pip install shap. shap_values needs "
                "nothing."
            ) from None
        values = self.shap_values(X, background)
        schema = self._explained_schema()
        base = np.broadcast_to(np.asarray(self.expected_value_), (len(values), *values.shape[2:]))
        classes = self._labels()
        names = [str(label) for label in classes.tolist()] if values.ndim == 3 else None
        return shap.Explanation(
            values=values,
            base_values=np.array(base),
            data=_raw_table(schema, self._explained_rows(X)),
            feature_names=list(schema.names),
            output_names=names,
        )

    def reasons(
        self,
        X: Any,
        n: int = 4,
        *,
        toward: Any = None,
        words: Mapping[str, str] | None = None,
        background: Any = None,
    ) -> list[list[Reason]]:
        """Return the columns that moved the answer for each row most towards the decision.

        Only columns that decided at some node on the way of the row are named, and only if they
        moved the answer that way; so there may be fewer than n, or none.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        n : int, default=4
            The most reasons of a row; rules of credit want at most four.
        toward : label, {"high", "low"} or None, default=None
            The decision to give reasons for: a class, or for numbers why they are high or low.
            None for the class that is predicted, or the side of `expected_value_` on which the
            prediction lies.
        words : mapping of str to str or None, default=None
            The words for a column, such as `{"income": "income too low"}`; "{value}" in them
            stands for what the row holds. Others are told as "income is 28".
        background : table of shape (n_others, n_features) or None, default=None
            As for `shap_values`.

        Returns
        -------
        list of lists of Reason
            One list a row, the strongest reason first.
        """
        values, expected = self._shapley(X, background, False)
        rows = self._explained_rows(X)
        pushes = self._pushes(X, values, expected, toward)
        used = self._by_base_column(self._additive().speakers(rows).astype(np.float64), False) > 0
        return pick_reasons(self._explained_schema(), rows, pushes, used, n, words)

    def _pushes(self, X: Any, values: Floats, expected: Any, toward: Any) -> Floats:
        """Return how far each column moves each row towards a decision."""
        classes = self._labels()
        if classes is None:
            return _number_pushes(values, toward)
        if toward is None:
            labels = np.asarray(self.predict(X))  # type: ignore[attr-defined]
            codes = np.array([_code_of(classes, label) for label in labels.tolist()], dtype=int)
        else:
            codes = np.full(len(values), _code_of(classes, toward))
        if values.ndim == 2:  # what speaks for the second class
            return np.asarray(np.where(codes[:, None] == 1, values, -values))
        return np.asarray(values[np.arange(len(values)), :, codes])


def _number_pushes(values: Floats, toward: Any) -> Floats:
    if toward is None:
        low = values.sum(axis=1, keepdims=True) < 0.0
        return np.asarray(np.where(low, -values, values))
    if not isinstance(toward, str) or toward not in ("high", "low"):
        raise ValueError(f"toward must be 'high', 'low' or None for numbers, got {toward!r}.")
    return values if toward == "high" else -values


def _code_of(classes: Any, label: Any) -> int:
    listed = classes.tolist()
    if label not in listed:
        raise ValueError(f"toward must be one of the classes {listed}, got {label!r}.")
    return int(listed.index(label))


def _raw_table(schema: Schema, rows: Floats) -> Any:
    """Return the values of rows as users know them: numbers, and categories as such."""
    if schema.all_numeric:
        return rows[:, : len(schema.columns)]
    from spinney.rules._counterfactual import raw_value  # rules are made of trees

    table = np.empty((len(rows), len(schema.columns)), dtype=object)
    for i, row in enumerate(rows.tolist()):
        table[i] = [raw_value(schema, j, row[j]) for j in range(len(schema.columns))]
    return table
