"""The tree of a page: its nodes as lists, and the sizes that the slider can give it."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._table import Column
from spinney.export._literals import finished_sql
from spinney.export._model import Question, TreeModel, read_single
from spinney.export._sql_dialects import DIALECTS
from spinney.export._sql_syntax import Writer, sql_expression
from spinney.pruning import PruningPath, cost_complexity_path
from spinney.report._sample import Sample
from spinney.tree._measures import impurity_decreases
from spinney.tree._tree import Tree

_MOST_LEAVES = 500  # of the largest tree of the slider, unless the model itself has more


@dataclass(frozen=True, eq=False)
class Sizes:
    """The trees that the slider shows: nested, from the largest to the root.

    Parameters
    ----------
    tree : Tree
        The largest.
    path : PruningPath
        Where they come from.
    first : int
        The place of the first of them in the path; -1 if the tree itself comes before the path.
    selected : int
        The model's own, counted from the first one of the slider.
    """

    tree: Tree
    path: PruningPath
    first: int
    selected: int

    def leaf_steps(self) -> NDArray[np.int64]:
        """Return at which place of the slider each node of the tree becomes a leaf."""
        if self.first >= 0:
            return self.path.leaf_steps(self.first) - self.first
        steps = np.zeros(self.tree.n_nodes, dtype=np.int64)
        inner = self.tree.first_child >= 0
        alphas = self.path._node_alpha
        limits = np.asarray(self.path._subtrees._alphas) * (1.0 + 1e-10)
        steps[inner] = np.searchsorted(limits, alphas[inner], side="left") + 1
        return steps

    def losses(self, sample: Sample) -> list[float] | None:
        """Return the mean cost of some rows under each tree, by the criterion of the model."""
        path, tree = self.path, self.path._tree
        if path._subtrees.units is not None:
            return None  # numbers of extreme size, which the path keeps in other units
        alphas = path.alphas
        errors, _ = _core.path_errors(
            tree._core, alphas, sample.values, sample.target(tree), path._exact
        )
        costs = errors[max(self.first, 0) :].tolist()
        return [costs[0], *costs] if self.first < 0 else costs


def sizes_of(model: Any, tree: Tree) -> Sizes:
    """Return the trees for the slider: of the path of the model if it has one, else of its tree."""
    path = getattr(model, "pruning_path_", None)
    if path is not None and path.selected is not None and path.trees[path.selected] == tree:
        most = max(_MOST_LEAVES, tree.n_leaves)
        first = int(np.flatnonzero(np.asarray(path.n_leaves) <= most)[0])
        return Sizes(path.trees[first], path, first, path.selected - first)
    path = cost_complexity_path(tree)
    if path.n_leaves[0] == tree.n_leaves:
        return Sizes(tree, path, -1, 0) if path.trees[0] != tree else Sizes(tree, path, 0, 0)
    return Sizes(tree, path, -1, 0)


def path_part(sizes: Sizes, samples: list[Sample]) -> dict[str, Any]:
    """Return the table of the pruning path, an entry for each place of the slider.

    Parameters
    ----------
    sizes : Sizes
        The trees.
    samples : list of Sample
        Rows whose losses are shown beside it: the data, and the hold-out.

    Returns
    -------
    dict
    """
    path, first = sizes.path, sizes.first
    start = max(first, 0)
    extra = first < 0
    columns: dict[str, Any] = {
        "alpha": path.alphas[start:].tolist(),
        "leaves": np.asarray(path.n_leaves)[start:].tolist(),
        "risk": path.risks[start:].tolist(),
    }
    if path.errors is not None and path.standard_errors is not None:
        columns["error"] = path.errors[start:].tolist()
        columns["se"] = path.standard_errors[start:].tolist()
    if extra:
        columns = {name: [column[0], *column] for name, column in columns.items()}
        columns["leaves"][0] = sizes.tree.n_leaves
    columns["losses"] = [sizes.losses(sample) for sample in samples]
    best = None
    if path.errors is not None and path.standard_errors is not None:
        place = int(np.flatnonzero(path.errors <= float(path.errors.min()) * (1.0 + 1e-12))[-1])
        best = {
            "place": place - start,
            "limit": float(path.errors[place] + path.standard_errors[place]),
        }
    return {**columns, "selected": sizes.selected, "best": best, "rule": path.rule}


# -- Nodes


def tree_part(sizes: Sizes, classes: NDArray[Any] | None) -> dict[str, Any]:
    """Return the nodes of the largest tree as parallel lists.

    Parameters
    ----------
    sizes : Sizes
        The tree and what the slider does with it.
    classes : array or None
        All labels of the model, of which the tree may know some only.

    Returns
    -------
    dict
    """
    tree = sizes.tree
    model = read_single(tree)
    assert isinstance(model, TreeModel)
    state = tree._state
    inner = [node for node in model.nodes if not node.is_leaf]
    return {
        "parent": tree.parent.tolist(),
        "first": tree.first_child.tolist(),
        "count": tree.n_children.tolist(),
        "step": sizes.leaf_steps().tolist(),
        "rows": tree.n_samples.tolist(),
        "weight": _plain(tree.weight),
        "risk": _plain(tree.risk),
        "impurity": _plain(tree.impurity),
        "drop": _plain(impurity_decreases(state)),
        "gain": _plain(tree.gain),
        "fractional": model.fractional,
        "tests": {str(node.id): _test(tree, node.id, node.question, model) for node in inner},
        "surrogates": {
            str(node.id): [
                {**_question(question, model), "adjusted": adjusted, "agreement": agreement}
                for question, adjusted, agreement in zip(
                    node.surrogates, *_agreements(state, node.id), strict=True
                )
            ]
            for node in inner
            if node.surrogates
        },
        "default": {str(node.id): node.default for node in inner},
        "shares": {str(node.id): list(node.shares) for node in inner} if model.fractional else {},
        **_answers(model, tree, classes),
    }


def _plain(numbers: Any) -> list[float]:
    """Return numbers for JSON, cut to finite ones."""
    limit = np.finfo(np.float64).max
    return [float(x) for x in np.nan_to_num(numbers, nan=0.0, posinf=limit, neginf=-limit).tolist()]


def _answers(model: TreeModel, tree: Tree, classes: NDArray[Any] | None) -> dict[str, Any]:
    """Return what each node answers, over all classes of the model."""
    if classes is None or tree.classes is None:
        return {"answers": [_number(row[0]) for row in model.answers], "labels": None}
    places = [int(np.flatnonzero(classes == label)[0]) for label in tree.classes]
    answers = np.zeros((tree.n_nodes, len(classes)))
    answers[:, places] = model.answers
    return {
        "answers": answers.tolist(),
        "labels": [places[label] for label in model.labels],
    }


def _agreements(state: Any, node: int) -> tuple[list[float], list[float]]:
    here = slice(*state["surrogate_begin"][node : node + 2].tolist())
    return state["surrogate_adjusted"][here].tolist(), state["surrogate_agreement"][here].tolist()


def _test(tree: Tree, node: int, question: Question | None, model: TreeModel) -> dict[str, Any]:
    assert question is not None
    test = _question(question, model)
    if question.tokens:
        asked = tree[node].test
        assert asked is not None
        test["texts"] = [asked.branch_text(0), asked.branch_text(1)]
        test["sql"] = _sql_of(question, model)
    return test


def _sql_of(question: Question, model: TreeModel) -> str | None:
    try:
        text = sql_expression(question.tokens, Writer(DIALECTS["ansi"], model.schema))
    except ValueError:  # a name that SQL cannot hold
        return None
    return finished_sql(text)


def _question(question: Question, model: TreeModel) -> dict[str, Any]:
    """Return a question as the scripts evaluate it; see `route.js`."""
    if question.tokens:
        tokens = [
            [token.op, token.arg]
            if token.op == "column"
            else [token.op, _number(token.value)]
            if token.op == "constant"
            else [token.op]
            for token in question.tokens
        ]
        return {"tokens": tokens, "back": question.backwards}
    found: dict[str, Any] = {"column": question.feature}
    if question.cuts:
        found["cuts"] = [_number(cut) for cut in question.cuts]
        found["back"] = question.backwards
    else:
        found["groups"] = [list(group) for group in question.groups]
    return found


def _number(value: float) -> float | str:
    """Return a number for JSON, which has no infinities."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def vocabulary(column: Column) -> dict[str, Any]:
    """Return name, kind and categories of a column, the categories as text."""
    kinds = {type(label) for label in column.categories}
    of = "text" if kinds <= {str} else "boolean" if kinds == {bool} else "number"
    return {
        "name": column.name,
        "kind": column.kind,
        "categories": [_label_text(label) for label in column.categories],
        "of": of,
    }


def _label_text(label: Any) -> str:
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)
