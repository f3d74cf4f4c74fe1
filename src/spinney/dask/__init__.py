"""Trees and forests on a Dask cluster, equal to those of `spinney` to the last bit."""

from spinney import _libraries  # noqa: F401  (first: see there)

try:
    import dask.array  # noqa: F401
except ImportError as error:
    raise ImportError("spinney.dask needs dask: pip install 'spinney[dask]'.") from error

from spinney.dask._estimators import (
    BaggingClassifier,
    BaggingRegressor,
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

__all__ = [
    "BaggingClassifier",
    "BaggingRegressor",
    "CARTClassifier",
    "CARTRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
