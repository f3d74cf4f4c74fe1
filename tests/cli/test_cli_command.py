"""The command as it is installed, and the small commands."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import spinney
from spinney.datasets import list_datasets

Run = Callable[..., Result]


@pytest.mark.slow
def test_the_installed_command_prints_plain_text_to_a_pipe() -> None:
    script = Path(sys.executable).with_name("spinney")
    done = subprocess.run(
        [script, "train", "iris"], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stderr == ""
    assert done.stdout.startswith("Data: iris (bundled)\n  rows      150\n")
    assert "\x1b" not in done.stdout


def test_version(run: Run) -> None:
    assert run("--version").output.split() == ["spinney,", "version", spinney.__version__]


@pytest.mark.slow
def test_datasets_lists_every_set_once(run: Run) -> None:
    heads, *rows = run("datasets").output.splitlines()
    assert heads.split() == ["name", "rows", "features", "target"]
    assert [row.split()[0] for row in rows] == list_datasets()
    (iris,) = [row for row in rows if row.split()[0] == "iris"]
    assert iris.split() == ["iris", "150", "4", "class,", "3", "classes"]


@pytest.mark.parametrize("command", [[], ["train"], ["datasets"]])
def test_help_says_what_a_command_does(run: Run, command: list[str]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert result.output.startswith("Usage: ")
