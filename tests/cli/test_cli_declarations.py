"""Options of parameters take what the declarations of these parameters take."""

import inspect
from collections.abc import Callable
from typing import Any

import click
import pytest
from click.testing import Result

import spinney
from spinney._cli.commands import COMMANDS
from spinney._params import PARAMETERS

Run = Callable[..., Result]


def option(command: str, name: str) -> Any:
    return next(given for given in COMMANDS[command].params if given.name == name)


def default_of(name: str) -> Any:
    return inspect.signature(spinney.CARTClassifier).parameters[name].default


def test_the_selection_rules_are_those_that_are_declared() -> None:
    kind = option("train", "rule").type
    assert isinstance(kind, click.Choice)
    assert list(kind.choices) == list(PARAMETERS["rule"].names)
    assert option("train", "rule").default == default_of("rule")


@pytest.mark.parametrize(
    ("name", "parameter"), [("cv", "cv"), ("seed", "random_state"), ("jobs", "n_jobs")]
)
def test_every_number_of_an_option_is_one_of_its_parameter(name: str, parameter: str) -> None:
    given = option("train", name)
    low = getattr(given.type, "min", None)
    check = PARAMETERS[parameter]
    assert check.takes(given.default)
    assert low is None or check.takes(low)
    assert name != "cv" or not check.takes(low - 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-depth", "0"], "--max-depth must be"),
        (["--max-depth", "deep"], "--max-depth must be"),
        (["--min-samples-leaf", "1.5"], "--min-samples-leaf must be"),
        (["--min-samples-leaf", "-1"], "--min-samples-leaf must be"),
        (["--model", "forest", "--trees", "0"], "--trees must be"),
        (["--model", "forest", "--trees", "2.5"], "--trees must be"),
    ],
)
def test_wrong_values_are_refused_before_the_data_is_read(
    run: Run, words: list[str], message: str
) -> None:
    done = run("train", "no_such_file.csv", "--target", "y", *words)
    assert done.exit_code == 2
    assert message in done.stderr


def test_what_a_parameter_takes_its_option_takes(run: Run) -> None:
    given = ["--model", "cart_full", "--no-cv", "--max-depth", "None", "--min-samples-leaf", "0.2"]
    done = run("train", "iris", *given)
    assert done.exit_code == 0, done.output
    own = spinney.CARTClassifier(min_samples_leaf=0.2, random_state=0)
    data = spinney.datasets.load("iris", as_="pandas")
    assert f"Tree: {own.fit(data.X, data.y).tree_.n_leaves} leaves" in done.output
