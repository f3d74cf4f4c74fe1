"""Makes the golden files: a small model of every class, and beside it what it answers.

Run from `tests`: python -m files.make_golden. Files of a version of the format are made once and
never changed again: that they still load is what they are for. A class or a version that is new
gets files of its own.
"""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from answering import answering, answering_forest

import spinney
from spinney._file._container import VERSION
from spinney.evolve import Bool, Function, Numeric

FOLDER = Path(__file__).parent / "golden"
GRADES = ["low", "mid", "top"]
LIFETIMES = [("event", bool), ("time", float)]
ANSWERS = ("predict", "predict_proba", "apply", "votes", "responsibilities")


def far(a: Any, b: Any) -> Any:
    """Return whether two numbers are far from each other: a function that files hold by name."""
    return np.abs(a - b) > 1.0


FUNCTIONS = {"far": far}


def table() -> tuple[pd.DataFrame, np.ndarray]:
    """Return 40 rows with gaps, and classes."""
    rng = np.random.default_rng(2026)
    n = 40
    frame = pd.DataFrame(
        {
            "income": rng.normal(size=n).round(2),
            "age": rng.integers(18, 60, n).astype(float),
            "purpose": rng.choice(["car", "house", "größe"], n).astype(object),
            "grade": pd.Categorical(rng.choice(GRADES, n), GRADES, ordered=True),
        }
    )
    codes = (frame["income"] > 0).to_numpy(int) + (frame["purpose"] == "car").to_numpy(int)
    for name in frame:
        frame.loc[rng.random(n) < 0.08, name] = None
    return frame, np.array(["bad", "fair", "good"])[codes]


def models() -> dict[str, Any]:
    """Return a fitted model of every class that a file can hold, by name."""
    X, y = table()
    numbers = np.arange(len(y)) * 0.25 + (y == "good")
    few: dict[str, Any] = {"n_estimators": 2, "random_state": 0}
    bagged = {**few, "estimator": spinney.CARTClassifier(max_depth=2), "oob_score": True}
    brief: dict[str, Any] = {"population_size": 20, "generations": 3, "random_state": 0}
    own = Function("far", far, takes=(Numeric, Numeric), returns=Bool)
    cart = spinney.CARTClassifier(max_depth=2).fit(X, y)
    classifiers = [
        spinney.AdaBoostClassifier(n_estimators=3),
        spinney.BaggingClassifier(selection="trimmed", **bagged),
        spinney.BoostByFilteringClassifier(spinney.CARTClassifier(max_depth=2), random_state=0),
        spinney.C45Classifier(),
        spinney.CARTClassifier(pruning="cost_complexity", cv=3, random_state=0),
        spinney.ExtraTreesClassifier(max_depth=3, **few),
        spinney.GPForestClassifier(2, **brief),
        spinney.GPTreeClassifier(functions=[own, ">", "and"], **brief),
        spinney.ID3Classifier(discretize="quantile", max_depth=2),
        spinney.IGPAClassifier(random_state=0),
        spinney.IGPAForestClassifier(**few),
        spinney.MixtureOfExpertsClassifier(branching=2, n_init=1, random_state=0),
        spinney.RandomForestClassifier(max_depth=3, **few),
        spinney.SmallForestClassifier(2, pool=6, max_depth=2, random_state=0),
        spinney.VotingCombiner([("cart", cart)], rule="majority", abstain_label="unsure"),
    ]
    regressors = [
        spinney.AdaBoostRegressor(spinney.CARTRegressor(max_depth=2), **few),
        spinney.BaggingRegressor(spinney.CARTRegressor(max_depth=2), combine="median", **few),
        spinney.CARTRegressor(max_depth=2),
        spinney.ExtraTreesRegressor(max_depth=3, **few),
        spinney.GPForestRegressor(2, **brief),
        spinney.GPTreeRegressor(**brief),
        spinney.IGPAForestRegressor(**few),
        spinney.IGPARegressor(random_state=0),
        spinney.MixtureOfExpertsRegressor(branching=2, n_init=1, random_state=0),
        spinney.RandomForestRegressor(max_depth=3, **few),
        spinney.SmallForestRegressor(2, pool=6, max_depth=2, random_state=0),
    ]
    fitted = [one.fit(X, y) for one in classifiers] + [one.fit(X, numbers) for one in regressors]
    lifetimes = np.array(list(zip(y == "good", numbers + 1.0, strict=True)), LIFETIMES)
    survivals = [spinney.SurvivalTree(), spinney.RandomSurvivalForest(**few)]
    fitted += [one.fit(X, lifetimes) for one in survivals]
    named = {type(one).__name__: one for one in fitted}
    forest = named["RandomForestClassifier"].forest_
    return {**named, "Tree": cart.tree_, "Forest": forest, "RuleSet": named["C45Classifier"].rules_}


def later_models() -> dict[str, Any]:
    """Return models that hold what came with later versions of the format, by name."""
    X, y = table()
    tree = answering(spinney.CARTClassifier(max_depth=2).fit(X, y).tree_)
    fit = spinney.RandomForestRegressor(2, max_depth=3, random_state=0).fit
    forest = answering_forest(fit(X, np.arange(len(y)) * 0.25).forest_)
    return {"Tree": tree, "Forest": forest, "RuleSet": tree.rules()}


def answers(model: Any) -> dict[str, Any]:
    """Return what a model answers for the rows that are kept with the files, as JSON has it."""
    X = pd.DataFrame(json.loads((FOLDER / "rows.json").read_text()))
    if isinstance(model, spinney.ensemble.Forest):
        found = {"n_nodes": model.n_nodes.tolist(), "values": model[0].value.tolist()}
        own = model[0].answer
        return found if own is None else found | {"answers": own.tolist()}
    known = [name for name in ANSWERS if hasattr(model, name)]
    return {name: getattr(model, name)(X).tolist() for name in known}


def main() -> None:
    """Write what is not there yet."""
    if not (FOLDER / "rows.json").exists():
        rows = table()[0].astype(object)
        columns = rows.where(rows.notna(), None).to_dict("list")
        (FOLDER / "rows.json").write_text(json.dumps(columns, separators=(",", ":")) + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = [*models().items(), *later_models().items()]
    for name, model in made:
        folder = FOLDER / "{}.{}".format(*VERSION)
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / f"{name}.spinney").exists():
            continue
        spinney.save(model, folder / f"{name}.spinney")
        text = json.dumps(answers(model), separators=(",", ":"))
        (folder / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
