"""Lifetimes on the command line: from a table with event and time to every other command."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import Result

import spinney
from spinney import RandomSurvivalForest, SurvivalTree
from spinney._cli.lifetimes import concordance, kaplan_meier
from spinney.datasets import load

Run = Callable[..., Result]


@pytest.fixture
def patients(tmp_path: Path) -> tuple[Path, pd.DataFrame]:
    """A file with the lifetimes of pbc, coded as R does: 2 is an event."""
    pbc = load("pbc", as_="pandas")
    table = pbc.data[["age", "sex", "edema", "bili", "albumin", "protime"]].copy()
    table["w"] = 1 + np.arange(len(table)) % 3
    table["status"], table["days"] = np.where(pbc.target["event"], 2, 1), pbc.target["time"]
    path = tmp_path / "patients.csv"
    table.to_csv(path, index=False)
    return path, table


def features(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns=["w", "status", "days"])


def truth(table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"event": table["status"] == 2, "time": table["days"]})


GIVEN = ["--event", "status=2", "--time", "days", "--weight", "w"]


@pytest.fixture
def trained(run: Run, patients: Any, tmp_path: Path) -> Path:
    out = tmp_path / "model.spinney"
    result = run("train", patients[0], *GIVEN, "--no-cv", "--out", out)
    assert result.exit_code == 0, result.output
    return out


def test_events_and_times_reach_the_estimator(patients: Any, trained: Path) -> None:
    _, table = patients
    X = features(table)
    model = SurvivalTree(pruning="cost_complexity", random_state=0)
    model.fit(X, truth(table), table["w"])
    assert model.tree_.n_leaves > 1
    found = spinney.load(trained)
    assert found.tree_ == model.tree_
    assert (found.made_for_.task, found.made_for_.target) == ("survival", "days")
    assert found.made_for_.event == "status=2"


def test_training_tells_the_cross_validated_concordance(run: Run, patients: Any) -> None:
    path, table = patients
    result = run("train", path, *GIVEN, "--cv", "3", "--model", "forest", "--trees", "5", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["data"]["task"] == "survival"
    assert told["data"]["events"] == (table["status"] == 2).sum()
    assert told["error"]["measure"] == "concordance"
    assert 0.6 < told["error"]["interval"][0] < told["error"]["value"] < 0.95
    text = run("train", path, *GIVEN, "--cv", "3").output
    assert "lifetimes from 41 to 4795: 161 events, 257 censored" in text
    assert "Concordance by 3-fold cross-validation" in text
    assert "this tree  concordance 0." in text


def test_evaluation_is_by_concordance_and_expected_events(
    run: Run, patients: Any, trained: Path
) -> None:
    path, table = patients
    result = run("evaluate", trained, path, "--weight", "w", "--json")
    assert result.exit_code == 0, result.output
    found, model = json.loads(result.stdout), spinney.load(trained)
    expected = model.score(features(table), truth(table), table["w"])
    assert found["error"]["value"] == pytest.approx(expected)
    assert found["events"] == table["w"][table["status"] == 2].sum()
    hazards = model.predict_cumulative_hazard(features(table), np.unique(table["days"]))
    place = np.searchsorted(np.unique(table["days"]), table["days"])
    own = hazards[np.arange(len(table)), place]
    assert found["expected_events"] == pytest.approx(table["w"] @ own)
    assert found["expected_events"] == pytest.approx(found["events"])  # of its own training rows


@pytest.mark.slow
def test_evaluation_draws_curves_by_groups_of_risk(
    run: Run, patients: Any, trained: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "curves.svg"
    result = run("evaluate", trained, patients[0], "--plot", picture)
    assert result.exit_code == 0, result.output
    assert "Concordance: pairs of rows" in result.output
    assert "expected  " in result.output
    assert "<svg" in picture.read_text()


def test_predictions_are_risks_and_survival_at_times(
    run: Run, patients: Any, trained: Path
) -> None:
    path, table = patients
    result = run("predict", trained, path, "--times", "365,1000.5", "--digits", "17")
    assert result.exit_code == 0, result.output
    found = pd.read_csv(StringIO(result.stdout))
    assert list(found) == ["prediction", "survival_365", "survival_1000.5"]
    model = spinney.load(trained)
    assert found["prediction"].tolist() == model.predict(features(table)).tolist()
    curves = model.predict_survival_function(features(table), [365.0, 1000.5])
    assert found.iloc[:, 1:].to_numpy().tolist() == curves.tolist()


def test_a_bundled_set_is_known_by_its_name(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "model.spinney"
    named = ("--model", "forest", "--trees", "20", "--no-cv")
    result = run("train", "veteran", *named, "--out", out)
    assert result.exit_code == 0, result.output
    assert "out of bag  concordance" in result.output
    veteran = load("veteran")
    model = RandomSurvivalForest(20, random_state=0).fit(veteran.X, veteran.y)
    assert spinney.load(out).predict(veteran.X).tolist() == model.predict(veteran.X).tolist()
    assert run("evaluate", out, "veteran").exit_code == 0


def test_all_other_commands_take_such_a_model(
    run: Run, patients: Any, trained: Path, tmp_path: Path
) -> None:
    path, table = patients
    model = spinney.load(trained)
    explained = json.loads(run("explain", trained, path, "--row", "1", "--json").stdout)
    assert explained["prediction"] == model.predict(features(table))[0]
    assert explained["rules"][0]["conditions"]
    assert run("rules", trained).output == f"{model.tree_.rules()}\n"
    assert "CASE" in run("rules", trained, "--format", "sql").output
    pruned = run("prune", trained, "--leaves", "2", "--out", tmp_path / "small.spinney")
    assert pruned.exit_code == 0, pruned.output
    small = spinney.load(tmp_path / "small.spinney")
    assert small.tree_.n_leaves == 2
    assert small.predict_survival_function(features(table)).shape == (len(table), len(small.times_))
    picture = tmp_path / "tree.svg"
    assert run("plot", trained, "--out", picture).exit_code == 0
    assert "<svg" in picture.read_text()


def test_subtrees_are_judged_by_other_rows(run: Run, patients: Any, trained: Path) -> None:
    path, table = patients
    result = run("prune", trained, "--test", path, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["pruning"]
    by_rows = spinney.load(trained).pruning_path_
    tree = by_rows.trees[0]
    path_ = spinney.pruning.cost_complexity_path(tree)
    spinney.pruning.select(path_, features(table), truth(table))
    assert found["errors"] == pytest.approx(path_.errors.tolist())
    assert found["errors"][0] < found["errors"][-1]


@pytest.mark.slow
def test_models_are_compared_by_discordance(run: Run, patients: Any) -> None:
    path, _ = patients
    given = ["--event", "status=2", "--time", "days", "--drop", "w"]
    result = run(
        "compare",
        path,
        *given,
        "--model",
        "cart",
        "--folds",
        "3",
        "--repeats",
        "1",
        "--jobs",
        "1",
        "--json",
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["measure"] == "discordance"
    ours, nothing = found["means"][0]
    assert ours < 0.4
    assert nothing == 0.5


BAD = [
    (["--event", "status"], "a lifetime is an event and a time: name its column with --time too."),
    (["--time", "days"], "a lifetime is an event and a time: name its column with --event too."),
    (["--event", "statuz", "--time", "days"], "--event: no column 'statuz'. Did you mean"),
    (["--event", "status=2", "--time", "dsay"], "no column 'dsay'"),
    (["--event", "status", "--time", "days"], "write --event status=2 for that of the event"),
    (["--event", "status=3", "--time", "days"], "--event: 'status' is '3' in no row."),
    (["--event", "sex=f", "--time", "days"], "--event: 'sex' is 'f' in no row."),
    (["--event", "status=2", "--time", "sex"], "'sex' holds text: it cannot be predicted as a"),
    (["--event", "status=2", "--time", "edema"], "time of y holds 0 at index"),
    (["--event", "status=2", "--time", "days", "--target", "age"], "--target: of lifetimes"),
    (["--event", "status=2", "--time", "days", "--task", "regression"], "--task: event and time"),
    (["--event", "status=2", "--time", "days", "--drop", "status"], "is left out by --drop"),
    (["--event", "status=2", "--time", "days", "--model", "c45"], "cannot learn lifetimes"),
    (["--event", "status=2", "--time", "days", "--cost", "a:b=2"], "--cost: 'days' is a number"),
    (["--event", "status=2", "--time", "days", "--positive", "2"], "--positive: 'days'"),
    (["--event", "status=2", "--time", "days", "--exposure", "age"], "--exposure: this model"),
]


@pytest.mark.parametrize(("given", "words"), BAD, ids=[" ".join(given) for given, _ in BAD])
def test_wrong_columns_are_one_clear_error(
    run: Run, patients: Any, given: list[str], words: str
) -> None:
    result = run("train", patients[0], "--no-cv", *given)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())


def test_files_without_any_event_or_with_gaps_are_refused(run: Run, write: Any) -> None:
    head = "x,seen,t\n"
    rows = [f"{k},{'true' if k < 2 else 'false'},{k + 1}\n" for k in range(8)]
    good = run("train", write(head + "".join(rows)), "--event", "seen", "--time", "t", "--no-cv")
    assert good.exit_code == 0, good.output
    for row, words in [
        ("1,,3\n", "--event: 'seen' is missing in row 9."),
        ("1,maybe,3\n", "'seen' holds 'maybe' in row 9"),
        ("1,true,\n", "'t' is missing in 1 of 9 rows"),
        ("1,true,-4\n", "time of y holds -4 at index 8"),
    ]:
        path = write(head + "".join(rows) + row)
        result = run("train", path, "--event", "seen", "--time", "t", "--no-cv")
        assert result.exit_code == 2
        assert words in " ".join(result.output.split())
    for n_events, words in [(0, "no event in 8 samples"), (1, "one event only in 8 samples")]:
        cells = [f"{k},{int(k < n_events)},{k + 1}\n" for k in range(8)]
        result = run("train", write(head + "".join(cells)), "--event", "seen", "--time", "t")
        assert result.exit_code == 2
        assert words in " ".join(result.output.split())


def test_a_report_knows_the_columns_of_the_training(
    run: Run, trained: Path, patients: Any, tmp_path: Path
) -> None:
    result = run("report", trained, patients[0], "--out", tmp_path / "page.html")
    assert result.exit_code == 0, result.output
    assert '"task":"lifetimes"' in (tmp_path / "page.html").read_text("utf-8")


def test_options_of_lifetimes_are_refused_by_other_models(
    run: Run, model_file: Any, trained: Path, patients: Any, tmp_path: Path
) -> None:
    iris = model_file("iris")
    for arguments, words in [
        (("predict", iris, "iris", "--times", "3"), "--times: this model predicts no lifetimes."),
        (("evaluate", iris, "iris", "--event", "class"), "--event: this model predicts no"),
        (("predict", trained, patients[0], "--times", "soon"), "--times: write numbers from 0"),
        (("evaluate", trained, "iris"), "lacks"),
        (
            ("report", iris, "iris", "--time", "class", "--out", tmp_path / "p"),
            "--time: this model",
        ),
    ]:
        result = run(*arguments)
        assert result.exit_code == 2, arguments
        assert words in " ".join(result.output.split())


# -- Figures


def test_the_interval_of_the_concordance_is_that_of_r() -> None:
    """R 4.2, survival 3.5-3: concordance(Surv(time, event) ~ age, lung, reverse = TRUE)."""
    lung = load("lung", as_="dict")
    found = concordance(lung.target, lung.data["age"])
    assert found.value == pytest.approx(0.5502398, abs=1e-6)
    assert (found.high - found.low) / 2 / 1.959964 == pytest.approx(0.02514211, rel=0.02)


def test_kaplan_meier_by_hand() -> None:
    y = np.array([(1, 1.0), (0, 2.0), (1, 3.0), (1, 3.0), (0, 4.0)], "?,f8")
    y.dtype.names = ("event", "time")
    found = kaplan_meier(y, np.ones(5), np.array([0.5, 1.0, 2.9, 3.0, 9.0]))
    assert found.tolist() == pytest.approx([1.0, 0.8, 0.8, 0.8 / 3, 0.8 / 3])
