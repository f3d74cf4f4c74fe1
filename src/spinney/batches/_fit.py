"""Fits on tables that do not fit into memory."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sklearn.base import is_classifier

from spinney._growth_planner import SMALL, unplanned
from spinney._params import check_parameters
from spinney._progress import progress
from spinney._settings import thread_count
from spinney.batches._mapped_rows import FileRows, FileTable, RowSpool, Spool
from spinney.batches._sources import batches_of, joined, picker
from spinney.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from spinney.tree import CARTClassifier, CARTRegressor

Model = TypeVar("Model")
_TREES = (CARTClassifier, CARTRegressor)
_ENSEMBLES = (
    *(BaggingClassifier, BaggingRegressor, RandomForestClassifier, RandomForestRegressor),
    *(ExtraTreesClassifier, ExtraTreesRegressor),
)


def fit(
    model: Model,
    batches: Any,
    *,
    target: str | None = None,
    sample_weight: str | None = None,
    exposure: str | None = None,
    drop: Iterable[str] = (),
    folder: str | os.PathLike[str] | None = None,
    verbose: int | None = None,
) -> Model:
    """Fit a model on a table that is read in batches, without holding it in memory.

    The model is the one that its own `fit` makes of the whole table, to the last bit, however the
    rows are divided into batches. Rows are read once, encoded, and kept in files in a temporary
    folder, 8 bytes a cell, for as long as the fit takes.

    Parameters
    ----------
    model : CART tree, random forest or bagging ensemble
        With `max_bins`; of bagging, its `estimator` has it. `verbose` shows how far it is.
    batches : path, list, iterable, callable, DuckDB relation, polars LazyFrame or Arrow object
        A path, folder or pattern of Parquet files, or a list of these; an Arrow dataset or reader;
        an iterable of Arrow, pandas or polars tables, or of tuples (X, y) or (X, y, sample_weight);
        or a function that returns one of these. Batches may be empty.
    target : str, default=None
        The column to predict. None if batches are tuples.
    sample_weight : str, default=None
        The column with the weights of the rows.
    exposure : str, default=None
        The column with the exposure of counts or amounts.
    drop : iterable of str, default=()
        Columns to leave out.
    folder : path, default=None
        Where the temporary folder is made; by default where the system has such files.
    verbose : int, default=None
        1 shows how far reading and growth are; None is the `verbose` of the model.

    Returns
    -------
    model
        The same model, fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import CARTClassifier, batches
    >>> parts = [(np.array([[0.0], [1.0]]), ["no", "yes"]), (np.array([[2.0]]), ["yes"])]
    >>> batches.fit(CARTClassifier(max_bins=255), parts).predict(np.array([[0.2], [3.0]]))
    array(['no', 'yes'], dtype='<U3')
    """
    check_model(model)
    pick = picker({"target": target, "sample_weight": sample_weight, "exposure": exposure}, drop)
    found, total = batches_of(batches)
    with (
        tempfile.TemporaryDirectory(prefix="spinney-", dir=folder) as name,
        Spool(Path(name)) as spool,
    ):
        features = model.categorical_features  # type: ignore[attr-defined]
        rows = RowSpool(spool, features, type(model).__name__, is_classifier(model))
        shown = _Shown(getattr(model, "verbose", 0) if verbose is None else verbose)
        with progress(shown, "reading rows", total) as finished:
            for batch in joined(found):
                rows.add(*pick(batch))
                finished(rows.n_rows)
        table, y, rest = rows.finish()
        weight = rest.get("sample_weight")
        n_used = rows.n_rows if weight is None else int(np.count_nonzero(weight))
        if n_used > 2 * SMALL and unplanned(model) is None:
            threads = thread_count(model.n_jobs)  # type: ignore[attr-defined]
            own = FileRows(table.values, table.schema, Path(name), threads, shown.verbose)
            table = FileTable(own, table.schema)
        model.fit(table, y, **rest)  # type: ignore[attr-defined]
    return model


class _Shown(NamedTuple):
    """Who shows how far it is; callbacks of a model are told of its fit alone."""

    verbose: int


def check_model(model: Any) -> None:
    """Refuse a model that cannot be grown from bins, before any row is read.

    Parameters
    ----------
    model : estimator
        With parameters that fit together.
    """
    if not isinstance(model, _TREES + _ENSEMBLES):
        names = ", ".join(kind.__name__ for kind in _TREES + _ENSEMBLES)
        raise TypeError(
            f"batches are for models that grow by bins ({names}), got {type(model).__name__}. Use "
            "one of these, or fit on a sample of the rows."
        )
    check_parameters(model)
    learners = [model] if isinstance(model, _TREES) else model._make_learners()
    for learner in learners:
        if not isinstance(learner, _TREES) or learner.max_bins is None:
            what = "max_bins=None" if isinstance(learner, _TREES) else type(learner).__name__
            raise ValueError(
                f"batches need max_bins, and {type(model).__name__} has {what}: exact search keeps "
                "all rows sorted. Use max_bins=255 (of bagging, in its estimator)."
            )
    if model._continues():
        raise ValueError("warm_start goes on from a fit, batches begin anew. Use warm_start=False.")
