"""A state whose numbers would give answers that are no shares is refused, naming the node."""

import numpy as np
import pytest

from faults.outcomes import Raises, table
from spinney import CARTClassifier, Tree, _core


@pytest.fixture(scope="module")
def state():
    X, y = np.arange(12.0)[:, None], np.arange(12) // 4
    X[5] = np.nan
    return CARTClassifier(missing="fractional").fit(X, y).tree_.__getstate__()


@table(
    {
        "columns": ("name", "numbers", "outcome"),
        "a negative class weight": ("value", [-1.0], Raises("node 0: a class weight is negative")),
        "an infinite class weight": ("value", [np.inf], Raises("node 0: value is not finite")),
        "class weights whose sum overflows": (
            "value",
            [1e308, 1e308],
            Raises("node 0: class weights are too large"),
        ),
        "children that weigh nothing": (
            "weight",
            [0.5, 0.0, 0.0],
            Raises("node 0: a row without a value would go nowhere"),
        ),
    }
)
def test_numbers_that_are_no_counts_are_refused(state, name, numbers, outcome):
    parts = dict(state["parts"])
    size = parts[name].size if name in parts else parts["kind"].size
    wide = np.append(numbers, np.full(size - len(numbers), 0.5))
    parts[name] = wide if 1e308 in numbers else wide.astype(np.float32)  # no wider than it must be
    changed = state | {"parts": {part: parts[part] for part in _core.part_names() if part in parts}}
    tree = Tree.__new__(Tree)
    with pytest.raises(outcome.error, match=outcome.words):
        tree.__setstate__(changed)
