"""Trees of many branches as dicts, text, drawings, and as a walk by hand."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from growth.problems import Problem, classification
from hypothesis import assume, given, note
from hypothesis import strategies as st

from spinney import C45Classifier, ID3Classifier, Tree

LEARNERS: dict[str, Any] = {
    "id3": lambda: ID3Classifier(),
    "id3 at quantiles": lambda: ID3Classifier(discretize="quantile", n_intervals=3),
    "c45": lambda: C45Classifier(rules=False),
    "c45 unpruned": lambda: C45Classifier(rules=False, pruning=None, min_samples_leaf=1),
    "c45 with intervals and groups": lambda: C45Classifier(
        rules=False, pruning=None, min_samples_leaf=1, nominal="grouped", max_intervals=4
    ),
}


def fitted(name: str, problem: Problem) -> Any:
    total = len(problem.y) if problem.weights is None else problem.weights.sum()
    assume(total >= 4)
    return LEARNERS[name]().fit(problem.table, problem.y, sample_weight=problem.weights)


problems = classification(max_rows=30)
names = st.sampled_from(sorted(LEARNERS))


@given(problem=problems, name=names)
def test_a_tree_survives_its_dict_and_json(problem: Problem, name: str) -> None:
    tree = fitted(name, problem).tree_
    assert Tree.from_dict(tree.to_dict()) == tree
    assert Tree.from_dict(json.loads(json.dumps(tree.to_dict()))) == tree


def walked(node: Any, row: dict[str, Any]) -> Any:
    """Class shares of a row, by asking each test in turn; without an answer every child counts."""
    if node.is_leaf:
        return node.tree.value[node.id] / node.tree.value[node.id].sum()
    branch = node.test.branch(row[node.test.feature_name])
    if branch is not None:
        return walked(node.children[branch], row)
    heavy = [child for child in node.children if child.weight > 0]
    total = sum(child.weight for child in heavy)
    return sum(child.weight / total * walked(child, row) for child in heavy)


@pytest.mark.slow
@given(problem=problems, name=names)
def test_predictions_are_what_a_walk_by_hand_finds(problem: Problem, name: str) -> None:
    model = fitted(name, problem)
    note(str(model.tree_))
    table = pd.concat([problem.table, problem.new_table], ignore_index=True)
    expected = [walked(model.tree_.root, row) for row in table.to_dict("records")]
    np.testing.assert_allclose(model.predict_proba(table), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@given(problem=problems, name=names)
def test_text_and_dot_name_every_node(problem: Problem, name: str) -> None:
    tree = fitted(name, problem).tree_
    assert len(tree.to_text(max_depth=None).splitlines()) == tree.n_nodes
    dot = tree.to_graphviz(max_depth=None)
    assert dot.count(" -> ") == tree.n_nodes - 1
    assert all(f"n{node.id} [label=" in dot for node in tree)


# -- A tree to read


@pytest.fixture(scope="module")
def staff() -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    jobs = ["clerk", "cook", "driver", "nurse", "pilot"]
    table = {"age": rng.integers(18, 80, 200).astype(float), "job": rng.choice(jobs, 200)}
    middle = (table["age"] > 30) & (table["age"] <= 50)
    return table, np.where(middle | np.isin(table["job"], ["cook", "pilot"]), "yes", "no")


def test_intervals_and_groups_read_as_people_write_them(staff: Any) -> None:
    tree = C45Classifier(nominal="grouped", max_intervals=4).fit(*staff).tree_
    conditions = [line.split(":")[0] for line in str(tree).splitlines()]
    assert conditions == [
        "all rows",
        "|-- job in {clerk, driver, nurse}",
        "|   |-- age <= 30",
        "|   |-- 30 < age <= 50",
        "|   `-- age > 50",
        "`-- job in {cook, pilot}",
    ]


def test_the_rules_of_intervals_and_groups_read_as_people_write_them(staff: Any) -> None:
    model = C45Classifier(nominal="grouped", max_intervals=4).fit(*staff)
    assert [str(rule).split("  (")[0] for rule in model.tree_.rules()] == [
        "if job in {clerk, driver, nurse} and age <= 30 then no",
        "if job in {clerk, driver, nurse} and 30 < age <= 50 then yes",
        "if job in {clerk, driver, nurse} and age > 50 then no",
        "if job in {cook, pilot} then yes",
    ]
    np.testing.assert_array_equal(model.rules_.predict(staff[0]), staff[1])
    assert len(model.rules_) == 2


def test_edges_of_a_drawing_say_which_branch_they_are(staff: Any) -> None:
    dot = C45Classifier(nominal="grouped", max_intervals=4).fit(*staff).tree_.to_graphviz()
    for words in ("job in {clerk, driver, nurse}", "<= 30", "(30, 50]", "> 50"):
        assert words in dot
    dot = ID3Classifier().fit({"job": staff[0]["job"]}, staff[1]).tree_.to_graphviz()
    assert all(f'label="{job}"' in dot for job in ("clerk", "cook", "driver", "nurse", "pilot"))


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_a_tree_of_many_branches_can_be_drawn(name: str, staff: Any) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    tree = LEARNERS[name]().fit(*staff).tree_
    figure, ax = pyplot.subplots(figsize=(12, 6))
    tree.plot(ax=ax)
    figure.canvas.draw()
    words = " ".join(text.get_text() for text in ax.texts)
    pyplot.close(figure)
    assert "job" in words
    assert "driver" in words
    assert "yes" in words
    assert name != "c45 with intervals and groups" or "(30, 50]" in words


@pytest.mark.parametrize("name", ["1", "0", "<", "o"])
def test_edges_of_intervals_do_not_depend_on_the_name_of_the_column(name: str) -> None:
    numbers = np.arange(40.0)
    tree = ID3Classifier().fit(pd.DataFrame({name: numbers}), (numbers > 19).astype(int)).tree_
    dot = tree.to_graphviz()
    assert 'label="<= 19.5"' in dot
    assert 'label="> 19.5"' in dot
