"""The models that commands know by name: the only list of them.

Nothing heavy is imported here, so that help can name the models.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spinney._cli._refusal import Refusal
from spinney._nearest import did_you_mean


@dataclass(frozen=True)
class Model:
    """A row of the list.

    Parameters
    ----------
    words : str
        What it is, for people.
    classifier, regressor : str or None
        Its class in `spinney`; None if there is none for that task.
    settings : mapping
        Parameters that differ from the default of the class.
    has_members : bool
        Whether it trains CART trees that take settings of their own.
    """

    words: str
    classifier: str | None
    regressor: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    has_members: bool = False


def _pair(words: str, stem: str, *, has_members: bool = False, **settings: Any) -> Model:
    return Model(words, f"{stem}Classifier", f"{stem}Regressor", settings, has_members)


def _bagging(words: str, **settings: Any) -> Model:
    return _pair(words, "Bagging", has_members=True, **settings)


MODELS = {
    "cart": _pair("one CART tree, pruned by cross-validation", "CART", pruning="cost_complexity"),
    "cart_full": _pair("one CART tree, fully grown", "CART"),
    "c45": Model("one C4.5 tree, a branch for each category", "C45Classifier"),
    "id3": Model("one ID3 tree, a branch for each category, not pruned", "ID3Classifier"),
    "igpa": _pair("one tree, grown and pruned on halves in turn", "IGPA"),
    "gp": _pair("one tree of evolved tests", "GPTree"),
    "bagging": _bagging("100 trees on bootstrap samples"),
    "trimmed_bagging": _bagging("bagging without its worst quarter", selection="trimmed"),
    "mode_bagging": _bagging("bagging, members up to the modal error", selection="mode"),
    "forest": _pair("a random forest of 100 trees", "RandomForest"),
    "adaboost": _pair("50 small trees, boosted", "AdaBoost", has_members=True),
    "igpa_forest": _pair("100 trees, grown and pruned on halves in turn", "IGPAForest"),
    "gp_forest": _pair("11 trees of evolved tests", "GPForest"),
    "filtering": Model(
        "three trees, boosted by filtering", "BoostByFilteringClassifier", has_members=True
    ),
    "mixture": _pair("experts and a gate that says whom to trust", "MixtureOfExperts"),
}
_CART = MODELS["cart_full"]
_TOO_SMALL = {"adaboost": {"classification": 1, "regression": 3}}  # depth of boosted trees


def names_for(task: str) -> list[str]:
    """Return the names of the models that a task can have."""
    return [name for name, model in MODELS.items() if _class_name(model, task)]


def make_model(name: str, task: str, changes: Mapping[str, Any]) -> Any:
    """Return an estimator that is not fitted yet.

    Parameters
    ----------
    name : str
        One of the list.
    task : {"classification", "regression"}
        What for.
    changes : mapping
        Parameters that the user gave. One that an ensemble does not have goes to its members.

    Returns
    -------
    estimator
    """
    import spinney

    model = MODELS[name]
    class_name = _class_name(model, task)
    if class_name is None:
        raise Refusal(
            f"--model {name} predicts classes, and this target is a number. "
            f"For numbers there are: {', '.join(names_for(task))}."
        )
    estimator = getattr(spinney, class_name)()
    known = estimator.get_params(deep=False)
    own = {key: value for key, value in changes.items() if key in known}
    others = {key: value for key, value in changes.items() if key not in known}
    estimator.set_params(**{**model.settings, **own})
    if others:
        _refuse_strange(name, model, task, others, known)
        estimator.set_params(estimator=_member(name, task, others))
    return estimator


def member_parameters(task: str) -> set[str]:
    """Return the parameters that members of bagging and boosting take."""
    import spinney

    return set(getattr(spinney, _class_name(_CART, task) or "")().get_params())


def _class_name(model: Model, task: str) -> str | None:
    return model.classifier if task == "classification" else model.regressor


def _refuse_strange(
    name: str, model: Model, task: str, others: Mapping[str, Any], known: Iterable[str]
) -> None:
    allowed = set(known) | (member_parameters(task) if model.has_members else set())
    for key in others:
        if key == "n_estimators" and key not in allowed:
            raise Refusal(f"--trees: {name} has no members to count. Use --model forest, say.")
        if key not in allowed:
            raise Refusal(f"--model {name} has no parameter {key!r}.{did_you_mean(key, allowed)}")


def _member(name: str, task: str, settings: Mapping[str, Any]) -> Any:
    import spinney

    member = getattr(spinney, _class_name(_CART, task) or "")(max_surrogates=0)
    depth = _TOO_SMALL.get(name, {}).get(task)
    if depth is not None:
        member.set_params(max_depth=depth)
    return member.set_params(**settings)


def parse_settings(given: Iterable[str]) -> dict[str, Any]:
    """Return what `--set name=value` says: numbers, true, false, null, lists, or text."""
    settings = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise Refusal(f"--set: write NAME=VALUE, such as max_depth=4, not {text!r}.")
        try:
            settings[name.strip()] = json.loads(value)
        except ValueError:
            settings[name.strip()] = value.strip()
    return settings
