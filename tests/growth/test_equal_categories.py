"""Categories with the same share or mean: neither their names nor rounding decide what is done."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from spinney import CARTClassifier, CARTRegressor

# Six rows differ from all others, and seven must go each way: a few of the equal ones must join.
SIZES = {"other": 6, "few": 3, "many": 80}


def grown(names: tuple[str, ...], other: float, equal: float, **limits: Any) -> tuple[Any, Any]:
    """Return a regression and a classification tree on one nominal column."""
    x = np.repeat(names, list(SIZES.values()))
    y = np.where(x == names[0], other, equal)
    table = pd.DataFrame({"x": x})
    weight = np.full(len(y), 0.1)
    return (
        CARTRegressor(**limits).fit(table, y, sample_weight=weight).tree_,
        CARTClassifier(**limits).fit(table, y.astype(str), sample_weight=weight).tree_,
    )


@pytest.mark.parametrize("limits", [{"min_samples_leaf": 7}, {"min_weight_fraction_leaf": 0.07}])
@pytest.mark.parametrize(("other", "equal"), [(-3.3, -2.1), (5.7, -2.1)])
@pytest.mark.parametrize("names", list(permutations("abc")), ids="".join)
def test_the_smaller_of_equal_categories_joins_a_side_that_is_too_small(
    names: tuple[str, ...], other: float, equal: float, limits: dict[str, Any]
) -> None:
    for tree in grown(names, other, equal, **limits):
        test = tree.root.test
        assert test is not None
        assert {names[2]} in (set(test.categories), set(test.other_categories))


def test_no_more_equal_rows_join_than_are_needed() -> None:
    """Four rows differ, seven must go each way: three of the others join, and not four."""
    sizes = {"a": 1, "b": 3, "c": 1, "d": 1, "e": 2, "f": 5, "g": 1}
    x = np.repeat(list(sizes), list(sizes.values()))
    y = np.where(x == "b", 0.3, np.where(x == "c", 1.0, 0.0))
    tree = CARTRegressor(min_samples_leaf=7, max_depth=1).fit(pd.DataFrame({"x": x}), y).tree_
    assert sorted(child.n_samples for child in tree.root.children) == [7, 7]
