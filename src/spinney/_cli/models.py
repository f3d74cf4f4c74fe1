"""The models that commands know by name, and model files.

Nothing heavy is imported here, so that help can list the models.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spinney._cli.errors import Refusal, cannot_write

if TYPE_CHECKING:
    from spinney._table import Column

# -- By name


class Model(NamedTuple):
    """A named model.

    Parameters
    ----------
    words : str
        Description for help texts and reports.
    classifier, regressor : str or None
        Name of its class in `spinney`; None if there is none for that task.
    settings : mapping
        Parameters that differ from the defaults of the class.
    has_members : bool
        Whether it is an ensemble of CART trees, whose parameters can be set too.
    survival : str or None
        Name of its class for lifetimes.
    size : str
        Number of its trees by default, in words; empty if that does not vary.
    """

    words: str
    classifier: str | None
    regressor: str | None = None
    settings: Mapping[str, Any] = {}
    has_members: bool = False
    survival: str | None = None
    size: str = ""

    @property
    def help(self) -> str:
        """The description with the usual number of trees."""
        return f"{self.words} ({self.size})" if self.size else self.words

    def class_name(self, task: str) -> str | None:
        """Return the name of the class for a task."""
        names = {"classification": self.classifier, "regression": self.regressor}
        return names.get(task, self.survival)


def _pair(
    words: str,
    stem: str,
    *,
    has_members: bool = False,
    survival: str | None = None,
    size: str = "",
    **settings: Any,
) -> Model:
    names = f"{stem}Classifier", f"{stem}Regressor"
    return Model(words, *names, settings, has_members, survival, size)


def _bagging(words: str, **settings: Any) -> Model:
    return _pair(words, "Bagging", has_members=True, size="100 trees", **settings)


MODELS = {
    "cart": _pair(
        "one CART tree, pruned by cross-validation",
        "CART",
        pruning="cost_complexity",
        survival="SurvivalTree",
    ),
    "cart_full": _pair("one CART tree, fully grown", "CART", survival="SurvivalTree"),
    "c45": Model("one C4.5 tree, a branch for each category", "C45Classifier"),
    "id3": Model("one ID3 tree, a branch for each category, not pruned", "ID3Classifier"),
    "igpa": _pair("one tree, grown and pruned on halves in turn", "IGPA"),
    "gp": _pair("one tree of evolved tests", "GPTree"),
    "bagging": _bagging("trees on bootstrap samples"),
    "trimmed_bagging": _bagging("bagging without its worst quarter", selection="trimmed"),
    "mode_bagging": _bagging("bagging, members up to the modal error", selection="mode"),
    "forest": _pair(
        "a random forest", "RandomForest", survival="RandomSurvivalForest", size="100 trees"
    ),
    "extra_trees": _pair("extremely randomized trees", "ExtraTrees", size="100 trees"),
    "small_forest": _pair(
        "trees chosen from a pool and refitted to predict like it",
        "SmallForest",
        size="25 of 200 trees",
    ),
    "adaboost": _pair("small trees, boosted", "AdaBoost", has_members=True, size="50 trees"),
    "igpa_forest": _pair(
        "trees, grown and pruned on halves in turn", "IGPAForest", size="100 trees"
    ),
    "gp_forest": _pair("trees of evolved tests", "GPForest", size="11 trees"),
    "filtering": Model(
        "three trees, boosted by filtering", "BoostByFilteringClassifier", has_members=True
    ),
    "mixture": _pair("a mixture of experts with a gating model", "MixtureOfExperts"),
}
# By which `compare` judges models
METRICS = ("error", "cost", "auc", "logloss", "brier", "r2", "deviance", "concordance")
# What rpart, C5.0, Weka and R's forests call parameters
_OTHER_NAMES = {
    "minsplit": "min_samples_split",
    "minbucket": "min_samples_leaf",
    "mincases": "min_samples_leaf",
    "minnumobj": "min_samples_leaf",
    "nodesize": "min_samples_leaf",
    "maxdepth": "max_depth",
    "maxnodes": "max_leaf_nodes",
    "cp": "ccp_alpha",
    "xval": "cv",
    "maxsurrogate": "max_surrogates",
    "usesurrogate": "missing",
    "surrogatestyle": "surrogate_style",
    "confidencefactor": "cf",
    "ntree": "n_estimators",
    "numtrees": "n_estimators",
    "trials": "n_estimators",
    "mtry": "max_features",
    "prior": "priors",
    "loss": "cost_matrix",
    "costs": "cost_matrix",
    "weights": "class_weight",
    "seed": "random_state",
}
_OTHER_SCALES = {
    "ccp_alpha": " It is a cost per row: cp times the risk of the tree without a split, which the "
    "last line of the pruning table shows."
}
_OPTION_OF = {
    "cost_matrix": "--cost",
    "criterion": "--criterion",
    "max_depth": "--max-depth",
    "min_samples_leaf": "--min-samples-leaf",
    "monotonic_cst": "--monotone",
    "interaction_cst": "--interaction",
}
_PARAMETER_OF = {"trees": "n_estimators"}  # options of other names
_BOOSTED_DEPTH = {"adaboost": {"classification": 1, "regression": 3}}


@dataclass(frozen=True)
class Settings:
    """The model, and how it is trained and evaluated."""

    model: str = "cart"
    cv: int = 10
    rule: str = "1se"
    seed: int = 0
    jobs: int = -1
    changes: Mapping[str, Any] = field(default_factory=dict)  # parameters that the user gave
    costs: Mapping[tuple[Any, Any], float] = field(default_factory=dict)
    positive: Any = None  # class of two
    by_group: bool = False  # whether folds are of whole groups


def names_for(task: str) -> list[str]:
    """Return the names of the models for a task."""
    return [name for name, model in MODELS.items() if model.class_name(task)]


def make_model(name: str, task: str, changes: Mapping[str, Any]) -> Any:
    """Return an unfitted estimator.

    Parameters
    ----------
    name : str
        A name in `MODELS`.
    task : {"classification", "regression", "survival"}
        The task.
    changes : mapping
        Parameters given by the user. Those that an ensemble does not have are set on its members.

    Returns
    -------
    estimator
    """
    import spinney

    model = MODELS[name]
    class_name = model.class_name(task)
    if class_name is None:
        able = ", ".join(names_for(task))
        if task == "survival":
            raise Refusal(f"--model {name} cannot learn lifetimes. Those that can: {able}.")
        raise Refusal(
            f"--model {name} predicts classes, and this target is a number. "
            f"For numbers there are: {able}."
        )
    estimator = getattr(spinney, class_name)()
    known = estimator.get_params(deep=False)
    own = {key: value for key, value in changes.items() if key in known}
    others = {key: value for key, value in changes.items() if key not in known}
    estimator.set_params(**{**model.settings, **own})
    if others:
        tree_class = getattr(spinney, MODELS["cart_full"].class_name(task) or "")
        member = tree_class(max_surrogates=0)
        allowed = {*known, *(member.get_params() if model.has_members else ())}
        _refuse_unknown(name, task, others, allowed)
        depth = _BOOSTED_DEPTH.get(name, {}).get(task)
        estimator.set_params(estimator=member.set_params(**{"max_depth": depth, **others}))
    return estimator


def _refuse_unknown(name: str, task: str, given: Iterable[str], allowed: set[str]) -> None:
    from spinney._format import did_you_mean

    for key in given:
        if key in allowed:
            continue
        if key == "n_estimators":
            raise Refusal(f"--trees: {name} has no members to count. Use --model forest, say.")
        own = _OTHER_NAMES.get(key.lower().replace(".", ""))
        if own in allowed:
            scale = _OTHER_SCALES.get(own, "")
            raise Refusal(
                f"--set: {key!r} of other programs is {own!r} here: --set {own}=...{scale}"
            )
        option = _OPTION_OF.get(key)
        others = [other for other in names_for(task) if other != name and knows(other, task, key)]
        if option is not None and others:
            raise Refusal(
                f"{option}: --model {name} cannot do this. Those that can: {', '.join(others)}."
            )
        raise Refusal(f"--model {name} has no parameter {key!r}.{did_you_mean(key, allowed)}")


def knows(name: str, task: str, key: str) -> bool:
    """Return whether a model has a parameter, or its members have."""
    import spinney

    model = MODELS[name]
    classes = [model.class_name(task)]
    if model.has_members:
        classes.append(MODELS["cart_full"].class_name(task))
    return any(key in getattr(spinney, own)().get_params() for own in classes if own is not None)


def parse_settings(given: Iterable[str]) -> dict[str, Any]:
    """Return the parameters of `--set name=value`: numbers, true, None, lists, dicts, or text."""
    settings = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise Refusal(f"--set: write NAME=VALUE, such as max_depth=4, not {text!r}.")
        settings[name.strip()] = _value_of(value.strip())
    return settings


def parse_parameters(given: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the parameters that have an option of their own, as their declarations take them."""
    from spinney._params import PARAMETERS

    found = {}
    for option, text in given.items():
        if text is None:
            continue
        name = _PARAMETER_OF.get(option, option)
        if name == "criterion":  # which there are depends on the model
            found[name] = text
            continue
        found[name] = _value_of(text)
        try:
            PARAMETERS[name].check(f"--{option.replace('_', '-')}", found[name])
        except (TypeError, ValueError) as error:
            raise Refusal(str(error)) from error
    return found


def _value_of(text: str) -> Any:
    """Return a value as JSON or Python writes it, else the text itself."""
    import ast
    import json

    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    return text


def parse_constraints(monotone: Iterable[str], interaction: Iterable[str]) -> dict[str, Any]:
    """Return the parameters of `--monotone name:+` and `--interaction a,b`."""
    signs: dict[str, int] = {}
    for text in monotone:
        name, colon, sign = text.rpartition(":")
        if not colon or not name or sign not in ("+", "-"):
            raise Refusal(f"--monotone: write NAME:+ or NAME:-, such as income:+, not {text!r}.")
        if signs.setdefault(name, 1 if sign == "+" else -1) != (1 if sign == "+" else -1):
            raise Refusal(f"--monotone: {name!r} cannot both rise and fall.")
    groups = [[name.strip() for name in text.split(",")] for text in interaction]
    given: dict[str, Any] = {"monotonic_cst": signs, "interaction_cst": groups}
    return {name: value for name, value in given.items() if value}


# -- In files


def load_model(path: Path) -> Any:
    """Return the estimator in a file; a tree, a forest or rules as if they were one."""
    import spinney

    if path.is_dir():
        raise Refusal(f"{str(path)!r} is a folder. Give the path of a model file.")
    if not path.exists():
        raise Refusal(f"there is no model file {str(path)!r}. `spinney train --out` writes one.")
    from spinney._cli.saved import as_model

    try:
        return as_model(spinney.load(path))
    except spinney.ModelFileError as error:
        raise Refusal(f"cannot read the model: {error}") from error
    except OSError as error:
        raise Refusal(f"cannot read the model {str(path)!r}: {error.strerror}.") from error


def save_model(model: Any, path: Path | None) -> None:
    """Write an estimator to the file of --out, if there is one."""
    import spinney
    from spinney._cli.saved import held_by

    if path is None:
        return
    try:
        spinney.save(held_by(model), path)  # whole or not at all
    except OSError as error:
        raise cannot_write("--out", path, error) from error
    except (TypeError, ValueError) as error:
        raise Refusal(f"--out: this model cannot be saved: {error}") from error


def columns_of(model: Any) -> "Sequence[Column]":
    """Return the columns that an estimator was fitted on."""
    columns: Sequence[Column] = model._schema.columns
    return columns


def is_classifier(model: Any) -> bool:
    """Return whether a model predicts classes."""
    return hasattr(model, "classes_")


def is_survival(model: Any) -> bool:
    """Return whether a model predicts risks and survival curves."""
    return hasattr(model, "predict_survival_function")


def trees_of(model: Any) -> list[Any]:
    """Return the tree of a model, or those of its members; a mixture has none."""
    if hasattr(model, "tree_"):
        return [model.tree_]
    if hasattr(model, "forest_"):
        return list(model.forest_)
    return [tree for member in getattr(model, "estimators_", ()) for tree in trees_of(member)]
