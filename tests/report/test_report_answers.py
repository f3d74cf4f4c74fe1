"""The scripts answer rows as the model does, and prune as its path does."""

import json

import numpy as np
import pytest
from report_problems import (
    as_cells,
    credit_model,
    expression_rows,
    random_model,
    random_table,
)
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from spinney import CARTRegressor, Tree
from spinney.pruning import cost_complexity_path
from spinney.report import Report

pytestmark = pytest.mark.slow
MODELS = [(kind, seed) for seed in range(3) for kind in range(14)][:30]
SHARED = [MODELS[i::6] for i in range(6)]  # a browser page for each model, few tests


def _said(model, frame):
    if hasattr(model, "classes_"):
        return model.predict(frame), model.predict_proba(frame)
    return model.predict(frame), None


@pytest.mark.parametrize("models", SHARED, ids=str)
def test_rows_with_gaps_and_unseen_categories_are_answered_as_by_the_model(models, open_report):
    assert len(MODELS) >= 30
    for kind, seed in models:
        model, frame, y = random_model(kind, seed)
        rng = np.random.default_rng(seed)
        rows = expression_rows(rng, 1000) if kind >= 12 else random_table(rng, 1000, unseen=True)
        opened = open_report(Report(model, frame, y))
        found = opened.run("S.traceRows(given[0])", as_cells(rows))
        labels, shares = _said(model, rows)
        if shares is None:
            np.testing.assert_allclose([own["number"] for own in found], labels, rtol=1e-12)
        else:
            classes = model.classes_.astype(str)
            assert [classes[own["label"]] for own in found] == labels.tolist(), (kind, seed)
            probabilities = [own["probabilities"] for own in found]
            np.testing.assert_allclose(probabilities, shares, rtol=0, atol=1e-12)
        assert opened.complaints == []
        opened.page.context.close()


def _tree_shown(opened):
    """Return the tree of the page as plain lists, in the order of its nodes."""
    return opened.run(
        """(function () {
          const found = [], open = [0];
          while (open.length) {
            const node = open.shift();
            found.push([S.tree.rows[node], S.children(node).length, S.branchText(node),
                        S.tree.labels ? S.tree.labels[node] : S.tree.answers[node]]);
            open.push(...S.children(node));
          }
          return found;
        })()"""
    )


def _tree_of(tree: Tree):
    found, queue = [], [tree.root]
    while queue:
        node = queue.pop(0)
        label = tree.labels[node.id] if tree.classes is not None else node.prediction
        found.append([node.n_samples, len(node.children), label])
        queue += node.children
    return found


@pytest.mark.parametrize("kind", [0, 5, 7, 9])
def test_the_slider_shows_the_trees_of_the_path(kind, open_report):
    model, frame, y = random_model(kind, 0)
    path = getattr(model, "pruning_path_", None) or cost_complexity_path(model.tree_)
    opened = open_report(Report(model, frame, y))
    last = opened.run("S.lastStep")
    assert last + 1 in (len(path), len(path) + 1)
    every = max(1, len(path) // 30)
    for step in [*range(last, last - len(path), -every), last - len(path) + 1]:
        opened.page.locator("#slider").evaluate(
            "(own, value) => { own.value = value; own.dispatchEvent(new Event('input')); }",
            last - step,
        )
        wanted = path.trees[step - last - 1 + len(path)]
        shown = [[rows, n, said] for rows, n, _, said in _tree_shown(opened)]
        assert shown == _tree_of(wanted)
        rows = random_table(np.random.default_rng(step), 60, unseen=True)
        found = opened.run("S.traceRows(given[0])", as_cells(rows))
        if model.tree_.classes is None:
            np.testing.assert_allclose([own["number"] for own in found], wanted.predict(rows))
        else:
            labels = wanted.classes[[own["label"] for own in found]]
            assert labels.tolist() == wanted.predict(rows).tolist()
    assert opened.page.locator("#tree-picture [role=treeitem]").count() >= 1


def _confusion(model, frame, y):
    said = model.predict(frame)
    return [
        [float(((y == true) & (said == label)).sum()) for label in model.classes_]
        for true in model.classes_
    ]


@pytest.mark.parametrize("kind", ["whole", "fractional"])
def test_measures_from_counts_are_those_of_rows(kind, open_report):
    settings = {"missing": "fractional", "max_depth": 4} if kind == "fractional" else {}
    model, frame, y, (other, y2) = credit_model(2, **settings)
    opened = open_report(Report(model, frame, y, holdout=(other, y2)))
    for place, (X, truth) in enumerate([(frame, y), (other, y2)]):
        # Mixtures of leaves that differ by rounding only are ties, on the page too.
        score = np.round(model.predict_proba(X)[:, 1], 12)
        positive = truth == model.classes_[1]
        assert opened.run(f"S.confusion({place})") == _confusion(model, X, truth)
        curves = opened.run(f"S.curves(S.scored({place}, 1))")
        assert curves["auc"] == pytest.approx(roc_auc_score(positive, score), abs=1e-9)
        assert curves["ap"] == pytest.approx(average_precision_score(positive, score), abs=1e-9)
        brier = opened.run(f"S.brier({place})")
        assert brier == pytest.approx(brier_score_loss(positive, score), abs=1e-9)
        gaps = [
            abs((score[positive] >= t).mean() - (score[~positive] >= t).mean())
            for t in np.unique(score)
        ]
        assert curves["ks"] == pytest.approx(max(gaps), abs=1e-9)
        for threshold in (0.0, 0.21, 0.5, 0.83, 1.0):
            found = opened.run(f"S.atThreshold(S.scored({place}, 1), {threshold})")
            said = score >= threshold - 1e-12
            wanted = {
                "tp": (said & positive).sum(),
                "fp": (said & ~positive).sum(),
                "fn": (~said & positive).sum(),
                "tn": (~said & ~positive).sum(),
            }
            assert found == wanted


def test_measures_of_numbers_are_those_of_rows(open_report):
    model, frame, y = random_model(5, 1)
    opened = open_report(Report(model, frame, y))
    found, rest = opened.run("S.numberMeasures(0)"), model.predict(frame) - y
    assert found["rmse"] == pytest.approx(np.sqrt(np.mean(rest**2)))
    assert found["r2"] == pytest.approx(model.score(frame, y))
    assert found["bias"] == pytest.approx(rest.mean(), abs=1e-9)


def test_importances_follow_the_slider(open_report):
    model, frame, y = random_model(0, 1)
    opened = open_report(Report(model, frame, y))
    path = model.pruning_path_
    for step in (0, path.selected, len(path) - 2):
        found = opened.run(f"(S.setStep({step}), S.importances())")
        tree = path.trees[step]
        np.testing.assert_allclose(found["plain"], tree.importances(), atol=1e-12)
        np.testing.assert_allclose(found["surrogates"], tree.importances(True), rtol=1e-9)


def test_counts_have_rates_and_deviances(open_report):
    rng = np.random.default_rng(0)
    frame, exposure = random_table(rng, 400), rng.uniform(0.2, 2.0, 400)
    y = rng.poisson(exposure * np.where(frame["word"] == "a", 2.0, 0.5)).astype(float)
    model = CARTRegressor(criterion="poisson", max_depth=3).fit(frame, y, exposure=exposure)
    opened = open_report(Report(model, frame, y, exposure=exposure))
    found = opened.run("S.numberMeasures(0)")
    assert found["mean"] == pytest.approx(y.sum() / exposure.sum())
    assert found["d2"] == pytest.approx(model.score(frame, y, exposure=exposure))
    assert "D squared" in opened.page.locator("#quality").inner_text()


def test_changes_that_are_named_change_the_answer(open_report):
    model, frame, y, _ = credit_model(4)
    opened = open_report(Report(model, frame, y))
    shown = 0
    for row in as_cells(random_table(np.random.default_rng(3), 60)):
        code = "S.changes(S.traceRow(given[0])).map((own) => [own.values, own.answer.label])"
        before = opened.run("S.traceRow(given[0]).label", row)
        for values, label in opened.run(code, row):
            cells = np.array([[np.nan if v is None else v for v in values]])
            assert label != before
            assert model.tree_.predict(cells, encoded=True) == [model.classes_[label]]
            shown += 1
    assert shown > 30


def test_the_payload_holds_no_rows():
    model, frame, y, holdout = credit_model()
    small = json.dumps(Report(model, frame, y, holdout=holdout).payload())
    model.n_jobs = None
    twice = Report(model, frame.loc[np.repeat(frame.index, 3)], np.repeat(y, 3), holdout=holdout)
    assert len(json.dumps(twice.payload())) < 1.1 * len(small)
