"""Read rpart's results and repeat its rules: the data of a case, its tests, its routing.

`make_reference.R` describes the files. Nothing here uses a spinney estimator, so that both sides of
the comparison in `test_rpart_parity.py` stand on their own.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spinney import datasets

FOLDER = Path(__file__).parent / "reference"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))

# Where a test sends a row. The sides are rpart's: LEFT is node 2k, RIGHT node 2k + 1.
NOWHERE, LEFT, RIGHT = 0, 1, 2

CUT_ROUNDING = 1e-12  # the files hold 15 digits of a cut


def delete_cells(X: pd.DataFrame, gaps: dict[str, int]) -> pd.DataFrame:
    """Delete the cells that `make_reference.R` deletes."""
    i = np.arange(len(X))
    columns = {}
    for j, name in enumerate(X.columns):
        hashed = (31 * i * i + 17 * i * j + 101 * j * j + 7 * i + 13 * j + gaps["seed"]) % 1009
        columns[name] = X[name].mask(hashed < gaps["below"])
    return pd.DataFrame(columns)


@dataclass(frozen=True)
class Division:
    """A test as a rule for sides: below or at a cut, or two sets of categories."""

    name: str
    cut: float | None = None
    below: int = LEFT
    left: frozenset[str] = frozenset()
    right: frozenset[str] = frozenset()
    slack: float = 0.0  # how far off an equal cut may lie

    def sides(self, values: dict[str, Any], rows: Any, *, closed: bool) -> Any:
        """Send rows; `closed` says whether a value equal to the cut counts as below it."""
        x = values[self.name][rows]
        if self.cut is None:
            is_left, is_right = np.isin(x, list(self.left)), np.isin(x, list(self.right))
            return np.select([is_left, is_right], [LEFT, RIGHT], NOWHERE)
        equal = np.isclose(x, self.cut, rtol=CUT_ROUNDING, atol=0.0)
        sides = np.where(np.where(equal, closed, x < self.cut), self.below, self.above)
        return np.where(np.isnan(x), NOWHERE, sides)

    @property
    def above(self) -> int:
        return LEFT + RIGHT - self.below

    def matches(self, theirs: "Division") -> bool:
        """Tell whether two rules are the same, up to rounding of the cut."""
        if self.name != theirs.name or (self.cut is None) != (theirs.cut is None):
            return False
        if self.cut is None or theirs.cut is None:
            return (self.left, self.right) == (theirs.left, theirs.right)
        tolerance = theirs.slack + CUT_ROUNDING * abs(theirs.cut)
        return self.below == theirs.below and abs(self.cut - theirs.cut) <= tolerance

    def mirrored(self) -> "Division":
        """Swap the sides."""
        return Division(self.name, self.cut, self.above, self.right, self.left)


class Case:
    """One file of results, and the data it came from."""

    def __init__(self, name: str) -> None:
        self.raw = json.loads((FOLDER / f"{name}.json").read_text())
        self.nodes = {node["id"]: node for node in self.raw["nodes"]}
        self.levels = {c["name"]: c.get("levels", []) for c in self.raw["columns"]}

    @property
    def is_classification(self) -> bool:
        return bool(self.raw["method"] == "class")

    @cached_property
    def table(self) -> pd.DataFrame:
        X = datasets.load(self.raw["set"], as_="pandas").X.iloc[: self.raw["rows"]]
        return delete_cells(X, self.raw["train_gaps"]) if self.raw["train_gaps"] else X

    @cached_property
    def table_gaps(self) -> pd.DataFrame:
        return delete_cells(self.table, self.raw["predict_gaps"])

    @cached_property
    def y(self) -> Any:
        return datasets.load(self.raw["set"], as_="pandas").y.iloc[: self.raw["rows"]].to_numpy()

    @cached_property
    def weight(self) -> Any:
        cycle = self.raw["cycle"] or 1
        return 1.0 + np.arange(self.raw["rows"]) % cycle

    @cached_property
    def values(self) -> dict[str, Any]:
        return self.encode(self.table)

    @cached_property
    def values_gaps(self) -> dict[str, Any]:
        return self.encode(self.table_gaps)

    def encode(self, X: pd.DataFrame) -> dict[str, Any]:
        """Give numbers and ordered codes as float, categories as str; NaN and "" are missing."""
        values = {}
        for column in self.raw["columns"]:
            x = X[column["name"]]
            if column["kind"] == "nominal":
                values[column["name"]] = x.astype(object).where(x.notna(), "").to_numpy(dtype=str)
            elif column["kind"] == "ordered":
                codes = {level: code for code, level in enumerate(column["levels"])}
                values[column["name"]] = x.astype(object).map(codes).to_numpy(dtype=float)
            else:
                values[column["name"]] = x.to_numpy(dtype=float)
        return values

    def division(self, test: dict[str, Any]) -> Division:
        """Read a split or a surrogate of the file."""
        name = test["var"]
        if "cut" in test:
            # Between codes 0 and 2 rpart cuts at 1, but tells only which way it sends 1.
            slack = 0.5 if self.levels[name] else 0.0
            below = LEFT if test["below"] == "left" else RIGHT
            return Division(name, test["cut"], below, slack=slack)
        pairs = list(zip(self.levels[name], test["levels"], strict=True))
        left, right = (frozenset(lv for lv, side in pairs if side == s) for s in "LR")
        return Division(name, left=left, right=right)

    @cached_property
    def altered(self) -> Any:
        """Weights of the rows under altered priors: prior times the row sum of the losses."""
        k = len(self.raw["classes"])
        loss = np.array(self.raw["loss"] or 1.0 - np.eye(k))
        total = self.class_weights(np.arange(len(self.y)), self.weight)
        prior = np.array(self.raw["priors"] or total / total.sum())
        share = prior * loss.sum(axis=1)
        return self.weight * (share / share.sum() * total.sum() / total)[self.codes]

    @cached_property
    def codes(self) -> Any:
        return np.searchsorted(self.raw["classes"], self.y)

    def class_weights(self, rows: Any, weight: Any) -> Any:
        return np.bincount(self.codes[rows], weight[rows], len(self.raw["classes"]))

    def improve(self, rows: Any, sides: Any) -> float:
        """Compute rpart's `improve` of a division of a node's rows, from its definition."""
        left, right, seen = rows[sides == LEFT], rows[sides == RIGHT], rows[sides != NOWHERE]
        if not self.is_classification:
            gain = self.squares(seen) - self.squares(left) - self.squares(right)
            return float(gain / self.squares(rows))
        return self.disorder(seen) - self.disorder(left) - self.disorder(right)

    def squares(self, rows: Any) -> float:
        if not len(rows):
            return 0.0
        w = self.weight[rows]
        return float(w @ (self.y[rows] - np.average(self.y[rows], weights=w)) ** 2)

    def disorder(self, rows: Any) -> float:
        counts = self.class_weights(rows, self.altered)
        p = counts[counts > 0] / counts.sum()
        each = 1.0 - p if self.raw["split"] == "gini" else -np.log(p)
        return float(counts.sum() * (p @ each))
