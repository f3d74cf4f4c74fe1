"""PMML says what the model says, as the reference evaluator in Java reads it."""

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from export_models import NAMES, make_case
from handover_models import FIRST, HANDED, handed

from spinney import CARTClassifier, GPTreeClassifier, Tree
from spinney.evolve import Function, Numeric
from spinney.export import to_pmml

ELEMENT = "{http://www.dmg.org/PMML-4_4}"


def all_of(text: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(text).iter(ELEMENT + tag))


CASES = [n if n in FIRST else pytest.param(n, marks=pytest.mark.thorough) for n in HANDED]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_an_evaluator_says_what_the_model_says(judge, name):
    case = handed(name)
    found = judge(to_pmml(case.model), case.X)
    shares = found[[column for column in found if column.startswith("probability(")]]
    case.check(found["target"].tolist(), shares if case.shares is not None else None)


@pytest.mark.slow
def test_node_ids_are_those_of_the_tree(judge):
    case = make_case("grown out, costs")
    found = judge(to_pmml(case.model), case.X)
    assert found["node"].astype(int).tolist() == case.model.apply(case.X).tolist()


@pytest.mark.slow
def test_hostile_names_and_labels_are_only_text(judge):
    names = ['a"b', "a<b>&", "node", "target", "probability(x)", "A", "a", "\n--]]>", "x" * 300]
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((300, len(names))), columns=names)
    words = np.array(['"', "<!--", "\\", "a b", " a b", "\t", "é", "", "&amp;", "\r\n"], object)
    X["\\words' "] = rng.choice(words, 300)
    y = np.array(['<"x">', "]]>", "a\nb"])[
        (X["A"] * 2 + X["\\words' "].isin(words[:4])).astype(int)
    ]
    model = CARTClassifier(max_depth=5).fit(X, y)
    found = judge(to_pmml(model), X)
    target = next(name for name in found if name.startswith("target"))
    assert found[target].tolist() == model.predict(X).tolist()


def test_all_models_are_well_formed_and_list_every_node():
    for name in NAMES[:6]:
        case = make_case(name)
        nodes = all_of(to_pmml(case.model), "Node")
        tree = case.model.tree_
        if tree.missing != "fractional":
            assert [int(node.get("id")) for node in nodes] != []
            assert sorted(int(node.get("id")) for node in nodes) == list(range(tree.n_nodes))


def test_surrogates_are_compound_predicates_in_order():
    tree = Tree.from_dict(
        {
            "classes": ["bad", "good"],
            "features": ["income", "age"],
            "nodes": [
                {
                    "test": "income <= 36",
                    "children": [1, 2],
                    "counts": [5, 6],
                    "surrogates": [{"test": "age <= 30", "reversed": True}],
                    "default_branch": 1,
                },
                {"test": None, "children": [], "counts": [4, 1]},
                {"test": None, "children": [], "counts": [1, 5]},
            ],
        }
    )
    left = all_of(to_pmml(tree), "Node")[1][0]
    said = [tuple(part.get(k) for k in ("field", "operator", "value")) for part in left]
    assert left.get("booleanOperator") == "surrogate"
    assert said[:2] == [("income", "lessOrEqual", "36.0"), ("age", "greaterThan", "30.0")]
    assert left[2].tag == ELEMENT + "False"


TARGETS = ["grown out, costs", "fractional, costs", "regression", "forest 0", "forest 1"]
TARGETS += ["AdaBoost 0", "counts 0", "bagging of numbers 1", "AdaBoost of numbers 0", "votes 1"]


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_targets_have_priors_of_classes_and_defaults_and_bounds_of_numbers(name):
    model = handed(name).model
    text = to_pmml(model)
    (target,) = all_of(text, "Target")
    values = all_of(text, "TargetValue")
    assert target.get("field") == "target"
    classes = getattr(model, "classes_", None)
    if classes is not None:
        priors = [float(value.get("priorProbability")) for value in values]
        assert [value.get("value") for value in values] == list(map(str, classes.tolist()))
        assert sum(priors) == pytest.approx(1.0)
        if hasattr(model, "tree_"):
            np.testing.assert_allclose(priors, model.tree_.root.probabilities)
        elif name == "forest 0":
            roots = [tree.root.probabilities for tree in model.forest_]
            np.testing.assert_allclose(priors, np.mean(roots, axis=0))
        return
    said = handed(name).said
    trees = [model.tree_] if hasattr(model, "tree_") else list(model.forest_)
    (value,) = values
    mean = np.mean([tree.root.prediction for tree in trees])
    assert float(value.get("defaultValue")) == pytest.approx(mean)
    if name != "counts 0":
        assert float(target.get("min")) <= min(said) <= max(said) <= float(target.get("max"))


def test_deep_trees_need_no_recursion():
    depth = 3000
    nodes: list[dict[str, Any]] = []
    for level in range(depth):
        children = [2 * level + 1, 2 * level + 2]
        nodes.append({"test": f"x <= {level}", "children": children, "counts": [1, depth]})
        nodes.append({"test": None, "children": [], "counts": [1, 0]})
    nodes.append({"test": None, "children": [], "counts": [0, 1]})
    text = to_pmml(Tree.from_dict({"classes": ["a", "b"], "features": ["x"], "nodes": nodes}))
    assert text.count("<Node ") == text.count("</Node>") == 2 * depth + 1


def test_what_xml_cannot_hold_is_refused():
    X = pd.DataFrame({"a\0b": [1.0, 2.0, 3.0, 4.0]})
    model = CARTClassifier().fit(X, [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"XML cannot hold.*'\\x00'.*to_json"):
        to_pmml(model)


def test_functions_in_python_are_refused():
    def ratio(a: Any, b: Any) -> Any:
        return a / (1 + b * b)

    function = Function("ratio", ratio, takes=(Numeric, Numeric), returns=Numeric)
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    y = X[:, 0] / (1 + X[:, 1] ** 2) > 0.4
    model = GPTreeClassifier(
        functions=[">", function], population_size=40, generations=5, random_state=0
    ).fit(X, y)
    assert model._derived
    with pytest.raises(ValueError, match=re.escape("functions in Python (ratio)")):
        to_pmml(model)
