"""Trees of gates: shares, what each gate learns, and their hard limit."""

import numpy as np
import pytest
from mixture_kit import BRANCHINGS

from spinney import CARTClassifier, MixtureOfExpertsClassifier
from spinney.mixture._experts import LogisticExpert
from spinney.mixture._gates import GateTree, log_shares


def drawn(branching, n_columns=3, seed=0):
    return GateTree.random(branching, n_columns, np.random.default_rng(seed))


def design_of(n_rows=7, n_columns=3, seed=1):
    rng = np.random.default_rng(seed)
    return np.column_stack([np.ones(n_rows), rng.normal(size=(n_rows, n_columns - 1))])


@pytest.mark.parametrize("branching", BRANCHINGS)
def test_a_share_is_the_product_along_the_path(branching):
    gates, design = drawn(branching), design_of()
    shares = np.exp(log_shares(gates.log_branches(design)))
    assert shares.shape == (7, int(np.prod(branching)))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    for expert, path in enumerate(np.ndindex(*branching)):
        product = np.ones(7)
        for level, branch in enumerate(path):
            number = int(np.ravel_multi_index(path[:level], branching[:level])) if level else 0
            scores = np.column_stack([np.zeros(7), design @ gates.levels[level][number]])
            powers = np.exp(scores)
            product *= powers[:, branch] / powers.sum(axis=1)
        np.testing.assert_allclose(shares[:, expert], product)


@pytest.mark.parametrize("branching", BRANCHINGS)
def test_each_gate_learns_from_the_mass_of_the_experts_below_it(branching):
    gates, design = drawn(branching), design_of()
    mass = np.random.default_rng(2).random((7, gates.n_experts))
    found = list(gates.targets(design, mass, np.zeros(3)))
    experts = np.arange(gates.n_experts)
    place = 0
    for level, n_branches in enumerate(branching):
        below = experts.reshape(len(gates.levels[level]), n_branches, -1)
        for gate in below:
            expected = np.column_stack([mass[:, branch].sum(axis=1) for branch in gate])
            np.testing.assert_allclose(found[place].weights, expected)
            place += 1
    assert place == len(found) == len(list(gates.coefs()))


def test_even_gates_give_everyone_the_same():
    gates = GateTree.even((2, 3), 3)
    np.testing.assert_allclose(np.exp(log_shares(gates.log_branches(design_of()))), 1.0 / 6.0)


def test_coefficients_can_be_taken_out_and_put_back():
    gates = drawn((2, 2))
    again = gates.with_coefs(list(gates.coefs()))
    for one, other in zip(gates.coefs(), again.coefs(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_mixture_with_hard_gates_and_constant_experts_is_a_decision_tree():
    """Scores of 1e6 times the distance from a threshold leave nothing soft."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2)) * [1.0, 50.0] + [0.0, 200.0]
    y = (X[:, 0] > 0.2) ^ (X[:, 1] > np.where(X[:, 0] > 0.2, 175.0, 235.0))
    y ^= rng.random(300) < 0.1
    fitted = CARTClassifier(max_depth=2, min_samples_leaf=20).fit(X, y)
    tree = fitted.tree_
    assert tree.n_leaves == 4
    model = MixtureOfExpertsClassifier(branching=(2, 2), n_init=1, random_state=0).fit(X, y)
    centre, *ends = model._design.read(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))[:, 1:]
    spread = 1.0 / np.array([ends[0][0] - centre[0], ends[1][1] - centre[1]])

    def hard(node):
        feature = int(tree.feature[node.id])
        coef = np.zeros((3, 1))  # x - threshold, in the units of the gates
        coef[0] = -spread[feature] * centre[feature] - tree.threshold[node.id]
        coef[1 + feature] = spread[feature]
        return 1e6 * coef

    def constant(leaf):
        coef = np.zeros((3, 1))
        coef[0] = np.log(leaf.counts[1] / leaf.counts[0])
        return LogisticExpert(coef)

    root = tree.root
    model._gates = GateTree((2, 2), ((hard(root),), tuple(hard(child) for child in root.children)))
    model._experts = tuple(constant(leaf) for child in root.children for leaf in child.children)
    rows = rng.normal(size=(1000, 2)) * [1.0, 50.0] + [0.0, 200.0]
    assert len(np.unique(fitted.predict_proba(rows), axis=0)) == 4
    np.testing.assert_allclose(model.predict_proba(rows), fitted.predict_proba(rows), atol=1e-9)
    assert model.predict(rows).tolist() == fitted.predict(rows).tolist()
    owner = model.responsibilities(rows)
    np.testing.assert_allclose(owner.max(axis=1), 1.0)
