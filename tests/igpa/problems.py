"""Random problems with something to find in them, so that trees have a few levels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from growth.problems import KINDS, make_table
from hypothesis import strategies as st

Array = npt.NDArray[np.float64]

# Sums of these are exact, so that equal errors are equal in any order of the rows.
WEIGHTS = {
    "unit": None,
    "whole": [1.0, 2.0, 3.0],
    "zeros": [0.0, 1.0, 1.0, 2.0],
    "halves": [0.25, 0.5, 1.0, 1.5],
}


@dataclass(frozen=True)
class Problem:
    """A table with its target and weights, and the parameters of the estimator."""

    kinds: tuple[str, ...]
    cells: Array
    y: Array
    weights: Array | None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> pd.DataFrame:
        return make_table(self.cells, self.kinds)

    @property
    def row_weights(self) -> Array:
        return np.ones(len(self.y)) if self.weights is None else self.weights

    @property
    def classes(self) -> Array:
        """The classes of rows that count."""
        return np.unique(self.y[self.row_weights > 0])

    def __repr__(self) -> str:
        weights = None if self.weights is None else f"np.array({self.weights.tolist()})"
        return (
            f"Problem({self.kinds}, np.array({self.cells.tolist()}), np.array({self.y.tolist()}), "
            f"{weights}, {self.options})".replace("nan", "np.nan")
        )


def draw_cells(rng: np.random.Generator, n_rows: int, kinds: tuple[str, ...]) -> Array:
    """Numbers with many ties, and codes of up to four categories."""
    columns = []
    for kind in kinds:
        n_values = int(rng.integers(4, 20) if kind == "numeric" else rng.integers(2, 5))
        column = rng.integers(0, n_values, n_rows).astype(float)
        columns.append(column / 4 if kind == "numeric" else column)
    return np.array(columns).T.reshape(n_rows, len(kinds))


def draw_signal(rng: np.random.Generator, cells: Array) -> Array:
    """Whole numbers from 0 to 3 that depend on three columns."""
    first, last = cells[:, 0], cells[:, -1]
    second = cells[:, 1]
    steps = (first > np.median(first)) + 2 * (last > np.median(last)) + (second > 1)
    noisy = rng.random(len(cells)) < 0.1
    return np.where(noisy, rng.integers(0, 4, len(cells)), steps % 4).astype(float)


@st.composite
def limits(draw: st.DrawFn) -> dict[str, Any]:
    """Parameters of growth; most problems set few of them."""
    usual: dict[str, tuple[Any, list[Any]]] = {
        "max_depth": (None, [1, 2, 3]),
        "min_samples_split": (2, [4, 7]),
        "min_samples_leaf": (1, [2, 3]),
        "min_weight_fraction_leaf": (0.0, [0.0713]),
        "min_impurity_decrease": (0.0, [1e-6, 0.0313]),
    }
    found = {}
    for name, (default, others) in usual.items():
        found[name] = draw(st.sampled_from([*[default] * 6 * len(others), *others]))
    return found


@st.composite
def loops(draw: st.DrawFn) -> dict[str, Any]:
    """Parameters of the loop."""
    return {
        "n_parts": draw(st.sampled_from([2, 3, 5])),
        "labels": draw(st.sampled_from(["kept", "renewed"])),
        "prune_from": draw(st.sampled_from(["leaves", "root"])),
        "unjudged": draw(st.sampled_from(["pruned", "kept"])),
        "recount": draw(st.booleans()),
        "max_iter": draw(st.sampled_from([1, 3, 12, 12, 12])),
        "random_state": draw(st.integers(0, 99)),
    }


@st.composite
def problems(draw: st.DrawFn, regression: bool = False, kinds: tuple[str, ...] = KINDS) -> Problem:
    """A table of 4 to 60 rows."""
    n_rows = draw(st.sampled_from([4, 7, 12, 20, 30, 30, 45, 45, 60, 60]))
    n_columns = draw(st.integers(2, 4))
    drawn = tuple(draw(st.sampled_from(kinds)) for _ in range(n_columns))
    gaps = draw(st.sampled_from([0.0, 0.1, 0.3]))
    rng = np.random.default_rng(draw(st.integers(0, 100_000)))
    cells = draw_cells(rng, n_rows, drawn)
    y = draw_signal(rng, cells)
    noise = rng.integers(0, 5, n_rows) / 2
    y = y + noise if regression else np.minimum(y, draw(st.integers(1, 3)))
    cells[rng.random(cells.shape) < gaps] = np.nan
    pool = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))]
    weights = None if pool is None else rng.choice(pool, n_rows)
    if weights is not None:
        weights[:2] = 1.0
    missing = draw(
        st.sampled_from(
            [
                {"missing": "surrogate", "max_surrogates": 3},
                {"missing": "surrogate", "max_surrogates": 0},
                {"missing": "majority"},
            ]
        )
    )
    return Problem(drawn, cells, y, weights, {**draw(limits()), **draw(loops()), **missing})


@st.composite
def class_shares(draw: st.DrawFn) -> dict[str, Any]:
    """What the classes 0 to 3 count for: nothing given, weights, or shares."""
    which = draw(st.sampled_from(["class_weight", "balanced", "priors"]))
    if which == "balanced":
        return {"class_weight": "balanced"}
    return {which: draw(st.lists(st.sampled_from([0.25, 0.5, 1.0, 3.0]), min_size=4, max_size=4))}
