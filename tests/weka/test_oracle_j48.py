"""The oracle of C4.5, written from the definition, finds J48's trees: so both are trusted.

The oracle is slow, so the smaller cases only. It compares numbers with Weka's slack here.
"""

from __future__ import annotations

import numpy as np
import pytest
from reference.c45 import C45, label, predict_row
from reference.c45_prune import fit
from thinning import sparingly
from weka_cases import CASES, SETTINGS, Case, load

MOST_CELLS = 3_000

# J48 also leaves a numeric column alone if it has fewer known rows, whatever they weigh, than the
# least weight of both sides. Here weight is all that counts.
COUNTS_ROWS = {
    ("breast_cancer_wisconsin__weights", "unpruned"),
    ("breast_cancer_wisconsin__weights", "cf 0.4"),
    ("breast_cancer_wisconsin__weights", "leaf 5"),
}
WEIGHTED = [Case("breast_cancer_wisconsin", cycle=3)]
SMALL = [case for case in CASES if case.cycle == 1 and case.table.size <= MOST_CELLS] + WEIGHTED


def make_problem(case: Case, name: str) -> C45:
    values, schema = case.encoded
    parameters = SETTINGS[name][1]
    return C45(
        values,
        [column.kind for column in schema.columns],
        [len(column.categories) for column in schema.columns],
        np.searchsorted(case.classes, case.y).tolist(),
        len(case.classes),
        case.weight,
        min_leaf=parameters.get("min_samples_leaf", 2),
        cf=parameters.get("cf", 0.25),
        slack=1e-6,
        close=1e-5,
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
@pytest.mark.parametrize("name", sparingly(SETTINGS, 5))
def test_oracle_finds_the_tree_of_j48(case: Case, name: str) -> None:
    parameters = SETTINGS[name][1]
    problem = make_problem(case, name)
    pruning, raising = "pruning" not in parameters, parameters.get("subtree_raising", True)
    tree, run = fit(problem, pruning, raising), load(case)[name]
    proba = np.array([predict_row(tree, row) for row in problem.values])
    same = (
        (tree.n_nodes, tree.n_leaves) == (run.n_nodes, run.n_leaves)
        and [label(p) for p in proba] == run.labels.tolist()
        and np.allclose(proba, run.proba, rtol=0, atol=1e-8)
    )
    assert same == ((case.name, name) not in COUNTS_ROWS)
