"""A process that has used threads may fork, and the child may use threads too."""

import os

import pytest

from faults.scripts import run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")

SETUP = """
import hashlib, multiprocessing, pickle, signal, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads about: the point here
rng = np.random.default_rng(0)
X = rng.normal(size=(6_000, 8))
y = X[:, 0] + rng.normal(size=len(X)) > 0

def digest(_=None):
    "Fit and predict with threads; return the trees and the answers as one word."
    fitted = CARTClassifier(n_jobs=4).fit(X, y)
    pruned = CARTRegressor(pruning="cost_complexity", cv=3, max_depth=4, random_state=0, n_jobs=4)
    pruned.fit(X, y)
    forest = RandomForestClassifier(8, max_depth=6, oob_score=False, random_state=0, n_jobs=4)
    forest.fit(X, y)
    boosted = AdaBoostRegressor(n_estimators=4, random_state=0, n_jobs=4).fit(X, X[:, 0])
    trees = [fitted.tree_, pruned.tree_, *forest.forest_, *boosted.forest_]
    parts = [pickle.dumps(tree.to_dict()) for tree in trees]
    parts += [fitted.predict_proba(X).tobytes(), pruned.predict(X).tobytes()]
    parts += [forest.predict_proba(X).tobytes(), boosted.predict(X).tobytes()]
    return hashlib.sha256(b"".join(parts)).hexdigest()

def in_child(work):
    "Return what a forked child says, or how it ended."
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(200)  # a child that hangs is ended
        os.write(write, work().encode())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.read(read, 64).decode() if status == 0 else f"status {status}"

first = digest()
"""


@pytest.fixture(scope="module")
def facts():
    return run(
        SETUP
        + """
tell(child=in_child(digest) == first, parent=digest() == first)
tell(grandchild=in_child(lambda: digest() and in_child(digest)) == first)

background = threading.Thread(target=lambda: [digest() for _ in range(3)])
background.start()
time.sleep(0.05)
tell(while_fitting=in_child(digest) == first)
background.join()

signal.alarm(100)
with multiprocessing.get_context("fork").Pool(2) as pool:
    tell(pool=[one == first for one in pool.map(digest, range(3))])
tell(digest=first)
""",
        timeout=300,
    )


@pytest.mark.slow
def test_a_forked_child_fits_with_threads(facts):
    assert facts["child"]
    assert facts["parent"]


def test_a_grandchild_fits_with_threads(facts):
    assert facts["grandchild"]


def test_a_child_that_is_forked_while_threads_fit_can_fit(facts):
    assert facts["while_fitting"]


def test_a_pool_of_forked_workers_fits_with_threads(facts):
    assert facts["pool"] == [True, True, True]


@pytest.mark.slow
def test_another_process_gives_the_same_bytes(facts):
    """Neither the process nor the seed of its hashes has a say."""
    assert run(SETUP + "tell(digest=first)")["digest"] == facts["digest"]
