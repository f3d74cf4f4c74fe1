"""Recipes of forests, and of the small objects that ensembles, mixtures and evolved trees hold.

A function written in Python holds the callable itself: pickle carries it, a model file its name.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from spinney import _core
from spinney._expression.tokens import ARITY, OPS, Token
from spinney._settings import thread_count
from spinney._state._kinds import (
    ANYTHING,
    FINITE,
    FLAG,
    FLOATS,
    FLOATS_2D,
    LABELS,
    NAMES,
    NUMBER,
    PLACES,
    SHARE,
    TEXT,
    Kind,
    StateError,
    array,
    check_bounded,
    choice,
    is_zero,
    many,
    one,
    or_none,
    whole,
)
from spinney._state._recipes import Recipe, made, record
from spinney._state._trees import (
    MODEL,
    check_classes,
    check_kinds,
    check_lifetimes,
    n_categories,
    with_lifetimes,
)
from spinney._table import Schema
from spinney._table._cells import as_objects
from spinney.ensemble._distil import Distillation
from spinney.ensemble._foreign_members import ForeignMembers, Member
from spinney.ensemble._forest import Forest
from spinney.ensemble._leaf_targets import LeafTargets
from spinney.ensemble._selection import SelectionReport
from spinney.ensemble._small_report import SmallForestReport
from spinney.ensemble._trainer import Bagged, MemberRecords
from spinney.ensemble._voting_members import Member as VotingMember
from spinney.ensemble._voting_rules import Quorum
from spinney.evolve._derived import Derived
from spinney.evolve._functions import Bool, Function, Type, _Compiled
from spinney.mixture._experts import ClassLearner, LinearExpert, LogisticExpert, NumberLearner
from spinney.mixture._experts import Learner as LearnerRecipe
from spinney.mixture._gates import Gate, GateTree, LinearPart
from spinney.mixture._training_data import Category, Design, Numeric, Scale
from spinney.tree._igpa import Iteration

_MANY_NODES = 100_000  # from which on several threads are worth it

_EXPONENT = whole(-4000, 4000)
_DICT = Kind("a dict", lambda v: type(v) is dict)
_COEFS = many(many(FLOATS_2D, tuple), tuple)
_COUNT = whole()


ITERATION = made(
    Iteration,
    judge=_COUNT,
    n_leaves_grown=_COUNT,
    n_leaves=_COUNT,
    growing_error=NUMBER,
    judge_error_grown=NUMBER,
    judge_error=NUMBER,
)

# -- Ensembles

_BAGGED: dict[str, Kind] = {
    "members": one(Forest, ForeignMembers),
    "sums": array(np.float64, None),
    "n_votes": PLACES,
    "curve": FLOATS,
    "n_to_cover": _COUNT,
    "records": FLOATS_2D,
    "exponent": _EXPONENT,
    "was_judged": FLAG,
}


def _take_bagged(bagged: Bagged) -> dict[str, Any]:
    state = {name: getattr(bagged, name) for name in _BAGGED}
    return {**state, "records": bagged.records.table()}


def _fill_bagged(bagged: Bagged, state: dict[str, Any]) -> None:
    if state["records"].shape[1] != len(MemberRecords._fields):
        raise StateError("Bagged: records have other columns.")
    for name, value in {**state, "records": MemberRecords.of(state["records"])}.items():
        object.__setattr__(bagged, name, value)


DISTILLATION = made(
    Distillation,
    agreement=NUMBER,
    error=NUMBER,
    ensemble_error=NUMBER,
    judged_by=TEXT,
    n_drawn=_COUNT,
)
LEAF_TARGETS = record(
    LeafTargets,
    LeafTargets.check,
    y=FLOATS,
    weight=FLOATS,
    place=array(np.uint32),
    begin=array(np.uint32),
    tree=PLACES,
)
BAGGED = Recipe(Bagged, _BAGGED, _take_bagged, _fill_bagged)


def _check_report(report: SelectionReport) -> None:
    """Refuse places that are no members, and values that are no counts."""
    n = len(report.errors)
    if len(report.values) != n:
        raise StateError(f"SelectionReport: values has {len(report.values)} entries of {n}.")
    if not len(report.kept):
        raise StateError("SelectionReport: kept names no member.")
    for name in ("kept", "dropped"):
        places = getattr(report, name)
        if len(places) and not (places.min() >= 0 and places.max() < n):
            raise StateError(f"SelectionReport: {name} has a place that is no member.")
    if not np.array_equal(np.sort(np.concatenate([report.kept, report.dropped])), np.arange(n)):
        raise StateError("SelectionReport: kept and dropped are not all members, each once.")
    counted = all(
        type(value) is float and type(count) is int for value, count in report.frequencies.items()
    )
    if not counted or not set(report.values.tolist()) <= set(report.frequencies):
        raise StateError("SelectionReport: frequencies do not count the values.")


REPORT = record(
    SelectionReport,
    _check_report,
    method=TEXT,
    data=TEXT,
    errors=FLOATS,
    values=FLOATS,
    in_rows=FLAG,
    width=NUMBER,
    frequencies=_DICT,
    mode=NUMBER,
    limit=NUMBER,
    kept=PLACES,
    dropped=PLACES,
    t_statistic=NUMBER,
    p_value=NUMBER,
)


def _check_small(report: SmallForestReport) -> None:
    """Refuse places that are not in the pool, and tables of unequal lengths."""
    places = report.selected
    if not (len(places) and places.min() >= 0 and places.max() < report.pool):
        raise StateError("SmallForestReport: selected has a place that is not in the pool.")
    by_kind = (report.counts, report.strengths, report.shares, report.kind_losses)
    pairs: list[tuple[Any, Any]] = [(places, report.distances), (places, report.kinds)]
    pairs.append((report.sizes, report.refitted))
    pairs += [(report.members, one_) for one_ in by_kind]
    if any(len(one_) != len(other) for one_, other in pairs):
        raise StateError("SmallForestReport: tables have unequal lengths.")
    if not (report.kinds.min() >= 0 and report.kinds.max() < len(report.members)):
        raise StateError("SmallForestReport: a tree is of no kind.")


SMALL_REPORT = record(
    SmallForestReport,
    _check_small,
    members=many(TEXT, tuple),
    counts=PLACES,
    selected=PLACES,
    kinds=PLACES,
    distances=FLOATS,
    strengths=FLOATS,
    shares=FLOATS,
    kind_losses=FLOATS,
    power=FINITE,
    pool_loss=NUMBER,
    sizes=PLACES,
    refitted=FLOATS,
)


def _check_foreign(committee: ForeignMembers) -> None:
    n_columns = len(committee.schema.columns)
    n_classes = 0 if committee.classes is None else len(committee.classes)
    for i, member in enumerate(committee.members):
        features, groups = member.features, member.groups
        if len(features) and not (features.min() >= 0 and features.max() < n_columns):
            raise StateError(f"member {i} knows a column that is not there.")
        own = features.tolist() or range(n_columns)
        names = [committee.schema.columns[place].name for place in own]
        theirs = getattr(member.estimator, "_schema", None)
        known = names if theirs is None or not theirs.has_names else list(theirs.names)
        if known != names or getattr(member.estimator, "n_features_in_", len(names)) != len(names):
            raise StateError(f"member {i} was fitted on other columns.")
        if groups and (len(groups) != n_classes or not set(groups) <= {0, 1}):
            raise StateError(f"member {i}: groups do not fit the classes.")


MEMBER = record(Member, estimator=ANYTHING, features=array(np.int32), groups=many(_COUNT, tuple))
FOREIGN_MEMBERS = record(
    ForeignMembers,
    _check_foreign,
    members=many(one(Member)),
    schema=one(Schema),
    classes=or_none(LABELS),
    unseen=choice("missing", "error"),
)
VOTING_MEMBER = replace(record(VotingMember, who=TEXT, frozen=ANYTHING), alias="VotingMember")
QUORUM = record(Quorum, share=SHARE, strict=FLAG)

# -- Mixtures


def _take_design(design: Design) -> dict[str, Any]:
    """Return columns as arrays: a category is marked by its code, a number by -1."""

    def each(name: str) -> list[Any]:
        return [getattr(column, name, 0.0) for column in design.columns]

    codes = [column.code if isinstance(column, Category) else -1 for column in design.columns]
    return {
        "place": np.array(each("place"), np.int64),
        "code": np.array(codes, np.int64),
        "exponent": np.array(each("exponent"), np.int64),
        **{n: np.array(each(n), np.float64) for n in ("centre", "spread", "low", "high")},
        "names": as_objects(list(design.names)),
    }


def _fill_design(design: Design, state: dict[str, Any]) -> None:
    names = tuple(state["names"].tolist())
    lists = {name: values.tolist() for name, values in state.items()}
    if len({len(values) for values in lists.values()}) > 1:
        raise StateError("Design: the arrays differ in length.")
    columns: list[Numeric | Category] = []
    for j in range(len(names)):
        one_ = {name: values[j] for name, values in lists.items() if name != "names"}
        if one_["place"] < 0 or abs(one_["exponent"]) > 4000:
            raise StateError(f"Design: column {j} is out of range.")
        if not (np.isfinite([one_["centre"], one_["spread"]]).all() and one_["spread"] > 0.0):
            raise StateError(f"Design: column {j} has no finite centre and spread.")
        if one_["code"] >= 0:
            if not all(is_zero(one_[name]) for name in ("low", "high", "exponent")):
                raise StateError(f"Design: column {j} is a category, and has no ends.")
            columns.append(Category(one_["place"], one_["code"], one_["centre"], one_["spread"]))
        elif one_["code"] == -1:
            ends = (one_["low"], one_["high"])
            columns.append(
                Numeric(one_["place"], one_["exponent"], one_["centre"], one_["spread"], *ends)
            )
        else:
            raise StateError(f"Design: column {j} has no code {one_['code']}.")
    object.__setattr__(design, "columns", tuple(columns))
    object.__setattr__(design, "names", names)


DESIGN = Recipe(
    Design,
    {
        "place": PLACES,
        "code": PLACES,
        "exponent": PLACES,
        "centre": FLOATS,
        "spread": FLOATS,
        "low": FLOATS,
        "high": FLOATS,
        "names": NAMES,
    },
    _take_design,
    _fill_design,
)


def _check_gates(gates: GateTree) -> None:
    if not gates.branching or len(gates.levels) != len(gates.branching):
        raise StateError("GateTree: it must have a level for each branching.")
    n_gates = 1
    for n_branches, level in zip(gates.branching, gates.levels, strict=True):
        if len(level) != n_gates or any(coef.shape[1] != n_branches - 1 for coef in level):
            raise StateError("GateTree: a level does not fit its branching.")
        for coef in level:
            check_bounded(coef, "GateTree: a coefficient")
        n_gates *= n_branches


def _check_coef(expert: Any) -> None:
    check_bounded(expert.coef, f"{type(expert).__name__}: a coefficient")


def _check_scale(scale: Scale) -> None:
    if not scale.spread > 0.0:
        raise StateError("Scale: the spread must be above 0.")


GATES = record(GateTree, _check_gates, branching=many(whole(1, 2**20), tuple), levels=_COEFS)
LOGISTIC = record(LogisticExpert, _check_coef, coef=FLOATS_2D)
LINEAR = record(LinearExpert, _check_coef, coef=FLOATS, variance=FINITE)
SCALE = record(Scale, _check_scale, exponent=_EXPONENT, centre=FINITE, spread=FINITE)
LEARNER = replace(
    record(LearnerRecipe, learner=ANYTHING, seed=_COUNT, schema=one(Schema)), alias="Learner"
)
CLASS_LEARNER = record(
    ClassLearner,
    estimator=ANYTHING,
    classes=LABELS,
    recipe=or_none(one(LearnerRecipe)),
    who=TEXT,
)
NUMBER_LEARNER = record(
    NumberLearner,
    estimator=ANYTHING,
    scale=one(Scale),
    recipe=or_none(one(LearnerRecipe)),
    variance=FINITE,
    who=TEXT,
)


def _part(cls: type, **more: Kind) -> Recipe[Any]:
    """Return the recipe of a linear part: the names of its columns are one array."""
    fields = {"columns": NAMES, "intercept": FLOATS, "coef": FLOATS_2D, **more}

    def take(part: Any) -> dict[str, Any]:
        state = {name: getattr(part, name) for name in fields}
        return {**state, "columns": as_objects(list(part.columns))}

    def fill(part: Any, state: dict[str, Any]) -> None:
        for name, value in {**state, "columns": tuple(state["columns"].tolist())}.items():
            object.__setattr__(part, name, value)
        if part.coef.shape != (len(part.intercept), len(part.columns)):
            raise StateError(f"{cls.__name__}: coef does not fit the columns.")

    return Recipe(cls, fields, take, fill)


PART = _part(LinearPart, variance=or_none(NUMBER))
GATE = _part(
    Gate,
    variance=or_none(NUMBER),
    path=many(_COUNT, tuple),
    experts=many(many(_COUNT, tuple), tuple),
    shares=or_none(FLOATS),
    strength=or_none(FLOATS_2D),
)

# -- Functions, and the columns that they make

_TYPES = many(one(Type), tuple)
_NUMBER = Kind("a number", lambda v: type(v) in (int, float) and v == v)
_CALLABLE = Kind("a function", callable)


def _is_token(value: Any) -> bool:
    if type(value) is not tuple or len(value) != 3:
        return False
    op, arg, number = value
    return type(op) in (int, str) and type(arg) is int and _NUMBER.fits(number)


_TOKENS = many(Kind("a token", _is_token), tuple)

TYPE = record(Type, name=TEXT, domain=ANYTHING)
FUNCTION = made(Function, name=TEXT, f=_CALLABLE, takes=_TYPES, returns=one(Type))


def _fill_composed(function: _Compiled, state: dict[str, Any]) -> None:
    body = tuple(Token(*token) for token in state["body"])
    n_arguments, waiting = len(state["takes"]), 0
    for token in body:
        if token.op not in ARITY:
            raise StateError(f"function {state['name']!r}: {token.op!r} is no operation.")
        if token.op == "column" and not -n_arguments <= token.arg < 0:
            raise StateError(f"function {state['name']!r} has no argument {-1 - token.arg}.")
        if waiting < ARITY[token.op]:
            raise StateError(f"function {state['name']!r} lacks an operand.")
        waiting += 1 - ARITY[token.op]
    if waiting != 1:
        raise StateError(f"function {state['name']!r} must have one result.")
    _Compiled.__init__(function, state["name"], body, state["takes"], state["returns"])


COMPOSED = Recipe(
    _Compiled,
    {"name": TEXT, "body": _TOKENS, "takes": _TYPES, "returns": one(Type)},
    lambda function: {
        "name": function.name,
        "body": tuple(tuple(token) for token in function.body),
        "takes": function.takes,
        "returns": function.returns,
    },
    _fill_composed,
    alias="ComposedFunction",
)


def _check_derived(derived: Derived) -> None:
    """Refuse arguments that are no expressions of the types that the function takes."""
    who, takes = f"a column of function {derived.function.name!r}", derived.function.takes
    if len(derived.arguments) != len(takes):
        raise StateError(f"{who} has another number of arguments.")
    for type_, tokens in zip(takes, derived.arguments, strict=True):
        known = all(
            type(op) is int and 0 <= op < len(OPS) and 0 <= arg < 2**31 for op, arg, _ in tokens
        )
        if not known:
            raise StateError(f"{who} has an unknown token.")
        no_rows = np.empty((0, 1 + max((arg for _, arg, _ in tokens), default=0)))
        ask = _core.evaluate if type_ == Bool else _core.numbers
        try:
            ask(list(tokens), no_rows)
        except ValueError as problem:
            raise StateError(f"{who}: {problem}.") from None


DERIVED = record(Derived, _check_derived, function=one(Function), arguments=many(_TOKENS, tuple))


def _take_forest(forest: Forest) -> dict[str, Any]:
    parts = _core.forest_parts(forest._core, _n_threads(int(forest.n_nodes.sum())))
    state = {"parts": parts, "schema": forest.schema, "classes": forest.classes}
    return with_lifetimes(state, forest.lifetimes)


def _fill_forest(forest: Forest, state: dict[str, Any]) -> None:
    sizes = n_categories(state["schema"])
    n_nodes = np.size(state["parts"].get("kind", ()))
    core = _core.forest_of_parts(state["parts"], sizes, _n_threads(n_nodes))
    if core.n_members == 0:
        raise StateError("a forest needs at least one tree.")
    check_classes(core.n_classes, state["classes"], "the forest")
    check_kinds(state["parts"], state["schema"], "the forest")
    lifetimes = state.get("lifetimes")
    forest.__init__(core, state["schema"], state["classes"], lifetimes)  # type: ignore[misc]
    if lifetimes is not None:
        check_lifetimes(lifetimes, int(forest.n_nodes.sum()), "the forest")


def _n_threads(n_nodes: int) -> int:
    """Return how many threads a forest is worth."""
    return thread_count(-1) if n_nodes > _MANY_NODES else 1


FOREST: Recipe[Forest] = Recipe(Forest, MODEL, _take_forest, _fill_forest)

RECIPES: list[Recipe[Any]] = [
    *(FOREST, DISTILLATION, SMALL_REPORT),
    *(ITERATION, BAGGED, LEAF_TARGETS, REPORT, MEMBER, FOREIGN_MEMBERS, VOTING_MEMBER, QUORUM),
    *(DESIGN, GATES, LOGISTIC, LINEAR, SCALE, LEARNER, CLASS_LEARNER, NUMBER_LEARNER, PART, GATE),
    *(TYPE, FUNCTION, COMPOSED, DERIVED),
]
