"""Export to SQL: a query that predicts for each row of a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from spinney.export import _sql_steps as steps
from spinney.export._ensemble_model import EnsembleModel, read_model
from spinney.export._literals import finished_sql
from spinney.export._model import RuleModel, TreeModel
from spinney.export._sql_dialects import Dialect, dialect_named
from spinney.export._sql_ensemble import add_ensemble
from spinney.export._sql_head import (
    Model,
    add_reading,
    answer_type,
    arguments,
    check_names,
    in_function,
    in_view,
)
from spinney.export._sql_head import head as heading
from spinney.export._sql_syntax import Chain, Writer

_FORMS = ("select", "expression")


def to_sql(
    model: Any,
    table: str | Sequence[str] = "data",
    *,
    dialect: str = "ansi",
    strict: bool = False,
    head: bool | None = None,
    create_view: str | Sequence[str] | None = None,
    create_function: str | Sequence[str] | None = None,
    keep: Sequence[str] = (),
    prediction: str = "prediction",
    probabilities: bool = False,
    form: str = "select",
    nan: bool = False,
) -> str:
    """Return a SQL query with the exact predictions of the model for each row of a table.

    NULL is missing; unseen categories are treated as missing. The columns of the table must have
    the names and types of those in training, such as text where categories were text; `strict`
    checks that.

    The default is standard SQL (CASE, common table expressions and, in longer queries, ROW_NUMBER),
    which runs on SQLite and DuckDB unchanged. Queries for SQLite, DuckDB, PostgreSQL and MySQL
    (MariaDB) are tested by running them; those for other databases are only parsed.

    Parameters
    ----------
    model : Tree, RuleSet, or fitted estimator of one tree or of many
        The model. Rules after `RuleSet.prune` become one CASE with a line for each rule; all paths
        of a tree (`tree.rules()`) become the tree. Of an ensemble every tree is a column, and sums
        are columns too. Also a `VotingCombiner` of trees, whose abstention is a label.
    table : str or sequence of str, default="data"
        Name of the table; several parts, such as schema and table, are joined by dots.
    dialect : str, default="ansi"
        "ansi", "sqlite", "duckdb", "postgresql", "mysql" (also for MariaDB), "sqlserver", "oracle",
        "snowflake", "bigquery" or "spark".
    strict : bool, default=False
        Whether to read every column in a first step that fails if it holds something else than the
        model needs, such as text where it needs numbers. Not for "ansi".
    head : bool or None, default=None
        Whether comments at the top say which model it is, which columns of which types it reads,
        and what is not checked. None for where `dialect`, `strict` or one of `create_view` and
        `create_function` is given.
    create_view : str, sequence of str or None, default=None
        Name of a view: the text is then the statement that makes it.
    create_function : str, sequence of str or None, default=None
        Name of a function of the columns that returns the prediction; for PostgreSQL. The table is
        not used then.
    keep : sequence of str, default=()
        Columns to return before the prediction, such as the key. ``["*"]`` stands for all of them,
        in queries of one step only.
    prediction : str, default="prediction"
        Name of the column with the predicted class or mean.
    probabilities : bool, default=False
        Whether to add a column for each class, named ``probability_<class>``.
    form : {"select", "expression"}, default="select"
        A complete query, or only the CASE expression. The latter is for rules, and for trees
        without fractional rows of at most 10 levels, or 5 levels with long expressions (40 and 20
        on DuckDB and PostgreSQL).
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
        If the form or the dialect does not support the model, a name is not possible there, or the
        rules are only part of the paths of a tree.

    Notes
    -----
    SQLite limits expressions to 1,000 levels: it refuses the query of a fractional tree of more
    than about 150 levels, or of any other tree of more than about 600 levels. Integers beyond 2**53
    are compared exactly by a database, but as rounded floats by the model.

    Infinite bounds, which only occur if a column contained infinities, are written ``9e999`` in
    standard SQL; SQLite and DuckDB read that as infinity.

    The probabilities of AdaBoost use ``EXP``, which SQLite has if built with mathematical
    functions. The median of members uses ``LEAST``, in SQLite ``MIN``.

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
    plan = _Plan(
        dialect_named(dialect), table, list(keep), prediction, probabilities, nan, strict, form
    )
    plan.check(keep, create_view, create_function)
    read = read_model(model)
    if probabilities and read.classes is None:
        raise ValueError("a model of numbers has no classes. Use probabilities=False.")
    check_names([read.schema.columns[feature].name for feature in read.features], plan.dialect)
    if form == "expression":
        return finished_sql(_one_expression(read, plan))
    if create_function is not None:
        text = _function(read, plan, create_function)
    else:
        text = _query(read, plan)
        text = text if create_view is None else in_view(text, create_view, plan.dialect)
    made = create_view is not None or create_function is not None
    if head if head is not None else strict or made or dialect != "ansi":
        text = heading(read, model, plan.dialect, strict, nan) + text
    return finished_sql(text)


@dataclass(frozen=True)
class _Plan:
    """What the query is to read and to return, and how it is written."""

    dialect: Dialect
    table: str | Sequence[str]
    keep: list[str]
    prediction: str
    probabilities: bool
    nan: bool
    strict: bool
    form: str

    def check(self, keep: Any, view: Any, function: Any) -> None:
        """Refuse what does not go together."""
        if self.form not in _FORMS:
            raise ValueError(f"form must be one of {_FORMS}, got {self.form!r}.")
        if isinstance(keep, str):
            raise ValueError(
                f"keep must be a list of columns, got {keep!r}. Write keep=[{keep!r}]."
            )
        if self.strict and self.dialect.name == "ansi":
            raise ValueError(
                "strict=True checks types by means that differ between databases. Give dialect=, "
                "such as 'postgresql'."
            )
        if view is not None and function is not None:
            raise ValueError("create_view and create_function cannot both be given.")
        if self.form == "expression" and (self.strict or view is not None or function is not None):
            raise ValueError(
                "an expression is part of a query of your own, so it takes neither strict, "
                "create_view nor create_function. Use form='select'."
            )
        if function is None:
            return
        if self.dialect.name != "postgresql":
            raise ValueError(
                f"create_function is written for dialect='postgresql' only, got "
                f"{self.dialect.name!r}. Use create_view."
            )
        if self.keep or self.probabilities:
            raise ValueError(
                "a function returns the prediction alone: it takes neither keep nor "
                "probabilities=True. Use create_view."
            )

    def writer(self, model: Model) -> Writer:
        """Return what conditions are written with."""
        return Writer(self.dialect, model.schema, self.nan and self.dialect.has_nan)


def _one_expression(model: Model, plan: _Plan) -> str:
    if plan.probabilities or not _is_one_expression(model, plan.dialect):
        raise ValueError(_why_no_expression(model, plan))
    return _expression(model, plan.writer(model))


def _is_one_expression(model: Model, dialect: Dialect) -> bool:
    """Tell whether the prediction can be written as one CASE."""
    if isinstance(model, EnsembleModel):
        return False
    return isinstance(model, RuleModel) or steps.is_one_case(model, dialect)


def _expression(model: Model, writer: Writer) -> str:
    if isinstance(model, RuleModel):
        return steps.rules_expression(model, writer)
    assert isinstance(model, TreeModel)
    return steps.case_expression(model, writer, steps.predicted_leaf(model, writer.dialect))


def _query(model: Model, plan: _Plan, first: str = "") -> str:
    """Return the query; `first` is the body of a step that takes the place of the table."""
    in_one = not plan.probabilities and _is_one_expression(model, plan.dialect)
    if in_one and not plan.strict and not first:
        columns = [(plan.prediction, _expression(model, plan.writer(model)))]
        return Chain(plan.dialect, plan.table, "", []).query(plan.keep, columns)
    if "*" in plan.keep:
        raise ValueError(
            "this query has several steps, which cannot pass all columns on without naming them. "
            "List the columns in keep, such as the key of the table."
        )
    used = [model.schema.columns[feature].name for feature in model.features]
    taken = [*plan.keep, *used, *([plan.table] if isinstance(plan.table, str) else plan.table)]
    chain = Chain(plan.dialect, plan.table, _stem(taken), plan.keep)
    if first:
        chain.add_text(first)
    model, writer = _begin(chain, model, plan, used)
    names = [plan.prediction, *(_share_names(model, plan) if plan.probabilities else [])]
    if in_one:
        texts = [_expression(model, writer)]
    else:
        texts = _add_steps(chain, model, writer, plan.probabilities)
    return chain.query(plan.keep, list(zip(names, texts, strict=True)))


def _begin(chain: Chain, model: Model, plan: _Plan, used: list[str]) -> tuple[Model, Writer]:
    """Add the step that reads the columns, if the query needs one."""
    aliases = {
        name: f"{chain.stem}_{name}"
        for name in dict.fromkeys([*plan.keep, *used])
        if name.lower() in ("true", "false")  # SQLite takes them for literals in steps
    }
    if plan.strict or isinstance(model, EnsembleModel):
        chain.carried = list(dict.fromkeys(plan.keep))
        chain.aliases = {name: alias for name, alias in aliases.items() if name in plan.keep}
        return model, add_reading(chain, model.features, plan.writer(model), plan.strict)
    folded = str.lower if plan.dialect.folds_names else str
    listed = {folded(name): name for name in reversed([*plan.keep, *used])}
    chain.carried = list(listed.values())[::-1]
    if aliases:
        chain.rename({name: alias for name, alias in aliases.items() if name in chain.carried})
        lowered = {name.lower(): alias for name, alias in aliases.items()}
        columns = [
            replace(c, name=lowered.get(c.name.lower(), c.name)) for c in model.schema.columns
        ]
        model = replace(model, schema=replace(model.schema, columns=tuple(columns)))
    return model, plan.writer(model)


def _function(model: Model, plan: _Plan, name: str | Sequence[str]) -> str:
    columns = [model.schema.columns[feature] for feature in model.features]
    query = _query(model, plan, first=arguments(columns, plan.dialect))
    abstain = model.abstain if isinstance(model, EnsembleModel) else None
    answer = answer_type(model.classes, abstain, plan.dialect)
    return in_function(query, name, columns, answer, plan.dialect)


def _add_steps(chain: Chain, model: Model, writer: Writer, probabilities: bool) -> list[str]:
    """Add the steps of a query; return the prediction and, if asked for, the class shares."""
    if isinstance(model, EnsembleModel):
        return add_ensemble(chain, model, writer, probabilities)
    if isinstance(model, RuleModel):
        return steps.add_rules(chain, model, writer)
    if not model.fractional:
        for columns in steps.walk_leaf(chain, model, writer):
            chain.add(columns)
        return steps.leaf_outputs(model, chain.name("node"), probabilities, writer.dialect)
    for columns in steps.walk_shares(chain, model, writer):
        chain.add(columns)
    names = [f"{chain.stem}_sum{k}" for k in range(model.n_outputs)]
    sums = [chain.dialect.quoted(name) for name in names]
    if model.classes is None:
        return sums
    for columns in steps.walk_label(chain, model, writer, names if probabilities else ()):
        chain.add(columns)
    label = steps.label_of(chain.name("best"), model.classes, writer.dialect)
    return [label, *(sums if probabilities else [])]


def _share_names(model: Model, plan: _Plan) -> list[str]:
    """Return a name for the column of each class, none of them twice."""
    taken = {name.lower() for name in (plan.prediction, *plan.keep)}
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


def _why_no_expression(model: Model, plan: _Plan) -> str:
    if plan.probabilities or isinstance(model, RuleModel):
        return "an expression is one column, so it has no probabilities. Use form='select'."
    if isinstance(model, EnsembleModel):
        return "an ensemble is a query of several steps. Use form='select'."
    if model.fractional:
        return (
            "a tree with missing='fractional' sends a row with gaps every way, which one "
            "expression cannot hold. Use form='select'."
        )
    return (
        f"the tree has {model.max_depth} levels, but databases limit how deep expressions may "
        f"nest, so at most {steps.deepest_case(model, plan.dialect)} are written as one. Use "
        "form='select', or prune the tree."
    )
