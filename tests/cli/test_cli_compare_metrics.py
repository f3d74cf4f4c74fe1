"""`spinney compare` by costs, other metrics, weights and groups."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from spinney import CARTClassifier
from spinney.compare import Experiment, RepeatedKFold
from spinney.datasets import load

Run = Callable[..., Result]
QUICK = ["--model", "cart", "--folds", 3, "--repeat", 1, "--jobs", 1]


def table(folder: Path, n_rows: int = 90) -> Path:
    """Write visits of persons: two for each, with the same answer, which nothing else tells."""
    random = np.random.default_rng(1)
    lines = ["person,height,weight,visits,answer"]
    for row in range(n_rows):
        person = row // 2
        own = np.random.default_rng(person)
        answer = "yes" if own.random() < 0.5 else "no"
        lines.append(f"p{person},{own.normal():.6f},{1 + row % 3},{random.poisson(2)},{answer}")
    path = folder / "visits.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_costs_train_judge_and_come_first(run: Run) -> None:
    given = ["--cost", "bad:good=5", "--metric", "cost", "--metric", "auc", "--metric", "error"]
    found = json.loads(run("compare", "german_credit", *QUICK, *given, "--json").stdout)
    data = load("german_credit", as_="pandas")
    costs = {("bad", "good"): 5.0}
    methods = {"cart": CARTClassifier(pruning="cost_complexity", cost_matrix=costs)}
    expected = Experiment(
        {"german_credit": (data.X, data.y)},
        methods,
        RepeatedKFold(3, 1),
        measures=["cost", "auc", "error"],
        cost_matrix=costs,
    ).run(progress=False)
    assert found["measure"] == "cost"
    for name in ("cost", "auc", "error"):
        mean = found["measures"][name]["means"][0][0]
        np.testing.assert_allclose(mean, expected.mean(name)[0, 0])
    constant = found["measures"]["cost"]["means"][0][1]
    assert constant == pytest.approx(0.7, abs=0.01)  # always bad: of good rows, 70 %


def test_models_that_cannot_learn_costs_are_named(run: Run) -> None:
    given = [*QUICK, "--model", "c45", "--cost", "bad:good=5"]
    result = run("compare", "german_credit", *given)
    assert "c45: trained without the costs, judged by them" in result.output
    assert "--cost bad:good=5 --model cart --out" in result.output
    assert "cost" in result.output.split("method", 1)[1].splitlines()[0]


def test_rows_that_belong_together_are_not_divided(run: Run, tmp_path: Path) -> None:
    path = table(tmp_path)
    given = ["--target", "answer", "--model", "cart_full", "--folds", 3, "--repeat", 1]
    given += ["--jobs", 1, "--json"]
    blind = json.loads(run("compare", path, *given, "--drop", "person").stdout)
    told = json.loads(run("compare", path, *given, "--group", "person").stdout)
    assert blind["means"][0][0] < 0.3 < 0.4 < told["means"][0][0]
    assert "person" not in told["data"][0]["features"]


def test_weights_and_exposures_are_used(run: Run, tmp_path: Path) -> None:
    path = table(tmp_path)
    given = ["--target", "visits", *QUICK, "--drop", "person", "--json"]
    counted = [*given, "--criterion", "poisson", "--exposure", "weight"]
    found = json.loads(run("compare", path, *counted).stdout)
    assert found["measure"] == "deviance"
    assert found["means"][0][0] > 0
    plain = json.loads(run("compare", path, *given, "--task", "regression").stdout)
    weighed = [*given, "--task", "regression", "--weight", "weight", "--metric", "r2"]
    other = json.loads(run("compare", path, *weighed, "--metric", "error").stdout)
    assert other["measure"] == "r2"
    assert list(other["measures"]) == ["r2", "rmse"]
    assert other["measures"]["rmse"]["means"] != plain["means"]


def test_repeat_is_the_number_of_repetitions(run: Run) -> None:
    words = run(
        "compare", "iris", "--model", "cart", "--folds", 2, "--repeat", 3, "--jobs", 1
    ).output
    assert "Compared by 2-fold cross-validation, 3 times" in words
    assert "iris: 6 partitions" in words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--metric", "r2"], "--metric r2 does not fit a target of classes"),
        (["--metric", "cost"], "say what mistakes cost with --cost"),
        (["--metric", "accuracy"], "'accuracy' is not one of"),
        (["--task", "regression", "--target", "visits", "--metric", "auc"], "does not fit"),
        (["--task", "regression", "--target", "visits", "--cost", "a:b=2"], "is a number"),
        (["--task", "regression", "--target", "visits", "--metric", "deviance"], "--criterion"),
        (["--task", "regression", "--target", "visits", "--exposure", "weight"], "--criterion"),
        (["--group", "persn"], "Did you mean 'person'?"),
        (["--group", "country"], "no column 'country'"),
        (["--weight", "answer"], "--weight"),
        (["--cost", "yes:maybe=2"], "with the classes no, yes"),
    ],
)
def test_what_does_not_fit_is_refused(
    run: Run, tmp_path: Path, options: list[str], words: str
) -> None:
    path, folder = table(tmp_path), tmp_path / "out"
    result = run("compare", path, "--target", "answer", *QUICK, *options, "--out", folder)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    assert not folder.exists()


def test_groups_that_fill_all_folds_are_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    rows = [f"{g},{k},{'ab'[k % 2]}" for k, g in enumerate("xxxxyyyy")]
    path.write_text("\n".join(["site,n,answer", *rows]) + "\n")
    result = run("compare", path, "--target", "answer", "--group", "site", *QUICK)
    assert result.exit_code == 2
    assert "2 groups, too few for 3 parts" in " ".join(result.output.split())
    path.write_text("\n".join(["site,n,answer", *(f"x,{k},{'ab'[k % 2]}" for k in range(9))]))
    result = run("compare", path, "--target", "answer", "--group", "site", *QUICK)
    assert result.exit_code == 2
    assert "'site' is the same in all rows" in result.output
