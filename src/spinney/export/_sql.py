"""Models as SQL: a query that predicts, for any database."""

from collections.abc import Sequence
from typing import Any

from spinney.export._literals import finished_sql, sql_name
from spinney.export._model import TreeModel, as_tree, read_tree
from spinney.export._sql_parts import Chain
from spinney.export._sql_rules import is_rule_set, rules_expression
from spinney.export._sql_shares import add_label, add_levels
from spinney.export._sql_whole import DEEPEST_CASE, add_stages, case_expression, leaf_outputs

_FORMS = ("select", "expression")


def to_sql(
    model: Any,
    table: str | Sequence[str] = "data",
    *,
    keep: Sequence[str] = (),
    prediction: str = "prediction",
    probabilities: bool = False,
    form: str = "select",
    nan: bool = False,
) -> str:
    """Return a query that predicts for each row of a database table, exactly as the model does.

    The text is standard SQL (CASE, common table expressions and, in longer queries, ROW_NUMBER);
    it runs on SQLite and DuckDB unchanged. NULL is missing; a category that fit did not see counts
    as missing, too. The columns of the table need the names and the types of those of fit: where
    categories were text, text.

    Parameters
    ----------
    model : Tree, fitted estimator with `tree_`, or ordered RuleSet
        What to write. Rules become one CASE with a line each.
    table : str or sequence of str, default="data"
        The table; several words, such as schema and table, are joined by dots.
    keep : sequence of str, default=()
        Columns of the table to return before the prediction, such as its key. ``["*"]`` stands for
        all of them, in queries of one step only.
    prediction : str, default="prediction"
        Name of the column with the class or the mean.
    probabilities : bool, default=False
        Whether to add a column for each class, named ``probability_<class>``.
    form : {"select", "expression"}, default="select"
        A complete query, or only the CASE expression to put into a query of your own. The latter
        is for trees of at most 10 levels that send a row one way.
    nan : bool, default=False
        Whether numeric columns may hold NaN beside NULL, as they can in DuckDB and PostgreSQL,
        which order it above all numbers. True writes conditions that NaN does not meet, so that it
        counts as missing.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the form cannot hold the model. The message says what can.

    Notes
    -----
    Infinite bounds are written ``9e999``, which SQLite and DuckDB read as infinity. Only models
    of columns that held infinities have them.

    Examples
    --------
    >>> from spinney import Tree
    >>> tree = Tree.from_dict({
    ...     "classes": ["bad", "good"],
    ...     "features": ["income"],
    ...     "nodes": [
    ...         {"test": "income <= 36", "children": [1, 2], "counts": [5, 5]},
    ...         {"test": None, "children": [], "counts": [4, 1]},
    ...         {"test": None, "children": [], "counts": [1, 4]},
    ...     ],
    ... })
    >>> print(to_sql(tree, "loans", keep=["id"]))
    SELECT
      "id",
      CASE
        WHEN "income" > 36 THEN 'good'
        ELSE 'bad'
      END AS "prediction"
    FROM "loans"
    <BLANKLINE>
    """
    if form not in _FORMS:
        raise ValueError(f"form must be one of {_FORMS}, got {form!r}.")
    if isinstance(keep, str):
        raise ValueError(f"keep must be a list of columns, got {keep!r}. Write keep=[{keep!r}].")
    if is_rule_set(model):
        if probabilities:
            raise ValueError("rules are written without probabilities. Use probabilities=False.")
        text = rules_expression(model, nan)
        query = text if form == "expression" else _one_step(text, table, keep, prediction)
        return finished_sql(query)
    tree = read_tree(as_tree(model))
    if probabilities and tree.classes is None:
        raise ValueError("a regression tree has no classes. Use probabilities=False.")
    one_step = not tree.fractional and tree.max_depth <= DEEPEST_CASE and not probabilities
    if form == "expression":
        if not one_step:
            raise ValueError(_why_no_expression(tree, probabilities))
        return finished_sql(case_expression(tree, nan))
    if one_step:
        return finished_sql(_one_step(case_expression(tree, nan), table, keep, prediction))
    if "*" in keep:
        raise ValueError(
            "this query has several steps, which cannot pass all columns on without naming them. "
            "List the columns in keep, such as the key of the table."
        )
    return _query_in_steps(tree, table, list(keep), prediction, probabilities, nan)


def _one_step(text: str, table: str | Sequence[str], keep: Sequence[str], prediction: str) -> str:
    return Chain(table, "", []).query(keep, [(prediction, text)])


def _query_in_steps(
    tree: TreeModel,
    table: str | Sequence[str],
    keep: list[str],
    prediction: str,
    probabilities: bool,
    nan: bool,
) -> str:
    asked = [q for step in tree.steps for q in (step.question, *step.stand_ins) if q is not None]
    used = [tree.schema.columns[f].name for f in sorted({question.feature for question in asked})]
    carried = list({name.lower(): name for name in reversed([*keep, *used])}.values())[::-1]
    taken = [*carried, *([table] if isinstance(table, str) else table)]
    chain = Chain(table, _stem(taken), carried)
    names = [prediction, *(_share_names(tree, prediction, keep) if probabilities else [])]
    if not tree.fractional:
        texts = leaf_outputs(tree, add_stages(chain, tree, nan), probabilities)
    else:
        sums = add_levels(chain, tree, nan)
        columns = [sql_name(name) for name in sums]
        if tree.classes is None:
            texts = columns
        else:
            label = add_label(chain, tree, probabilities)
            texts = [label, *(columns if probabilities else [])]
    return finished_sql(chain.query(keep, list(zip(names, texts, strict=True))))


def _share_names(tree: TreeModel, prediction: str, keep: list[str]) -> list[str]:
    """Return a name for the column of each class, none of them twice."""
    taken = {name.lower() for name in (prediction, *keep)}
    names = []
    for label in tree.classes or ():
        name = f"probability_{label}"
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        names.append(name)
    return names


def _stem(taken: list[str]) -> str:
    """Return a beginning that no name of the user's has."""
    stem = "spinney"
    while any(name.lower().startswith(stem) for name in taken):
        stem += "_"
    return stem


def _why_no_expression(tree: TreeModel, probabilities: bool) -> str:
    if probabilities:
        return "an expression is one column, so it has no probabilities. Use form='select'."
    if tree.fractional:
        return (
            "a tree with missing='fractional' sends a row with gaps every way, which one "
            "expression cannot hold. Use form='select'."
        )
    return (
        f"the tree has {tree.max_depth} levels, but databases limit how deep expressions may nest, "
        f"so at most {DEEPEST_CASE} are written as one. Use form='select', or prune the tree."
    )
