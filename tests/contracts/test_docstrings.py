"""Docstrings name the parameters that there are, and say the same of the same parameter."""

import doctest
import importlib
import inspect
import itertools
import re
from typing import Any

import pandas as pd
import pytest

import spinney
from contracts.estimators import CLASSES, every, every_class, every_ensemble

PACKAGES = [
    "compare",
    "datasets",
    "edit",
    "ensemble",
    "evolve",
    "export",
    "plot",
    "pruning",
    "rules",
    "tree",
]
UNLISTED = (
    spinney.VotingCombiner,  # its members must be fitted before it is made
    spinney.SurvivalTree,  # listed with targets of one column, by of_numbers.py
    spinney.RandomSurvivalForest,
)
every_documented = pytest.mark.parametrize(
    "cls", [*CLASSES, *UNLISTED], ids=lambda cls: cls.__name__
)

# The criteria of classes and of numbers are different ones.
MAY_DIFFER = {
    "order",  # of small forests: margins and orientation are of classes
    "class_weight",  # forests can balance what a tree sees
    "criterion",
    "combine",
    "loss",
    "selection",
    "shrinkage",  # by cross-validation, or by rows that members did not see
    "selection_data",
    "min_samples_split",  # rows, or weight
    "min_samples_leaf",
    "max_features",  # of a node, or of a member
    "validation_fraction",  # what rows are set aside and drawn for
    "random_state",
    "estimator",  # what None stands for
    "n_estimators",  # when fewer are enough
    "max_surrogates",  # none in ensembles
    "missing",  # leaves that go on growing hold no fractions of rows
    "oob_score",  # of rows left out, or of parts
    "ccp_alpha",  # chosen, or given
    "warm_start",  # goes on with a tree, or with more of them
    "verbose",  # what is shown
    "early_stopping",  # by rows held out, or out of bag
    "n_iter_no_change",  # of members, generations or growings
    "tol",  # of a likelihood, or of an error
    "max_iter",  # of EM, or growings
}
# Stand with how nodes are divided, or with what members see, and when there are enough of them.
MAY_MOVE = {"estimator", "max_features", "early_stopping", "n_iter_no_change", "tol", "max_iter"}
# What only some settings give.
OPTIONAL = {
    "leaf_targets_",
    "feature_names_in_",
    "pruning_path_",
    "selection_report_",
    "oob_score_",
    "oob_error_curve_",
    "oob_decision_function_",
    "oob_prediction_",
}


def sections(docstring: str) -> dict[str, str]:
    """Cut a numpydoc text at its underlined headings."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(section: str) -> dict[str, str]:
    """Return what a section says of each name; `X, y : table` speaks of two."""
    parts = re.split(r"^(\S[^:\n]*?) : (?=\S)", section, flags=re.MULTILINE)
    return {
        name.strip(): " ".join(text.split())
        for names, text in zip(parts[1::2], parts[2::2], strict=True)
        for name in names.split(",")
    }


def constructor(cls: type) -> dict[str, inspect.Parameter]:
    return {n: p for n, p in inspect.signature(cls).parameters.items() if n != "self"}


def public_methods(cls: type) -> list[tuple[str, Any]]:
    """Return the methods that spinney itself defines."""
    found = inspect.getmembers(cls, inspect.isfunction)
    ours = [(n, f) for n, f in found if f.__module__.startswith("spinney")]
    return [(name, f) for name, f in ours if not name.startswith("_")]


@every_documented
def test_documented_parameters_are_those_of_the_constructor(cls):
    documented = entries(sections(cls.__doc__)["Parameters"])
    assert list(documented) == list(constructor(cls))


@every_class
def test_documented_defaults_are_those_of_the_constructor(cls):
    documented = entries(sections(cls.__doc__)["Parameters"])
    for name, parameter in constructor(cls).items():
        stated = re.search(r"default=(None|True|False|\"[^\"]*\"|[-\d.e/]+)", documented[name])
        assert stated, f"{name} states no default"
        assert eval(stated[1]) == parameter.default, name


@every_documented
def test_all_parameters_but_the_first_are_keyword_only(cls):
    """The learner of the members and their number may be given without their names."""
    named = [n for n, p in constructor(cls).items() if p.kind is inspect.Parameter.KEYWORD_ONLY]
    first = [name for name in constructor(cls) if name not in named]
    assert len(first) <= 1 or first == ["estimator", "n_estimators"]


def without_default(text: str) -> str:
    """Return a text without the default; the members of a forest are called trees."""
    return re.sub(r"\b[Tt]ree(s?)\b", r"member\1", re.sub(r"default=\S+", "default", text)).lower()


@pytest.mark.parametrize(
    ("one", "other"),
    list(itertools.combinations(CLASSES, 2)),
    ids=lambda cls: cls.__name__,
)
def test_shared_parameters_have_the_same_text_and_the_same_order(one, other):
    a, b = (entries(sections(cls.__doc__)["Parameters"]) for cls in (one, other))
    shared = [name for name in a if name in b]
    in_order = [name for name in shared if name not in MAY_MOVE]
    assert in_order == [name for name in b if name in a and name not in MAY_MOVE]
    for name in shared:
        if name not in MAY_DIFFER:
            assert without_default(a[name]) == without_default(b[name]), name


@every
def test_documented_attributes_are_those_that_fit_sets(listed, rng):
    X = rng.normal(size=(60, 2))
    fitted = listed.new().fit(X, listed.target(X[:, 0] > 0))
    documented = set(entries(sections(type(fitted).__doc__)["Attributes"]))
    present = {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}
    assert present <= documented
    assert {name for name in documented if hasattr(fitted, name)} >= documented - OPTIONAL


@every_ensemble
def test_documented_attributes_of_what_is_asked_for_are_there(listed, rng):
    X = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    asked = {"oob_score": True, "selection": "trimmed", "sampling": "overlap", "keep_targets": True}
    settings = {name: value for name, value in asked.items() if listed.has(name)}
    fitted = listed.new(**settings).fit(X, listed.target(X["a"] > 0))
    documented = set(entries(sections(type(fitted).__doc__)["Attributes"]))
    assert [name for name in documented if not hasattr(fitted, name)] == []


@every_documented
def test_methods_document_their_parameters(cls):
    for name, method in public_methods(cls):
        parameters = inspect.signature(method).parameters.values()
        wanted = [str(p).split(":")[0] for p in parameters if p.name != "self"]
        said = entries(sections(method.__doc__).get("Parameters", ""))
        assert list(said) == wanted, f"{cls.__name__}.{name}"


@every_documented
def test_the_example_of_the_class_runs(cls):
    tests = doctest.DocTestFinder(recurse=False).find(cls, cls.__name__, globs={})
    results = [doctest.DocTestRunner().run(test) for test in tests]
    assert sum(result.attempted for result in results) > 0
    assert sum(result.failed for result in results) == 0


@pytest.mark.parametrize("package", PACKAGES)
def test_examples_of_functions_run_as_they_are_pasted(package):
    module = importlib.import_module(f"spinney.{package}")
    functions = {n: f for n in module.__all__ if inspect.isfunction(f := getattr(module, n))}
    for name, function in functions.items():
        for test in doctest.DocTestFinder(recurse=False).find(function, name, globs={}):
            assert doctest.DocTestRunner().run(test).failed == 0, name


def test_every_estimator_of_the_package_is_in_the_list():
    public = [getattr(spinney, name) for name in spinney.__all__]
    estimators = {cls for cls in public if isinstance(cls, type) and hasattr(cls, "get_params")}
    assert estimators - set(UNLISTED) == set(CLASSES)
