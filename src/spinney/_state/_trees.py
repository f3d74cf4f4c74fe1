"""Recipes of what any model has: columns, trees, a pruning path, and what it was made for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._state._kinds import (
    FINITE,
    FLAG,
    FLOATS,
    LABELS,
    NAMES,
    PLACES,
    SHARE,
    SIZE,
    TEXT,
    Kind,
    StateError,
    array,
    choice,
    many,
    need,
    one,
    or_none,
    perhaps,
    row,
    whole,
)
from spinney._state._recipes import Recipe, made, record
from spinney._table import Column, Schema
from spinney._table._cells import as_objects
from spinney._training_info import MadeFor
from spinney.pruning import PruningPath, _Subtrees
from spinney.tree._leaf_lifetimes import LeafLifetimes
from spinney.tree._node_arrays import KINDS
from spinney.tree._tree import Tree

_KINDS = ("numeric", "ordered", "nominal")
_PARTS = Kind("a dict of arrays", lambda v: type(v) is dict)

_LABEL = Kind("a label", lambda v: type(v) in (str, int, float, bool) and v == v)


# -- Columns


def _take_schema(schema: Schema) -> dict[str, Any]:
    columns = schema.columns
    categories = [label for column in columns for label in column.categories]
    return {
        "names": as_objects(list(schema.names)),
        "kinds": np.array([_KINDS.index(column.kind) for column in columns], np.uint8),
        "sizes": np.array([len(column.categories) for column in columns], np.int64),
        "categories": as_objects(categories),
        "has_names": schema.has_names,
    }


def _fill_schema(schema: Schema, state: dict[str, Any]) -> None:
    names, kinds, sizes = state["names"].tolist(), state["kinds"].tolist(), state["sizes"].tolist()
    categories = state["categories"].tolist()
    if not len(names) == len(kinds) == len(sizes):
        raise StateError("the schema is not valid: names, kinds and sizes differ in length.")
    if any(kind >= len(_KINDS) for kind in kinds) or any(size < 0 for size in sizes):
        raise StateError("the schema is not valid: unknown kind of column, or a negative size.")
    if sum(sizes) != len(categories):
        raise StateError("the schema is not valid: the sizes do not add up to the categories.")
    ends = np.cumsum(sizes).tolist()
    columns = [
        {"name": name, "kind": _KINDS[kind], "categories": categories[end - size : end]}
        for name, kind, size, end in zip(names, kinds, sizes, ends, strict=True)
    ]
    checked = Schema.from_state({"columns": columns, "has_names": state["has_names"]})
    object.__setattr__(schema, "columns", checked.columns)
    object.__setattr__(schema, "has_names", checked.has_names)


def n_categories(schema: Schema) -> NDArray[np.int32]:
    """Return the number of categories of each column."""
    return np.array([len(column.categories) for column in schema.columns], np.int32)


SCHEMA = Recipe(
    Schema,
    {
        "names": NAMES,
        "kinds": array(np.uint8),
        "sizes": array(np.int64),
        "categories": array(object),
        "has_names": FLAG,
    },
    _take_schema,
    _fill_schema,
)

# -- Trees


def check_classes(n_classes: int, classes: NDArray[Any] | None, who: str) -> None:
    """Refuse labels that are fewer or more than the classes of a tree."""
    named = 0 if classes is None else len(classes)
    if n_classes != named:
        raise StateError(f"{who} has {n_classes} classes, but {named} are named.")


def check_kinds(parts: dict[str, Any], schema: Schema, who: str) -> None:
    """Refuse thresholds and cuts in columns that have no order."""
    has_order = np.array([c.kind == "numeric" or _is_ordered(c) for c in schema.columns], bool)
    if has_order.all():
        return
    for prefix in ("", "surrogate_"):
        kind = parts.get(f"{prefix}kind", np.zeros(0, np.uint8))
        tests = kind[(kind != KINDS.index("leaf")) & (kind != KINDS.index("expression"))]
        by_number = tests == KINDS.index("threshold")
        is_multiway = tests == KINDS.index("multiway")
        if is_multiway.any():
            by_number[is_multiway] = parts[f"{prefix}n_cuts"] > 0
        features = np.asarray(parts.get(f"{prefix}feature", ()), np.intp)[by_number]
        wrong = features[~has_order[features]]
        if len(wrong):
            name = schema.columns[wrong[0]].name
            raise StateError(f"{who} asks for numbers in column {name!r}, whose kind has none.")


def _is_ordered(column: Column) -> bool:
    return column.kind == "ordered" and bool(column.categories)


MODEL = {
    "parts": _PARTS,
    "schema": one(Schema),
    "classes": or_none(LABELS),
    "lifetimes": perhaps(one(LeafLifetimes)),  # of survival trees only
}
LIFETIMES = made(
    LeafLifetimes,
    times=FLOATS,
    n_nodes=whole(1, 2**40),
    node=array(np.int32),
    place=array(np.int32),
    events=FLOATS,
    exits=FLOATS,
)


def with_lifetimes(state: dict[str, Any], lifetimes: LeafLifetimes | None) -> dict[str, Any]:
    return state if lifetimes is None else {**state, "lifetimes": lifetimes}


def check_lifetimes(lifetimes: LeafLifetimes | None, n_nodes: int, who: str) -> None:
    """Refuse lifetimes of other nodes."""
    if lifetimes is not None and lifetimes.n_nodes != n_nodes:
        raise StateError(f"{who} has {n_nodes} nodes, but lifetimes of {lifetimes.n_nodes}.")


def _take_tree(tree: Tree) -> dict[str, Any]:
    parts = _core.tree_parts(tree._core)
    state = {"parts": parts, "schema": tree.schema, "classes": tree.classes}
    return with_lifetimes(state, tree.lifetimes)


def _fill_tree(tree: Tree, state: dict[str, Any]) -> None:
    core = _core.tree_of_parts(state["parts"], n_categories(state["schema"]))
    check_classes(core.n_classes, state["classes"], "the tree")
    check_kinds(state["parts"], state["schema"], "the tree")
    lifetimes = state.get("lifetimes")
    tree.__init__(core, state["schema"], state["classes"], lifetimes)  # type: ignore[misc]
    check_lifetimes(lifetimes, core.n_nodes, "the tree")


TREE = Recipe(Tree, MODEL, _take_tree, _fill_tree)

# -- The path of a pruning


def _take_path(path: PruningPath) -> dict[str, Any]:
    shown = ("alphas", "n_leaves", "risks", "errors", "standard_errors", "selected", "rule")
    return {
        "tree": path._tree,
        "exact": path._exact,
        "node_alpha": path._node_alpha,
        "tree_alphas": path._subtrees._alphas,
        "units": path._subtrees.units,
        **{name: getattr(path, name) for name in shown},
    }


def _fill_path(path: PruningPath, state: dict[str, Any]) -> None:
    n = len(state["tree_alphas"])
    for name in ("alphas", "n_leaves", "risks", "errors", "standard_errors"):
        if state[name] is not None and len(state[name]) != n:
            raise StateError(f"PruningPath: {name} has {len(state[name])} entries for {n} trees.")
    if len(state["node_alpha"]) != state["tree"].n_nodes or n == 0:
        raise StateError("PruningPath: the penalties do not fit the tree.")
    if state["selected"] is not None and state["selected"] >= n:
        raise StateError(f"PruningPath: there is no tree {state['selected']}, there are {n}.")
    path._tree, path._exact = state["tree"], state["exact"]
    path._node_alpha = state["node_alpha"]
    path._subtrees = _Subtrees(path._tree, path._node_alpha, state["tree_alphas"])
    path._subtrees.units = state["units"]
    path.trees = path._subtrees
    for name in ("alphas", "n_leaves", "risks", "errors", "standard_errors", "selected", "rule"):
        setattr(path, name, state[name])


PATH = Recipe(
    PruningPath,
    {
        "tree": one(Tree),
        "exact": FLAG,
        "node_alpha": FLOATS,
        "tree_alphas": FLOATS,
        "units": or_none(row(whole(-(2**31), 2**31), whole(-(2**31), 2**31))),
        "alphas": FLOATS,
        "n_leaves": array(np.int64),
        "risks": FLOATS,
        "errors": or_none(FLOATS),
        "standard_errors": or_none(FLOATS),
        "selected": or_none(whole()),
        "rule": or_none(choice("1se", "min")),
    },
    _take_path,
    _fill_path,
)


def _check_made_for(made_for: MadeFor) -> None:
    classes = [label for label, _ in made_for.class_shares]
    need(len(set(classes)) == len(classes), made_for, "a class has two shares")
    named = [label for label, _ in made_for.priors]
    for true, predicted, cost in made_for.costs:
        need(cost >= 0, made_for, "a cost is below 0")
        named += [true, predicted]
    if made_for.positive is not None:
        named.append(made_for.positive)
    need(set(named) <= set(classes), made_for, "a class is not among those of the training data")
    both = (made_for.task == "survival") == (made_for.event is not None)
    need(both, made_for, "lifetimes, and only they, have a column of events")
    two = made_for.threshold is None or made_for.positive is not None
    need(two, made_for, "a threshold needs a positive class")


MADE_FOR = record(
    MadeFor,
    _check_made_for,
    target=TEXT,
    task=choice("classification", "regression", "survival"),
    version=TEXT,
    n_rows=SIZE,
    class_shares=many(row(_LABEL, SHARE), tuple),
    positive=or_none(_LABEL),
    threshold=or_none(SHARE),
    costs=many(row(_LABEL, _LABEL, FINITE), tuple),
    priors=many(row(_LABEL, SHARE), tuple),
    dropped=many(TEXT, tuple),
    text=many(row(TEXT, TEXT), tuple),
    weight=or_none(TEXT),
    exposure=or_none(TEXT),
    event=or_none(TEXT),
    rules_differ=or_none(SHARE),
    n_cuts=PLACES,
    cuts=FLOATS,
    shares=FLOATS,
)

RECIPES: list[Recipe[Any]] = [SCHEMA, LIFETIMES, TREE, PATH, MADE_FOR]
