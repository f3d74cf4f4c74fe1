"""kill -9 in the middle of a fit: it goes on from its file to the identical result."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from evolve.test_gp_checkpoints import problem, same
from safetensors.numpy import load_file

from spinney import GPForestClassifier, GPTreeClassifier, GPTreeRegressor

SCRIPT = """
import sys
import numpy as np
from evolve.kit import classes_of, mixed_table
from spinney import {kind}
frame = mixed_table(np.random.default_rng(0), 200)
y = classes_of(frame, np.random.default_rng(1), 3)
print("go", flush=True)
{kind}({settings}, checkpoint=sys.argv[1], checkpoint_every=3).fit(frame, y)
"""


def kill_in_the_middle(kind, settings, path):
    """Run a fit in a process of its own; kill it some writings after the file appears."""
    text = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(kind=kind.__name__, settings=text), str(path)],
        env=os.environ | {"PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
    )
    try:
        give_up = time.monotonic() + 60
        while not path.exists() and time.monotonic() < give_up:
            assert process.poll() is None, "it ended before it wrote a file"
            time.sleep(0.01)
        time.sleep(0.15)
        assert process.poll() is None, "it was done before it was killed"
    finally:
        process.kill()  # nothing can be tidied up
        process.wait()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "more"),
    [
        (GPTreeClassifier, {"generations": 200, "refine_constants": True, "n_iter_no_change": 100}),
        (GPTreeRegressor, {"generations": 100, "n_jobs": 2}),
        (GPForestClassifier, {"n_estimators": 4}),
    ],
)
def test_a_fit_that_is_killed_goes_on_to_the_identical_result(kind, more, tmp_path):
    settings = {"population_size": 200, "generations": 60, "random_state": 5, **more}
    frame, y = problem()
    path = tmp_path / "state.bin"
    kill_in_the_middle(kind, settings, path)
    before = path.read_bytes()
    tests_before = load_file(path)["test_begin"]
    resumed = kind(**settings, checkpoint=path, checkpoint_every=1000).fit(frame, y)
    whole = kind(**settings).fit(frame, y)
    assert same(resumed, whole)
    assert path.read_bytes() != before
    assert len(load_file(path)["test_begin"]) > len(tests_before)
    left = [one.name for one in tmp_path.iterdir() if not one.name.startswith(".spinney-")]
    assert left == ["state.bin"]
