"""Random small problems: a table with gaps, a target, weights and limits of growth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from hypothesis import strategies as st

Array = npt.NDArray[np.float64]

KINDS = ("numeric", "ordered", "nominal")
LABELS = [f"c{code:02d}" for code in range(20)]  # sorted as their codes are
UNSEEN = "zz"


@dataclass(frozen=True)
class Problem:
    """Cells are numbers or category codes, NaN is missing; `new` are rows to predict."""

    kinds: tuple[str, ...]
    cells: Array
    y: Array
    weights: Array | None
    limits: dict[str, Any]
    new: Array = field(default_factory=lambda: np.empty((0, 0)))

    @property
    def table(self) -> pd.DataFrame:
        return make_table(self.cells, self.kinds)

    @property
    def new_table(self) -> pd.DataFrame:
        return make_table(self.new, self.kinds)

    def __repr__(self) -> str:
        weights = None if self.weights is None else self.weights.tolist()
        return (
            f"Problem({self.kinds}, np.array({self.cells.tolist()}), np.array({self.y.tolist()}), "
            f"{weights}, {self.limits}, np.array({self.new.tolist()}))".replace("nan", "np.nan")
        )


def make_table(cells: Array, kinds: tuple[str, ...]) -> pd.DataFrame:
    """Codes become labels; a code beyond the labels becomes a category that fit has not seen."""
    columns: dict[str, Any] = {}
    for j, kind in enumerate(kinds):
        if kind == "numeric":
            columns[f"x{j}"] = cells[:, j]
            continue
        words = [*LABELS, UNSEEN]
        codes = np.where(np.isnan(cells[:, j]), -1, np.minimum(cells[:, j], len(LABELS)))
        columns[f"x{j}"] = pd.Categorical.from_codes(
            codes.astype(int), categories=words, ordered=kind == "ordered"
        )
    return pd.DataFrame(columns)


def numbers(kind: str, n_categories: int) -> st.SearchStrategy[float]:
    """Cells of one column. Many numbers are equal, some nearly so."""
    if kind != "numeric":
        return st.integers(0, n_categories - 1).map(float)
    return st.one_of(
        st.integers(-4, 4).map(float),
        st.sampled_from([0.1, 0.2, 0.1 + 0.2, 0.3, 1e-3, 7.25, 1e6, -1e6]),
    )


@st.composite
def columns(draw: st.DrawFn, kind: str, n_rows: int, max_categories: int) -> list[float]:
    """One column, with no gaps, some gaps, or nothing but gaps."""
    n_categories = draw(st.integers(2, max_categories))
    cell = numbers(kind, n_categories)
    gaps = draw(st.sampled_from(["none", "none", "some", "some", "all"]))
    if gaps == "all" and draw(st.booleans()):
        return [np.nan] * n_rows
    if gaps != "none":
        cell = st.one_of(cell, cell, cell, st.just(np.nan))
    return draw(st.lists(cell, min_size=n_rows, max_size=n_rows))


@st.composite
def weights(draw: st.DrawFn, n_rows: int) -> Array | None:
    """Weights of one kind; some row always counts."""
    kinds = {
        "whole": st.integers(1, 4).map(float),
        "zeros": st.sampled_from([0.0, 1.0, 1.0, 2.0]),
        "fractions": st.sampled_from([0.1, 0.2, 0.3, 0.7, 1.5, 2.25]),
        "fractions and zeros": st.sampled_from([0.0, 0.1, 0.3, 1.0, 1.7]),
    }
    kind = draw(st.sampled_from(["unit", *kinds]))
    if kind == "unit":
        return None
    drawn = draw(st.lists(kinds[kind], min_size=n_rows, max_size=n_rows))
    if not any(drawn):
        drawn[0] = 1.0
    return np.array(drawn)


@st.composite
def limits(draw: st.DrawFn) -> dict[str, Any]:
    """Parameters of growth that the oracle knows too; most problems set few of them."""
    usual: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
        "max_depth": (None, st.integers(1, 4)),
        "min_samples_split": (2, st.integers(3, 9)),
        "min_samples_leaf": (1, st.integers(2, 4)),
        "min_weight_fraction_leaf": (0.0, st.sampled_from([0.1, 0.2, 0.3])),
        "min_impurity_decrease": (0.0, st.sampled_from([1e-9, 0.01, 0.05])),
        "max_surrogates": (5, st.integers(0, 3)),
    }
    rules = ["surrogate", "surrogate", "majority", "fractional", "learned", "category"]
    found = {"missing": draw(st.sampled_from(rules))}
    for name, (default, other) in usual.items():
        found[name] = draw(other) if draw(st.integers(0, 7)) == 7 else default
    return found


@st.composite
def tables(
    draw: st.DrawFn,
    max_rows: int = 22,
    max_columns: int = 4,
    max_categories: int = 6,
    kinds: tuple[str, ...] | None = None,
) -> tuple[tuple[str, ...], Array, Array]:
    """Kinds, cells, and rows to predict: gaps and categories that fit has not seen among them."""
    n_rows = draw(st.integers(2, max_rows) | st.integers(10, max_rows))
    if kinds is None:
        kinds = tuple(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=max_columns)))
    cells = np.array([draw(columns(kind, n_rows, max_categories)) for kind in kinds]).T
    strange = [
        st.one_of(numbers(kind, max_categories), st.sampled_from([np.nan, len(LABELS)]))
        if kind != "numeric"
        else st.one_of(numbers(kind, 2), st.just(np.nan))
        for kind in kinds
    ]
    new = draw(st.lists(st.tuples(*strange), min_size=1, max_size=8))
    return kinds, cells, np.array(new, dtype=float)


@st.composite
def classification(draw: st.DrawFn, max_classes: int = 4, **size: Any) -> Problem:
    """Class codes 0, 1, ... as floats; not all of them need occur."""
    kinds, cells, new = draw(tables(**size))
    n_classes = draw(st.sampled_from([*range(2, max_classes + 1), 1]))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=len(cells), max_size=len(cells)))
    w = draw(weights(len(cells)))
    return Problem(kinds, cells, np.array(y, dtype=float), w, draw(limits()), new)


@st.composite
def regression(draw: st.DrawFn, **size: Any) -> Problem:
    """Small whole numbers, halves, or such numbers with a large offset."""
    kinds, cells, new = draw(tables(**size))
    y = draw(st.lists(st.integers(-6, 6), min_size=len(cells), max_size=len(cells)))
    scale, offset = draw(st.sampled_from([(1.0, 0.0), (0.5, 0.0), (0.1, 0.0), (1.0, 1e5)]))
    w = draw(weights(len(cells)))
    targets = np.array(y, dtype=float) * scale + offset
    return Problem(kinds, cells, targets, w, draw(limits()), new)


@st.composite
def cost_matrices(draw: st.DrawFn, n_classes: int = 4) -> Array:
    """Rows true, columns predicted, zeros on the diagonal."""
    cell = st.sampled_from([1.0, 1.0, 2.0, 3.0, 0.5, 10.0])
    drawn = draw(st.lists(cell, min_size=n_classes**2, max_size=n_classes**2))
    matrix = np.array(drawn).reshape(n_classes, n_classes)
    np.fill_diagonal(matrix, 0.0)
    return matrix
