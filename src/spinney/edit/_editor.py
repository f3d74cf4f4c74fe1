"""The editor of a tree. Trees never change: undoing an edit takes the tree from before."""

from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from spinney._checks import Integer
from spinney._format import did_you_mean
from spinney.edit._editable_rows import rows_for
from spinney.edit._history import Competitor, Edit, EditHistory, ReplayReport, Step, read_edits
from spinney.tree._forced import (
    forced_to_dict,
    node_at,
    path_of,
    read_forced_test,
    tests_below,
)
from spinney.tree._node import Node
from spinney.tree._tree import Tree


@dataclass(frozen=True)
class _State:
    """The tree after an edit, the paths of locked nodes, and the edit."""

    tree: Tree
    locked: frozenset[str] = frozenset()
    edit: Edit | None = None


class TreeEditor:
    """Edit a tree by hand, with a record of every change.

    A node is named by its number in the present tree, as a `Node`, or by its path: `"root"`,
    `"root/yes"` for the child where the root's test is true, `"root/yes/no"` and so on. After each
    edit the counts, risks, surrogate splits and predictions are those of the given rows.

    Parameters
    ----------
    model : CARTClassifier, CARTRegressor, C45Classifier or ID3Classifier
        A fitted tree. It is not changed; branches are grown with its parameters. Trees of C4.5
        and ID3, which have many branches, can be pruned and locked only.
    X : table of shape (n_rows, n_features)
        The rows, usually those of the fit.
    y : array of shape (n_rows,)
        Their target.
    sample_weight : array of shape (n_rows,), default=None
        Weights of the rows.
    exposure : array of shape (n_rows,), default=None
        For how much of it y was counted, for criteria of counts and amounts.
    author : str, default=""
        Name of the editor, for the record.

    Attributes
    ----------
    tree : Tree
        The present tree.
    history : EditHistory
        The edits so far. `print` shows what each did to the number of leaves, the risk on the given
        rows, and the cross-validated error; `history.to_json()` can be replayed.

    Examples
    --------
    >>> from spinney import CARTClassifier
    >>> from spinney.datasets import load_credit_example
    >>> from spinney.edit import TreeEditor
    >>> data = load_credit_example()
    >>> editor = TreeEditor(CARTClassifier().fit(data.X, data.y), data.X, data.y)
    >>> editor.split("root", "age <= 40", reason="age first, by policy")
    >>> str(editor.tree.root.test)
    'age <= 40'
    >>> model = editor.finish()
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        exposure: Any = None,
        author: str = "",
    ) -> None:
        self._rows = rows_for(model, X, y, sample_weight, exposure)
        self.author = author
        first = self._rows.tree(dict(tests_below(model.tree_.root)), strict=False)
        self._states, self._place = [_State(first)], 0
        self._judged: dict[int, tuple[float, float]] = {}  # by place of a state

    @property
    def tree(self) -> Tree:
        """The present tree."""
        return self._states[self._place].tree

    @property
    def history(self) -> EditHistory:
        """The edits so far, with what each did to the size and the error of the tree."""
        return EditHistory(tuple(map(self._step, range(self._place + 1))))

    def _step(self, place: int) -> Step:
        """Return the tree after so many edits in numbers; each is cross-validated once."""
        state = self._states[place]
        if place not in self._judged:
            self._judged[place] = self._rows.error(dict(tests_below(state.tree.root)))
        leaves = [leaf.risk for leaf in state.tree.leaves]
        return Step(state.edit, len(leaves), float(sum(leaves)), *self._judged[place])

    # -- Looking

    def competitors(self, node: Any, n: int = 5) -> list[Competitor]:
        """Return the best test of each column at a node, the best column first.

        Parameters
        ----------
        node : int, str or Node
            The node.
        n : int, default=5
            How many at most.

        Returns
        -------
        list of Competitor
        """
        n = Integer(1).check("n", n)
        self._rows.need("competitors")
        columns = range(len(self._rows.schema.columns))
        found = self._rows.best_tests(self._node(node), list(columns))
        return sorted(found, key=lambda one: -one.gain)[:n]

    # -- Edits

    def split(self, node: Any, test: Any = None, *, feature: Any = None, reason: str = "") -> None:
        """Give a node a test, or the best test on a column; what was below it goes.

        Parameters
        ----------
        node : int, str or Node
            The node.
        test : str or dict, default=None
            Such as `"income <= 40"` or `"purpose in {car, radio}"`.
        feature : str or int, default=None
            Instead of a test: the column whose best test is taken.
        reason : str, default=""
            For the record.
        """
        if (test is None) == (feature is None):
            raise ValueError("split takes either a test or feature=, the column to be tested.")
        self._rows.need("split")
        chosen = self._node(node)
        schema = self._rows.schema
        given: Any = (
            self._best_on(chosen, feature) if test is None else read_forced_test(test, schema)
        )
        entry = forced_to_dict(given, schema)
        self._apply(Edit("split", path_of(chosen), entry, None, reason, self.author))

    def prune(self, node: Any, *, reason: str = "") -> None:
        """Make a node a leaf.

        Parameters
        ----------
        node : int, str or Node
            The node.
        reason : str, default=""
            For the record.
        """
        chosen = self._node(node)
        self._apply(Edit("prune", path_of(chosen), None, None, reason, self.author))

    def grow(self, node: Any, max_depth: int | None = None, *, reason: str = "") -> None:
        """Grow the leaves below a node further, with the parameters of the model.

        Parameters
        ----------
        node : int, str or Node
            A leaf, or a node whose leaves are all grown.
        max_depth : int or None, default=None
            How many levels may be added below the node; None for those that the model allows.
        reason : str, default=""
            For the record.
        """
        depth = None if max_depth is None else Integer(1).check("max_depth", max_depth)
        chosen = self._node(node)
        self._apply(Edit("grow", path_of(chosen), None, depth, reason, self.author))

    def lock(self, node: Any, *, reason: str = "") -> None:
        """Keep a node and all tests above it from being changed.

        Parameters
        ----------
        node : int, str or Node
            The node. A locked leaf is not grown, a locked test not replaced or cut off.
        reason : str, default=""
            For the record.
        """
        chosen = self._node(node)
        self._apply(Edit("lock", path_of(chosen), None, None, reason, self.author))

    def undo(self) -> None:
        """Take back the last edit."""
        if self._place == 0:
            raise ValueError("there is no edit to undo.")
        self._place -= 1

    def redo(self) -> None:
        """Make the edit again that was undone last."""
        if self._place + 1 == len(self._states):
            raise ValueError("there is no edit to redo.")
        self._place += 1

    def replay(self, edits: Any) -> ReplayReport:
        """Make recorded edits in their order; those that do not fit this tree are reported.

        Parameters
        ----------
        edits : EditHistory, str or list
            A history, its JSON, or a list of edits or of their dicts.

        Returns
        -------
        ReplayReport
            `print` shows what no longer fits, and why.
        """
        report = ReplayReport()
        for edit in read_edits(edits):
            try:
                self._apply(edit)
            except ValueError as problem:
                report.refused.append((edit, str(problem)))
            else:
                report.applied.append(edit)
        return report

    def finish(self) -> Any:
        """Return the edited tree as a fitted estimator.

        Returns
        -------
        CARTClassifier or CARTRegressor
            Or what the model is, with its parameters, and the edits in `edits_`, as JSON.
        """
        strength = float(vars(self._rows.model).get("shrinkage_", 0.0))
        model = clone(self._rows.model)._wrap(self.tree.shrink(strength) if strength else self.tree)
        if hasattr(self._rows.model, "shrinkage_"):
            model.shrinkage_ = strength
        model.edits_ = self.history.to_json()
        if hasattr(self._rows.model, "made_for_"):  # what the command line remembers
            model.made_for_ = self._rows.model.made_for_
        return model

    # -- How it is done

    def _node(self, node: Any) -> Node:
        if isinstance(node, str):
            return node_at(self.tree, node)
        if isinstance(node, Node):
            if node.tree is not self.tree:
                raise ValueError(
                    "the node is of another tree: after an edit take it from editor.tree again, or "
                    "name it by its path."
                )
            return node
        try:
            return self.tree[node]
        except (IndexError, TypeError):
            raise ValueError(
                f"there is no node {node!r}: nodes are 0 to {self.tree.n_nodes - 1}, or paths such "
                "as 'root/yes'."
            ) from None

    def _apply(self, edit: Edit) -> None:
        """Make an edit, and forget those that were undone."""
        state = self._states[self._place]
        node = node_at(state.tree, edit.node)
        _refuse_locked(state.locked, edit)
        made = replace(state, edit=edit)
        if edit.action == "lock":
            made = replace(made, locked=state.locked | {edit.node})
        else:
            made = replace(made, tree=self._edited(node, edit, state.locked))
        self._place += 1
        del self._states[self._place :]
        self._judged = {k: error for k, error in self._judged.items() if k < self._place}
        self._states.append(made)

    def _edited(self, node: Node, edit: Edit, locked: frozenset[str]) -> Tree:
        self._rows.need(edit.action)
        tests = dict(tests_below(node.tree.root))
        below = [path for path, _ in tests_below(node)]
        if edit.action == "grow":
            leaves = [path for path in below if tests[path] is None and path not in locked]
            if not leaves:
                raise ValueError(f"all leaves below {edit.node!r} are locked.")
            for path in leaves:
                del tests[path]
            depth = None if edit.max_depth is None else node.depth + edit.max_depth
            return self._rows.tree(tests, depth)
        for path in below:
            del tests[path]
        if edit.action == "prune":
            if node.is_leaf:
                raise ValueError(f"{edit.node!r} is a leaf already.")
            tests[edit.node] = None
        else:
            tests[edit.node] = read_forced_test(edit.test, self._rows.schema)
            tests |= {f"{edit.node}/yes": None, f"{edit.node}/no": None}
        return self._rows.tree(tests)

    def _best_on(self, node: Node, feature: Any) -> Any:
        """Return the best test of a node on a named column."""
        names = list(self._rows.schema.names)
        known = feature in names if isinstance(feature, str) else feature in range(len(names))
        if not known:
            hint = did_you_mean(str(feature), names)
            raise ValueError(f"feature names {feature!r}, which is not a column of X.{hint}")
        column = names.index(feature) if isinstance(feature, str) else int(feature)
        for found in self._rows.best_tests(node, [column]):
            return found.test
        raise ValueError(
            f"no test on {names[column]!r} divides node {path_of(node)!r}: its rows have one "
            "value, or too few rows would be left on a side."
        )


def _refuse_locked(locked: frozenset[str], edit: Edit) -> None:
    """Refuse what would change a locked node or cut it off."""
    if edit.action == "lock":
        return
    for path in sorted(locked):
        is_below = path == edit.node or path.startswith(edit.node + "/")
        if is_below and (edit.action != "grow" or path == edit.node):
            raise ValueError(f"node {path!r} is locked, so {edit.action} {edit.node!r} is refused.")
