"""Base class of all estimators that take raw tables, and the encoding of training data."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from spinney import _core
from spinney._checks import Check
from spinney._state import plain_state
from spinney._state._kinds import LABELS, NAMES, Kind, need, one, perhaps, whole
from spinney._table import EncodedTable, Schema, encode_table, encode_with
from spinney._table._batches import RowsElsewhere
from spinney._target import FitTarget, check_weights
from spinney._training_info import MadeFor
from spinney._typing import Floats

if TYPE_CHECKING:
    from spinney.evolve._derived import Derived

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


def core_dataset(values: Any, schema: Schema) -> Any:
    """Return a table with its column kinds, for the core; unchanged if its rows are elsewhere."""
    if isinstance(values, RowsElsewhere):
        return values
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


def remember_fit(
    estimator: Any, schema: Schema, classes: NDArray[Any] | None, **fitted: Any
) -> None:
    """Replace the attributes of the last fit: those of the table, and the given ones."""
    for old in [name for name in vars(estimator) if name.endswith("_") and name[0] != "_"]:
        delattr(estimator, old)
    estimator._schema = schema
    estimator.n_features_in_ = len(schema.columns)
    if schema.has_names:
        estimator.feature_names_in_ = np.array(schema.names, dtype=object)
    if classes is not None:
        estimator.classes_ = classes
    vars(estimator).update(fitted)


def encode_training(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    encode_target: Callable[[Any, Floats], FitTarget],
    counts_weight: bool,
    schema: Schema | None,
    drops_empty_rows: bool = False,
) -> tuple[Floats, Schema, FitTarget]:
    """Encode a training table and its target.

    Parameters
    ----------
    estimator : estimator
        Its `categorical_features` and `unseen` are used.
    X, y, sample_weight : table, array, array or None
        As given to `fit`.
    encode_target : function
        Takes y and the checked weights.
    counts_weight : bool
        Whether something depends on the size of the weights, not on their shares.
    schema : Schema or None
        The columns of an earlier fit that a warm start continues.
    drops_empty_rows : bool, default=False
        Whether rows without any value count nothing.

    Returns
    -------
    tuple of array, Schema and FitTarget
    """
    name = type(estimator).__name__
    if not isinstance(X, EncodedTable):  # of these nothing is sorted
        refuse_too_many_cells(X)
    options = {"categorical_features": estimator.categorical_features, "estimator_name": name}
    is_new = schema is None
    if isinstance(X, EncodedTable):
        values, schema = X.values, X.schema
    elif schema is None:
        values, schema = encode_table(X, **options)
    else:
        values = encode_with(schema, X, unseen=estimator.unseen, estimator_name=name)
    if sample_weight is None and isinstance(values, RowsElsewhere):  # too many for a number each
        weight = np.broadcast_to(1.0, values.shape[0])
    else:
        weight = check_weights(sample_weight, values.shape[0], counted=counts_weight)
    if drops_empty_rows:
        weight = np.where(_empty_rows(values), 0.0, weight)
    target = encode_target(y, weight)
    if is_new and not schema.all_numeric and not target.weight.all():
        used = target.weight > 0
        if isinstance(X, EncodedTable):
            X = X.of_rows(used)
            return X.values, X.schema, target
        values, schema = encode_table(X, used_rows=used, **options)
    return values, schema, target


def _empty_rows(values: Floats) -> NDArray[np.bool_]:
    """Return a mask of the rows that have no value at all; an error if there is no other row."""
    empty: NDArray[np.bool_] = np.asarray(np.isnan(values).all(axis=1))
    if len(empty) and empty.all():
        raise ValueError(
            "no row of X has any value, and all_missing='drop' leaves such rows out. Check how the "
            "table was read, or use all_missing='keep'."
        )
    return empty


TABLE_FIELDS: Mapping[str, Kind] = {
    "_schema": one(Schema),
    "n_features_in_": whole(),
    "feature_names_in_": perhaps(NAMES),
    "classes_": perhaps(LABELS),
    "made_for_": perhaps(one(MadeFor)),
}


def check_table(estimator: Any) -> None:
    """Refuse an estimator whose columns and classes do not fit its schema."""
    fitted, schema = vars(estimator), estimator._schema
    need(
        fitted["n_features_in_"] == len(schema.columns),
        estimator,
        "n_features_in_ is not the schema's",
    )
    classed = fitted.get("classes_") is not None
    need(classed is is_classifier(estimator), estimator, "only a classifier has classes_")
    names = fitted.get("feature_names_in_")
    names_in = None if names is None else names.tolist()
    wanted = list(schema.names) if schema.has_names else None
    need(names_in == wanted, estimator, "feature_names_in_ are not the names of the schema")
    made_for = fitted.get("made_for_")
    if made_for is not None:
        need(made_for.fits(schema), estimator, "made_for_ has shares of other columns")


@plain_state
class TableEstimator(BaseEstimator):
    """Base class of estimators that take raw tables."""

    _schema: Schema
    _derived: Sequence["Derived"] = ()  # columns that the user's functions compute from others
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    classes_: NDArray[Any]
    made_for_: MadeFor  # set by the command line
    _parameters: ClassVar[Mapping[str, Check]] = {}  # those that differ from others of their name
    _fitted_fields: ClassVar[Mapping[str, Kind]] = TABLE_FIELDS

    def _check_state(self) -> None:
        """Refuse attributes, of a model file, that do not fit together."""
        check_table(self)

    def _check_columns(self, schema: Schema, what: str) -> None:
        """Refuse trees that test columns that the table lacks; derived columns come behind."""
        own, derived = self._schema.columns, self._derived
        fits = schema.columns[: len(own)] == own and len(schema.columns) == len(own) + len(derived)
        need(fits, self, f"{what} asks other columns than those of the schema")
        for place, made in enumerate(derived, start=len(own)):
            need(made.highest_column < place, self, "a function asks a column that is not there")

    def _rows(self, X: Any) -> Floats:
        """Encode a table as fit encoded its own."""
        if "_schema" not in vars(self):
            check_is_fitted(self)
        name = type(self).__name__
        if isinstance(X, EncodedTable):
            rows = np.asarray(X.values)
        else:
            rows = encode_with(self._schema, X, unseen=self.unseen, estimator_name=name)
        if not self._derived:
            return rows
        from spinney.evolve._derived import with_derived  # which only evolved models need

        return with_derived(rows, self._derived)

    def _base_importances(self, importances: Floats) -> Floats:
        """Divide the importance of derived columns among those that they are computed from."""
        if not self._derived:
            return importances
        from spinney.evolve._derived import base_importances

        return base_importances(importances, self._derived, self.n_features_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
