"""Shapley values and reasons of trees, and of models that add up answers of trees."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from spinney._checks import Integer
from spinney._format import did_you_mean, join_words
from spinney._settings import thread_count
from spinney._table import Schema
from spinney._typing import Floats
from spinney.shapley._additive import Additive

if TYPE_CHECKING:
    from spinney.evolve._derived import Derived


EXPECTED = "expected_value_"


@dataclass(frozen=True)
class Reason:
    """A column that moved the prediction for a row towards the decision.

    Parameters
    ----------
    column : str
        Its name.
    value : object
        What the row holds there; None if it is missing.
    contribution : float
        Its Shapley value: how far it moved the answer, always above 0.
    words : str
        The reason in words.
    """

    column: str
    value: Any
    contribution: float
    words: str

    def __str__(self) -> str:
        return self.words


def pick_reasons(
    schema: Schema,
    rows: Floats,
    pushes: Floats,
    used: NDArray[np.bool_],
    n: Any,
    words: Mapping[str, str] | None,
) -> list[list[Reason]]:
    """Return for each row the columns that were used and push most, the first of equals first."""
    from spinney.rules._counterfactual import raw_value, value_text  # rules are made of trees

    most = Integer(1).check("n", n)
    told = checked_words(schema, words)
    found = []
    for row, push, mask in zip(rows, pushes, used, strict=True):
        order = np.argsort(-push, kind="stable")
        chosen = [j for j in order.tolist() if mask[j] and push[j] > 0.0][:most]
        reasons = []
        for j in chosen:
            name, text = schema.names[j], value_text(schema, j, float(row[j]))
            phrase = told.get(name, f"{name} is {{value}}").replace("{value}", text)
            value = raw_value(schema, j, float(row[j]))
            reasons.append(Reason(name, value, float(push[j]), phrase))
        found.append(reasons)
    return found


def checked_words(schema: Schema, words: Any) -> dict[str, str]:
    """Return the words for columns, none for None; refuse names that are no columns."""
    if words is None:
        return {}
    if not isinstance(words, Mapping):
        raise TypeError(
            f"words must map names of columns to text, such as {{'income': 'income too low'}}, "
            f"got {type(words).__name__}."
        )
    for name, text in words.items():
        if name not in schema.names:
            hint = did_you_mean(str(name), schema.names)
            raise ValueError(
                f"words has {name!r}, which is no column. The columns are "
                f"{join_words(schema.names)}.{hint}"
            )
        if not isinstance(text, str):
            raise TypeError(f"words of {name!r} must be text, got {type(text).__name__}.")
    return dict(words)


class ExpectedValue:
    """The mean answer that Shapley values start from, worked out where none was remembered.

    A descriptor without `__set__`: what `shap_values` remembers in the model comes first.
    """

    def __get__(self, model: Any, owner: Any = None) -> Any:
        if model is None:
            return self
        try:
            return model._explainer().divide(None, None, False)[1]
        except (TypeError, ValueError) as refusal:
            if isinstance(refusal, AttributeError):
                raise
            raise AttributeError(str(refusal)) from None  # so that hasattr is False


@dataclass(frozen=True)
class Explainer:
    """Divides the answers of a model among the columns of its table.

    Parameters
    ----------
    additive : Additive
        The trees whose answers add up to what is explained.
    schema : Schema
        The columns of the user's table.
    encode : function
        Encodes a table as the trees take it.
    labels : list or None
        The classes; None for numbers.
    derived : sequence of Derived, default=()
        Columns that are computed from others, whose shares are divided among these.
    n_threads : int, default=1
        Number of threads; does not affect the result.
    """

    additive: Additive
    schema: Schema
    encode: Callable[[Any], Floats]
    labels: list[Any] | None
    derived: Sequence["Derived"] = ()
    n_threads: int = 1

    def divide(self, X: Any, background: Any, pairs: bool) -> tuple[Floats, Any]:
        """Return the values of a table, of none for None, and what is expected."""
        if X is None:
            rows = np.zeros((0, len(self.schema.columns) + len(self.derived)))
        else:
            rows = self.encode(X)
        others = None if background is None else self._background_rows(background)
        values, expected = self.additive.divide(rows, others, pairs, self.n_threads)
        base: Any = float(expected) if expected.ndim == 0 else expected
        return self._by_base_column(values, pairs), base

    def _background_rows(self, background: Any) -> Floats:
        try:
            return self.encode(background)
        except ValueError as problem:
            raise ValueError(f"background: {problem}") from None

    def _by_base_column(self, values: Floats, pairs: bool) -> Floats:
        """Divide what derived columns add among those that they are computed from."""
        if not self.derived:
            return values
        from spinney.evolve._derived import base_pairs, base_values  # only evolved models need it

        own = base_pairs if pairs else base_values
        return own(values, self.derived, len(self.schema.columns))

    def speakers(self, rows: Floats) -> NDArray[np.bool_]:
        """Return which columns decided at some node on the way of each row."""
        marks = self.additive.speakers(rows).astype(np.float64)
        return np.asarray(self._by_base_column(marks, False) > 0)

    def pushes(self, values: Floats, toward: Any, predict: Callable[[], Any]) -> Floats:
        """Return how far each column moves each row towards a decision."""
        if self.labels is None:
            return _number_pushes(values, toward)
        if toward is None:
            told = np.asarray(predict()).tolist()
            codes = np.array([_code_of(self.labels, label) for label in told], dtype=int)
        else:
            codes = np.full(len(values), _code_of(self.labels, toward))
        if values.ndim == 2:  # what speaks for the second class
            return np.asarray(np.where(codes[:, None] == 1, values, -values))
        return np.asarray(values[np.arange(len(values)), :, codes])


def explainer_of(estimator: Any, additive: Additive) -> Explainer:
    """Return the explainer of a fitted estimator, whose trees are given."""
    classes = getattr(estimator, "classes_", None)
    return Explainer(
        additive,
        estimator._schema,
        estimator._rows,
        None if classes is None else classes.tolist(),
        estimator._derived,
        thread_count(estimator.n_jobs),
    )


def shap_values(self: Any, X: Any, background: Any = None) -> Floats:
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
    return _remembered(self, self._explainer().divide(X, background, False))


def shap_interaction_values(self: Any, X: Any, background: Any = None) -> Floats:
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
    return _remembered(self, self._explainer().divide(X, background, True))


def shap_explanation(self: Any, X: Any, background: Any = None) -> Any:
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
            "shap_explanation needs the package shap: pip install shap. shap_values needs nothing."
        ) from None
    explainer = self._explainer()
    values, expected = explainer.divide(X, background, False)
    _remembered(self, (values, expected))
    schema = explainer.schema
    base = np.broadcast_to(np.asarray(expected), (len(values), *values.shape[2:]))
    return shap.Explanation(
        values=values,
        base_values=np.array(base),
        data=_raw_table(schema, explainer.encode(X)),
        feature_names=list(schema.names),
        output_names=[str(label) for label in explainer.labels] if values.ndim == 3 else None,
    )


def reasons(
    self: Any,
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
    explainer = self._explainer()
    values, _ = explainer.divide(X, background, False)
    pushes = explainer.pushes(values, toward, lambda: self.predict(X))
    rows = explainer.encode(X)
    return pick_reasons(explainer.schema, rows, pushes, explainer.speakers(rows), n, words)


def _remembered(model: Any, found: tuple[Floats, Any]) -> Floats:
    """Return the values; an estimator remembers what they start from, a tree never changes."""
    values, expected = found
    if isinstance(model, BaseEstimator):
        vars(model)[EXPECTED] = expected
    return values


def _number_pushes(values: Floats, toward: Any) -> Floats:
    if toward is None:
        low = values.sum(axis=1, keepdims=True) < 0.0
        return np.asarray(np.where(low, -values, values))
    if not isinstance(toward, str) or toward not in ("high", "low"):
        raise ValueError(f"toward must be 'high', 'low' or None for numbers, got {toward!r}.")
    return values if toward == "high" else -values


def _code_of(labels: list[Any], label: Any) -> int:
    if label not in labels:
        raise ValueError(f"toward must be one of the classes {labels}, got {label!r}.")
    return labels.index(label)


def _raw_table(schema: Schema, rows: Floats) -> Any:
    """Return the values of rows as users know them: numbers, and categories as such."""
    if schema.all_numeric:
        return rows[:, : len(schema.columns)]
    from spinney.rules._counterfactual import raw_value  # rules are made of trees

    table = np.empty((len(rows), len(schema.columns)), dtype=object)
    for i, row in enumerate(rows.tolist()):
        table[i] = [raw_value(schema, j, row[j]) for j in range(len(schema.columns))]
    return table
