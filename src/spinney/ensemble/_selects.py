"""Which members of a bagged ensemble answer: their errors, and the choice by them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._choices import check_choice
from spinney._estimator import FitTarget
from spinney._settings import thread_count
from spinney._target import real_target
from spinney.ensemble._bagged import BaggedEnsemble
from spinney.ensemble._lesson import Bagged
from spinney.ensemble._selection import choose_members, n_untrimmed
from spinney.tree._words import join_words

Floats = NDArray[np.float64]


class Selects(BaggedEnsemble):
    """Members of which some stay."""

    def _check_combinations(self) -> None:
        if self.selection == "trimmed" and self.stop is None:  # else there may be fewer members
            n_untrimmed(self.trim, self.n_estimators)

    def _check_answering(self) -> None:
        super()._check_answering()
        data = self.selection_data
        if isinstance(data, str):
            check_choice("selection_data", data, ("training", "oob"))
        elif not isinstance(data, tuple) or len(data) != 2:
            raise ValueError(
                "selection_data must be 'training', 'oob' or a tuple (X, y), got a "
                f"{type(data).__name__}."
            )

    def _select(self, bagged: Bagged, target: FitTarget) -> None:
        errors, data, unit = self._judged(bagged, target)
        self.selected_, report = choose_members(self.selection, errors, self.trim, data, unit=unit)
        if report is not None:
            self.selection_report_ = report

    def _judged(self, bagged: Bagged, target: FitTarget) -> tuple[Floats, str, float | None]:
        """Return each member's error, on which rows, and what one row adds to it."""
        data = self.selection_data
        if self.selection is None:
            return np.zeros(len(bagged.members)), "training", 1.0
        if not isinstance(data, str):
            X, y = data
            unit = 1.0 if target.classes is not None else None
            return self._errors_on(X, y, target.criterion), "given", unit
        errors, bag_errors, bag_weight = bagged.records[:, :3].T
        row = float(target.weight[target.weight > 0].mean())
        if data == "oob":
            with np.errstate(invalid="ignore", divide="ignore"):
                errors = np.where(bag_weight > 0, bag_errors / bag_weight, np.nan)
            row = row / float(bag_weight.mean()) if bag_weight.any() else 1.0
        elif target.classes is None:
            errors = errors / target.weight.sum()
        return errors, data, row if target.classes is not None else None

    def _errors_on(self, X: Any, y: Any, criterion: str) -> Floats:
        """Return how many of the given rows each member gets wrong, or what a row costs it."""
        rows = self._asked(X)
        everyone = np.arange(len(self._committee), dtype=np.int64)
        answers: Floats = self._committee.answers(rows, everyone, thread_count(self.n_jobs))
        y = np.asarray(y)
        if y.shape != answers.shape[1:]:
            raise ValueError(
                f"selection_data has {answers.shape[1]} rows in X but y of shape {y.shape}."
            )
        if "classes_" not in vars(self):
            try:
                numbers = real_target(y, np.ones(len(y)), estimator_name=type(self).__name__)
            except ValueError as problem:
                raise ValueError(f"selection_data: {problem}") from None
            costs = [_core.number_costs(criterion, own, numbers).mean() for own in answers]
            return np.array(costs)
        place = {label: code for code, label in enumerate(self.classes_.tolist())}
        codes = np.array([place.get(label, -1) for label in y.tolist()], dtype=np.int64)
        known = codes >= 0
        if not known.any():
            raise ValueError(
                f"selection_data has labels such as {y.tolist()[0]!r}, none of which is a class of "
                f"fit, {join_words(self.classes_.tolist())}."
            )
        wrong = np.empty(len(everyone))
        for i in everyone.tolist():
            groups = np.asarray(self._committee.groups(i))
            truth = groups[codes] if len(groups) else codes
            wrong[i] = np.count_nonzero((answers[i] != truth) | ~known)
        return wrong
