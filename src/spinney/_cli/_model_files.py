"""Models from files, and into files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney._cli._refusal import Refusal
from spinney._cli._writing import cannot_write

if TYPE_CHECKING:
    from spinney._table import Column


def load_model(path: Path) -> Any:
    """Return the estimator that a file holds."""
    import spinney

    if path.is_dir():
        raise Refusal(f"{str(path)!r} is a folder. Give the path of a model file.")
    if not path.exists():
        raise Refusal(f"there is no model file {str(path)!r}. `spinney train --out` writes one.")
    try:
        return spinney.load(path)
    except spinney.ModelFileError as error:
        raise Refusal(f"cannot read the model: {error}") from error
    except OSError as error:
        raise Refusal(f"cannot read the model {str(path)!r}: {error.strerror}.") from error


def save_model(model: Any, path: Path, option: str = "--out") -> None:
    """Write an estimator to a file."""
    import spinney

    try:
        spinney.save(model, path)  # whole or not at all
    except OSError as error:
        raise cannot_write(option, path, error) from error
    except (TypeError, ValueError) as error:
        raise Refusal(f"{option}: this model cannot be saved: {error}") from error


def columns_of(model: Any) -> "Sequence[Column]":
    """Return what a fitted estimator knows of the columns of fit."""
    columns: Sequence[Column] = model._schema.columns
    return columns


def is_classifier(model: Any) -> bool:
    """Say whether a model predicts classes."""
    return hasattr(model, "classes_")


def trees_of(model: Any) -> list[Any]:
    """Return the tree of a model, or those of its members; a mixture has none."""
    if hasattr(model, "tree_"):
        return [model.tree_]
    if hasattr(model, "forest_"):
        return list(model.forest_)
    return [tree for member in getattr(model, "estimators_", ()) for tree in trees_of(member)]
