"""What every estimator of the package shares: tables and targets in, rows to predict.

A subclass says how `y` becomes a target (`_encode_target`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from spinney import _core
from spinney._checks import Check
from spinney._state import PlainState
from spinney._table import Schema, encode_table, encode_with
from spinney._target import check_weights

Floats = NDArray[np.float64]
_KINDS = ("numeric", "ordered", "nominal")
_MAX_CELLS = 2**31 - 1


@contextmanager
def unchanged_on_failure(estimator: BaseEstimator) -> Iterator[None]:
    """Leave an estimator as it was if its fit fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


@dataclass(frozen=True)
class FitTarget:
    """A checked target: for the core, for dividing rows evenly, and for the fitted estimator."""

    weight: Floats
    strata: NDArray[Any]
    classes: NDArray[Any] | None
    build: Callable[[Floats], _core.Target]  # from weights
    cost: Floats | None = None  # inside the split search
    y: Floats | None = None  # the numbers of regression, multiplied by 2**-exponent
    exponent: int = 0
    loss_exponent: int = 0  # of losses by the criterion, which are multiplied by 2**-loss_exponent
    criterion: str = "squared_error"  # by which answers for numbers are judged

    def core(self, rows: NDArray[np.bool_] | None = None) -> _core.Target:
        """Return the core's target, with weight on the given rows only."""
        weight = self.weight if rows is None else np.where(rows, self.weight, 0.0)
        return self.build(weight)


def core_dataset(values: Floats, schema: Schema) -> _core.Dataset:
    """Return a table with its kinds of column, as the core takes it."""
    kinds = np.array([_KINDS.index(column.kind) for column in schema.columns], np.uint8)
    sizes = np.array([len(column.categories) for column in schema.columns], np.int32)
    return _core.Dataset(values, kinds, sizes)


def refuse_too_many_cells(X: Any) -> None:
    """Refuse a table that cannot be sorted, before any of it is copied."""
    shape = getattr(X, "shape", ())
    if isinstance(shape, tuple) and len(shape) == 2 and shape[0] * shape[1] > _MAX_CELLS:
        raise ValueError(
            f"X has {shape[0]} x {shape[1]} cells, the limit of fit is {_MAX_CELLS}. Fit on a "
            "sample of the rows."
        )


def remember_table(estimator: Any, schema: Schema, classes: NDArray[Any] | None) -> None:
    """Forget the last fit of an estimator, and keep what predictions need of the table."""
    for fitted in [name for name in vars(estimator) if name.endswith("_") and name[0] != "_"]:
        delattr(estimator, fitted)
    estimator._schema = schema
    estimator.n_features_in_ = len(schema.columns)
    if schema.has_names:
        estimator.feature_names_in_ = np.array(schema.names, dtype=object)
    if classes is not None:
        estimator.classes_ = classes


class TableEstimator(PlainState, BaseEstimator, ABC):
    """An estimator that takes raw tables."""

    _parameters: ClassVar[Mapping[str, Check]] = {}  # those that differ from others of their name
    _schema: Schema
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    classes_: NDArray[Any]

    @abstractmethod
    def _encode_target(self, y: Any, weight: Floats) -> FitTarget:
        """Check y and what weighs it."""

    def _goes_on(self) -> bool:
        """Tell whether fit goes on from the tree that is there."""
        return False

    def _counts_weight(self) -> bool:
        """Tell whether something depends on the size of the weights, not on their shares."""
        return False

    def _encode(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[NDArray[np.float64], Schema, FitTarget]:
        """Table and target to numbers."""
        name = type(self).__name__
        refuse_too_many_cells(X)
        options = {"categorical_features": self.categorical_features, "estimator_name": name}
        goes_on = self._goes_on()
        if goes_on:
            schema = self._schema
            values = encode_with(schema, X, unseen=self.unseen, estimator_name=name)
        else:
            values, schema = encode_table(X, **options)
        weight = check_weights(sample_weight, values.shape[0], counted=self._counts_weight())
        target = self._encode_target(y, weight)
        if not goes_on and not schema.all_numeric and not target.weight.all():
            values, schema = encode_table(X, used_rows=target.weight > 0, **options)
        return values, schema, target

    def _rows(self, X: Any) -> Floats:
        """Encode a table as fit encoded its own."""
        if "_schema" not in vars(self):
            check_is_fitted(self)
        name = type(self).__name__
        return encode_with(self._schema, X, unseen=self.unseen, estimator_name=name)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
