"""A run that is killed at any moment goes on where it stopped, and ends with the same bytes."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import chores
import pytest

TABLE = "results.csv"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


def start(folder: Path, n_jobs: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, chores.__file__, str(folder), str(n_jobs)],
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )


def lines(folder: Path) -> int:
    path = folder / "journal.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for(folder: Path, n_lines: int, process: "subprocess.Popen[bytes]") -> None:
    while lines(folder) < n_lines and process.poll() is None:
        time.sleep(0.001)


def wait_for_workers(group: int) -> None:
    """Wait until every process that the killed one had started is gone."""
    patience = time.monotonic() + 30
    try:
        while time.monotonic() < patience:
            os.killpg(group, 0)
            time.sleep(0.01)
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
    pytest.fail("workers outlive the run that started them")


@pytest.mark.slow
@pytest.mark.parametrize(("n_jobs", "moments"), [(1, (2, 9, 17)), (2, (6,))])
def test_killed_and_resumed_is_the_same_as_never_killed(
    tmp_path: Path, n_jobs: int, moments: tuple[int, ...]
):
    undisturbed, folder = tmp_path / "undisturbed", tmp_path / "killed"
    chores.run_units(chores.KEYS, chores.chore, folder=undisturbed, progress=False)
    moment = random.Random(n_jobs)
    n_killed = 0
    for n_lines in moments:  # the header is a line
        process = start(folder, n_jobs)
        wait_for(folder, n_lines, process)
        time.sleep(moment.uniform(0, 0.02))
        process.kill()
        n_killed += process.wait() == -signal.SIGKILL
        wait_for_workers(process.pid)
        assert lines(folder) >= n_lines
    assert n_killed == len(moments)
    assert not (folder / TABLE).exists()
    assert start(folder, n_jobs).wait(60) == 0
    assert (folder / TABLE).read_bytes() == (undisturbed / TABLE).read_bytes()
    assert lines(folder) == len(chores.KEYS) + 1


@pytest.mark.slow
def test_a_run_in_another_process_holds_the_folder(tmp_path: Path):
    process = start(tmp_path, 1)
    wait_for(tmp_path, 2, process)
    process.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(RuntimeError, match=rf"in use by another run \(process {process.pid}\)"):
            chores.run_units(chores.KEYS, chores.chore, folder=tmp_path, progress=False)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    chores.run_units(chores.KEYS, chores.chore, folder=tmp_path, progress=False)
