"""Formulas of R: the columns of the table, and the response with its kind."""

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney._libraries import import_pandas

METHODS = ("anova", "class", "exp", "poisson")


@dataclass(frozen=True)
class Frame:
    """The columns, the response, the exposure if there is one, and which rows were kept."""

    X: Any
    y: Any
    exposure: Any
    method: str
    response: str
    rows: Any


def read_formula(formula: str, data: Any, method: str | None) -> Frame:
    """Return what a formula takes from a frame; rows without a response are left out."""
    pandas = import_pandas("spinney.rpart reads pandas frames: pip install 'spinney[rpart]'.")
    if not isinstance(data, pandas.DataFrame):
        raise TypeError(f"data must be a pandas DataFrame, got {type(data).__name__}.")
    if method is not None and method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)} or None, got {method!r}.")
    response, names = _parse(formula, [str(name) for name in data.columns])
    parts = _called(response)
    used = {response} if parts is None else set(parts[1])
    columns = [name for name in names if name not in used]
    _require(data, [*columns, *used] if parts or response in data.columns else columns)
    if not columns:
        raise ValueError(f"the formula {formula!r} has no columns to split by.")
    y, exposure = _response(pandas, data, response, parts)
    method = _method(pandas, y, exposure, parts) if method is None else method
    if (method == "exp") != (parts is not None and parts[0] == "Surv"):
        raise ValueError(f"method='exp' goes with Surv(time, event) on the left, got {response!r}.")
    known = np.asarray(~pandas.isna(y).any(axis=1) if method == "exp" else ~pandas.isna(y))
    if exposure is not None:
        known = known & np.asarray(~pandas.isna(exposure))
    exposure = None if exposure is None else np.asarray(exposure[known], dtype=float)
    return Frame(data.loc[known, columns], y[known], exposure, method, response, known)


def _parse(formula: str, available: list[str]) -> tuple[str, list[str]]:
    """Return the left side and the columns of the right side."""
    try:
        from formulaic import Formula
    except ImportError:
        raise ImportError(
            "spinney.rpart reads formulas by formulaic: pip install 'spinney[rpart]'."
        ) from None
    given = formula if isinstance(formula, str) else repr(formula)
    try:
        parsed = Formula(given, _context={"__formulaic_variables_available__": available})
        left, right = list(parsed.lhs), list(parsed.rhs)
    except Exception as problem:
        raise ValueError(
            f"formula must be such as 'y ~ a + b' or 'y ~ .', got {given!r}: {problem}"
        ) from None
    terms = [[str(factor.expr) for factor in term.factors] for term in right]
    crossed = [":".join(term) for term in terms if len(term) > 1]
    if crossed:
        raise ValueError(
            f"trees take no interaction terms, the formula has {crossed[0]}. A tree finds "
            "interactions by itself: name the columns, a + b."
        )
    return str(left[0]), [term[0] for term in terms if term[0] not in ("0", "1")]


def _called(response: str) -> tuple[str, list[str]] | None:
    """Return the function and its arguments, if the response is Surv(...) or cbind(...)."""
    tree = ast.parse(response, mode="eval").body
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return None
    if tree.func.id not in ("Surv", "cbind"):
        return None
    if len(tree.args) != 2:
        raise ValueError(f"{tree.func.id} takes two columns, got {response!r}.")
    return tree.func.id, [ast.unparse(argument) for argument in tree.args]


def _require(data: Any, names: list[str]) -> None:
    gone = sorted({name for name in names if name not in data.columns})
    if gone:
        raise ValueError(
            f"the formula names {', '.join(gone)}, which data does not have as a column. A tree "
            "is the same for log(x) as for x; anything else is made a column of data first."
        )


def _response(pandas: Any, data: Any, name: str, parts: Any) -> tuple[Any, Any]:
    """Return the target, and the exposure of counts."""
    if parts is None:
        if name in data.columns:
            return data[name], None
        from formulaic import model_matrix

        return model_matrix(f"{name} - 1", data, na_action="ignore").iloc[:, 0], None
    first, second = (data[column] for column in parts[1])
    if parts[0] == "cbind":
        return second, first  # exposure, then events
    return pandas.DataFrame({"event": _events(second), "time": first}), None


def _events(status: Any) -> Any:
    """Return status as 0 and 1; R also writes 1 for censored and 2 for an event."""
    if status.dtype == bool:
        return status
    values = set(status.dropna().unique())
    if not values <= {0, 1} and not values <= {1, 2}:
        raise ValueError("the event of Surv must be 0 and 1, 1 and 2, or False and True.")
    return (status == max(values)).where(status.notna()).astype("boolean")


def _method(pandas: Any, y: Any, exposure: Any, parts: Any) -> str:
    """Return the method that rpart would take for such a response."""
    if parts is not None:
        return "exp" if parts[0] == "Surv" else "poisson"
    numeric = pandas.api.types.is_numeric_dtype(y) and y.dtype != bool
    return "anova" if numeric else "class"
