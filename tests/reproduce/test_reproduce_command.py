"""`spinney reproduce` on the command line."""

import json
import os

import pytest
from click.testing import CliRunner

from spinney._cli.commands import COMMANDS
from spinney._reproduce import PAPERS
from spinney.compare._folder import folder_lock


@pytest.fixture
def run():
    def invoke(*arguments):
        return CliRunner().invoke(COMMANDS["reproduce"], [str(one) for one in arguments])

    return invoke


def test_the_command_knows_every_experiment() -> None:
    assert tuple(PAPERS) == tuple(COMMANDS["reproduce"].params[0].type.choices)


def test_it_prints_the_table_and_counts_the_verdicts(run, tmp_path) -> None:
    done = run("car", "--table", "2", "--runs", 2, "--out", tmp_path, "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert "Table 2: as the listings do" in done.stdout
    assert "678" in done.stdout
    assert "page.md" in done.stdout
    assert "spinney reproduce car --table 2 --runs 2" in (tmp_path / "page.md").read_text("utf-8")


def test_json_is_one_document_with_numbers(run, tmp_path) -> None:
    done = run("mode", "--table", "1", "--out", tmp_path, "--jobs", 1, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["verdicts"] == {"agrees": 33}
    assert found["parts"][0]["cells"][0]["ours"] == 150.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["car", "--table", "9"], "--table 9: car has the tables 1, 2, 3."),
        (["car", "--runs", "0"], "0 is not in the range"),
        (["cars"], "'cars' is not one of"),
    ],
)
def test_bad_requests_end_with_code_2(run, tmp_path, arguments, words) -> None:
    done = run(*arguments, "--out", tmp_path / "new")
    assert done.exit_code == 2
    assert words in done.output
    assert not (tmp_path / "new").exists()


def test_a_second_run_in_a_folder_is_refused(run, tmp_path) -> None:
    task = ("car", "--table", "2", "--runs", 1, "--jobs", 1, "--out", tmp_path)
    assert run(*task).exit_code == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with folder_lock(tmp_path):
        done = run(*task)
    assert done.exit_code == 2
    assert f"in use by another run (process {os.getpid()})" in done.output
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert run(*task).exit_code == 0


def test_a_folder_that_is_a_file_is_left_alone(run, tmp_path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine", encoding="utf-8")
    done = run("mode", "--table", "1", "--out", taken)
    assert done.exit_code == 2
    assert taken.read_text(encoding="utf-8") == "mine"
