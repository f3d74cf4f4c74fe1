"""Models of every kind, with rows that have gaps, unseen categories and infinities."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from answering import answering

from spinney import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, Tree

N_ROWS = 10_000
ODD_NAMES = {
    "income": 'in"come; DROP TABLE data; --',
    "age": "int",
    "purpose": "it's */ a \\ purpose ??/ \n#",
    "grade": "größe 你好",
    "flag": "a b",
    "size": "a_b",
}


def rows(n_rows: int, seed: int, new: bool = False) -> pd.DataFrame:
    """A mixed table with gaps; `new` adds categories that are not in other tables."""
    rng = np.random.default_rng(seed)
    purposes = ["A40", "A'43", 'q"', "", "é?", "x;--"] + (["new", "Ünseen"] if new else [])
    income = rng.normal(40, 20, n_rows).round(2)
    income[rng.random(n_rows) < 0.02] = np.inf
    income[rng.random(n_rows) < 0.02] = -np.inf
    table = pd.DataFrame(
        {
            "income": income,
            "age": rng.integers(18, 70, n_rows).astype(float),
            "purpose": rng.choice(np.array(purposes, dtype=object), n_rows),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high"], n_rows), ["low", "mid", "high"], ordered=True
            ),
            "flag": rng.choice([1.0, 2.0, 2.5, 7.0] + ([9.0] if new else []), n_rows),
            "size": rng.exponential(0.1, n_rows),
        }
    )
    for column in table.columns:
        table.loc[rng.random(n_rows) < 0.15, column] = np.nan
    return table


def target(table: pd.DataFrame, n_classes: int) -> Any:
    """Classes that depend on all columns, and a little on chance."""
    rng = np.random.default_rng(len(table))
    score = table["income"].clip(-100, 100).fillna(50) / 20 + (table["purpose"] == "A40") * 2
    score += table["grade"].cat.codes + table["flag"].fillna(3) / 2 + table["age"].fillna(40) / 30
    score += rng.normal(0, 0.5, len(table)) + 5 * table["size"].fillna(0)
    return pd.qcut(score, n_classes, labels=False).to_numpy()


def fitted(
    missing: str = "surrogate", n_classes: int = 3, rename: bool = False, **options: Any
) -> Any:
    X = rows(1500, 1)
    y = target(X, n_classes) if n_classes else target(X, 20) ** 1.5
    if rename:
        X = X.rename(columns=ODD_NAMES)
    if n_classes and options.pop("text", True):
        y = np.array([f"class {i}'\"" for i in range(n_classes)])[y]
    flag = [X.columns[4]]
    make = CARTClassifier if n_classes else CARTRegressor
    return make(missing=missing, categorical_features=flag, **options).fit(X, y)


def multiway(missing: str) -> Tree:
    """A hand-written tree with multiway tests, an empty child, and a category in no branch."""
    return Tree.from_dict(
        {
            "classes": [False, True],
            "features": ["income", "age", "purpose", "grade", "flag", "size"],
            "kinds": ["numeric", "numeric", "nominal", "ordered", "nominal", "numeric"],
            "categories": {
                "purpose": ["A40", "A'43", 'q"', "", "é?", "x;--"],
                "grade": ["low", "mid", "high"],
                "flag": [1.0, 2.0, 2.5, 7.0],
            },
            "missing": missing,
            "nodes": [
                {
                    "test": "purpose",
                    "branches": ["A40", ["A'43", 'q"'], [""], "é?"],
                    "children": [1, 2, 3, 4],
                    "counts": [50, 50],
                },
                {"test": "income <= 36.1", "children": [5, 6], "counts": [30, 10]},
                {"test": "grade <= low", "children": [7, 8], "counts": [10, 20]},
                {"test": None, "children": [], "counts": [0, 0]},
                {
                    "test": "flag",
                    "branches": [1.0, 2.0, 2.5, 7.0],
                    "children": [9, 10, 11, 12],
                    "counts": [10, 20],
                },
                {"test": None, "children": [], "counts": [25, 3]},
                {"test": None, "children": [], "counts": [5, 7]},
                {"test": None, "children": [], "counts": [9, 2]},
                {"test": None, "children": [], "counts": [1, 18]},
                {"test": None, "children": [], "counts": [7, 0]},
                {"test": None, "children": [], "counts": [1, 12]},
                {"test": None, "children": [], "counts": [2, 3]},
                {"test": None, "children": [], "counts": [0, 5]},
            ],
        }
    )


def intervals(missing: str) -> Tree:
    """A hand-written regression tree with tests on intervals, and an infinite bound."""
    names = ["income", "age", "purpose", "grade", "flag", "size"]
    kinds = ["numeric", "numeric", "nominal", "ordered", "nominal", "numeric"]
    listed = {"purpose": ["A40", "x"], "grade": ["low", "mid", "high"], "flag": [1.0, 2.0]}
    leaf = {"test": None, "children": [], "impurity": 0}
    rest = {"impurity": 1}
    return Tree.from_dict(
        {
            "classes": None,
            "features": names,
            "kinds": kinds,
            "categories": listed,
            "missing": missing,
            "nodes": [
                {
                    "test": "income",
                    "cuts": [float("-inf"), 20.1, 45.7],
                    "children": [1, 2, 3, 4],
                    "value": 5,
                    "n_samples": 16,
                    **rest,
                },
                {**leaf, "value": -3.7, "n_samples": 1},
                {
                    "test": "grade",
                    "cuts": [0, 1.5],
                    "children": [5, 6, 7],
                    "value": 1 / 3,
                    "n_samples": 7,
                    **rest,
                },
                {
                    "test": "size",
                    "cuts": [0.05, 1 / 9],
                    "children": [8, 9, 10],
                    "value": 2 / 3,
                    "n_samples": 6,
                    **rest,
                },
                {**leaf, "value": 11, "n_samples": 2},
                *({**leaf, "value": v, "n_samples": v} for v in (4, 2, 1)),
                *({**leaf, "value": v / 7, "n_samples": v} for v in (1, 2, 3)),
            ],
        }
    )


def comb(depth: int, missing: str) -> Tree:
    """A tree of so many levels, alternating between two columns."""
    nodes: list[dict[str, Any]] = []
    for level in range(depth):
        test = f"age <= {18 + level * 0.7}" if level % 2 else f"income <= {level * 1.3 - 20}"
        nodes.append(
            {
                "test": test,
                "children": [2 * level + 1, 2 * level + 2],
                "counts": [depth - level, depth - level + 1],
            }
        )
        nodes.append({"test": None, "children": [], "counts": [level % 3, 1]})
    nodes.append({"test": None, "children": [], "counts": [1, 0]})
    names = ["income", "age", "purpose", "grade", "flag", "size"]
    kinds = ["numeric", "numeric", "nominal", "ordered", "nominal", "numeric"]
    listed = {"purpose": ["A40", "new"], "grade": ["low", "mid", "high"], "flag": [1.0, 2.0]}
    return Tree.from_dict(
        {
            "classes": ["a", "b"],
            "features": names,
            "kinds": kinds,
            "categories": listed,
            "missing": missing,
            "nodes": nodes,
        }
    )


def many_categories() -> Any:
    """A tree on a column of 3,000 categories, in the place of purpose."""
    rng = np.random.default_rng(3)
    X = rows(6000, 3)
    X["purpose"] = pd.Series([f"c{i:04d}" for i in rng.integers(0, 3000, len(X))], dtype=object)
    y = (X["purpose"].str[1:].astype(int) * 7919 % 13 > 6).astype(int)
    return CARTClassifier(max_depth=6, missing="surrogate").fit(X, y)


def one_node(missing: str, n_classes: int) -> Any:
    """A tree that found nothing to ask, as no leaf may be so small."""
    model = fitted(missing, n_classes, min_samples_leaf=1400)
    assert model.tree_.n_nodes == 1
    return model


def multiway_fitted(estimator: Any) -> Any:
    X = rows(800, 1)
    return estimator.fit(X, target(X, 3))


COSTS = np.array([[0, 1, 4], [2, 0, 1], [9, 3, 0.0]])

TREES: dict[str, Callable[[], Any]] = {
    "surrogate, odd names": lambda: fitted(max_depth=6, rename=True),
    "grown out, costs": lambda: fitted(text=False, cost_matrix=COSTS),
    "majority, 30 classes": lambda: fitted("majority", n_classes=30, max_depth=6),
    "fractional, odd names": lambda: fitted("fractional", n_classes=12, max_depth=4, rename=True),
    "fractional, costs": lambda: fitted("fractional", max_depth=5, text=False, cost_matrix=COSTS),
    "regression": lambda: fitted(n_classes=0, max_depth=8),
    "regression, fractional": lambda: fitted("fractional", n_classes=0, max_depth=5),
    "one node": lambda: one_node("surrogate", 3),
    "one node, fractional": lambda: one_node("fractional", 3),
    "one node, regression": lambda: one_node("surrogate", 0),
    "multiway": lambda: multiway("majority"),
    "multiway, fractional": lambda: multiway("fractional"),
    "intervals": lambda: intervals("majority"),
    "intervals, fractional": lambda: intervals("fractional"),
    "deep": lambda: comb(70, "majority"),
    "deep, fractional": lambda: comb(40, "fractional"),
    "3,000 categories": many_categories,
    "own answers, costs": lambda: answering(
        fitted(max_depth=6, text=False, cost_matrix=COSTS).tree_, 0.3
    ),
    "own answers, fractional": lambda: answering(fitted("fractional", max_depth=4).tree_),
    "own answers, regression": lambda: answering(fitted(n_classes=0, max_depth=6).tree_),
    "C4.5": lambda: multiway_fitted(C45Classifier(min_samples_leaf=8)),
    "ID3": lambda: multiway_fitted(ID3Classifier(max_depth=3)),
}


def new_rows(model: Any) -> pd.DataFrame:
    """New rows with the names of the columns of a model."""
    schema = getattr(model, "tree_", model).schema
    X = rows(N_ROWS, 2, new=True)
    if schema.columns[2].categories[0] == "c0000":
        drawn = np.random.default_rng(5).integers(0, 3100, N_ROWS)
        X["purpose"] = pd.Series([f"c{i:04d}" for i in drawn], dtype=object)
        X.loc[::9, "purpose"] = np.nan
    return X.set_axis(list(schema.names), axis=1)


def plain_rows(X: pd.DataFrame) -> list[tuple[Any, ...]]:
    """The rows as tuples of plain values; None is missing."""
    columns = [
        [None if gap else v for v, gap in zip(X[c].tolist(), X[c].isna(), strict=True)]
        for c in X.columns
    ]
    return list(zip(*columns, strict=True))
