"""Export to JSON: trees that can be restored, and rules, with typed tests for other programs."""

import json
import math
from typing import Any

from spinney._table import Schema
from spinney.export._ensemble_model import EnsembleModel, read_model
from spinney.export._model import Question, Requirement, RuleModel, TreeModel, read_tree
from spinney.tree import Tree
from spinney.tree._to_dict import json_number, tokens_to_list

_FORMAT, _RULES_FORMAT, _VERSION = "spinney tree", "spinney rules", 1
_ENSEMBLE_FORMAT = "spinney ensemble"


def to_json(model: Any, *, indent: int | None = None) -> str:
    """Return a model as strict JSON; `from_json` restores a tree exactly.

    Both forms have ``format``, "spinney tree" or "spinney rules", and ``version``, a whole number
    that grows when programs that read the form would have to change; now 1. In both, infinite
    numbers are written as the text "inf" and "-inf".

    A tree is what `Tree.to_dict` returns, with a few entries for programs that do not want to read
    the text of tests. It has

    - ``classes`` (null for regression), ``features``, ``kinds`` ("numeric", "ordered" or
      "nominal"), ``categories`` (of each column that is not numeric), ``cost_matrix`` (row true,
      column predicted) if there is one, and ``missing``: "surrogate", "majority", "fractional",
      "learned" or "category".

    A node, the first of which is the root, has

    - ``children``, the places of its children in the list; ``weight``;
    - ``question``, null in a leaf: the place ``feature`` of the column, and either ascending
      ``cuts``, where branch i holds cuts[i-1] < x <= cuts[i] and the last one what is above (for
      an ordered column x is the place of the category in its list, from 0), or ``branches``, the
      list of categories of each child. What is missing or not listed has no answer. Or it has
      ``expression``, a list of tokens in postfix order: ["column", place], ["constant", number],
      or one operation, "add", "subtract", "multiply", "sine", "equal", "greater", "positive"
      (above 0), "both", "either" (and, or) or "negate" (not). Categories count by their place. A
      comparison of what is missing is unknown, `both` is false if one side is false, `either` is
      true if one side is true, and else they are unknown if one side is. Where it is true the
      answer is 0, where it is false 1, and where it is unknown there is none;
    - ``surrogates``, if there are any: each with a ``question``, and ``reversed``, where the
      answers 0 and 1 change places;
    - ``default_branch``, where a row goes that nothing can place;
    - ``answer``: ``probabilities`` and ``label`` (a place in ``classes``), or the ``mean``.

    Under the fractional rule a row without an answer goes to every child in proportion to its
    weight; the answers of the leaves are added up with these shares, and the label is the class of
    least expected cost.

    Ordered rules have ``classes``, ``features``, ``kinds`` and ``categories`` as a tree has,
    ``default``, an answer as that of a node, and the list ``rules``. A rule has ``answer``,
    ``text``, which is for people, and ``conditions``, each with the place ``feature`` of the column
    and a ``type``:

    - "interval": ``low`` < x <= ``high``; null is no bound, so with two of them any number will do;
    - "categories": the value is among ``categories``;
    - "expression": an ``expression`` as in the question of a node, which must be as ``truth`` says
      (there is no ``feature`` then).

    An ensemble ("spinney ensemble") has ``classes``, ``features``, ``cost_matrix`` and the list
    ``members``: each with its ``tree``, a ``weight``, and for each class the place of its own
    answer that speaks for it (``outputs``; -1 for none) and among how many classes that is divided
    (``sizes``). Under the ``rule`` "vote", "boost" or "quorum" the answer is 1 for its label and 0
    for others; under "average" its probabilities, under "mean" and "median" its mean. Answers times
    weight are added up in order; the first class of the largest sum wins, or of least cost. Shares
    are sums divided by their total; of "boost" those of `AdaBoostClassifier.predict_proba`. The
    mean divides by the number of members. A ``quorum`` asks for a ``share`` of all votes, to be
    reached or ``passed``, and else says ``abstain``.

    A condition on a missing value or on a category that is not listed is false; with ``missing``
    true, one on a missing value or a category that no list of the column has is true. The first
    rule all of whose conditions are true gives the answer, and where there is none, the default.

    Parameters
    ----------
    model : Tree, RuleSet, or fitted estimator of one tree or of many
        The model. Rules after `RuleSet.prune` become ordered rules; all paths of a tree
        (`tree.rules()`) become the tree.
    indent : int or None, default=None
        Indentation of each level; None for a single line.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the rules are only part of the paths of a tree, or a label is infinite.

    See Also
    --------
    from_json : The inverse.

    Examples
    --------
    >>> import json
    >>> from spinney import Tree
    >>> from spinney.export import from_json, to_json
    >>> tree = Tree.from_dict({
    ...     "classes": ["bad", "good"],
    ...     "features": ["income"],
    ...     "nodes": [
    ...         {"test": "income <= 36", "children": [1, 2], "counts": [5, 5]},
    ...         {"test": None, "children": [], "counts": [4, 1]},
    ...         {"test": None, "children": [], "counts": [1, 4]},
    ...     ],
    ... })
    >>> json.loads(to_json(tree))["nodes"][0]["question"]
    {'feature': 0, 'cuts': [36.0]}
    >>> from_json(to_json(tree)) == tree
    True
    """
    read = read_model(model)
    if isinstance(read, EnsembleModel):
        data = {"format": _ENSEMBLE_FORMAT, "version": _VERSION, **_ensemble_dict(read)}
    elif isinstance(read, RuleModel):
        data = {"format": _RULES_FORMAT, "version": _VERSION, **_rules_dict(read)}
    else:
        data = {"format": _FORMAT, "version": _VERSION, **_tree_dict(read)}
    try:
        return json.dumps(data, indent=indent, allow_nan=False)
    except ValueError:
        raise ValueError(
            "the model has an infinite number as a category or a class, which JSON cannot hold."
        ) from None


def _tree_dict(model: TreeModel) -> dict[str, Any]:
    """Return `Tree.to_dict` with typed questions and answers."""
    data: dict[str, Any] = model.tree.to_dict()
    for node, entry in zip(model.nodes, data["nodes"], strict=True):
        entry["question"] = _question(node.question, model)
        label = model.labels[node.id] if model.labels else 0
        entry["answer"] = _answer(model.classes, model.answers[node.id], label)
        for question, other in zip(node.surrogates, entry.get("surrogates", ()), strict=True):
            other["question"] = _question(question, model, undo=bool(other["reversed"]))
    return data


def _ensemble_dict(model: EnsembleModel) -> dict[str, Any]:
    """Return an ensemble in a form that JSON can hold; each tree has its own columns."""
    members = []
    for member in model.members:
        counts = {"weight": member.weight, "outputs": list(member.places)}
        tree = _tree_dict(read_tree(member.tree.tree))
        members.append({**counts, "sizes": list(member.sizes), "tree": tree})
    share, passed = model.quorum
    decides = {"share": share, "passed": passed, "abstain": model.abstain}
    return {
        "classes": model.classes,
        "features": list(model.schema.names),
        "rule": model.rule,
        "equal_weights": model.equal,
        "cost_matrix": model.cost,
        "quorum": decides if model.rule == "quorum" else None,
        "members": members,
    }


def from_json(text: str | bytes) -> Tree:
    """Return the tree that `to_json` wrote.

    Parameters
    ----------
    text : str or bytes
        The JSON.

    Returns
    -------
    Tree

    Raises
    ------
    ValueError
        If the text is not such a tree.
    """
    try:
        data = json.loads(text)
    except RecursionError:
        raise ValueError("the text is nested too deeply to be the JSON of a tree.") from None
    except ValueError as problem:
        raise ValueError(f"the text is not the JSON that to_json writes: {problem}.") from None
    if isinstance(data, dict) and data.get("format") == _RULES_FORMAT:
        raise ValueError(
            "the JSON holds rules, which are written for other programs. Keep a RuleSet by pickle."
        )
    if isinstance(data, dict) and data.get("format") == _ENSEMBLE_FORMAT:
        raise ValueError(
            "the JSON holds an ensemble, which is written for other programs. Keep an ensemble by "
            "spinney.save."
        )
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise ValueError(f"the JSON must be an object whose 'format' is {_FORMAT!r}.")
    if data.get("version") != _VERSION:
        raise ValueError(
            f"version {_VERSION} of the format can be read, got {data.get('version')!r}. Use the "
            "version of spinney that wrote it."
        )
    return Tree.from_dict(data)


def _question(
    question: Question | None, tree: TreeModel, undo: bool = False
) -> dict[str, Any] | None:
    """Return a question with the user's categories; `undo` gives that of a turned surrogate."""
    if question is None:
        return None
    if question.tokens:
        return {"expression": tokens_to_list(question.tokens)}
    if question.cuts:
        return {"feature": question.feature, "cuts": [json_number(cut) for cut in question.cuts]}
    categories = tree.schema.columns[question.feature].categories
    groups = question.groups[::-1] if undo else question.groups
    branches = [[categories[code] for code in group] for group in groups]
    return {"feature": question.feature, "branches": branches}


def _rules_dict(rules: RuleModel) -> dict[str, Any]:
    """Return ordered rules in a form that JSON can hold."""
    columns = rules.schema.columns
    entries = []
    for entry in rules.entries[:-1]:
        conditions = [_condition(required, rules.schema) for required in entry.requirements]
        answer = _answer(rules.classes, entry.answer, entry.label)
        entries.append({"text": entry.text, "conditions": conditions, "answer": answer})
    last = rules.entries[-1]
    return {
        "classes": rules.classes,
        "features": [column.name for column in columns],
        "kinds": [column.kind for column in columns],
        "categories": {c.name: list(c.categories) for c in columns if c.kind != "numeric"},
        "rules": entries,
        "default": _answer(rules.classes, last.answer, last.label),
    }


def _answer(classes: list[Any] | None, answer: list[float], label: int) -> dict[str, Any]:
    """Return what a node or a rule predicts."""
    if classes is None:
        return {"mean": json_number(answer[0])}
    return {"probabilities": answer, "label": label}


def _condition(required: Requirement, schema: Schema) -> dict[str, Any]:
    if required.question.tokens:
        tokens = tokens_to_list(required.question.tokens)
        return {"type": "expression", "expression": tokens, "truth": not required.branch}
    feature = required.question.feature
    column = schema.columns[feature]
    missing = {"missing": True} if required.or_missing else {}
    if column.kind != "numeric":
        codes = required.question.codes(len(column.categories))[required.branch]
        listed = [column.categories[code] for code in codes]
        return {"type": "categories", "feature": feature, "categories": listed, **missing}
    low, high = required.question.interval(required.branch)
    bounds = {
        "low": None if low is None else json_number(low),
        "high": None if high is None or high == math.inf else json_number(high),
    }
    return {"type": "interval", "feature": feature, **bounds, **missing}
