"""Data sets that ship with spinney.

`load` takes a name from `list_datasets`; each set also has a loader of its own, such as
`load_german_credit`. All return a `Dataset`: a table of features as a pandas or polars frame or
a dict of NumPy arrays, the target, and the kind of each column.
`make_waveform`, `make_gaussian_mixture` and `make_xor` generate problems with a known Bayes error.
Names are imported on first use, since the list of data sets needs no NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._registry import list_datasets

if TYPE_CHECKING:
    from ._dataset import Dataset, load
    from ._generators import make_gaussian_mixture, make_waveform, make_xor
    from ._loaders import (
        load_adult,
        load_balance_scale,
        load_boston_housing,
        load_breast_cancer_wdbc,
        load_breast_cancer_wisconsin,
        load_bupa_liver,
        load_car_evaluation,
        load_cpu_performance,
        load_credit_example,
        load_german_credit,
        load_german_credit_numeric,
        load_glass,
        load_haberman,
        load_heart_disease,
        load_insurance,
        load_iris,
        load_lung,
        load_lymphography,
        load_mushroom,
        load_pbc,
        load_pima_indians_diabetes,
        load_solder,
        load_sonar,
        load_veteran,
        load_waveform,
        load_wine,
        load_yeast,
    )

__all__ = [
    "Dataset",
    "list_datasets",
    "load",
    "load_adult",
    "load_balance_scale",
    "load_boston_housing",
    "load_breast_cancer_wdbc",
    "load_breast_cancer_wisconsin",
    "load_bupa_liver",
    "load_car_evaluation",
    "load_cpu_performance",
    "load_credit_example",
    "load_german_credit",
    "load_german_credit_numeric",
    "load_glass",
    "load_haberman",
    "load_heart_disease",
    "load_insurance",
    "load_iris",
    "load_lung",
    "load_lymphography",
    "load_mushroom",
    "load_pbc",
    "load_pima_indians_diabetes",
    "load_solder",
    "load_sonar",
    "load_veteran",
    "load_waveform",
    "load_wine",
    "load_yeast",
    "make_gaussian_mixture",
    "make_waveform",
    "make_xor",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'spinney.datasets' has no attribute {name!r}")
    of_prefix = {"load_": "_loaders", "make_": "_generators"}
    module = import_module(f"spinney.datasets.{of_prefix.get(name[:5], '_dataset')}")
    globals()[name] = value = getattr(module, name)  # so that the next time costs nothing
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
