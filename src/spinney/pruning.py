"""Pruning: how large a tree should be.

`cost_complexity_path` gives the nested sequence of subtrees that are best of their size, `select`
chooses one of them by rows that did not grow the tree, and `reduced_error` prunes bottom-up by such
rows. `error_based` prunes as C4.5 does, by the rows that grew the tree, and `mdl` by description
length. None of them grows anything again.
"""

import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from spinney import _core, _libraries  # noqa: F401  (first: see there)
from spinney._checks import Choice, Flag, Number
from spinney._counts import check_exposure
from spinney._format import aligned
from spinney._html import html_table
from spinney._libraries import import_pandas
from spinney._params import CF, CLASS_CRITERIA
from spinney._state import plain_state
from spinney._target import (
    FitTarget,
    check_numbers,
    check_weights,
    class_target,
    lifetime_target,
)
from spinney._typing import Floats
from spinney.tree._measures import rescaled_tree, scaled
from spinney.tree._tree import Tree

__all__ = [
    "PruningPath",
    "cost_complexity_path",
    "error_based",
    "link_strengths",
    "mdl",
    "reduced_error",
    "select",
]

_SLACK = 1e-10  # alphas this close, relatively, are the same


class _Subtrees(Sequence[Tree]):
    """The trees of a path, each made on demand."""

    def __init__(self, tree: Tree, node_alpha: Floats, alphas: Floats) -> None:
        self._tree, self._node_alpha, self._alphas = tree, node_alpha, alphas
        self.units: tuple[int, int] | None = None  # exponents of values and losses, if they differ

    def __len__(self) -> int:
        return len(self._alphas)

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tree]: ...
    def __getitem__(self, index: int | slice) -> Tree | list[Tree]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = operator.index(index)
        if not -len(self) <= place < len(self):
            raise IndexError(f"subtree {place} of a path of {len(self)} subtrees")
        tree = _prune_at_alpha(self._tree, self._node_alpha, float(self._alphas[place]))
        return tree if self.units is None else rescaled_tree(tree, *self.units)


def _prune_at_alpha(tree: Tree, node_alpha: Floats, alpha: float) -> Tree:
    """Return the smallest subtree that is best at alpha."""
    return tree._collapsed(node_alpha <= alpha * (1.0 + _SLACK))


@plain_state
class PruningPath:
    """The sequence of subtrees of cost-complexity pruning, from the whole tree to its root.

    Attributes
    ----------
    alphas : array of shape (n_trees,)
        From 0 upwards. Tree k is best for penalties from `alphas[k]` up to `alphas[k + 1]`, in cost
        per training row and leaf.
    n_leaves : array of shape (n_trees,)
        Leaves of each tree.
    risks : array of shape (n_trees,)
        Cost of each tree on its training rows, per row.
    trees : sequence of Tree
        The subtrees, made on demand.
    errors, standard_errors : array of shape (n_trees,) or None
        Cost per row of each tree on rows that did not grow it, after a selection, by the measure of
        the risks: costs of labels, or the criterion of regression. Weights enter both, but the
        standard error is that of so many rows, not of so much weight.
    selected : int or None
        The tree that was chosen.
    rule : str or None
        By which rule.

    Examples
    --------
    >>> from spinney import CARTClassifier
    >>> from spinney.pruning import cost_complexity_path
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "a"]
    >>> path = cost_complexity_path(CARTClassifier().fit(X, y).tree_)
    >>> path.n_leaves.tolist()
    [3, 1]
    """

    def __init__(self, tree: Tree, method: str = "rpart") -> None:
        Choice(("rpart", "exact")).check("method", method)
        self._tree, self._exact = tree, method == "exact"
        found = _core.cost_complexity(tree._core, self._exact)
        node_alpha, self.alphas, self.n_leaves, self.risks = found
        self._node_alpha: Floats = node_alpha
        self._subtrees = _Subtrees(tree, node_alpha, self.alphas)
        self.trees: Sequence[Tree] = self._subtrees
        self.errors: Floats | None = None
        self.standard_errors: Floats | None = None
        self.selected: int | None = None
        self.rule: str | None = None
        self._template: Any = None  # an unfitted estimator, of a path that a fit made
        self._strength = 0.0  # of the shrinkage of its trees

    def __len__(self) -> int:
        return len(self.alphas)

    def choose(self, errors: Floats, standard_errors: Floats, rule: str) -> Tree:
        """Record errors from other rows and return the tree that the rule chooses.

        Parameters
        ----------
        errors, standard_errors : array of shape (n_trees,)
            Cost per row of each tree, and its standard error.
        rule : {"1se", "min"}
            The tree of least error, or the smallest one within a standard error of it.

        Returns
        -------
        Tree
        """
        Choice(("1se", "min")).check("rule", rule)
        self.errors, self.standard_errors, self.rule = errors, standard_errors, rule
        least = float(errors.min())
        best = int(np.flatnonzero(errors <= least * (1.0 + 1e-12))[-1])
        limit = least + (float(standard_errors[best]) if rule == "1se" else 0.0)
        within = np.flatnonzero(errors <= limit * (1.0 + 1e-12))
        self.selected = int(within[-1])
        return self.trees[self.selected]

    def at(self, alpha: float) -> Tree:
        """Return the subtree that is best at a given penalty."""
        return self.trees[int(np.flatnonzero(self.alphas <= alpha * (1.0 + _SLACK))[-1])]

    def leaf_steps(self, first: int = 0) -> NDArray[np.int64]:
        """Return from which tree of the path on each node of a tree is a leaf.

        The trees are nested: a node that is a leaf in one of them is a leaf, or gone, in all that
        follow.

        Parameters
        ----------
        first : int, default=0
            The tree of the nodes.

        Returns
        -------
        array of shape (trees[first].n_nodes,)
            The place of the first tree from `first` on in which the node, if it is still there, is
            a leaf.
        """
        whole, part = self._tree, self.trees[first]
        limits = self._subtrees._alphas * (1.0 + _SLACK)
        steps = np.searchsorted(limits, self._node_alpha, side="left")
        old_first, new_first = whole.first_child.tolist(), part.first_child.tolist()
        n_children, found = part.n_children.tolist(), [first] * part.n_nodes
        same = [0] * part.n_nodes  # the node of the whole tree that each one is
        for node, (child, count) in enumerate(zip(new_first, n_children, strict=True)):
            if child >= 0:
                found[node] = int(steps[same[node]])
                start = old_first[same[node]]
                same[child : child + count] = range(start, start + count)
        return np.array(found, dtype=np.int64)

    def cp(self) -> Floats:
        """Return the penalties as rpart counts them: relative to the risk of the root."""
        root = float(self.risks[-1])
        return np.asarray(self.alphas / root if root > 0 else self.alphas)

    def estimator(
        self, i: int | None = None, *, cp: float | None = None, alpha: float | None = None
    ) -> Any:
        """Return a subtree as a fitted estimator, without growing anything again.

        Parameters
        ----------
        i : int, default=None
            The place of the subtree in this path.
        cp : float, default=None
            A penalty as rpart counts it, relative to the risk of the root.
        alpha : float, default=None
            A penalty in cost per row and leaf. Give one of the three.

        Returns
        -------
        estimator
            Of the class, and with the parameters, of the one whose fit made this path.
        """
        if (i is not None) + (cp is not None) + (alpha is not None) != 1:
            raise ValueError("give one of i, cp and alpha, which say what subtree is wanted.")
        if self._template is None:
            raise ValueError(
                "this path belongs to no estimator. Use path.trees[i], or the pruning_path_ of a "
                "fitted estimator."
            )
        if i is None:
            name, given = ("cp", cp) if cp is not None else ("alpha", alpha)
            number = Number(0.0).check(name, given)
            found = self.at(number * max(float(self.risks[-1]), 0.0) if name == "cp" else number)
        else:
            found = self.trees[i]
        fitted = clone(self._template)._wrap(
            found.shrink(self._strength) if self._strength else found
        )
        if hasattr(fitted, "shrinkage"):
            fitted.shrinkage_ = self._strength
        return fitted

    def to_frame(self) -> Any:
        """Return the path as a pandas frame, from the whole tree to the root.

        Returns
        -------
        DataFrame
            `alpha`, `n_leaves`, `risk`, `error`, `standard_error` and `selected`; and beside them
            the columns of rpart's table: `CP`, `nsplit`, `rel error`, `xerror` and `xstd`, in units
            of the root's risk.
        """
        pandas = import_pandas("PruningPath.to_frame needs pandas: pip install pandas.")
        root = float(self.risks[-1]) if self.risks[-1] > 0 else math.nan
        unknown = np.full(len(self), math.nan)
        errors = unknown if self.errors is None else self.errors
        spread = unknown if self.standard_errors is None else self.standard_errors
        return pandas.DataFrame(
            {
                "alpha": self.alphas,
                "n_leaves": self.n_leaves,
                "risk": self.risks,
                "error": errors,
                "standard_error": spread,
                "selected": np.arange(len(self)) == self.selected,
                "CP": self.cp(),
                "nsplit": np.asarray(self.n_leaves) - 1,
                "rel error": self.risks / root,
                "xerror": errors / root,
                "xstd": spread / root,
            }
        )

    def _show_in_units(self, exponent: int, loss_exponent: int) -> None:
        """Turn what is shown into the units of the user's target; the choice stands."""
        self._subtrees.units = (exponent, loss_exponent)
        self.alphas = scaled(self.alphas, loss_exponent)
        self.risks = scaled(self.risks, loss_exponent)
        if self.errors is not None and self.standard_errors is not None:
            self.errors = scaled(self.errors, loss_exponent)
            self.standard_errors = scaled(self.standard_errors, loss_exponent)

    def _rows(self) -> Iterator[list[str]]:
        for k in range(len(self)):
            row = [
                "*" if k == self.selected else "",
                f"{self.alphas[k]:.6g}",
                str(self.n_leaves[k]),
                self.loss_text(self.risks[k]),
            ]
            if self.errors is not None and self.standard_errors is not None:
                row += [self.loss_text(self.errors[k]), self.loss_text(self.standard_errors[k])]
            yield row

    def loss_text(self, value: float) -> str:
        """Return a risk or an error as the table shows it: four decimals, six digits at most."""
        largest = float(
            max(self.risks.max(), -np.inf if self.errors is None else self.errors.max())
        )
        if not 1e-3 <= largest < 1e15:
            return f"{value:.4g}"
        return f"{value:.{min(4, max(0, 6 - len(str(int(largest)))))}f}"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return the heads and rows of the table that `print` shows."""
        heads = ["", "alpha", "leaves", "risk"]
        if self.errors is not None:
            heads += ["error", "std error"]
        return heads, list(self._rows())

    def __str__(self) -> str:
        heads, rows = self.table()
        return "\n".join(aligned([heads, *rows]))

    def _repr_html_(self) -> str:
        heads, rows = self.table()
        chosen = () if self.selected is None else (self.selected,)
        return html_table(heads, rows, bold=chosen, title=repr(self))

    def __repr__(self) -> str:
        sizes = f"{self.n_leaves[0]} to {self.n_leaves[-1]} leaves"
        chosen = "" if self.selected is None else f", selected {self.n_leaves[self.selected]}"
        return f"PruningPath({len(self)} trees, {sizes}{chosen})"

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw error against size; see `spinney.plot.plot_pruning_path`."""
        from spinney.plot import plot_pruning_path

        return plot_pruning_path(self, ax=ax, **options)


def cost_complexity_path(tree: Tree, method: str = "rpart") -> PruningPath:
    """Return the cost-complexity sequence of a tree.

    Parameters
    ----------
    tree : Tree
        Of any learner. Its own counts are all that is needed.
    method : {"rpart", "exact"}, default="rpart"
        How the penalty at which a node collapses is found: from its branches as they stand just
        before they collapse themselves, which gives rpart's table; or as they stand at that very
        penalty, which gives the smallest minimising subtrees by definition. The two differ in few
        trees, and then in few rows.

    Returns
    -------
    PruningPath
    """
    return PruningPath(tree, method)


def link_strengths(tree: Tree) -> Floats:
    """Return g(t) of every inner node: the penalty at which its branch is worth just a leaf.

    Parameters
    ----------
    tree : Tree
        Of any learner.

    Returns
    -------
    array of shape (n_nodes,)
        (R(t) - R(T_t)) / (leaves of T_t - 1); NaN in leaves.
    """
    risk, leaves = tree.risk.copy(), np.ones(tree.n_nodes)
    strength = np.full(tree.n_nodes, math.nan)
    for node in range(tree.n_nodes - 1, -1, -1):
        first, n = int(tree.first_child[node]), int(tree.n_children[node])
        if first < 0:
            continue
        below = float(risk[first : first + n].sum())
        leaves[node] = leaves[first : first + n].sum()
        strength[node] = (float(tree.risk[node]) - below) / (leaves[node] - 1) if n > 1 else 0.0
        risk[node] = below
    return strength


def _encoded(
    tree: Tree, X: Any, y: Any, sample_weight: Any, exposure: Any = None
) -> tuple[Floats, _core.Target]:
    """Return rows and their target as the core takes them."""
    values = tree._encode(X, encoded=False)
    weight = check_weights(sample_weight, len(values))
    if tree.lifetimes is not None:
        criterion = tree._state["objective"]
        return values, lifetime_target(y, weight, estimator_name="Tree", criterion=criterion).core()
    if tree.classes is None:
        exposed = check_exposure(exposure, weight, tree._state.get("objective", "squared_error"))
        numbers = check_numbers(y, weight, "Tree")
        return values, FitTarget(weight, y=numbers, exposure=exposed).core()
    target = class_target(y, weight, estimator_name="Tree", classes=tree.classes)
    return values, target.core()


def select(
    path: PruningPath,
    X: Any,
    y: Any,
    rule: str = "1se",
    *,
    sample_weight: Any = None,
    exposure: Any = None,
) -> Tree:
    """Choose a subtree by its error on a test sample, in the units of the tree's criterion.

    Labels are judged by their costs, numbers by squared error or, in a tree that was grown by
    another criterion of regression, by that one. Lifetimes are judged by the exponential deviance,
    on the scale on which the hazard of all these rows together is 1.

    Parameters
    ----------
    path : PruningPath
        Of `cost_complexity_path`; its `errors`, `standard_errors` and `selected` are filled in.
    X, y : table, array
        Rows that did not grow the tree.
    rule : {"1se", "min"}, default="1se"
        The smallest tree within one standard error of the least error, or the least error itself.
    sample_weight : array, default=None
        Weights of these rows.
    exposure : array, default=None
        For how much of it y was counted, in a tree of counts or amounts.

    Returns
    -------
    Tree
    """
    tree = path._tree
    rows = _encoded(tree, X, y, sample_weight, exposure)
    errors, standard_errors = _core.path_errors(tree._core, path.alphas, *rows, path._exact)
    return path.choose(errors, standard_errors, rule)


def reduced_error(
    tree: Tree, X: Any, y: Any, *, sample_weight: Any = None, exposure: Any = None
) -> Tree:
    """Prune bottom-up on validation rows: a branch is cut if the error does not rise.

    Labels are judged by their costs, numbers by squared error or, in a tree that was grown by
    another criterion of regression, by that one. Lifetimes are judged by the exponential deviance,
    on the scale on which the hazard of all these rows together is 1.

    Parameters
    ----------
    tree : Tree
        Of any learner.
    X, y : table, array
        The validation rows.
    sample_weight : array, default=None
        Weights of these rows.
    exposure : array, default=None
        For how much of it y was counted, in a tree of counts or amounts.

    Returns
    -------
    Tree
    """
    rows = _encoded(tree, X, y, sample_weight, exposure)
    return tree._collapsed(_core.reduced_error(tree._core, *rows))


def error_based(
    tree: Tree,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    cf: float = 0.25,
    subtree_raising: bool = True,
    criterion: str = "entropy",
) -> Tree:
    """Prune as C4.5 does: by an upper confidence limit on the errors of the leaves.

    Parameters
    ----------
    tree : Tree
        Of classes, by any learner.
    X, y : table, array
        The rows that grew the tree.
    sample_weight : array, default=None
        Weights of these rows.
    cf : float, default=0.25
        Confidence of the limits: less prunes more.
    subtree_raising : bool, default=True
        Whether the largest branch of a node may take its place.
    criterion : {"entropy", "gini", ...}, default="entropy"
        The impurity that nodes are given whose rows change.

    Returns
    -------
    Tree
    """
    if tree.classes is None:
        raise ValueError("error_based counts errors of classes; this tree predicts numbers.")
    if tree.cost_matrix is not None:
        raise ValueError("error_based counts errors and knows no costs; this tree has costs.")
    Choice(CLASS_CRITERIA).check("criterion", criterion)
    params = _core.GrowParams()
    params.set_criterion(criterion)
    core = _core.error_based(
        tree._core,
        *_encoded(tree, X, y, sample_weight),
        params,
        cf=CF.check("cf", cf),
        raise_subtrees=Flag().check("subtree_raising", subtree_raising),
    )
    return Tree(core, tree.schema, tree.classes)


def mdl(tree: Tree) -> Tree:
    """Prune to the subtree with the shortest description; see `Tree.description_length`.

    Parameters
    ----------
    tree : Tree
        Of classes, by any learner.

    Returns
    -------
    Tree
    """
    if tree.classes is None:
        raise ValueError("mdl describes classes; this tree predicts numbers.")
    return tree._collapsed(_core.shortest(tree._core))
