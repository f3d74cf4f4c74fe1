"""Estimators on Dask arrays and frames: the models of their namesakes, to the last bit."""

import inspect
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import dask
import dask.array
import numpy as np
from dask.base import is_dask_collection
from dask.delayed import Delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier
from sklearn.exceptions import NotFittedError

import spinney
from spinney._counts import with_exposure
from spinney._growth_planner import SMALL, unplanned
from spinney._table import EncodedTable, join_encoders
from spinney._target import CodedClasses
from spinney._typing import Floats
from spinney.batches._fit import check_model
from spinney.dask import _blocks
from spinney.dask._growth import RemoteRows, RemoteTable
from spinney.dask._tasks import Runner, runner
from spinney.ensemble._ensemble import BaseEnsemble

MAX_BINS = 255


class DaskEstimator(BaseEstimator):
    """Base class of the estimators on Dask collections."""

    _namesake: ClassVar[type]

    def __init__(self, *args: Any, **params: Any) -> None:
        own = inspect.signature(self._namesake).bind(*args, **params)
        own.apply_defaults()
        if "max_bins" in own.arguments and own.arguments["max_bins"] is None:
            own.arguments["max_bins"] = MAX_BINS
        self.__dict__.update(own.arguments)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return list(cls._namesake._get_param_names())  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        """Return what the fitted model has."""
        if name.startswith("_") or not name.endswith("_") or "_local" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(vars(self)["_local"], name)

    def to_local(self) -> Any:
        """Return the fitted model as the ordinary estimator, which needs no Dask.

        Returns
        -------
        estimator
            The namesake in `spinney`.
        """
        if "_local" not in vars(self):
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet. Call fit first.")
        return vars(self)["_local"]

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        exposure: Any = None,
        *,
        client: Any = None,
        verbose: int = 0,
    ) -> Self:
        """Fit on partitions, wherever they are.

        Parameters
        ----------
        X : dask array or dask frame
            Partitions may have any number of rows, and none.
        y : dask array, dask series or array of shape (n_rows,)
            The target, in the partitions of X if it is one of Dask's.
        sample_weight : dask array, dask series or array of shape (n_rows,), default=None
            Weights of the rows.
        exposure : dask array, dask series or array of shape (n_rows,), default=None
            For how much of it y was counted; regressors only.
        client : distributed.Client, default=None
            None for the client that is there or, without one, Dask's default scheduler.
        verbose : int, default=0
            1 shows the rounds of growth of a tree; ensembles have a parameter for their members.
            Tasks are on Dask's dashboard.

        Returns
        -------
        self
        """
        local = self._namesake(**self.get_params(deep=False))
        check_remote(local)
        given = {"y": y, "sample_weight": sample_weight, "exposure": exposure}
        if exposure is not None and is_classifier(local):
            raise ValueError("exposure is for regressors of counts and amounts.")
        parts, columns = partitions(X, given)
        with runner(client) as run:
            table: EncodedTable
            table, read = _encode(run, parts, local)
            known = {name: read(name, column) for name, column in columns.items()}
            weight = known.get("sample_weight")
            n_used = table.shape[0] if weight is None else int(np.count_nonzero(weight))
            if n_used <= 2 * SMALL:  # less than is worth a round of tasks
                table = EncodedTable(table.values.gather(), table.schema)
            else:
                table.values.verbose = verbose
            truth = with_exposure(known["y"], known.get("exposure"))
            local.fit(table, truth, sample_weight=weight)
        self._local = local
        return self

    # -- Rows through the model

    def predict(self, X: Any) -> Any:
        """Return what the model predicts, lazily.

        Parameters
        ----------
        X : dask array or dask frame
            With the columns of fit.

        Returns
        -------
        dask array of shape (n_rows,)
        """
        local = self.to_local()
        kind = local.classes_.dtype if hasattr(local, "classes_") else np.dtype(np.float64)
        return self._lazy(X, "predict", kind)

    def apply(self, X: Any) -> Any:
        """Return the leaves that rows reach, lazily.

        Parameters
        ----------
        X : dask array or dask frame
            With the columns of fit.

        Returns
        -------
        dask array of shape (n_rows,), or (n_rows, n_members)
        """
        local = self.to_local()
        width = (len(local),) if isinstance(local, BaseEnsemble) else ()
        return self._lazy(X, "apply", np.dtype(np.int32), width)

    def _lazy(self, X: Any, method: str, dtype: Any, width: tuple[int, ...] = ()) -> Any:
        """Call a method of the local model for each partition; the model is sent once."""
        parts, _ = partitions(X, {})
        model = dask.delayed(self.to_local())
        sizes = X.chunks[0] if isinstance(X, dask.array.Array) else [np.nan] * len(parts)
        call = dask.delayed(_ask, pure=False)
        return dask.array.concatenate(
            [
                dask.array.from_delayed(
                    call(model, method, part, dtype, width), (size, *width), dtype=dtype
                )
                for part, size in zip(parts, sizes, strict=True)
            ],
            allow_unknown_chunksizes=True,
        )


class DaskClassifier(ClassifierMixin, DaskEstimator):
    """Base class of classifiers on Dask collections."""

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the classes, lazily.

        Parameters
        ----------
        X : dask array or dask frame
            With the columns of fit.

        Returns
        -------
        dask array of shape (n_rows, n_classes)
        """
        n_classes = len(self.to_local().classes_)
        return self._lazy(X, "predict_proba", np.dtype(np.float64), (n_classes,))


class DaskRegressor(RegressorMixin, DaskEstimator):
    """Base class of regressors on Dask collections."""


def _ask(model: Any, method: str, X: Any, dtype: Any, width: tuple[int, ...]) -> NDArray[Any]:
    if len(X) == 0:
        return np.empty((0, *width), dtype=dtype)
    return np.asarray(getattr(model, method)(X), dtype=dtype)


# -- Partitions


def partitions(X: Any, given: dict[str, Any]) -> tuple[list[Delayed], dict[str, Any]]:
    """Return the partitions of a table, and those of columns that go with it.

    Parameters
    ----------
    X : dask array or dask frame
        The table.
    given : dict
        Columns by name: of Dask, others, or None.

    Returns
    -------
    parts : list of Delayed
        The table's.
    columns : dict
        Lists of Delayed, or arrays; those that are None are left out.
    """
    if isinstance(X, dask.array.Array):
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions, got a dask array of {X.ndim}.")
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        parts = list(X.to_delayed()[:, 0])
    elif is_dask_collection(X) and hasattr(X, "to_delayed") and hasattr(X, "columns"):
        parts = _partitions_of(X)
    else:
        raise TypeError(
            f"X must be a dask array or a dask frame, got {type(X).__name__}. For tables in memory "
            "use the estimator of the same name in spinney, for files spinney.batches."
        )
    if not parts:
        raise ValueError("X has no partitions: Found array with 0 sample(s).")
    columns = {
        name: _column(name, column, X, len(parts))
        for name, column in given.items()
        if column is not None or name == "y"
    }
    return parts, columns


def _partitions_of(frame: Any) -> list[Delayed]:
    """Return the partitions of a frame or series, as many as it says it has.

    Dask's optimizer would join files of which few columns are read, such as the target alone.
    """
    read = frame.simplify() if hasattr(frame, "simplify") else frame  # no column in vain
    return list(read.to_delayed(optimize_graph=False))


def _column(name: str, column: Any, X: Any, n_parts: int) -> Any:
    """Return the partitions of a column that is one of Dask's; else the column itself."""
    if not is_dask_collection(column):
        return column
    if isinstance(column, dask.array.Array):
        if column.ndim != 1:
            raise ValueError(f"{name} must be one column, got a dask array of {column.ndim}.")
        known = (
            isinstance(X, dask.array.Array)
            and not np.isnan([*X.chunks[0], *column.chunks[0]]).any()
        )
        if known and X.shape[0] != column.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows, {name} has {column.shape[0]}.")
        if known and column.chunks[0] != X.chunks[0]:
            column = column.rechunk((X.chunks[0],))
        own = list(column.to_delayed())
    elif getattr(column, "ndim", 0) == 1 and hasattr(column, "to_delayed"):
        own = _partitions_of(column)
    else:
        raise TypeError(f"{name} must be one column, got {type(column).__name__}.")
    if len(own) != n_parts:
        raise ValueError(
            f"X has {n_parts} partitions, {name} has {len(own)}. Give both the same divisions, "
            "such as columns of one frame, or arrays of equal chunks."
        )
    return own


def _encode(run: Runner, parts: list[Delayed], model: Any) -> tuple[RemoteTable, Any]:
    """Encode a table; return it, and what reads a column that goes with it."""
    name = type(model).__name__
    features = model.categorical_features
    call = dask.delayed(_blocks.encode, pure=False)
    encoded = run.keep([call(part, features, name) for part in parts])
    facts = run.compute([dask.delayed(_blocks.about, pure=False)(one) for one in encoded])
    sizes = [size for size, _ in facts]
    if not sum(sizes):
        raise ValueError("X holds no rows: Found array with 0 sample(s).")
    schema, places = join_encoders([encoder for _, encoder in facts])
    blocks = run.keep(
        [
            dask.delayed(_blocks.finish, pure=False)(
                dask.delayed(_blocks.block_of, pure=False)(one), schema, own
            )
            for one, own in zip(encoded, places, strict=True)
        ]
    )
    table = RemoteTable(RemoteRows(run, blocks, sizes, schema), schema)

    def read(what: str, column: Any) -> Any:
        if not isinstance(column, list):
            return column
        if what == "y" and is_classifier(model):
            return _labels(run, column, sizes, name)
        return _numbers(run, what, column, sizes)

    return table, read


def _labels(run: Runner, column: list[Delayed], sizes: Sequence[int], name: str) -> CodedClasses:
    call = dask.delayed(_blocks.labels_of, pure=False)
    found = run.compute([call(part, n, name) for part, n in zip(column, sizes, strict=True)])
    return CodedClasses.join([part for part in found if len(part[1])])


def _numbers(run: Runner, what: str, column: list[Delayed], sizes: Sequence[int]) -> Floats:
    parts = run.compute([dask.delayed(np.asarray, pure=False)(part) for part in column])
    for i, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        if part.shape != (size,):
            raise ValueError(
                f"partition {i} of X has {size} rows, that of {what} has {len(part)}. Give both "
                "the same divisions."
            )
    joined: Floats = np.concatenate([part for part in parts if len(part)])
    return joined


def check_remote(model: Any) -> None:
    """Refuse parameters that need rows in one place, before any task is made.

    Parameters
    ----------
    model : estimator
        The local one.
    """
    check_model(model)
    found = unplanned(model)
    if found is not None:
        own, name = found
        raise ValueError(
            f"{name}={getattr(own, name)!r} needs all rows in one place, and spinney.dask has "
            f"them in many. Leave it out, or use {type(own).__name__} of spinney, or "
            "spinney.batches."
        )


_DOC = """{what} on Dask arrays and frames.

    The model is that of `spinney.{name}` on all rows, to the last bit, however they are divided
    into partitions and whatever workers are lost meanwhile.

    Parameters
    ----------
    *args, **params
        Those of `spinney.{name}`. `max_bins` is 255 unless another number is given{more}.
    """


def _make(name: str, what: str, base: type, more: str = "") -> Any:
    namesake = getattr(spinney, name)
    made = type(name, (base,), {"_namesake": namesake, "__module__": "spinney.dask"})
    made.__doc__ = _DOC.format(what=what, name=name, more=more)
    return made


_OF_MEMBERS = "; bagging takes it from its `estimator`"
CARTClassifier = _make("CARTClassifier", "Classification trees", DaskClassifier)
CARTRegressor = _make("CARTRegressor", "Regression trees", DaskRegressor)
RandomForestClassifier = _make("RandomForestClassifier", "Random forests", DaskClassifier)
RandomForestRegressor = _make("RandomForestRegressor", "Random forests", DaskRegressor)
ExtraTreesClassifier = _make("ExtraTreesClassifier", "Extremely randomized trees", DaskClassifier)
ExtraTreesRegressor = _make("ExtraTreesRegressor", "Extremely randomized trees", DaskRegressor)
BaggingClassifier = _make("BaggingClassifier", "Bagging", DaskClassifier, _OF_MEMBERS)
BaggingRegressor = _make("BaggingRegressor", "Bagging", DaskRegressor, _OF_MEMBERS)
