"""What a model that was loaded must be able to do, whoever made the file.

It answers rows of its own columns, with finite numbers or shares that add up to 1, and what it says
of itself holds together. Parameters are stored as they are given, so one that makes no sense may
still be answered by a clear error.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from spinney import RuleSet, Tree
from spinney.ensemble import Forest

CLEAR = (ValueError, TypeError)
N_ROWS = 8


def rows_for(schema: Any) -> Any:
    """Return rows with the columns of a schema, with gaps."""
    rng = np.random.default_rng(3)
    columns: dict[str, Any] = {}
    for column in schema.columns:
        if column.kind == "numeric":
            cells = [0.0, 1.5, -3.0, np.nan, 1e300, np.inf, -np.inf, 30.0]
            columns[column.name] = rng.permutation(cells)
        else:
            codes = [k % (len(column.categories) + 1) - 1 for k in range(N_ROWS)]
            columns[column.name] = pd.Categorical.from_codes(
                rng.permutation(codes), list(column.categories), ordered=column.kind == "ordered"
            )
    frame = pd.DataFrame(columns, index=range(N_ROWS))
    if schema.has_names:
        return frame
    return frame.to_numpy(np.float64 if schema.all_numeric else object)


def examine(model: Any, table: pd.DataFrame, *, whole: bool, deep: bool = False) -> bool:
    """Ask a model everything; return whether it answered. Raises what must not happen.

    Parameters
    ----------
    model : object
        What was loaded.
    table : DataFrame
        The rows of fit.
    whole : bool
        Whether the parameters are those of a fit, so that nothing excuses an error.
    deep : bool, default=False
        Whether to fit it again as well, where that goes on from what is there.
    """
    for what, holds in _facts(model):
        assert holds(), what
    schema = getattr(model, "_schema", getattr(model, "schema", None))
    rows = table if schema is None else rows_for(schema)
    if not hasattr(model, "predict") or (hasattr(model, "fit") and not _is_fitted(model)):
        return False
    try:
        _check_answers(model, rows)
    except CLEAR as problem:
        if whole or not str(problem):
            raise AssertionError(f"no answer: {problem!r}") from problem
        return False
    if deep:
        _fit_again(model, table)
    return True


def _is_fitted(model: Any) -> bool:
    return bool(hasattr(model, "_schema"))


def _check_answers(model: Any, rows: Any) -> None:
    predicted = model.predict(rows)
    assert len(predicted) == len(rows), "not one answer a row"
    if not hasattr(model, "predict_proba"):
        assert np.isfinite(predicted).all(), "an answer is not finite"
        return
    classes = getattr(model, "classes_", getattr(model, "classes", None))
    if classes is None:  # rules of numbers
        assert np.isfinite(predicted).all(), "an answer is not finite"
        return
    known = {*np.asarray(classes).tolist(), getattr(model, "abstain_label", None)}
    assert set(predicted.tolist()) <= known, "no such class"
    try:
        shares = model.predict_proba(rows)
    except AttributeError:  # of members that have none
        return
    assert shares.shape == (len(rows), len(classes)), "not one share a class"
    assert (shares >= 0).all(), "a share is negative or NaN"
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-6)


def _fit_again(model: Any, table: pd.DataFrame) -> None:
    """Go on from what is there, or with the functions that are there. A clear error is right."""
    params = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    y: Any = np.arange(len(table)) % 3
    y = y.astype(float) if "Regressor" in type(model).__name__ else y
    if hasattr(model, "classes_"):
        y = np.asarray(model.classes_)[np.arange(len(table)) % len(model.classes_)]
    try:
        if "warm_start" in params and "n_estimators" in params and hasattr(model, "_members"):
            list(model.estimators_)
            n = len(model._members) + 2
            model.set_params(warm_start=True, n_estimators=n).fit(table, y).predict(table)
        elif params.get("functions"):
            clone(model).set_params(population_size=6, generations=1).fit(table, y)
    except CLEAR as problem:
        if not str(problem):
            raise AssertionError("an error without words") from problem


# -- What a model says of itself


def _facts(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what must hold, in words and as a question."""
    own = vars(model) if hasattr(model, "__dict__") else {}
    if own.get("_schema") is not None:
        yield from _table_facts(model, own)
    elif "_schema" in own:
        yield "columns without a schema", lambda: "n_features_in_" not in own
    if isinstance(model, Tree | Forest):
        yield from _tree_facts(model)
    if isinstance(model, RuleSet):
        yield from _rule_facts(model)
    if "pruning_path_" in own:
        yield from _path_facts(model.pruning_path_)
    if "_members" in own:
        yield from _ensemble_facts(model, own)
    if "_gates" in own:
        yield from _mixture_facts(model)
    if "sample_indices_" in own:
        yield "a member and its rows", lambda: len(model.estimators_) == len(model.sample_indices_)
        yield "one member, or three", lambda: len(model.estimators_) in (1, 3)
    for name in ("tree_", "rules_"):
        if name in own:
            yield from _facts(getattr(model, name))


def _table_facts(model: Any, own: dict[str, Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    schema = model._schema
    names = list(schema.names) if schema.has_names else None
    yield "n_features_in_", lambda: model.n_features_in_ == len(schema.columns)
    told = own.get("feature_names_in_")
    yield "feature_names_in_", lambda: (None if told is None else told.tolist()) == names
    part = own.get("tree_", own.get("_members"))
    classes = own.get("classes_")
    is_class = "Classifier" in type(model).__name__ or "Combiner" in type(model).__name__
    yield "classes_", lambda: (classes is not None) is is_class
    if part is None:
        return
    yield "classes", lambda: repr(part.classes) == repr(classes)
    yield "columns", lambda: part.schema.columns[: len(schema.columns)] == schema.columns


def _tree_facts(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    n_named = 0 if model.classes is None else len(model.classes)
    yield "all classes have names", lambda: model._core.n_classes == n_named
    if isinstance(model, Forest):
        yield "there is a tree", lambda: len(model) > 0


def _rule_facts(rules: RuleSet) -> Iterator[tuple[str, Callable[[], Any]]]:
    n = 0 if rules.classes is None else len(rules.classes)
    yield "rules as text", lambda: len(str(rules)) > 0
    for rule in rules:
        if rule.label is not None:
            yield "a label", lambda rule=rule: 0 <= rule.label < n
        if rule._tree is not None:
            yield "a leaf", lambda rule=rule: rule._tree.first_child[rule._leaf] < 0
            yield "its tree", lambda rule=rule: rule._tree.schema == rules.schema


def _path_facts(path: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    n = len(path.trees)
    for name in ("alphas", "n_leaves", "risks", "errors", "standard_errors"):
        values = getattr(path, name)
        yield f"path.{name}", lambda values=values: values is None or len(values) == n
    yield "trees", lambda: n > 0 and all(tree.n_nodes > 0 for tree in path.trees)
    yield "selected", lambda: path.selected is None or path.trees[path.selected].n_nodes > 0


def _ensemble_facts(model: Any, own: dict[str, Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    n = len(model._members)
    for name in ("estimator_errors_", "estimator_weights_", "loss_curve_"):
        if name in own:
            yield name, lambda name=name: len(own[name]) == n
    if "selected_" in own:
        yield "selected_", lambda: set(model.selected_.tolist()) <= set(range(n))
        yield "first run", lambda: model._runs[0][0] == 0
        firsts = [first for first, _ in model._runs]
        yield "runs ascend", lambda: sorted(set(firsts)) == firsts
        yield "members", lambda: model._bagged.members is model._members
    runs = [first for first, _ in model._learner_runs]
    yield "learner runs", lambda: runs[0] == 0 and runs == sorted(set(runs)) and runs[-1] < n
    yield "learners", lambda: all(learners for _, learners in model._learner_runs)
    yield (
        "all columns",
        lambda: all(
            0 <= place < len(model._members.schema.columns)
            for features in model.estimators_features_
            for place in features.tolist()
        ),
    )


def _mixture_facts(model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    n = len(model._design.columns) + 1
    yield "experts", lambda: len(model.experts_) == len(model._experts) == model._gates.n_experts
    for coef in model._gates.coefs():
        yield "columns of gates", lambda coef=coef: len(coef) == n
    for part in [*model.gates_, *model.experts_]:
        if hasattr(part, "intercept"):
            wanted = (len(part.intercept), len(part.columns))
            yield "a part", lambda part=part, wanted=wanted: part.coef.shape == wanted
