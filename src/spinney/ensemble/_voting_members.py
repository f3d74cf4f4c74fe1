"""Fitted classifiers of any origin, and the class that each of them names for each row.

Takes what the user lists and returns members; a member turns a table into codes of classes. What
the votes then decide is left to `_voting_rules`.
"""

import inspect
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from spinney._checks import is_number
from spinney._format import join_words
from spinney._state._kinds import need
from spinney._table._cells import as_objects

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Member:
    """A classifier that votes, and what messages call it."""

    who: str
    frozen: Any

    @property
    def classes(self) -> NDArray[Any] | None:
        """The labels that it lists, if any."""
        known = getattr(self.frozen, "classes_", None)
        return None if known is None else np.asarray(known)

    def codes(self, X: Any, place: dict[Any, int], metadata: Mapping[str, Any]) -> Codes:
        """Return the code of the class that it predicts for each row."""
        labels = self._labels(X, metadata)
        found = codes_of(labels, place)
        if len(found) and found.min() < 0:
            strange = labels[int(found.argmin())]
            raise ValueError(
                f"{self.who} predicts {_shown(strange)}, which is no class of y nor of the members "
                f"that list theirs: {join_words(place)}. Fit all members on the same labels."
            )
        return found

    def _labels(self, X: Any, metadata: Mapping[str, Any]) -> NDArray[Any]:
        try:
            answer = self.frozen.predict(X, **metadata)
        except Exception as problem:
            raise _with_name(problem, self.who) from problem
        labels = np.asarray(answer)
        if labels.ndim == 2 and labels.shape[1] == 1:
            labels = labels[:, 0]
        if labels.ndim != 1:
            raise ValueError(
                f"{self.who} predicts an array of shape {labels.shape}. A member must predict one "
                "label per row."
            )
        return labels


def read_list(estimators: Any, kind: str) -> list[tuple[str, Any]]:
    """Return what messages call each estimator of a list, and the estimator."""
    if isinstance(estimators, str) or not isinstance(estimators, Sequence):
        raise TypeError(
            f"estimators must be a list of fitted {kind}s or of (name, {kind}) pairs, got "
            f"{type(estimators).__name__}."
        )
    if not len(estimators):
        raise ValueError(f"estimators is empty. Give at least one fitted {kind}.")
    found = []
    for index, entry in enumerate(estimators):
        who, estimator = f"estimators[{index}]", entry
        if isinstance(entry, tuple):
            if len(entry) != 2 or not isinstance(entry[0], str):
                raise TypeError(f"{who} must be a {kind} or a (name, {kind}) pair.")
            who, estimator = f"{who} {entry[0]!r}", entry[1]
        found.append((who, estimator))
    return found


def check_fitted(estimator: Any, who: str) -> None:
    """Refuse a member that is not fitted yet."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        raise NotFittedError(
            f"{who} is not fitted yet. Members are not fitted here: call its fit first."
        ) from None


def read_members(estimators: Any) -> list[Member]:
    """Check the list of estimators, and freeze each."""
    members = [_member(who, estimator) for who, estimator in read_list(estimators, "classifier")]
    names = [entry[0] for entry in estimators if isinstance(entry, tuple)]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ValueError(f"estimators holds the name {twice[0]!r} twice. Names must differ.")
    return members


def _member(who: str, estimator: Any) -> Member:
    if inspect.isclass(estimator):
        raise TypeError(f"{who} is the class {estimator.__name__}. Give a fitted instance of it.")
    if not callable(getattr(estimator, "predict", None)):
        raise TypeError(f"{who} has no predict: {type(estimator).__name__} is no classifier.")
    _check_is_fitted_classifier(estimator, who)
    frozen = estimator if isinstance(estimator, FrozenEstimator) else FrozenEstimator(estimator)
    return Member(who, frozen)


def _check_is_fitted_classifier(estimator: Any, who: str) -> None:
    """Check what can be known; an object that is none of scikit-learn's kind shows it later."""
    while isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    if not (hasattr(estimator, "fit") and hasattr(estimator, "__sklearn_tags__")):
        return
    check_fitted(estimator, who)
    if is_regressor(estimator):
        raise TypeError(f"{who} is a regressor. Members must be classifiers.")


def all_classes(own: NDArray[Any], members: Sequence[Member]) -> NDArray[Any]:
    """Return the classes of y and further ones of the members, sorted."""
    classes = own
    labels = set(own.tolist())
    for member in members:
        known = member.classes
        if known is None or known.ndim != 1:
            continue
        theirs = known.tolist()
        if labels.isdisjoint(theirs):
            raise ValueError(
                f"{member.who} knows the classes {join_words(theirs)}, but y holds "
                f"{join_words(own.tolist())}. Fit members on the labels themselves, not on codes "
                "of them."
            )
        so_far = set(classes.tolist())
        new = [label for label in theirs if label not in so_far]
        if new:
            classes = _joined(classes, new, member.who)
    return classes


def check_member_classes(estimator: Any, members: Iterable[Any]) -> None:
    """Refuse members that may answer with what is no class of the estimator."""
    labels = set(estimator.classes_.tolist())
    for member in members:
        theirs = set(np.asarray(getattr(member, "classes_", ())).tolist())
        need(theirs <= labels, estimator, "a member has other classes")


def _joined(classes: NDArray[Any], new: list[Any], who: str) -> NDArray[Any]:
    try:
        merged = sorted([*classes.tolist(), *new])
    except TypeError:
        raise TypeError(
            f"{who} knows {_shown(new[0])}, which cannot be sorted among the classes of y. Give "
            "labels of one type, such as strings."
        ) from None
    return as_labels(merged, classes.dtype)


def as_labels(labels: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return labels as an array of the kind of `dtype`, or of objects if that would change one."""
    if dtype.kind == "U" and all(isinstance(label, str) for label in labels):
        return np.array(labels)
    if dtype.kind in "iuf" and all(is_number(label) for label in labels):
        numbers = np.array(labels)
        if all(a == b or b != b for a, b in zip(numbers.tolist(), labels, strict=True)):
            return numbers
    return as_objects(labels)


def codes_of(labels: NDArray[Any], place: dict[Any, int]) -> Codes:
    """Return the place of each label among the classes, -1 for one that is not there."""
    if labels.dtype.kind == "O":
        return np.array([_place_of(label, place) for label in labels.tolist()], dtype=np.intp)
    values, inverse = np.unique(labels, return_inverse=True)
    places = [place.get(value, -1) for value in values.tolist()]
    return np.array(places, dtype=np.intp)[inverse]


def _place_of(label: Any, place: dict[Any, int]) -> int:
    return place.get(label, -1) if isinstance(label, Hashable) else -1


def _shown(label: Any) -> str:
    return repr(label.item() if isinstance(label, np.generic) else label)


def _with_name(problem: Exception, who: str) -> Exception:
    """Return the same kind of error with the member in front of its message."""
    message = f"{who}: {problem}"
    try:
        return type(problem)(message)
    except Exception:  # a kind that is made from something else than a message
        return RuntimeError(message)
