"""Validation of the constructor parameters of mixtures."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

from sklearn.base import BaseEstimator, is_classifier, is_regressor

from spinney._checks import Check, Choice, Read, is_integer
from spinney._params import check_member
from spinney._settings import thread_count
from spinney.ensemble._foreign_trainer import weight_name
from spinney.ensemble._voting_members import check_fitted, read_list, read_members
from spinney.mixture._training import Limits

_FLAT = (3,)
_MOST_EXPERTS = 1000


@dataclass(frozen=True)
class MixtureParams:
    """Validated parameters.

    `learner` is None for built-in experts. `fitted` has a name for messages and an estimator for
    each given expert.
    """

    branching: tuple[int, ...]
    learner: Any
    fitted: list[tuple[str, Any]]
    limits: Limits
    n_starts: int
    by_gradient: bool
    experts_c: float
    gates_c: float
    n_threads: int
    verbose: int

    @property
    def own_experts(self) -> bool:
        """Whether the experts are built-in ones."""
        return self.learner is None and not self.fitted


def mixture_parameters(own: str, *, classes: bool) -> Mapping[str, Check]:
    """Return the checks of the parameters that only mixtures have, or that differ from others.

    Parameters
    ----------
    own : str
        Name of the built-in experts.
    classes : bool
        Whether experts are classifiers.

    Returns
    -------
    mapping of str to Check
    """
    kind = "classifier" if classes else "regressor"
    return {
        "expert": Read(f"{own!r} or a {kind}", partial(_check_learner, own=own, classes=classes)),
        "estimators": Read(
            f"None or a list of fitted {kind}s or of (name, {kind}) pairs",
            partial(_fitted, classes=classes),
        ),
        "branching": Read("None or integers >= 1", _branching),
    }


def read_params(mixture: Any) -> MixtureParams:
    """Return the checked parameters of a mixture.

    Parameters
    ----------
    mixture : estimator
        The estimator.

    Returns
    -------
    MixtureParams
    """
    learner = None if isinstance(mixture.expert, str) else mixture.expert
    fitted = _fitted(mixture.estimators, mixture._classes)
    if fitted and learner is not None:
        raise ValueError(
            f"expert={type(learner).__name__} is to be learned, and estimators are learned "
            "already. Give one of them."
        )
    by_gradient = mixture.solver == "gradient"
    if by_gradient and (fitted or learner is not None):
        raise ValueError(
            f"solver='gradient' needs experts with slopes: expert={mixture._builtin!r} and no "
            "estimators. Use solver='em' for others."
        )
    return MixtureParams(
        branching=_room(mixture.branching, len(fitted)),
        learner=learner,
        fitted=fitted,
        limits=Limits(int(mixture.max_iter), float(mixture.tol)),
        n_starts=int(mixture.n_init),
        by_gradient=by_gradient,
        experts_c=float(mixture.C),
        gates_c=float(mixture.gate_C),
        n_threads=thread_count(mixture.n_jobs),
        verbose=int(mixture.verbose),
    )


def _branching(given: Any) -> tuple[int, ...]:
    """Return the branches of each level; none if the user leaves it open."""
    if given is None:
        return ()
    numbers = [given] if is_integer(given) else given
    if (
        not isinstance(numbers, Sequence)
        or isinstance(numbers, str)
        or not len(numbers)
        or not all(is_integer(number) and number >= 1 for number in numbers)
    ):
        raise ValueError(
            "branching must be integers >= 1, such as (3,) for three experts or (2, 2) for two "
            f"gates of two below a first one, got {given!r}."
        )
    branching = tuple(int(number) for number in numbers)
    n_experts = prod(branching)
    if n_experts > _MOST_EXPERTS:
        raise ValueError(
            f"branching={given!r} asks for {n_experts} experts, the limit is {_MOST_EXPERTS}."
        )
    return branching


def _room(given: Any, n_fitted: int) -> tuple[int, ...]:
    """Return the branches of each level, with room for as many experts as there are."""
    branching = _branching(given)
    if not branching:
        return (n_fitted,) if n_fitted else _FLAT
    if n_fitted and prod(branching) != n_fitted:
        raise ValueError(
            f"branching={given!r} has room for {prod(branching)} experts, but estimators holds "
            f"{n_fitted}. Use branching=None for one gate over all of them."
        )
    return branching


def _check_learner(expert: Any, own: str, classes: bool) -> None:
    """Check the learner of the experts, or the name of the mixture's own."""
    if expert is None or isinstance(expert, str):
        Choice([own]).check("expert", expert)
        return
    kind = "classifier" if classes else "regressor"
    if inspect.isclass(expert):
        raise TypeError(
            f"expert is the class {expert.__name__}. Give an instance of it, such as "
            f"expert={expert.__name__}()."
        )
    name = type(expert).__name__
    if not isinstance(expert, BaseEstimator) or not (
        is_classifier(expert) if classes else is_regressor(expert)
    ):
        raise TypeError(f"expert must be {own!r} or a {kind}, got {name}.")
    if weight_name(expert) is None:
        raise ValueError(
            f"expert={name} cannot take weights: its fit has no sample_weight, and an expert "
            f"learns from its share of every row. Use one that has, or expert={own!r}."
        )
    if classes:
        _check_probabilities(expert, f"expert={name}")
    check_member(expert)


def _check_probabilities(estimator: Any, who: str) -> None:
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{who} has no predict_proba: a gate weighs probabilities. Wrap it in "
            "sklearn.calibration.CalibratedClassifierCV, or use another."
        )


def _fitted(estimators: Any, classes: bool) -> list[tuple[str, Any]]:
    if estimators is None:
        return []
    if classes:
        members = [(member.who, member.frozen) for member in read_members(estimators)]
        for who, estimator in members:
            _check_probabilities(estimator, who)
            if getattr(estimator, "classes_", None) is None:
                raise ValueError(f"{who} has no classes_, so its probabilities have no names.")
        return members
    regressors = read_list(estimators, "regressor")
    for who, estimator in regressors:
        if inspect.isclass(estimator) or not callable(getattr(estimator, "predict", None)):
            raise TypeError(f"{who} must be a fitted regressor, got {estimator!r}.")
        if is_classifier(estimator):
            raise TypeError(f"{who} is a classifier. Members must be regressors.")
        check_fitted(estimator, who)
    return regressors
