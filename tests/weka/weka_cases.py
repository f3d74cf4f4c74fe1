"""The data of each case, and J48's results on it: running Weka, writing and reading the files.

Nothing here uses a spinney estimator; a table is encoded as `fit` would, so that both sides see
categories and classes in the same order.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spinney import datasets
from spinney._table import Schema, encode_table

HERE = Path(__file__).parent
FOLDER = HERE / "references"
JAR = Path("/usr/share/java/weka.jar")  # where Debian's package puts it

# Name of a setting: J48's options, and the parameters of C45Classifier that mean the same.
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "default": ("-C 0.25 -M 2", {}),
    "unpruned": ("-U", {"pruning": None}),
    "not raised": ("-S", {"subtree_raising": False}),
    "cf 0.1": ("-C 0.1", {"cf": 0.1}),
    "cf 0.4": ("-C 0.4", {"cf": 0.4}),
    "leaf 5": ("-M 5", {"min_samples_leaf": 5}),
    "leaf 10": ("-M 10", {"min_samples_leaf": 10}),
}


@dataclass(frozen=True)
class Case:
    """A data set of the package, perhaps shortened, weighted, or with cells deleted.

    An ordered column is a number to J48, its code; with `unordered` it is nominal. A row weighs
    1 + (row mod cycle), rows counted from 0. Of 1009 cells about `gaps` are deleted.
    """

    dataset: str
    rows: int | None = None
    cycle: int = 1
    gaps: int = 0
    unordered: bool = False

    @property
    def name(self) -> str:
        marks = {"weights": self.cycle > 1, "gaps": self.gaps > 0, "unordered": self.unordered}
        return "__".join([self.dataset, *(mark for mark, on in marks.items() if on)])

    @cached_property
    def table(self) -> pd.DataFrame:
        X = datasets.load(self.dataset, as_="pandas").X.iloc[: self.rows]
        columns = {}
        i = np.arange(len(X))
        for j, name in enumerate(X.columns):
            column = X[name]
            if self.unordered and isinstance(column.dtype, pd.CategoricalDtype):
                column = column.cat.as_unordered()
            hashed = (31 * i * i + 17 * i * j + 101 * j * j + 7 * i + 13 * j) % 1009
            columns[name] = column.mask(hashed < self.gaps) if self.gaps else column
        return pd.DataFrame(columns)

    @cached_property
    def y(self) -> Any:
        return datasets.load(self.dataset, as_="pandas").y.iloc[: self.rows].to_numpy(dtype=str)

    @cached_property
    def classes(self) -> Any:
        return np.unique(self.y)

    @property
    def weight(self) -> Any:
        return 1.0 + np.arange(len(self.y)) % self.cycle

    @cached_property
    def encoded(self) -> tuple[Any, Schema]:
        return encode_table(self.table)

    def __hash__(self) -> int:
        return hash(self.name)


CASES = [
    Case("adult", rows=5_000),
    Case("balance_scale"),
    Case("breast_cancer_wdbc"),
    Case("breast_cancer_wisconsin"),
    Case("breast_cancer_wisconsin", cycle=3),
    Case("bupa_liver"),
    Case("car_evaluation"),
    Case("car_evaluation", unordered=True),
    Case("german_credit"),
    Case("german_credit", unordered=True),
    Case("german_credit", gaps=120),
    Case("german_credit_numeric"),
    Case("glass"),
    Case("glass", gaps=80),
    Case("haberman"),
    Case("heart_disease"),
    Case("heart_disease", unordered=True),
    Case("heart_disease", cycle=3),
    Case("iris"),
    Case("iris", gaps=150),
    Case("lymphography"),
    Case("lymphography", unordered=True),
    Case("mushroom"),
    Case("pima_indians_diabetes"),
    Case("pima_indians_diabetes", gaps=100),
    Case("sonar"),
    Case("waveform", rows=1_500),
    Case("wine"),
    Case("yeast"),
]


def arff(case: Case) -> str:
    """Write a case as ARFF: codes for names, numbers with all their digits, gaps as ?."""
    values, schema = case.encoded
    lines = ["@relation case"]
    kinds = [column.kind for column in schema.columns]
    for j, column in enumerate(schema.columns):
        words = ",".join(f"v{code}" for code in range(len(column.categories)))
        lines.append(
            f"@attribute x{j} {{{words}}}" if kinds[j] == "nominal" else f"@attribute x{j} numeric"
        )
    lines += ["@attribute y {" + ",".join(f"c{k}" for k in range(len(case.classes))) + "}", "@data"]
    for row, code in zip(values, np.searchsorted(case.classes, case.y), strict=True):
        cells = [
            "?" if np.isnan(x) else f"v{int(x)}" if kind == "nominal" else repr(float(x))
            for x, kind in zip(row, kinds, strict=True)
        ]
        lines.append(",".join([*cells, f"c{code}"]))
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Run:
    """What J48 found: sizes, the tree as it prints it (thresholds have six decimals), answers."""

    n_leaves: int
    n_nodes: int
    text: str
    labels: Any
    proba: Any


def why_not() -> str | None:
    """Say what is missing to run Weka, if anything."""
    if shutil.which("java") is None or shutil.which("javac") is None:
        return "no Java development kit"
    return None if JAR.exists() else "Debian's package weka is not installed"


def run_weka(case: Case, names: list[str]) -> dict[str, Run]:
    """Fit J48 to a case with each of the named settings, in one Java process."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "table.arff")
        table.write_text(arff(case))
        options = [SETTINGS[name][0] for name in names]
        program = ["java", "-cp", str(JAR), str(HERE / "J48Runs.java"), str(table), str(case.cycle)]
        done = subprocess.run([*program, *options], capture_output=True, text=True, check=True)
    lines = iter(done.stdout.splitlines())
    return {name: _read_run(lines, len(case.y)) for name in names}


def _read_run(lines: Any, n_rows: int) -> Run:
    mark, n_leaves, n_nodes, n_lines = next(lines).split()
    assert mark == "run"
    text = "\n".join(next(lines) for _ in range(int(n_lines)))
    rows = np.array([next(lines).split() for _ in range(n_rows)], dtype=float)
    return Run(int(n_leaves), int(n_nodes), text, rows[:, 0].astype(int), rows[:, 1:])


def save(case: Case, runs: dict[str, Run]) -> None:
    """Write the runs of a case to its file: small, and the same bytes for the same runs."""
    content = json.dumps({name: _packed(run) for name, run in runs.items()}, separators=(",", ":"))
    (FOLDER / f"{case.name}.json.gz").write_bytes(gzip.compress(content.encode(), mtime=0))


def load(case: Case) -> dict[str, Run]:
    """Read the runs of a case back."""
    raw = json.loads(gzip.decompress((FOLDER / f"{case.name}.json.gz").read_bytes()))
    return {name: _unpacked(run) for name, run in raw.items()}


_LONGEST_TEXT = 60  # lines; longer trees are not stored


def _packed(run: Run) -> dict[str, Any]:
    distinct, which = np.unique(np.round(run.proba, 9), axis=0, return_inverse=True)
    return {
        "n_leaves": run.n_leaves,
        "n_nodes": run.n_nodes,
        "text": run.text if run.text.count("\n") < _LONGEST_TEXT else "",
        "labels": "".join(chr(ord("a") + label) for label in run.labels),
        "distributions": distinct.tolist(),
        "rows": which.ravel().tolist(),
    }


def _unpacked(raw: dict[str, Any]) -> Run:
    labels = np.array([ord(letter) - ord("a") for letter in raw["labels"]])
    proba = np.array(raw["distributions"])[raw["rows"]]
    return Run(raw["n_leaves"], raw["n_nodes"], raw["text"], labels, proba)
