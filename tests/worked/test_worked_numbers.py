"""More worked numbers of the lecture notes' credit example and of what they build on it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from spinney import CARTClassifier, Tree
from spinney.datasets import load_credit_example
from spinney.pruning import cost_complexity_path, link_strengths, select


@pytest.fixture(scope="module")
def credit() -> Any:
    return load_credit_example(as_="pandas")


@pytest.fixture(scope="module")
def model(credit: Any) -> CARTClassifier:
    return CARTClassifier().fit(credit.X, credit.y)


def test_an_unmarried_man_of_42_who_earns_30_is_rejected(credit: Any, model: Any) -> None:
    row = pd.DataFrame(
        [{"age": 42, "married": "no", "own_house": "yes", "income": 30, "gender": "male"}]
    )[list(credit.X.columns)]
    assert model.predict(row) == ["bad"]
    assert model.decision_path(row).sum() == 4  # income, age, married, and the leaf


def test_income_leaves_two_errors_and_gender_four(credit: Any) -> None:
    by_income, by_gender = (
        CARTClassifier(max_depth=1)
        .fit(credit.X[[name]], credit.y)
        .score(credit.X[[name]], credit.y)
        for name in ("income", "gender")
    )
    assert (by_income, by_gender) == (0.8, 0.6)


def test_the_best_cut_of_income_gains_most(credit: Any) -> None:
    tree = CARTClassifier(max_depth=1).fit(credit.X[["income"]], credit.y).tree_
    assert str(tree.root.test) == "income <= 36"
    # 1/4 - 0.7 (5/7)(2/7), and Gini here is twice the notes' p(1 - p).
    assert tree.root.gain / tree.root.weight == pytest.approx(2 * (1 / 4 - 0.7 * 10 / 49))


def test_after_income_the_poor_are_five_bad_and_two_good(model: Any) -> None:
    poor, rich = model.tree_.root.children
    assert poor.counts.tolist() == [5, 2]
    assert rich.counts.tolist() == [0, 3]
    young, old = poor.children
    assert young.counts.tolist() == [4, 0]
    assert old.counts.tolist() == [1, 2]


def test_misclassification_finds_two_splits_equal_where_gini_prefers_the_pure_one() -> None:
    """Of 400 and 400, one split leaves 300/100 and 100/300, the other 200/400 and 200/0."""
    left_or_right = {"a": [(300, 100), (100, 300)], "b": [(200, 400), (200, 0)]}
    rows = {name: [] for name in left_or_right}
    for name, sides in left_or_right.items():
        for side, counts in enumerate(sides):
            for label, n in enumerate(counts):
                rows[name] += [(label, side)] * n
    columns = [np.array(sorted(rows[name]))[:, 1] for name in ("a", "b")]
    X, y = np.column_stack(columns).astype(float), np.repeat([0, 1], 400)
    gains = {}
    for criterion in ("misclassification", "gini"):
        for column in (0, 1):
            tree = CARTClassifier(criterion, max_depth=1).fit(X[:, [column]], y).tree_
            gains[criterion, column] = tree.root.gain
    assert gains["misclassification", 0] == pytest.approx(gains["misclassification", 1])
    assert gains["gini", 0] < gains["gini", 1]


@pytest.mark.parametrize(
    "criterion", ["gini", "entropy", "misclassification", "exponent", "twoing"]
)
def test_exclusive_or_is_learnt_although_no_first_split_gains(criterion: str) -> None:
    X, y = np.array([[1.0, 1], [1, 0], [0, 1], [0, 0]]), [0, 1, 1, 0]
    model = CARTClassifier(criterion).fit(X, y)
    assert model.tree_.root.gain == pytest.approx(0.0, abs=1e-12)
    assert model.score(X, y) == 1.0
    assert model.tree_.n_leaves == 4


def test_marital_status_has_three_splits() -> None:
    """single, married or divorced against the two others: with distinct classes all are found."""
    X = pd.DataFrame({"status": ["single", "married", "divorced"]})
    tests = {
        str(CARTClassifier("misclassification", max_depth=1).fit(X, y).tree_.root.test)
        for y in ([1, 0, 0], [0, 1, 0], [0, 0, 1])
    }
    assert tests == {
        "status in {divorced}",
        "status in {divorced, single}",
        "status in {divorced, married}",
    }


def node(counts: tuple[int, int], children: tuple[int, ...] = ()) -> dict[str, Any]:
    test = f"x{children[0]} <= 0.5" if children else None
    return {"test": test, "children": list(children), "counts": list(counts)}


@pytest.fixture(scope="module")
def pruning_example() -> Tree:
    """t1 to t9 are nodes 0 to 8."""
    return Tree.from_dict(
        {
            "classes": ["a", "b"],
            "features": ["x1", "x3", "x5", "x7"],
            "nodes": [
                node((100, 100), (1, 2)),
                node((90, 60), (3, 4)),
                node((10, 40), (5, 6)),
                node((80, 0)),
                node((10, 60), (7, 8)),
                node((10, 0)),
                node((0, 40)),
                node((10, 0)),
                node((0, 60)),
            ],
        }
    )


def test_g_of_t1_t2_t3_and_t5(pruning_example: Tree) -> None:
    g = link_strengths(pruning_example)
    assert g[[0, 1, 2, 4]].tolist() == pytest.approx([1 / 8, 3 / 20, 1 / 20, 1 / 20])
    assert np.isnan(np.delete(g, [0, 1, 2, 4])).all()


@pytest.mark.parametrize("method", ["rpart", "exact"])
def test_t3_and_t5_go_first_then_the_root(pruning_example: Tree, method: str) -> None:
    path = cost_complexity_path(pruning_example, method=method)
    second = path.trees[1]
    assert second == pruning_example.prune_at([2, 4])
    g = {str(n.counts.tolist()): link_strengths(second)[n.id] for n in second if not n.is_leaf}
    assert g == pytest.approx({"[100.0, 100.0]": 2 / 10, "[90.0, 60.0]": 1 / 4})
    assert path.at(0.049) == pruning_example
    assert path.at(0.05) == path.at(0.199) == second
    assert path.at(0.2).n_nodes == 1


def test_the_error_of_a_test_sample_has_the_standard_error_of_a_share(
    pruning_example: Tree,
) -> None:
    path = cost_complexity_path(pruning_example)
    X = np.zeros((50, 4))  # every row reaches t4, which says "a"
    y = np.array(["a"] * 40 + ["b"] * 10)
    select(path, X, y, "min")
    assert path.errors is not None
    assert path.standard_errors is not None
    assert path.errors[0] == pytest.approx(0.2)
    assert path.standard_errors[0] == pytest.approx(math.sqrt(0.2 * 0.8 / 50))
