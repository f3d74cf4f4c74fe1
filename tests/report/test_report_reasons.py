"""Reasons of a page: how often a column is one, and those of a traced row as the model has them."""

import json
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner
from report_problems import as_cells, expression_rows, random_model, random_table

from spinney import BaggingRegressor, CARTClassifier, CARTRegressor, RandomForestClassifier
from spinney._cli import main
from spinney.report import Report

TRACE = "given[0].map((row) => { const found = S.traceRow(row); return [S.shapley(found.values), "
TRACE += "S.reasons(found).map((own) => own.column)]; })"


@pytest.mark.slow
@pytest.mark.parametrize("kind", range(14))
def test_a_traced_row_has_the_reasons_of_the_model(kind, open_report):
    model, frame, y = random_model(kind, 0)
    rng = np.random.default_rng(kind)
    rows = expression_rows(rng, 150) if kind >= 12 else random_table(rng, 150, unseen=True)
    opened = open_report(Report(model, frame, y))
    told = opened.run(TRACE, as_cells(rows))
    assert opened.complaints == []
    opened.page.context.close()
    values = model.tree_.shap_values(rows)
    values = values[..., None] if values.ndim == 2 else values
    shown = np.array([own for own, _ in told], dtype=float)
    np.testing.assert_allclose(shown, values, rtol=0, atol=1e-9 * max(1.0, np.abs(values).max()))
    names = list(model._schema.names)
    for (_, columns), reasons in zip(told, model.reasons(rows), strict=True):
        pushes = {names.index(own.column): own.contribution for own in reasons}
        assert set(columns) == set(pushes) or _tied(columns, pushes, shown)


def _tied(columns, pushes, shown):
    """What rounding alone keeps from 0, or apart, may be in one list and not in the other."""
    least = min([*pushes.values(), 1.0])
    return len(set(columns) ^ set(pushes)) <= 2 and least < 1e-12 * np.abs(shown).max()


@pytest.mark.slow
def test_words_stand_on_the_page_as_text(open_report):
    model, frame, y = random_model(0, 0)
    name = next(own.column for own in model.reasons(frame[:1])[0])
    words = {name: "<b>too {value}</b>"}
    opened = open_report(Report(model, frame, y, words=words))
    shown = opened.run("document.getElementById('reasons').textContent")
    assert "<b>too …</b>" in shown
    traced = opened.run("S.reasonText(given[0], 'much')", model._schema.names.index(name))
    assert traced == "<b>too much</b>"
    assert opened.complaints == []


def test_counts_are_those_of_the_reasons_of_the_rows():
    model, frame, y = random_model(0, 1)
    part = Report(model, frame, y).payload()["reasons"]
    reasons, said = model.reasons(frame), model.predict(frame)
    assert part["rows"] == len(frame) <= 500
    assert [own["label"] for own in part["groups"]] == [str(c) for c in model.classes_]
    names = list(model._schema.names)
    for own in part["groups"]:
        mine = [r for r, label in zip(reasons, said, strict=True) if str(label) == own["label"]]
        assert own["rows"] == len(mine)
        named = Counter(reason.column for row in mine for reason in row)
        first = Counter(row[0].column for row in mine if row)
        for j, n_first, n_named, moved in own["columns"]:
            assert (n_first, n_named) == (first[names[j]], named[names[j]])
            pushes = [r.contribution for row in mine for r in row if r.column == names[j]]
            assert moved == pytest.approx(np.mean(pushes))


def test_numbers_have_reasons_for_high_and_low_answers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    model = CARTRegressor(max_depth=4).fit(X, X[:, 0] + 2 * (X[:, 1] > 0))
    part = Report(model, X, X[:, 0]).payload()["reasons"]
    assert [own["label"] for own in part["groups"]] == ["high", "low"]
    assert sum(own["rows"] for own in part["groups"]) == 300
    high = model.predict(X) >= model.expected_value_
    assert part["groups"][0]["rows"] == high.sum()


def test_an_ensemble_has_its_own_reasons_and_a_median_has_none():
    _, frame, y = random_model(0, 2)
    forest = RandomForestClassifier(5, random_state=0, oob_score=False).fit(frame, y)
    part = Report(forest, frame, y).payload()["reasons"]
    named = {own.column for row in forest.reasons(frame) for own in row}
    names = list(forest._schema.names)
    assert {names[c[0]] for own in part["groups"] for c in own["columns"]} <= named
    X = np.random.default_rng(0).normal(size=(80, 2))
    median = BaggingRegressor(None, 3, combine="median", random_state=0).fit(X, X[:, 0])
    assert Report(median, X, X[:, 0]).payload()["reasons"] is None


def test_words_of_no_column_are_refused():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with pytest.raises(ValueError, match="which is no column"):
        Report(CARTClassifier().fit(X, y), X, y, words={"income": "too low"})


@pytest.mark.slow
def test_the_command_takes_words(tmp_path):
    def run(*arguments):
        return CliRunner().invoke(main, [str(argument) for argument in arguments])

    model, words, page = (tmp_path / name for name in ("credit.spinney", "words.json", "page.html"))
    options = ["--set", "max_depth=3", "--set", "pruning=None"]
    assert run("train", "german_credit", *options, "--out", model).exit_code == 0
    words.write_text(json.dumps({"checking_status": "the account: {value}"}))
    report = ["report", model, "german_credit", "--out", page, "--words", words]
    assert run(*report).exit_code == 0
    assert "the account: {value}" in page.read_text("utf-8")
    words.write_text(json.dumps({"nothing": "x"}))
    refused = run(*report)
    assert refused.exit_code != 0
    assert "no column" in refused.output


@pytest.mark.slow
def test_a_name_that_sql_cannot_hold_leaves_no_half_of_a_statement(open_report):
    X = {"a\0b": np.arange(20.0), "c": np.arange(20.0) % 3}
    y = np.arange(20) > 9
    model = CARTClassifier(splitter="oblique", random_state=0).fit(X, y)
    plain = CARTClassifier().fit(X, y)
    for made in (model, plain):
        opened = open_report(Report(made, X, y))
        assert "a\0b" in made.tree_.to_text() or "\\x00" in made.tree_.to_text()
        assert opened.run("S.segmentSql(1)") == "-- SQL cannot hold a name of this segment"
        assert opened.complaints == []
        opened.page.context.close()
