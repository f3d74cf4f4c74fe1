"""Classifiers that are fitted already, combined by their votes."""

from collections.abc import Hashable, Mapping
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted

from spinney._base import check_table, unchanged_on_failure
from spinney._checks import Check, Choice, Either, Read, Such
from spinney._params import check_parameters
from spinney._state import plain_state
from spinney._state._kinds import (
    ANYTHING,
    FLOATS,
    LABELS,
    NAMES,
    Kind,
    is_array,
    many,
    need,
    one,
    or_none,
    perhaps,
    whole,
)
from spinney._table import Column, Schema, check_columns, feature_names
from spinney._target import check_weights, check_y, class_target
from spinney._typing import Floats
from spinney.ensemble._routing import (
    Metadata,
    get_metadata_routing,
    predict_of_member,
    route,
)
from spinney.ensemble._voting_members import (
    Member,
    all_classes,
    as_labels,
    check_member_classes,
    codes_of,
    read_members,
)
from spinney.ensemble._voting_rules import (
    RULES,
    CoverageTable,
    Quorum,
    count_votes,
    coverage_table,
    leaders,
    read_rule,
    read_weights,
    vote_weights,
)


def _is_label(value: Any) -> bool:
    return np.ndim(value) == 0 and isinstance(value, Hashable)


@plain_state
class VotingCombiner(ClassifierMixin, BaseEstimator):
    """Fitted classifiers that vote, and may leave a row undecided.

    Members are not fitted again: `fit` reads the classes and checks that the members
    share them. Members may come from any library that follows scikit-learn's `predict`,
    and each gets the table unchanged, so learners for raw tables and pipelines can be mixed.

    Parameters
    ----------
    estimators : list
        Fitted classifiers, or (name, classifier) pairs. There is no default. `clone` keeps them
        fitted, so the combiner works in cross-validation and searches; there the members' own
        training rows are among the judged ones unless you keep them apart.
    rule : {"plurality", "majority", "unanimous"} or float, default="plurality"
        When the class with the most votes is the answer: always; with more than half of the votes;
        with all; or with at least that share, > 0 and <= 1. Between classes with equally many votes
        the one of the lowest index leads. So 0.5 decides a tie of two halves, and "majority" does
        not; 1.0 is "unanimous"; and up to 1 / n_classes every row is decided, as by "plurality".
        Shares are compared up to one part in 10**9, so `rule=2 / 3` is met by two of three, while
        0.667 is not.
    weights : array of shape (n_members,) or None, default=None
        What each vote counts: finite, >= 0 and not all 0. None for 1 each. A member of weight 0 has
        no vote, not even against unanimity.
    abstain_label : object or None, default=None
        What `predict` returns for a row without a decision, such as -1 or "unsure". It must be no
        class, and every rule but "plurality" needs it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels of y and of the members' own `classes_`, sorted.
    estimators_ : list of FrozenEstimator
        The members.
    weights_ : array of shape (n_members,)
        What each vote counts.
    n_features_in_ : int
        Columns seen in fit, if X has columns.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.

    Examples
    --------
    >>> from spinney import C45Classifier, CARTClassifier, VotingCombiner
    >>> from spinney.datasets import load_credit_example
    >>> data = load_credit_example()
    >>> members = [model.fit(data.X, data.y) for model in (CARTClassifier(), C45Classifier())]
    >>> combiner = VotingCombiner(members, rule="unanimous", abstain_label="unsure")
    >>> combiner.fit(data.X, data.y).coverage(data.X)
    1.0
    """

    _parameters: ClassVar[Mapping[str, Check]] = {
        "estimators": Read(
            "a list of fitted classifiers or of (name, classifier) pairs", read_members
        ),
        "rule": Read(
            f"one of {', '.join(map(repr, RULES))}, or a share of the votes > 0 and <= 1", read_rule
        ),
        "weights": Read("None or numbers >= 0, one for each member", read_weights),
        "abstain_label": Either([Such("a single label", _is_label), Choice([None])]),
    }
    _fitted_fields: ClassVar[Mapping[str, Kind]] = {
        "_schema": or_none(one(Schema)),
        "n_features_in_": perhaps(whole()),
        "feature_names_in_": perhaps(NAMES),
        "classes_": LABELS,
        "_members": many(one(Member)),
        "_quorum": one(Quorum),
        "_answers": ANYTHING,
        "weights_": FLOATS,
    }
    classes_: NDArray[Any]
    weights_: Floats
    _made_again: ClassVar[tuple[str, ...]] = ("_places", "estimators_")

    def _check_state(self) -> None:
        """Refuse attributes, of a model file, that do not fit together."""
        if self._schema is not None:
            check_table(self)
        else:
            absent = not {"n_features_in_", "feature_names_in_"} & set(vars(self))
            need(absent, self, "it has columns, but no schema")
        vote_weights(self.weights_, len(self._members))  # refuses what is no weight of each
        check_member_classes(self, [member.frozen for member in self._members])
        answers, labels = self._answers, self.classes_.tolist()
        abstains = self._quorum.strict or self._quorum.share > 0.0
        fits = is_array(answers) and answers.ndim == 1 and len(answers) == len(labels) + abstains
        same = fits and answers.tolist()[: len(labels)] == labels
        need(same, self, "_answers must be the classes, and what is said without a decision")
        self._places = {label: code for code, label in enumerate(labels)}
        self.estimators_ = [member.frozen for member in self._members]

    def __init__(
        self,
        estimators: Any,
        *,
        rule: str | float = "plurality",
        weights: Any = None,
        abstain_label: Any = None,
    ) -> None:
        self.estimators = estimators
        self.rule = rule
        self.weights = weights
        self.abstain_label = abstain_label

    def fit(self, X: Any, y: Any) -> "VotingCombiner":
        """Check the members, their classes and the settings; no member is fitted again.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Whatever the members accept. Only its columns are used.
        y : array of shape (n_rows,)
            Labels. A member may know fewer classes, or more.

        Returns
        -------
        self
        """
        check_parameters(self)
        with unchanged_on_failure(self):
            quorum = read_rule(self.rule)
            members = read_members(self.estimators)
            weights = vote_weights(self.weights, len(members))
            target = class_target(y, np.ones(_n_rows(X)), estimator_name=type(self).__name__)
            classes = all_classes(target.classes, members)
            answers = _answers(classes, self.rule, self.abstain_label)
            self._remember_columns(X)
            self._members, self._quorum, self._answers = members, quorum, answers
            self._places = {label: code for code, label in enumerate(classes.tolist())}
            self.classes_ = classes
            self.estimators_ = [member.frozen for member in members]
            self.weights_ = weights
        return self

    def _check_combinations(self) -> None:
        vote_weights(self.weights, len(self.estimators))
        if self.abstain_label is None and self.rule != "plurality":
            raise ValueError(
                f"rule={self.rule!r} may leave rows undecided, and abstain_label is None. Give the "
                "label that such rows shall get, such as abstain_label='unsure', or "
                "abstain_label=-1 where classes are numbers."
            )

    def _remember_columns(self, X: Any) -> None:
        for old in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, old):
                delattr(self, old)
        names = feature_names(X)
        n_columns = _n_columns(X) if names is None else len(names)
        self._schema: Schema | None = None
        if n_columns is None:
            return
        words = [f"x{k}" for k in range(n_columns)] if names is None else names.tolist()
        columns = tuple(Column(word, "numeric") for word in words)  # only the names are used
        self._schema = Schema(columns, names is not None)
        self.n_features_in_ = n_columns
        if names is not None:
            self.feature_names_in_ = names

    _callee = predict_of_member
    get_metadata_routing = get_metadata_routing

    def votes(self, X: Any) -> Floats:
        """Return the weight of the votes for each class.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        return self._votes(X)

    def _votes(self, X: Any, metadata: Metadata = ()) -> Floats:
        check_is_fitted(self)
        if self._schema is not None:
            check_columns(self._schema, _as_columns(X), estimator_name=type(self).__name__)
        given = [one.get("predict", {}) for one in metadata] or [{}] * len(self._members)
        codes = [
            member.codes(X, self._places, own)
            for member, own in zip(self._members, given, strict=True)
        ]
        for member, found in zip(self._members, codes, strict=True):
            if len(found) != len(codes[0]):
                raise ValueError(
                    f"{member.who} predicts {len(found)} labels where {self._members[0].who} "
                    f"predicts {len(codes[0])}. A member must predict one label per row."
                )
        return count_votes(codes, self.weights_, len(self.classes_))

    def _leaders(self, X: Any, metadata: Metadata = ()) -> tuple[NDArray[np.intp], Floats]:
        votes = self._votes(X, metadata)
        return leaders(votes, float(self.weights_.sum()))

    def _decisions(
        self, X: Any, metadata: Metadata = ()
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the leading class of each row, and whether the rule lets it decide."""
        codes, shares = self._leaders(X, metadata)
        return codes, self._quorum.reached(shares)

    def predict(self, X: Any, **params: Any) -> NDArray[Any]:
        """Return the class that the votes decide for, or `abstain_label`.

        The type of the result depends on the settings, never on the rows: one that holds every
        class and the label of abstention, or objects where they have no type in common.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for the members' `predict`, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows,)
        """
        codes, decided = self._decisions(X, route(self, "predict", params))
        labels: NDArray[Any] = self._answers[np.where(decided, codes, len(self.classes_))]
        return labels

    def predict_proba(self, X: Any, **params: Any) -> Floats:
        """Return the share of the votes for each class, whether or not they decide.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        **params : dict
            Metadata for the members' `predict`, with
            `sklearn.set_config(enable_metadata_routing=True)`.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        votes = self._votes(X, route(self, "predict_proba", params))
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def decided(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows the rule decides.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.

        Returns
        -------
        array of shape (n_rows,)
        """
        return self._decisions(X)[1]

    def coverage(self, X: Any, sample_weight: Any = None) -> float:
        """Return the share of the rows that the rule decides.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        float
        """
        decided = self.decided(X)
        weight = check_weights(sample_weight, len(decided))
        return float(weight[decided].sum() / weight.sum())

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of all rows that are decided right.

        A row without a decision is not right, as `accuracy_score` of scikit-learn has it. For the
        decided rows alone see `decided_score`; it is this number divided by the coverage.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : array of shape (n_rows,)
            Labels.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        float
        """
        weight, _, right = self._judged(X, y, sample_weight)
        return float(weight[right].sum() / weight.sum())

    def decided_score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the decided rows that are decided right; NaN if there are none.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : array of shape (n_rows,)
            Labels.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        float
        """
        weight, decided, right = self._judged(X, y, sample_weight)
        of = float(weight[decided].sum())
        return float(weight[right].sum()) / of if of > 0 else float("nan")

    def coverage_table(self, X: Any, y: Any, sample_weight: Any = None) -> CoverageTable:
        """Return coverage and accuracy for every quorum that makes a difference on these rows.

        The rule of this combiner does not matter here: the table helps to choose one.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            With the columns of fit.
        y : array of shape (n_rows,)
            Labels.
        sample_weight : array of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        CoverageTable
        """
        codes, shares = self._leaders(X)
        weight = check_weights(sample_weight, len(codes))
        return coverage_table(shares, codes == self._true_codes(y, len(codes)), weight)

    def _judged(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the weight of each row, whether it is decided, and whether it is decided right."""
        codes, decided = self._decisions(X)
        weight = check_weights(sample_weight, len(codes))
        return weight, decided, decided & (codes == self._true_codes(y, len(codes)))

    def _true_codes(self, y: Any, n_rows: int) -> NDArray[np.intp]:
        return codes_of(check_y(y, n_rows, type(self).__name__), self._places)

    def __sklearn_clone__(self) -> "VotingCombiner":
        settings = self.get_params(deep=False)
        members = settings.pop("estimators")  # clones of them would not be fitted
        rest = {name: clone(value, safe=False) for name, value in settings.items()}
        twin = type(self)(members, **rest)
        if hasattr(self, "_metadata_request"):
            twin._metadata_request = deepcopy(self._metadata_request)
        return twin

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._every_member("allow_nan")
        tags.input_tags.sparse = self._every_member("sparse")
        return tags

    def _every_member(self, tag: str) -> bool:
        try:
            members = [entry[1] if isinstance(entry, tuple) else entry for entry in self.estimators]
            return all(getattr(get_tags(member).input_tags, tag) for member in members)
        except (AttributeError, IndexError, TypeError):  # of another library, or no list
            return False


def _answers(classes: NDArray[Any], rule: Any, abstain_label: Any) -> NDArray[Any]:
    """Return what predict can answer: the classes, then the label of abstention if one is used."""
    labels = classes.tolist()
    if abstain_label is None:
        return classes
    if abstain_label in set(labels):
        raise ValueError(
            f"abstain_label={abstain_label!r} is one of the classes. Give a label that is none."
        )
    return classes if rule == "plurality" else as_labels([*labels, abstain_label], classes.dtype)


def _n_rows(X: Any) -> int:
    if isinstance(X, Mapping):  # of columns
        return max((len(column) for column in X.values()), default=0)
    return int(_num_samples(X))


def _as_columns(X: Any) -> Any:
    """Return X in a form that has a shape; rows of different lengths have none."""
    if hasattr(X, "shape") or isinstance(X, Mapping):
        return X
    try:
        return np.asarray(X)
    except ValueError:
        return None


def _n_columns(X: Any) -> int | None:
    """Return the number of columns; None if X has no two dimensions, such as a list of texts."""
    shape: Any = getattr(_as_columns(X), "shape", ())
    return int(shape[1]) if len(shape) == 2 else None
