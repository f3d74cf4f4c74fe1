"""Export to SQL: a query that predicts for each row of a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from spinney.export import _sql_steps as steps
from spinney.export._literals import finished_sql, sql_name
from spinney.export._model import RuleModel, TreeModel, read_model
from spinney.export._sql_syntax import Chain

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
    """Return a SQL query with the exact predictions of the model for each row of a table.

    The text is standard SQL (CASE, common table expressions and, in longer queries, ROW_NUMBER);
    it runs on SQLite and DuckDB unchanged. NULL is missing; unseen categories are treated as
    missing. The columns of the table must have the names and types of those in training, such as
    text where categories were text.

    Parameters
    ----------
    model : Tree, fitted estimator with `tree_`, or RuleSet
        The model. Rules after `RuleSet.prune` become one CASE with a line for each rule; all paths
        of a tree (`tree.rules()`) become the tree.
    table : str or sequence of str, default="data"
        Name of the table; several parts, such as schema and table, are joined by dots.
    keep : sequence of str, default=()
        Columns to return before the prediction, such as the key. ``["*"]`` stands for all of them,
        in queries of one step only.
    prediction : str, default="prediction"
        Name of the column with the predicted class or mean.
    probabilities : bool, default=False
        Whether to add a column for each class, named ``probability_<class>``.
    form : {"select", "expression"}, default="select"
        A complete query, or only the CASE expression. The latter is for trees of at most 10 levels
        without fractional rows, or 5 levels with long expressions.
    nan : bool, default=False
        Whether numeric columns may contain NaN besides NULL, as in DuckDB and PostgreSQL. These
        order NaN above all numbers, so that False treats it as a very large number. True treats it
        as missing and writes ``36 - "income" < 0`` for ``"income" > 36``, which is valid everywhere
        but harder to read and cannot use an index.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the form does not support the model, or the rules are only part of the paths of a tree.

    Notes
    -----
    SQLite limits expressions to 1,000 levels: it refuses the query of a fractional tree of more
    than about 150 levels, or of any other tree of more than about 600 levels. Integers beyond 2**53
    are compared exactly by a database, but as rounded floats by the model.

    Infinite bounds, which only occur if a column contained infinities, are written ``9e999``;
    SQLite and DuckDB read that as infinity.

    Expressions cast numbers to DOUBLE PRECISION, and categories become their codes. The sine is
    ``SIN``, which SQLite provides only if built with mathematical functions, and which may differ
    from the model's in the last digits; so may the prediction where two values are that close. NaN
    from infinities within an expression is treated as missing with `nan=True`, and always in
    SQLite.

    Examples
    --------
    >>> from spinney import Tree
    >>> from spinney.export import to_sql
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
    read = read_model(model)
    if probabilities and read.classes is None:
        raise ValueError("a model of numbers has no classes. Use probabilities=False.")
    wish = _Wish(table, list(keep), prediction, probabilities, nan)
    if form == "expression":
        if probabilities or not _is_one_expression(read):
            raise ValueError(_why_no_expression(read, probabilities))
        return finished_sql(_expression(read, nan))
    if probabilities or not _is_one_expression(read):
        return finished_sql(_query_in_steps(read, wish))
    columns = [(prediction, _expression(read, nan))]
    return finished_sql(Chain(table, "", []).query(keep, columns))


@dataclass(frozen=True)
class _Wish:
    """What the query is to read and to return."""

    table: str | Sequence[str]
    keep: list[str]
    prediction: str
    probabilities: bool
    nan: bool


def _is_one_expression(model: TreeModel | RuleModel) -> bool:
    """Tell whether the prediction can be written as one CASE."""
    if isinstance(model, RuleModel):
        return True
    return not model.fractional and model.max_depth <= steps.deepest_case(model)


def _expression(model: TreeModel | RuleModel, nan: bool) -> str:
    if isinstance(model, RuleModel):
        return steps.rules_expression(model, nan)
    return steps.case_expression(model, nan)


def _query_in_steps(model: TreeModel | RuleModel, wish: _Wish) -> str:
    if "*" in wish.keep:
        raise ValueError(
            "this query has several steps, which cannot pass all columns on without naming them. "
            "List the columns in keep, such as the key of the table."
        )
    used = [model.schema.columns[feature].name for feature in model.features]
    carried = list({name.lower(): name for name in reversed([*wish.keep, *used])}.values())[::-1]
    taken = [*carried, *([wish.table] if isinstance(wish.table, str) else wish.table)]
    chain = Chain(wish.table, _stem(taken), carried)
    model = _renamed(model, chain)
    names = [wish.prediction, *(_share_names(model, wish) if wish.probabilities else [])]
    texts = _add_steps(chain, model, wish)
    return chain.query(wish.keep, list(zip(names, texts, strict=True)))


def _renamed(model: TreeModel | RuleModel, chain: Chain) -> TreeModel | RuleModel:
    """Give other names to columns that SQLite takes for literals in steps, even in quotes."""
    aliases = {n: f"{chain.stem}_{n}" for n in chain.carried if n.lower() in ("true", "false")}
    if not aliases:
        return model
    chain.rename(aliases)
    schema = model.schema
    lowered = {name.lower(): alias for name, alias in aliases.items()}
    columns = [replace(c, name=lowered.get(c.name.lower(), c.name)) for c in schema.columns]
    return replace(model, schema=replace(schema, columns=tuple(columns)))


def _add_steps(chain: Chain, model: TreeModel | RuleModel, wish: _Wish) -> list[str]:
    """Add the steps of a query; return the prediction and, if asked for, the class shares."""
    if isinstance(model, RuleModel):
        return steps.add_rules(chain, model, wish.nan)
    if not model.fractional:
        return steps.leaf_outputs(
            model, steps.add_stages(chain, model, wish.nan), wish.probabilities
        )
    sums = [sql_name(name) for name in steps.add_levels(chain, model, wish.nan)]
    if model.classes is None:
        return sums
    return [
        steps.add_label(chain, model, wish.probabilities),
        *(sums if wish.probabilities else []),
    ]


def _share_names(model: TreeModel | RuleModel, wish: _Wish) -> list[str]:
    """Return a name for the column of each class, none of them twice."""
    taken = {name.lower() for name in (wish.prediction, *wish.keep)}
    names = []
    for label in model.classes or ():
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


def _why_no_expression(model: TreeModel | RuleModel, probabilities: bool) -> str:
    if probabilities or isinstance(model, RuleModel):
        return "an expression is one column, so it has no probabilities. Use form='select'."
    if model.fractional:
        return (
            "a tree with missing='fractional' sends a row with gaps every way, which one "
            "expression cannot hold. Use form='select'."
        )
    return (
        f"the tree has {model.max_depth} levels, but databases limit how deep expressions may "
        f"nest, so at most {steps.deepest_case(model)} are written as one. Use form='select', or "
        "prune the tree."
    )
