"""Reports of lifetimes: curves, events and concordance are those of the model and of textbooks."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from report_problems import as_cells, lifetimes_model, random_table

from spinney import RandomSurvivalForest, SurvivalTree, save
from spinney._cli.app import main
from spinney.report import Report


@pytest.fixture(scope="module")
def problem():
    return lifetimes_model()


@pytest.fixture(scope="module")
def payload(problem):
    model, frame, y, holdout = problem
    return Report(model, frame, y, holdout=holdout).payload()


def kaplan_meier(event, time, at):
    """Return the product over the events up to a time, by definition."""
    stays = 1.0
    for moment in sorted(set(time[event])):
        if moment <= at:
            stays *= 1.0 - np.sum(event & (time == moment)) / np.sum(time >= moment)
    return stays


def test_curves_of_leaves_are_those_that_the_model_predicts(problem, payload):
    model, frame, *_ = problem
    tree, times = model.tree_, payload["lifetimes"]["times"]
    assert len(times) <= 40
    place = payload["path"]["selected"]
    nodes, open_nodes, leaves = payload["tree"], [0], []
    while open_nodes:
        node = open_nodes.pop()
        if nodes["step"][node] <= place:
            leaves.append(node)
        else:
            open_nodes += range(nodes["first"][node], nodes["first"][node] + nodes["count"][node])
    assert len(leaves) == tree.n_leaves > 2
    predicted = model.predict_survival_function(frame, times)
    shown = [tuple(payload["lifetimes"]["curves"][0][leaf]["survival"]) for leaf in leaves]
    assert set(map(tuple, np.round(predicted, 4).tolist())) == set(shown)


def test_curves_of_the_holdout_are_kaplan_and_meiers(problem, payload):
    model, _, _, (other, y2) = problem
    rows = np.asarray(model.pruning_path_.trees[0].apply(other))
    largest = np.bincount(rows).argmax()
    event, time = y2["event"][rows == largest], y2["time"][rows == largest]
    shown = payload["lifetimes"]["curves"][1]
    times = payload["lifetimes"]["times"]
    found = [curve for curve in shown if curve["events"] == event.sum()]
    wanted = [round(kaplan_meier(event, time, at), 4) for at in times]
    at_risk = [float(np.sum(time >= at)) for at in times]
    assert any(c["survival"] == pytest.approx(wanted) and c["risk"] == at_risk for c in found)
    whole = shown[0]
    assert kaplan_meier(y2["event"], y2["time"], whole["median"]) <= 0.5
    assert kaplan_meier(y2["event"], y2["time"], whole["median"] - 0.005) > 0.5


def test_concordance_is_that_of_each_tree_of_the_path(problem, payload):
    model, frame, y, (other, y2) = problem
    path = model.pruning_path_
    for place, tree in enumerate(path.trees):
        alone = SurvivalTree()._wrap(tree)
        alone.feature_names_in_, alone.n_features_in_ = model.feature_names_in_, 6
        for sample, (X, target) in enumerate([(frame, y), (other, y2)]):
            shown = payload["lifetimes"]["concordance"][sample][place]
            assert shown == pytest.approx(alone.score(X, target))
    assert payload["lifetimes"]["concordance"][0][-1] == 0.5


def test_events_are_expected_on_the_scale_of_the_data(payload):
    """In every leaf of the data, risks times exposure are near events; of all rows they agree."""
    sums = np.array(payload["cells"]["sums"][0])
    events = payload["centre"] * sums[:, 0] + sums[:, 1]
    assert events.sum() == pytest.approx(payload["lifetimes"]["curves"][0][0]["events"])
    assert sums[:, 0].sum() == pytest.approx(events.sum())


def test_a_forest_is_judged_by_its_own_risks(problem):
    _, frame, y, holdout = problem
    model = RandomSurvivalForest(10, random_state=0).fit(frame, y)
    groups = Report(model, frame, y, holdout=holdout).payload()["quality"]["groups"]
    assert groups["concordance"] == pytest.approx([model.score(frame, y), model.score(*holdout)])
    risk = model.predict(frame)
    highest = risk > groups["cuts"][-1]
    curve = groups["curves"][0][-1]
    assert curve["events"] == y["event"][highest].sum()
    assert curve["risk"][0] == pytest.approx(
        np.sum(y["time"][highest] >= np.min(y["time"][y["event"]]))
    )


def test_lifetimes_take_no_exposure(problem):
    model, frame, y, _ = problem
    with pytest.raises(ValueError, match="exposure is given, but the target are lifetimes"):
        Report(model, frame, y, exposure=np.ones(len(frame)))
    with pytest.raises(ValueError, match="holdout: y must hold the event"):
        Report(model, frame, y, holdout=(frame, np.ones(len(frame))))


def test_the_command_needs_events_of_lifetimes_only(problem, tmp_path):
    model, frame, y, _ = problem
    save(model, tmp_path / "model")
    data = frame.assign(seen=y["event"].astype(int), days=y["time"])
    data.to_csv(tmp_path / "data.csv", index=False)
    words = ["report", str(tmp_path / "model"), str(tmp_path / "data.csv"), "--target", "days"]
    words += ["--out", str(tmp_path / "page.html")]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 2
    assert "with --event and --time" in refused.output
    assert not (tmp_path / "page.html").exists()
    made = CliRunner().invoke(main, [*words, "--event", "seen"])
    assert made.exit_code == 0, made.output
    assert '"task":"lifetimes"' in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.slow
def test_the_page_shows_curves_and_follows_the_slider(problem, open_report):
    model, frame, y, holdout = problem
    opened = open_report(Report(model, frame, y, holdout=holdout))
    page = opened.page
    assert "Survival (Kaplan-Meier) by leaf: Hold-out" in page.locator("#quality").inner_text()
    shown = page.locator("#quality table").first.inner_text()
    assert f"{model.score(frame, y):.3f}" in shown
    assert f"{model.score(*holdout):.3f}" in shown
    last = opened.run("S.lastStep")
    opened.run(f"(S.setStep({last}), 1)")
    assert "0.500" in page.locator("#quality table").first.inner_text()
    opened.run("(S.setStep(S.data.path.selected), 1)")
    rows = random_table(np.random.default_rng(3), 300, unseen=True)
    found = opened.run("S.traceRows(given[0])", as_cells(rows))
    np.testing.assert_allclose([own["number"] for own in found], model.predict(rows))
    assert page.locator("#trace-result svg.chart").count() == 1
    assert opened.complaints == []


@pytest.mark.slow
def test_the_page_of_a_forest_shows_groups_of_risk(problem, open_report):
    _, frame, y, holdout = problem
    model = RandomSurvivalForest(10, random_state=0).fit(frame, y)
    opened = open_report(Report(model, frame, pd.DataFrame(y), holdout=holdout))
    assert opened.page.locator("#quality svg.chart").count() == 2
    assert opened.complaints == []
