"""Tables that are hard on ID3, C4.5 and their rules: gaps, one class, very many categories."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from thinning import sparingly

from faults.scripts import run
from spinney import C45Classifier, ID3Classifier
from spinney.export import to_python, to_sql
from spinney.rules import RuleSet

both = pytest.mark.parametrize("learner", [ID3Classifier, C45Classifier])


@pytest.fixture
def cities() -> tuple[dict[str, Any], list[str]]:
    """Twelve rows in Bonn, six in Cork and two in Graz."""
    names = ["Bonn"] * 12 + ["Cork"] * 6 + ["Graz"] * 2
    return {"city": names}, ["a"] * 9 + ["b"] * 3 + ["b"] * 6 + ["c"] * 2


# -- Gaps and categories


@both
def test_an_unseen_category_is_answered_by_the_weights_of_training(learner: Any, cities: Any):
    model = learner().fit(*cities)
    assert model.tree_.n_leaves == 3
    shares = model.predict_proba({"city": ["Pisa", None, "Bonn"]})
    np.testing.assert_allclose(shares[0], [9 / 20, 9 / 20, 2 / 20])
    np.testing.assert_array_equal(shares[0], shares[1])
    np.testing.assert_allclose(shares[2], [0.75, 0.25, 0])


@both
def test_a_branch_without_rows_has_no_part_in_the_answer_to_a_gap(learner: Any, cities: Any):
    table, y = cities
    named = pd.DataFrame({"city": pd.Categorical(table["city"], ["Bonn", "Cork", "Graz", "Ulm"])})
    model = learner().fit(named, y)
    gap = pd.DataFrame({"city": pd.Categorical([None, "Ulm"], ["Bonn", "Cork", "Graz", "Ulm"])})
    np.testing.assert_allclose(model.predict_proba(gap)[0], [9 / 20, 9 / 20, 2 / 20])
    np.testing.assert_allclose(model.predict_proba(gap)[1], [9 / 20, 9 / 20, 2 / 20])


@both
def test_unseen_categories_below_the_root_are_answered_by_the_node(learner: Any):
    table = {"a": ["x"] * 8 + ["y"] * 8, "b": ["p", "q"] * 4 + ["q"] * 8}
    y = ["no", "yes"] * 4 + ["no"] * 8
    model = learner(pruning=None).fit(table, y)
    assert model.tree_.n_leaves > 2
    shares = model.predict_proba({"a": ["x"], "b": ["r"]})
    np.testing.assert_allclose(shares, [[0.5, 0.5]])


@both
@pytest.mark.parametrize("gap", [np.nan, None])
def test_a_column_of_gaps_is_never_asked(learner: Any, gap: Any, cities: Any):
    table, y = cities
    with_gaps = table | {"empty": [gap] * len(y)}
    assert "empty" not in str(learner().fit(with_gaps, y).tree_)
    np.testing.assert_array_equal(
        learner().fit(with_gaps, y).predict(with_gaps), learner().fit(table, y).predict(table)
    )
    alone = learner().fit({"empty": [gap] * len(y)}, y)
    assert alone.tree_.n_nodes == 1
    np.testing.assert_allclose(alone.predict_proba({"empty": [gap]}), [[9 / 20, 9 / 20, 2 / 20]])


@both
def test_one_class_is_one_leaf(learner: Any, cities: Any):
    model = learner().fit(cities[0], ["a"] * 20)
    assert model.tree_.n_nodes == 1
    assert model.predict(cities[0]).tolist() == ["a"] * 20
    assert model.predict_proba(cities[0]).tolist() == [[1.0]] * 20
    rules = model.tree_.rules()
    assert rules.predict(cities[0]).tolist() == ["a"] * 20
    assert rules.prune(cities[0], ["a"] * 20).predict(cities[0]).tolist() == ["a"] * 20
    assert model.tree_.description_length() == 1.0


def test_one_class_leaves_c45_without_rules_but_with_an_answer(cities: Any):
    model = C45Classifier().fit(cities[0], ["a"] * 20)
    assert len(model.rules_) == 0
    assert str(model.rules_) == "otherwise a"
    assert model.rules_.predict(cities[0]).tolist() == ["a"] * 20


GAPS = {"with gaps": "rng.random(n) < 0.1", "whole": "False"}


@pytest.mark.slow
@pytest.mark.limited
@pytest.mark.skipif(sys.platform == "win32", reason="resource is of POSIX")
@pytest.mark.parametrize("gaps", sparingly(GAPS.values(), 2), ids=GAPS)
def test_ten_thousand_categories_fit_in_bounded_time_and_memory(gaps: str):
    facts = run(
        f"""
        import pandas as pd
        from spinney import C45Classifier, ID3Classifier
        rng = np.random.default_rng(0)
        n, k = 15_000, 10_000
        codes = np.arange(n) % k
        keys = np.array([f"k{{c:05d}}" for c in codes], dtype=object)
        gaps = {gaps}
        keys[np.broadcast_to(gaps, n)] = None
        X = pd.DataFrame({{"key": keys, "size": rng.normal(size=n),
                          "kind": rng.choice(list("abc"), n)}})
        y = codes * 7 % 3
        before, worst, right = peak(), {{}}, {{}}
        for name, model in {{
            "id3": ID3Classifier(),
            "c45": C45Classifier(),
            "c45 unpruned": C45Classifier(pruning=None, rules=False, min_samples_leaf=1),
            "c45 grouped": C45Classifier(nominal="grouped"),
        }}.items():
            start = time.process_time()
            model.fit(X, y)
            worst[name] = time.process_time() - start
            right[name] = float((model.predict(X) == y).mean())
        tell(seconds=worst, grown=peak() - before, right=right)
        """,
        timeout=300,
    )
    assert max(facts["seconds"].values()) < 20, facts
    assert facts["grown"] < 600, facts
    assert facts["right"]["id3"] > 0.9, facts
    assert facts["right"]["c45 grouped"] > 0.9, facts


# -- Numbers and classes


@pytest.mark.slow
@pytest.mark.limited
@pytest.mark.skipif(sys.platform == "win32", reason="resource is of POSIX")
def test_numbers_are_cut_by_ten_thousand_classes_in_little_memory():
    facts = run(
        """
        from spinney import ID3Classifier
        n, k = 20_000, 10_000
        x = np.random.default_rng(0).normal(size=(n, 2))
        before = peak()
        model = ID3Classifier().fit(x, np.arange(n) % k)
        tell(grown=peak() - before, n_nodes=model.tree_.n_nodes)
        """,
        memory_gb=4,
    )
    assert facts["grown"] < 400, facts
    assert facts["n_nodes"] == 7, facts


@both
def test_a_thousand_classes_are_told_apart(learner: Any):
    x = np.repeat(np.arange(1000), 4)
    y = x * 7 % 1000
    model = learner(**({"rules": False} if learner is C45Classifier else {}))
    model.fit({"key": x.astype(str)}, y)
    assert len(model.classes_) == 1000
    np.testing.assert_array_equal(model.predict({"key": x.astype(str)}), y)
    assert model.predict_proba({"key": ["?"]}).sum() == pytest.approx(1.0)


@both
@pytest.mark.parametrize(
    ("low", "high"),
    [(-1e308, 1e308), (1.7e308, 1.79e308), (-np.inf, np.inf), (0.0, np.inf), (-np.inf, 3.0)],
)
def test_huge_and_infinite_numbers_are_ordered_values(learner: Any, low: float, high: float):
    x = np.array([low] * 10 + [high] * 10)[:, None]
    y = [0] * 10 + [1] * 10
    model = learner().fit(x, y)
    assert model.predict(x).tolist() == y
    test = model.tree_.root.test
    (cut,) = test.cuts if test.kind == "multiway" else (test.threshold,)
    assert low <= cut < high


def test_huge_and_infinite_numbers_have_intervals():
    x = np.repeat([-np.inf, 1e308, np.inf], 15)[:, None]
    y = np.repeat([0, 1, 0], 15)
    model = C45Classifier(max_intervals=9).fit(x, y)
    assert model.tree_.root.test.cuts == (-np.inf, 1e308)
    assert model.predict(x).tolist() == y.tolist()
    assert model.rules_.predict(x).tolist() == y.tolist()


@both
def test_neighbouring_doubles_are_told_apart(learner: Any):
    x = np.empty(64)
    x[0] = 1.0
    for i in range(1, 64):
        x[i] = np.nextafter(x[i - 1], 2.0)
    x = np.repeat(x, 2)[:, None]
    y = np.repeat(np.arange(64) >= 31, 2)
    assert learner().fit(x, y).predict(x).tolist() == y.tolist()


# -- Rules


def test_an_edited_set_without_rules_predicts_its_default(cities: Any):
    table, y = cities
    for rules in (
        C45Classifier().fit(table, y).rules_,
        ID3Classifier().fit(table, y).tree_.rules(),
    ):
        empty = rules[:0]
        assert len(empty) == len(rules.without(range(len(rules)))) == 0
        assert empty.predict(table).tolist() == [rules.default] * 20
        assert empty.covers(table).tolist() == [0] * 20
        np.testing.assert_allclose(empty.predict_proba(table).sum(axis=1), 1.0)
        assert str(empty) == f"otherwise {rules.default}"
        assert len(empty.to_frame()) == 0
        assert empty.explain({"city": "Bonn"}).prediction == rules.default
        assert empty.sorted_by("lift") == empty
        assert empty.prune(table, y).predict(table).tolist() == [empty.prune(table, y).default] * 20


def test_an_edited_set_without_rules_runs_as_code(cities: Any):
    table, y = cities
    rules = C45Classifier().fit(table, y).rules_[:0]
    module: dict[str, Any] = {}
    exec(to_python(rules), module)
    assert module["predict"]({"city": "Bonn"}) == rules.default
    shares = rules.predict_proba({"city": ["Bonn"]})[0]
    assert module["predict_proba"]({"city": "Bonn"}) == pytest.approx(shares.tolist())
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE data (city TEXT)")
        base.executemany("INSERT INTO data VALUES (?)", [("Bonn",), (None,), ("Pisa",)])
        assert base.execute(to_sql(rules)).fetchall() == [(rules.default,)] * 3


def test_a_set_without_rules_and_default_says_what_is_missing(cities: Any):
    table, y = cities
    model = C45Classifier().fit(table, y)
    empty = RuleSet([], schema=model.tree_.schema, classes=model.classes_)
    for method in ("predict", "predict_proba"):
        with pytest.raises(ValueError, match=r"no rule fires for 20 rows.*default"):
            getattr(empty, method)(table)
