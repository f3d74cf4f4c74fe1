"""Models in MLflow: a pyfunc over a model file, without pickle."""

from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import spinney
from spinney import _libraries  # noqa: F401  (first: see there)

__all__ = ["log_model", "save_model", "trusted_types"]

_FILE = "model.spinney"
_PARTS = ["spinney.ensemble._trainer.MemberRecords"]  # within others in model files


def save_model(model: Any, path: str, **options: Any) -> None:
    """Write a model as a folder that MLflow reads.

    It holds the model file that `spinney.save` writes, so nothing is pickled.
    ``mlflow.pyfunc.load_model(path).predict(table)`` returns the predictions, and with
    ``params={"probabilities": True}`` a table of probabilities, if the signature allows it.

    Parameters
    ----------
    model : fitted estimator, Tree or RuleSet
        What `spinney.save` takes.
    path : str
        The folder, which must not exist.
    **options : dict
        Passed on to ``mlflow.pyfunc.save_model``, such as ``signature`` and ``input_example``.

    Raises
    ------
    ImportError
        If mlflow is not installed.
    """
    with TemporaryDirectory() as folder:
        _pyfunc().save_model(path, **_about(model, folder, options))


def log_model(model: Any, name: str, **options: Any) -> Any:
    """Log a model to the active run of MLflow; see `save_model`.

    Parameters
    ----------
    model : fitted estimator, Tree or RuleSet
        What `spinney.save` takes.
    name : str
        The name of the model in the run.
    **options : dict
        Passed on to ``mlflow.pyfunc.log_model``, such as ``registered_model_name``.

    Returns
    -------
    mlflow.models.model.ModelInfo

    Raises
    ------
    ImportError
        If mlflow is not installed.
    """
    with TemporaryDirectory() as folder:
        return _pyfunc().log_model(name=name, **_about(model, folder, options))


def trusted_types() -> list[str]:
    """Return the types of spinney that files of skops may hold.

    Their states are checked as those of model files are. ``skops.io.load(file,
    trusted=trusted_types())`` then refuses whatever else a file brings.

    Returns
    -------
    list of str
    """
    from spinney._state._recipes import all_recipes

    names = (f"{r.cls.__module__}.{r.cls.__qualname__}" for r in all_recipes())
    return sorted([*_PARTS, *(name for name in names if name.startswith("spinney."))])


def _pyfunc() -> ModuleType:
    try:
        from mlflow import pyfunc
    except ImportError:
        raise ImportError(
            "the package mlflow is not installed. Install it: pip install 'spinney[mlflow]'."
        ) from None
    found: ModuleType = pyfunc
    return found


def _about(model: Any, folder: str, options: dict[str, Any]) -> dict[str, Any]:
    """Write the model file; return what MLflow is told of it."""
    path = Path(folder) / _FILE
    spinney.save(model, path)
    given = {"pip_requirements": [f"spinney=={spinney.__version__}"]} | options
    return given | {"loader_module": "spinney.mlflow", "data_path": str(path)}


class _Wrapped:
    """A model with the call of a pyfunc."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def predict(self, table: Any, params: dict[str, Any] | None = None) -> Any:
        """Return predictions, or probabilities if the parameters ask for them."""
        wants = bool((params or {}).get("probabilities", False))
        return self.model.predict_proba(table) if wants else self.model.predict(table)


def _load_pyfunc(path: str) -> _Wrapped:
    """Return the model in a folder of MLflow, which looks for a function of this name."""
    place = Path(path)
    return _Wrapped(spinney.load(place / _FILE if place.is_dir() else place))
