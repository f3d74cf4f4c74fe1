"""`compare` and `reproduce` on the workers of a cluster."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from joblib import parallel_config

from spinney import CARTClassifier
from spinney._cli import cluster as cluster_module
from spinney._cli import main
from spinney.compare import Experiment, RepeatedKFold, UnitFailedError, run_units

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # ports and workers that end are told as warnings
]
QUICK = ["--model", "cart", "--model", "forest", "--folds", "3", "--repeats", "1"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    options = {"dashboard_address": None, "silence_logs": 50, "threads_per_worker": 1}
    with distributed.LocalCluster(n_workers=2, **options) as cluster:
        yield cluster.scheduler_address


def spinney(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def results_of(*arguments: Any, folder: Path) -> bytes:
    ended = spinney(*arguments, "--out", folder)
    assert ended.exit_code == 0, ended.output
    return (folder / "results.csv").read_bytes()


def test_compare_writes_the_same_table(address: str, tmp_path: Path) -> None:
    here = results_of("compare", "iris", *QUICK, "--jobs", 1, folder=tmp_path / "here")
    there = results_of("compare", "iris", *QUICK, "--dask", address, folder=tmp_path / "there")
    assert there == here


def test_reproduce_writes_the_same_table(address: str, tmp_path: Path) -> None:
    car = ("reproduce", "car", "--quick")
    here = results_of(*car, "--jobs", 1, folder=tmp_path / "here")
    assert results_of(*car, "--dask", address, folder=tmp_path / "there") == here


def test_units_run_on_the_workers_and_not_here(address: str) -> None:
    units = [(i,) for i in range(6)]
    with distributed.Client(address) as client, parallel_config("dask", client=client):
        workers = set(client.run(os.getpid).values())
        found = run_units(units, lambda key: {"process": os.getpid()}, progress=False)
    assert {result["process"] for result in found} <= workers


def test_a_unit_that_fails_is_named(address: str) -> None:
    with distributed.Client(address) as client, parallel_config("dask", client=client):
        wrong = {"tree": CARTClassifier(max_depth=-1)}
        with pytest.raises(UnitFailedError, match=r"unit \('iris', 'tree'"):
            Experiment("iris", wrong, RepeatedKFold(3, 1)).run(progress=False)


def test_an_address_without_a_scheduler_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_SECONDS", 1)
    ended = spinney("compare", "iris", *QUICK, "--dask", "tcp://127.0.0.1:9")
    assert ended.exit_code == 2
    assert "no Dask scheduler answers there" in ended.output
    assert "Traceback" not in ended.output
