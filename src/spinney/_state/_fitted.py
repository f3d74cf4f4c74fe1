"""What fits leave behind: attributes by the class that sets them, and how they hang together."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from spinney._state._kinds import (
    ANYTHING,
    FINITE,
    FLAG,
    FLOATS,
    FLOATS_2D,
    LABELS,
    NAMES,
    PLACES,
    TEXT,
    Kind,
    StateError,
    array,
    check_bounded,
    is_array,
    many,
    one,
    or_none,
    perhaps,
    row,
    whole,
)
from spinney._table import Schema
from spinney.ensemble._bagged import plan_of
from spinney.ensemble._ballots import Member as VotingMember
from spinney.ensemble._lesson import Bagged
from spinney.ensemble._outsiders import Outsiders
from spinney.ensemble._quorum import Quorum, vote_weights
from spinney.ensemble._selection_report import SelectionReport
from spinney.ensemble._view import Forest
from spinney.evolve._derived import Derived
from spinney.mixture._estimator_experts import ClassLearner, NumberLearner
from spinney.mixture._experts import LinearExpert, LogisticExpert
from spinney.mixture._gates import Gate, GateTree
from spinney.mixture._training_data import Design, Scale
from spinney.pruning import PruningPath
from spinney.rules._ruleset import RuleSet
from spinney.tree._igpa import Iteration
from spinney.tree._tokens import OPS
from spinney.tree._view import Tree

_COLUMN = OPS.index("column")
_LEARNERS = many(one(BaseEstimator))
_SIZE = whole(0, 2**40)
_SHARE = Kind("a number from 0 to 1", lambda v: type(v) is float and 0.0 <= v <= 1.0)
_DRAWN = row(_SIZE, _SIZE, whole(1, 2**40), _SIZE, _SIZE, _SHARE, whole(0, 2**64 - 1))
_EXPERT = one(LogisticExpert, LinearExpert, ClassLearner, NumberLearner)
_TABLE: dict[str, Kind] = {
    "_schema": one(Schema),
    "n_features_in_": whole(),
    "feature_names_in_": perhaps(NAMES),
    "classes_": perhaps(LABELS),
}

# By the class that sets them. A fitted estimator has all of them but those that are optional.
FITTED: Mapping[str, Mapping[str, Kind]] = {
    "TableEstimator": _TABLE,
    "BaseTree": {"tree_": one(Tree)},
    "PrunedTree": {"pruning_path_": perhaps(one(PruningPath))},
    "C45Classifier": {"rules_": perhaps(one(RuleSet))},
    "IGPATree": {
        "history_": perhaps(many(one(Iteration))),
        "n_iterations_": perhaps(whole()),
    },
    "TypedColumns": {
        "_derived": perhaps(many(one(Derived))),
        "n_evaluations_": perhaps(whole()),
    },
    "BaseEnsemble": {
        "_taught": _LEARNERS,
        "_lessons": many(row(whole(), _LEARNERS)),
        "_committee": one(Forest, Outsiders),
    },
    "BaggedEnsemble": {
        "_seed": whole(0, 2**64 - 1),
        "_bagged": one(Bagged),
        "_runs": many(row(whole(), _DRAWN)),
        "_used": array(np.bool_),
        "selected_": PLACES,
        "selection_report_": perhaps(one(SelectionReport)),
        "oob_error_curve_": perhaps(FLOATS),
        "oob_decision_function_": perhaps(FLOATS_2D),
        "oob_prediction_": perhaps(FLOATS),
        "oob_score_": perhaps(FINITE),
    },
    "BoostedEnsemble": {
        "_seed": whole(0, 2**64 - 1),
        "estimator_errors_": FLOATS,
        "estimator_weights_": FLOATS,
        "loss_curve_": FLOATS,
        "sample_weights_": FLOATS,
    },
    "BoostByFilteringClassifier": {
        **_TABLE,
        "outcome_": TEXT,
        "estimators_": _LEARNERS,
        "sample_indices_": many(PLACES),
    },
    "VotingCombiner": {
        "_schema": or_none(one(Schema)),
        "n_features_in_": perhaps(whole()),
        "feature_names_in_": perhaps(NAMES),
        "classes_": LABELS,
        "_members": many(one(VotingMember)),
        "_quorum": one(Quorum),
        "_answers": ANYTHING,
        "weights_": FLOATS,
    },
    "BaseMixture": {
        "_design": one(Design),
        "_wants_table": FLAG,
        "_gates": one(GateTree),
        "_experts": many(_EXPERT, tuple),
        "gates_": many(one(Gate)),
        "experts_": many(ANYTHING),
        "log_likelihood_": FLOATS,
        "n_iterations_": whole(),
        "converged_": FLAG,
    },
    "MixtureOfExpertsRegressor": {"_scale": one(Scale)},
}

# Attributes that follow from others: they are made again.
MADE: Mapping[str, tuple[str, ...]] = {
    "BaseEnsemble": ("forest_",),
    "VotingCombiner": ("_places", "estimators_"),
}


def _need(fits: bool, who: Any, what: str) -> None:
    if not fits:
        raise StateError(f"{type(who).__name__}: {what}.")


def same_labels(one_: Any, other: Any) -> bool:
    """Tell whether two arrays of labels, or None, are the same."""
    if one_ is None or other is None:
        return one_ is other
    return bool(one_.dtype == other.dtype and one_.tolist() == other.tolist())


def _check_table(model: Any) -> None:
    schema = model._schema
    if schema is None:
        absent = not hasattr(model, "n_features_in_") and not hasattr(model, "feature_names_in_")
        return _need(absent, model, "it has columns, but no schema")
    told_n = vars(model).get("n_features_in_")
    _need(told_n == len(schema.columns), model, "n_features_in_ is not the schema's")
    classed = vars(model).get("classes_") is not None
    _need(classed is is_classifier(model), model, "only a classifier has classes_")
    names = vars(model).get("feature_names_in_")
    told = None if names is None else names.tolist()
    wanted = list(schema.names) if schema.has_names else None
    return _need(told == wanted, model, "feature_names_in_ are not the names of the schema")


def _check_columns(model: Any, schema: Schema, what: str) -> None:
    """Refuse trees that ask other columns than a table has; derived ones come behind."""
    own, derived = model._schema.columns, vars(model).get("_derived") or []
    fits = schema.columns[: len(own)] == own and len(schema.columns) == len(own) + len(derived)
    _need(fits, model, f"{what} asks other columns than those of the schema")
    for place, made in enumerate(derived, start=len(own)):
        asked = [arg for tokens in made.arguments for op, arg, _ in tokens if op == _COLUMN]
        _need(max(asked, default=0) < place, model, "a function asks a column that is not there")


def _check_tree(model: Any) -> None:
    _check_columns(model, model.tree_.schema, "tree_")
    classes = vars(model).get("classes_")
    _need(same_labels(classes, model.tree_.classes), model, "tree_ has other classes")


def _check_ensemble(model: Any) -> None:
    committee = model._committee
    _check_columns(model, committee.schema, "the ensemble")
    classes = vars(model).get("classes_")
    _need(same_labels(classes, committee.classes), model, "the members have other classes")
    firsts = [first for first, _ in model._lessons]
    rising = firsts[:1] == [0] and firsts == sorted(set(firsts)) and firsts[-1] < len(committee)
    _need(rising, model, "_lessons are not in order")
    _need(all(own for _, own in model._lessons), model, "a lesson has no learner")
    _need(bool(model._taught), model, "it has no learner")


def _check_bagged(model: Any) -> None:
    n = len(model._committee)
    selected = model.selected_
    inside = len(selected) > 0 and selected.min() >= 0 and selected.max() < n
    _need(bool(inside and (np.diff(selected) > 0).all()), model, "selected_ are no members")
    _need(model._bagged.members is model._committee, model, "_bagged holds other members")
    report = vars(model).get("selection_report_")
    fits = report is None or len(report.errors) == n
    _need(fits, model, "selection_report_ has other members")
    firsts = [first for first, _ in model._runs]
    _need(firsts[:1] == [0] and firsts == sorted(set(firsts)), model, "_runs are not in order")
    for _, drawn in model._runs:
        plan_of(drawn)  # refuses what it does not know


def _check_boosted(model: Any) -> None:
    for name in ("estimator_errors_", "estimator_weights_", "loss_curve_"):
        n = len(getattr(model, name))
        _need(n == len(model._committee), model, f"{name} has {n} entries")
    check_bounded(model.estimator_weights_, f"{type(model).__name__}: a weight")


def _check_member_classes(model: Any, members: list[Any]) -> None:
    """Refuse members that may answer with what is no class of the model."""
    labels = set(model.classes_.tolist())
    for member in members:
        theirs = set(np.asarray(getattr(member, "classes_", ())).tolist())
        _need(theirs <= labels, model, "a member has other classes")


def _check_filtering(model: Any) -> None:
    n = len(model.estimators_)
    _need(n in (1, 3) and len(model.sample_indices_) == n, model, "it must have 1 or 3 members")
    _check_member_classes(model, model.estimators_)


def _check_voting(model: Any) -> None:
    vote_weights(model.weights_, len(model._members))  # refuses what is no weight of each
    _check_member_classes(model, [member.frozen for member in model._members])
    answers, quorum = model._answers, model._quorum
    abstains = quorum.strict or quorum.share > 0.0
    labels = model.classes_.tolist()
    fits = is_array(answers) and answers.ndim == 1 and len(answers) == len(labels) + abstains
    same = fits and answers.tolist()[: len(labels)] == labels
    _need(same, model, "_answers must be the classes, and what is said without a decision")


def _check_mixture(model: Any) -> None:
    gates, n_columns = model._gates, len(model._design.columns) + 1
    n = gates.n_experts
    _need(len(model._experts) == n == len(model.experts_), model, f"there must be {n} experts")
    for coef in gates.coefs():
        _need(len(coef) == n_columns, model, "a gate has other columns than the design")
    classes = vars(model).get("classes_")
    for expert in model._experts:
        if isinstance(expert, LogisticExpert | LinearExpert):
            width = (n_columns, len(classes) - 1) if classes is not None else (n_columns,)
            _need(expert.coef.shape == width, model, "an expert has other columns or classes")
        else:
            is_class = isinstance(expert, ClassLearner)
            theirs = expert.classes if is_class else None
            _need(same_labels(theirs, classes), model, "an expert has other classes")
            _need(model._wants_table, model, "an expert wants a table")
    columns = model._schema.columns
    for column in model._design.columns:
        _need(column.place < len(columns), model, "the design asks a column that is not there")


CHECKS: Mapping[str, tuple[Callable[[Any], None], ...]] = {
    "TableEstimator": (_check_table,),
    "BaseTree": (_check_tree,),
    "BaseEnsemble": (_check_ensemble,),
    "BaggedEnsemble": (_check_bagged,),
    "BoostedEnsemble": (_check_boosted,),
    "BoostByFilteringClassifier": (_check_table, _check_filtering),
    "VotingCombiner": (_check_table, _check_voting),
    "BaseMixture": (_check_mixture,),
}


def finish(model: Any) -> None:
    """Make the attributes that follow from others."""
    if isinstance(vars(model).get("_committee"), Forest):
        model.forest_ = model._committee
    if "_members" in vars(model):
        model._places = {label: code for code, label in enumerate(model.classes_.tolist())}
        model.estimators_ = [member.frozen for member in model._members]
