"""What misled in a walk by hand over an export with decimal commas, mailings, visits and counts."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

import spinney

Run = Callable[..., Result]
Write = Callable[..., Path]


def flat(result: Result) -> str:
    return " ".join(result.output.split())


@pytest.fixture
def euros(run: Run, write: Write, tmp_path: Path) -> Path:
    """Train by debts in euros of a file with semicolons, whose decimal mark nobody has to say."""
    rows = [
        f"{1 + k // 20}.{137 * k % 1000:03d},50 €;{'bad' if k > 40 else 'good'}" for k in range(80)
    ]
    data = write("\n".join(["debt;class", *rows]) + "\n", "loans.csv")
    out = tmp_path / "m.spinney"
    words = ("train", data, "--target", "class", "--numeric", "debt", "--no-cv", "--out", out)
    assert run(*words).exit_code == 0
    return out


def test_explain_takes_numbers_with_the_decimal_mark_of_the_file(run: Run, euros: Path) -> None:
    data = euros.with_name("loans.csv")
    for value in ("1.137,50 €", "1137,50", "1137,5"):
        done = run("explain", euros, data, "--where", f"debt={value}", "--json")
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["row"]["debt"] == 1137.5
    done = run("explain", euros, data, "--where", "debt=much")
    assert "'debt' is a number, not 'much'" in done.stderr


def test_numbers_with_signs_are_refused_with_the_option_that_reads_them(
    run: Run, euros: Path, tmp_path: Path
) -> None:
    data, tree = euros.with_name("loans.csv"), tmp_path / "tree.spinney"
    spinney.save(spinney.load(euros).tree_, tree)  # which remembers no options
    done = run("predict", tree, data)
    assert done.exit_code == 2
    assert "'1.000,50 €' is not a number. Read the column with --numeric debt --decimal ," in flat(
        done
    )
    assert run("predict", tree, data, "--numeric", "debt", "--decimal", ",").exit_code == 0
    wrong = run("predict", tree, data, "--numeric", "debt", "--decimal", ".")
    assert wrong.exit_code == 2
    assert "If ',' is the decimal mark of the file, say so with --decimal ,;" in flat(wrong)


def test_points_separate_thousands_where_commas_are_decimal_marks(run: Run, write: Write) -> None:
    cells = [f"{1 + k // 10}.{100 * k % 1000:03d}" for k in range(40)]
    rows = "".join(f"{cell};{k / 8:.2f};{k % 2}\n" for k, cell in enumerate(cells))
    path = write("income;rate;y\n" + rows)
    told = run("train", path, "--target", "y", "--no-cv")
    assert "income: the point in '1.000' is taken as the decimal mark." in flat(told)
    assert "separates thousands, read the column with --numeric income" in flat(told)
    assert "rate:" not in told.output
    done = run("train", path, "--target", "y", "--no-cv", "--numeric", "income")
    assert "income numeric 1000 to 4900" in flat(done)
    assert "is taken as the decimal mark" not in flat(done)


def test_a_file_has_one_decimal_mark(run: Run, write: Write) -> None:
    rows = "".join(f'"$1,{k:03d}.50","1{k:03d},5",{k % 2}\n' for k in range(40))
    path = write("balance,fees,y\n" + rows)
    words = ("train", path, "--target", "y", "--numeric", "balance", "--numeric", "fees")
    for mark, message in ((",", "'$1,000.50' is not a number"), (".", "'1000,5' is not a number")):
        done = flat(run(*words, "--decimal", mark))
        assert message in done
        assert "columns with different marks cannot be read together: write them alike" in done


def test_rules_are_judged_like_trees(run: Run, model_file: Callable[..., Path]) -> None:
    model = model_file("haberman", "--model", "c45")
    done = run("evaluate", model, "haberman", "--rules")
    assert done.exit_code == 0, done.output
    assert "tree for these rows" in flat(done) or "of these rows" in flat(done)
    assert "the likeliest class" not in done.output
    assert "Calibration: the probability of died_within_5_years" in done.output
    found = json.loads(run("evaluate", model, "haberman", "--rules", "--json").stdout)
    assert found["positive"] == "died_within_5_years"
    refused = run("evaluate", model, "haberman", "--rules", "--threshold", "0.3")
    assert refused.exit_code == 2
    assert "--threshold: rules predict by the first that fires" in refused.stderr


def test_a_forest_has_as_many_trees_as_are_told_once(run: Run) -> None:
    shown = run("train", "iris", "--model", "forest", "--trees", 7, "--no-cv").output
    assert "Model: 7 trees" in shown
    assert "a random forest\n" in shown
    assert "100" not in shown
    assert "a random forest (100 trees)" in run("train", "--help").output


@pytest.mark.parametrize("option", ["--group", "--weight"])
def test_the_target_has_no_second_role(run: Run, write: Write, option: str) -> None:
    rows = "".join(f"{k},{k % 2}\n" for k in range(40))
    done = run("train", write("x,y\n" + rows), "--target", "y", option, "y")
    assert done.exit_code == 2
    assert f"{option}: 'y' is the target. Name another column." in done.stderr


def test_counts_that_are_taken_as_classes_are_told(run: Run, write: Write) -> None:
    path = write("x,y\n" + "".join(f"{k},{k % 5}\n" for k in range(60)))
    note = "y is taken as 5 classes: it holds few whole numbers. To predict a number, add --task"
    assert note in flat(run("train", path, "--target", "y", "--no-cv"))
    for task in ("classification", "regression"):
        told = run("train", path, "--target", "y", "--no-cv", "--task", task)
        assert "is taken as" not in told.output
    refused = run("compare", path, "--target", "y", "--metric", "r2")
    assert "If it is a number, add --task regression." in refused.stderr


def test_priors_of_numbered_classes_are_written_as_json(run: Run, write: Write) -> None:
    path = write("x,y\n" + "".join(f"{k},{int(k % 9 == 0)}\n" for k in range(90)))
    given = 'priors={"0": 0.5, "1": 0.5}'
    done = run("train", path, "--target", "y", "--set", given, "--no-cv")
    assert done.exit_code == 0, done.output
    same = run("train", path, "--target", "y", "--set", "priors={0: 0.5, 1: 0.5}", "--no-cv")
    assert same.output == done.output
    wrong = run("train", path, "--target", "y", "--set", 'priors={"0": 0.5, "2": 0.5}', "--no-cv")
    assert wrong.exit_code == 2


@pytest.mark.slow
def test_comparisons_repeat_their_groups_in_the_command_to_train(run: Run, write: Write) -> None:
    rows = "".join(f"P{k // 4},{k * 7 % 50},{'ab'[k * 7 % 50 > 20]}\n" for k in range(120))
    path = write("patient,x,y\n" + rows)
    words = ("--target", "y", "--group", "patient", "--model", "cart", "--repeat", 1, "--cv", 2)
    done = run("compare", path, *words)
    assert done.exit_code == 0, done.output
    assert "--target y --group patient --model cart --out model.spinney" in done.output


@pytest.mark.parametrize("threshold", ["0.8", "cost"])
def test_the_error_that_train_tells_is_that_of_the_threshold(
    run: Run, write: Write, threshold: str
) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=300)
    y = x + random.normal(size=300) > 1.2
    path = write(
        "x,y\n" + "".join(f"{a:.3f},{['no', 'yes'][int(b)]}\n" for a, b in zip(x, y, strict=True))
    )
    words = ("train", path, "--target", "y", "--set", "class_weight=balanced", "--cv", 5, "--json")
    plain = json.loads(run(*words).stdout)["error"]
    assert plain["measure"] == "error rate by weight"
    done = json.loads(run(*words, "--threshold", threshold).stdout)
    assert done["error"]["measure"] == "error rate"
    assert done["error"]["baseline"] == pytest.approx(y.mean())
    if threshold == "cost":  # the least of all cuts, among which is that which selects no row
        assert done["error"]["value"] <= y.mean()


def test_deviances_are_compared_of_the_models_that_have_them(run: Run, write: Write) -> None:
    path = write("x,y\n" + "".join(f"{k % 40},{k % 40 // 15 + k % 2}\n" for k in range(80)))
    words = ("--target", "y", "--criterion", "poisson", "--repeat", 1, "--folds", 2, "--jobs", 1)
    done = run("compare", path, *words, "--json")
    assert done.exit_code == 0, done.output
    assert "cart" in json.loads(done.stdout)["methods"]
    assert "adaboost" not in json.loads(done.stdout)["methods"]
    refused = run("compare", path, *words, "--model", "adaboost")
    assert refused.exit_code == 2
    assert "which 'adaboost' has not. Leave it out" in flat(refused)
