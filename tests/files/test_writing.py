"""Whatever happens while a file is written, there is the old file or the new one."""

import os
import resource
import signal
import stat
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import spinney
from spinney import CARTClassifier, RandomForestClassifier, _atomic

X = np.random.default_rng(0).normal(size=(300, 4))
Y = (X[:, 0] > 0).astype(int)


@pytest.fixture(scope="module")
def tree():
    return CARTClassifier().fit(X, Y)


@pytest.fixture
def path(tmp_path, tree):
    spinney.save(tree, tmp_path / "model.spinney")
    return tmp_path / "model.spinney"


def test_the_same_model_is_the_same_bytes(tree, path, tmp_path):
    spinney.save(CARTClassifier().fit(X, Y), tmp_path / "other.spinney")
    assert path.read_bytes() == (tmp_path / "other.spinney").read_bytes()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["model.spinney", "other.spinney"]


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(step, problem, path, monkeypatch):
    before = path.read_bytes()

    def fail(*_):
        raise problem

    def chunks():
        yield b"half"
        fail()

    if step != "write":
        monkeypatch.setattr(_atomic.os, step, fail)
    with pytest.raises(type(problem)) as caught:
        _atomic.write_atomically(path, chunks() if step == "write" else [b"whole"])
    if isinstance(problem, OSError):
        assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["model.spinney"]


def test_a_file_that_grows_too_large_leaves_the_old_one(path):
    """The limit on the size of files does what a full disk does."""
    before = path.read_bytes()
    forest = RandomForestClassifier(20, oob_score=False).fit(X, np.arange(300) % 7)
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, old[1]))
    try:
        with pytest.raises(OSError, match=r"model\.spinney"):
            spinney.save(forest, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["model.spinney"]


def test_places_that_cannot_be_written_are_named(tree, tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        spinney.save(tree, tmp_path / "absent" / "model.spinney")
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        spinney.save(tree, tmp_path)
    if os.geteuid() != 0:  # nothing is read-only for root
        tmp_path.chmod(0o555)
        with pytest.raises(PermissionError, match=r"model\.spinney"):
            spinney.save(tree, tmp_path / "model.spinney")


def test_links_and_permissions_stay(tree, path, tmp_path):
    path.chmod(0o640)
    link = tmp_path / "link.spinney"
    link.symlink_to(path)
    spinney.save(tree, link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    mask = os.umask(0o022)
    spinney.save(tree, tmp_path / "new.spinney")
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.spinney").stat().st_mode) == 0o644


KILLED = textwrap.dedent("""
    import os, random, signal, sys, time
    import spinney

    one, two = (spinney.load(path) for path in sys.argv[1:3])
    for _ in range(20):
        child = os.fork()
        if child == 0:
            while True:
                spinney.save(two, sys.argv[3])
                spinney.save(one, sys.argv[3])
        time.sleep(random.uniform(0.0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with open(sys.argv[3], "rb") as file:
            found = file.read()
        assert found in [open(path, "rb").read() for path in sys.argv[1:3]]
""")


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_the_old_file_or_the_new_one(tree, tmp_path):
    forest = RandomForestClassifier(60, oob_score=False, random_state=0)
    spinney.save(tree, tmp_path / "tree.spinney")
    spinney.save(forest.fit(X, np.arange(300) % 7), tmp_path / "forest.spinney")
    spinney.save(tree, tmp_path / "target.spinney")
    given = [tmp_path / f"{name}.spinney" for name in ("tree", "forest", "target")]
    subprocess.run([sys.executable, "-c", KILLED, *given], check=True)
