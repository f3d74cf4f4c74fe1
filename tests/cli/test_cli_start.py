"""The command starts at once: help imports nothing that takes time."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest
from click.testing import Result

from spinney._cli.app import SUMMARIES
from spinney._cli.commands import COMMANDS
from spinney._cli.models import MODELS, make_model, names_for, parse_settings

Run = Callable[..., Result]
HELP = "import sys\nsys.argv = ['spinney', *{words!r}]\nfrom spinney._cli import main\n"
HEAVY = ["matplotlib", "numpy", "pandas", "pyarrow", "rich", "scipy", "sklearn"]
LISTED = f"finally:\n    print(sorted(set({HEAVY}) & set(sys.modules)))"


def seconds_of(words: list[str], folder: Path) -> float:
    """Return the processor time of a command, which other work does not change."""
    before = os.times()
    subprocess.run(
        [sys.executable, "-c", HELP.format(words=words) + "main()"],
        check=True,
        capture_output=True,
        cwd=folder,
    )
    after = os.times()
    return (
        after.children_user - before.children_user + after.children_system - before.children_system
    )


def seconds_to_start(folder: Path) -> float:
    """Return the processor time of Python with what a list of data sets needs."""
    code = "import numpy, click, tomllib, gzip, csv"
    before = os.times()
    subprocess.run([sys.executable, "-c", code], check=True, cwd=folder)
    after = os.times()
    return (
        after.children_user
        - before.children_user
        + after.children_system
        - (before.children_system)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["datasets"], ["datasets", "iris"], ["split", "iris"]]
)
def test_commands_without_a_model_start_at_once(words: list[str], tmp_path: Path) -> None:
    own = min(seconds_of(words, fresh_folder(tmp_path, k)) for k in range(3))
    least = min(seconds_to_start(tmp_path) for _ in range(3))
    assert own < max(0.15, 2 * least)  # a slow machine needs longer for Python itself


def fresh_folder(parent: Path, number: int) -> Path:
    """Return a new folder, for `split` writes over no file."""
    folder = parent / str(number)
    folder.mkdir()
    return folder


def modules_of(words: list[str], folder: Path) -> list[str]:
    """Return the heavy libraries that a command imports; it must end as it should."""
    code = HELP.format(words=words) + "try:\n    main()\n" + LISTED
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder)
    refused = bool({"nosuch", "--nosuch"} & set(words))
    assert done.returncode == (2 if refused else 0), done.stderr
    return ast.literal_eval(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["--version"],
        ["train", "--help"],
        ["compare", "--help"],
        ["nosuch"],
        ["train", "--nosuch"],
        ["datasets"],
        ["datasets", "--json"],
        ["datasets", "nosuch"],
    ],
)
def test_help_lists_and_errors_of_options_import_no_heavy_library(
    words: list[str], tmp_path: Path
) -> None:
    assert modules_of(words, tmp_path) == []


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        (["datasets", "iris", "--out", "iris.csv"], {"numpy"}),
        (["split", "iris"], {"numpy"}),
        (["split", "plain.csv"], {"numpy"}),
        (["split", "plain.csv", "--stratify", "y"], {"numpy"}),
        (["split", "plain.csv", "--group", "x"], {"numpy"}),
    ],
)
def test_commands_that_need_no_model_import_no_estimators(
    words: list[str], allowed: set[str], tmp_path: Path
) -> None:
    (tmp_path / "plain.csv").write_text("x,y\n" + "".join(f"{k},{k % 2}\n" for k in range(20)))
    assert set(modules_of(words, tmp_path)) <= allowed


LATE = """
import sys
from types import ModuleType
from spinney._cli.app import start
sys.argv = ["spinney", *{words!r}]
try:
    start()
finally:
    slow = ["pandas", "scipy.stats", "scipy.special", "pyarrow.compute", "numpy.f2py"]
    slow += ["sklearn.metrics", "sklearn.preprocessing", "spinney.ensemble"]
    print([name for name in slow if type(sys.modules.get(name)) is ModuleType])
"""


@pytest.mark.parametrize(
    "words",
    [
        ["train", "plain.csv", "--target", "y", "--out", "m.spinney"],
        ["predict", "m.spinney", "plain.csv", "--proba"],
        ["explain", "m.spinney", "plain.csv", "--row", "1"],
    ],
    ids=lambda words: words[0],
)
def test_commands_with_a_tree_load_no_library_that_they_do_not_use(
    words: list[str], tmp_path: Path, run: Run
) -> None:
    gaps = "".join(f"{k or ''},{'abc'[k % 3]},{k % 2}\n" for k in range(40))
    (tmp_path / "plain.csv").write_text("x,c,y\n" + gaps)
    if words[0] != "train":
        made = ["train", str(tmp_path / "plain.csv"), "--target", "y"]
        assert run(*made, "--out", str(tmp_path / "m.spinney")).exit_code == 0
    code = [sys.executable, "-c", LATE.format(words=words)]
    done = subprocess.run(code, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_library_that_is_loaded_late_is_the_same_library() -> None:
    code = (
        "from spinney._cli.app import import_late\nimport_late()\n"
        "import sys, types, scipy.stats, pandas\n"
        "assert type(sys.modules['pandas']) is not types.ModuleType\n"
        "from scipy.stats import binom\n"
        "assert float(binom.sf(1, 3, 0.5)) == 0.5 and type(scipy.stats) is types.ModuleType\n"
        "assert pandas.DataFrame({'x': [1, 2]}).x.sum() == 3\n"
        "assert type(sys.modules['pandas']) is types.ModuleType\n"
        "import sklearn.utils.fixes as fixes\nassert fixes.pd is pandas\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_command_is_declared_and_listed_in_order() -> None:
    assert list(COMMANDS) == list(SUMMARIES)
    assert all(COMMANDS[name].help.startswith(words) for name, words in SUMMARIES.items())


def test_the_guide_lists_every_command() -> None:
    guide = Path(__file__).parents[2] / "docs" / "guide" / "command_line.md"
    listed = re.findall(r"^\| `(\w+)", guide.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(COMMANDS) <= set(listed)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_the_options_that_are_declared(name: str) -> None:
    command = COMMANDS[name]
    assert (command.name, bool(command.help)) == (name, True)
    called = signature(import_module(f"spinney._cli.commands.{name}").run).parameters
    declared = {option.name for option in command.params}
    taken = {name for name, given in called.items() if given.kind is not given.VAR_KEYWORD}
    assert taken <= declared
    assert taken == declared or len(called) > len(taken)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_help(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert result.output.startswith("Usage: ")
    assert "\\b" not in result.output


def test_help_lists_the_models_one_in_a_line(run: Run) -> None:
    lines = run("train", "--help").output.splitlines()
    for name, model in MODELS.items():
        assert [name, *model.help.split()] in [line.split() for line in lines]


def test_the_package_can_be_run_as_a_module() -> None:
    words = [sys.executable, "-m", "spinney", "datasets"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "german_credit" in done.stdout
    wrong = subprocess.run([*words, "nobody"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("Error: there is no data set 'nobody'")


def test_a_misspelt_command_is_corrected(run: Run) -> None:
    result = run("trainn")
    assert result.exit_code == 2
    assert "no command 'trainn'. Did you mean 'train'?" in result.output


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_model_can_be_made(task: str) -> None:
    made = [make_model(name, task, {}) for name in names_for(task)]
    assert all(hasattr(model, "fit") for model in made)
    assert names_for("classification") == list(MODELS)


def test_settings_of_members_reach_the_members() -> None:
    model = make_model("bagging", "classification", {"n_estimators": 7, "max_depth": 3})
    assert (model.n_estimators, model.estimator.max_depth) == (7, 3)
    boosted = make_model("adaboost", "classification", {"min_samples_leaf": 9})
    assert (boosted.estimator.max_depth, boosted.estimator.min_samples_leaf) == (1, 9)


def test_settings_are_numbers_words_and_nothing() -> None:
    given = ["max_depth=4", "cf=0.1", "criterion=entropy", "max_features=null", "rules=false"]
    assert parse_settings(given) == {
        "max_depth": 4,
        "cf": 0.1,
        "criterion": "entropy",
        "max_features": None,
        "rules": False,
    }
