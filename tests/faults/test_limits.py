"""Very many cells, classes and categories: bounded memory, or an error that states the limit."""

import re
import sys

import numpy as np
import pytest
from contracts.estimators import CLASSES, every_class
from thinning import sparingly

from faults.scripts import run
from spinney import CARTClassifier

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="memory is read from `resource`")

LARGE = {
    "tall": "np.broadcast_to(np.zeros((1, 4)), (2**29 + 1, 4))",
    "tall integers": "np.broadcast_to(np.zeros((1, 4), np.int8), (2**29 + 1, 4))",
    "tall float32": "np.broadcast_to(np.zeros((1, 4), np.float32), (2**29 + 1, 4))",
    "square": "np.broadcast_to(np.zeros((1, 1)), (2**16, 2**16))",
    "wide": "np.broadcast_to(np.zeros((4, 1)), (4, 2**29 + 1))",
    "wide integers": "np.broadcast_to(np.zeros((4, 1), np.int8), (4, 2**29 + 1))",
}


@pytest.fixture(scope="module")
def refusals():
    """Return what each class says of each array, when, and how much memory it took till then."""
    return run(
        f"""
        arrays = {LARGE!r}
        import spinney
        for cls in (getattr(spinney, name) for name in {[cls.__name__ for cls in CLASSES]}):
            for name, code in arrays.items():
                X = eval(code)
                y = np.broadcast_to(np.zeros(1), len(X))
                before, start, message = peak(), time.process_time(), ""
                try:
                    cls().fit(X, y)
                except (ValueError, MemoryError) as error:
                    message = str(error)
                seconds = time.process_time() - start
                tell(**{{f"{{cls.__name__}} {{name}}": [message, seconds, peak() - before]}})
        """,
        memory_gb=4,
        timeout=300,
    )


@pytest.mark.limited
@every_class
@pytest.mark.parametrize("name", LARGE)
def test_more_cells_than_the_limit_are_refused_at_once(cls, name, refusals):
    message, seconds, memory = refusals[f"{cls.__name__} {name}"]
    assert re.search(rf"X .* cells.*limit.*{2**31 - 1}", message), message
    assert seconds < 1.0
    assert memory < 64


@pytest.mark.slow
def test_predict_takes_more_cells_than_two_to_the_31():
    """Places in the table are counted in 64 bits: the last row is found as well as the first."""
    facts = run(
        """
        n_columns, n_rows = 4096, 2**19 + 1
        rows = np.zeros((2, n_columns))
        rows[1, -1] = 1.0
        fitted = CARTClassifier().fit(rows, ["first", "second"])
        X = np.broadcast_to(rows[1], (n_rows, n_columns))
        before = peak()
        answers = fitted.predict(X)
        kinds, counts = np.unique(answers, return_counts=True)
        tell(cells=X.size, kinds=kinds.tolist(), counts=counts.tolist(), memory=peak() - before)
        """
    )
    assert facts["cells"] > 2**31
    assert facts["kinds"] == ["second"]
    assert facts["counts"] == [2**19 + 1]
    assert facts["memory"] < 256


@pytest.mark.slow
@pytest.mark.limited
def test_a_thousand_classes_take_bounded_memory():
    """What a tree must hold is one number for each node and class; growing needs little more."""
    facts = run(
        """
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(4_000, 4)), np.arange(4_000) % 1_000
        before, start = peak(), time.process_time()
        tree = CARTClassifier().fit(X, y).tree_
        tell(memory=peak() - before, seconds=time.process_time() - start)
        tell(values=tree.value.nbytes / 2**20, right=float((tree.predict(X) == y).mean()))
        """
    )
    assert facts["right"] == 1.0
    assert facts["memory"] < 3 * facts["values"] + 64
    assert facts["seconds"] < 10


@pytest.mark.slow
@pytest.mark.limited
def test_a_thousand_classes_with_gaps_and_pruning_take_bounded_memory():
    facts = run(
        """
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(3_000, 3)), np.arange(3_000) % 1_000
        X[rng.random(X.shape) < 0.1] = np.nan
        before = peak()
        CARTClassifier(pruning="cost_complexity", cv=3, random_state=0, n_jobs=2).fit(X, y)
        tell(memory=peak() - before)
        """
    )
    assert facts["memory"] < 512


def test_more_classes_than_the_limit_are_refused():
    n = 70_000
    with pytest.raises(ValueError, match="y holds 70000 classes, the limit is 65535"):
        CARTClassifier().fit(np.zeros((n, 1)), np.arange(n))


CATEGORIES = {
    "three classes": ("CARTClassifier()", "rng.integers(0, 3, n)"),
    "numbers": ("CARTRegressor()", "rng.normal(size=n)"),
    "absolute error": (
        "CARTRegressor('absolute_error', max_depth=8)",
        "rng.integers(0, 9, n).astype(float)",
    ),
    "pruned": (
        "CARTClassifier(pruning='cost_complexity', cv=3, random_state=0)",
        "rng.integers(0, 2, n)",
    ),
}


@pytest.mark.slow
@pytest.mark.limited
@pytest.mark.parametrize("case", sparingly(CATEGORIES.values(), 4), ids=CATEGORIES)
def test_a_hundred_thousand_categories_take_bounded_memory(case):
    estimator, y = case
    facts = run(
        f"""
        import pandas as pd
        n = 100_000
        rng = np.random.default_rng(0)
        X = pd.DataFrame({{"key": [f"k{{i}}" for i in range(n)], "x": rng.normal(size=n)}})
        y = {y}
        before, start = peak(), time.process_time()
        fitted = {estimator}.fit(X, y)
        tell(memory=peak() - before, seconds=time.process_time() - start)
        fitted.predict(X)
        fitted.predict(X.assign(key="strange"))
        tell(memory_after=peak() - before)
        """
    )
    assert facts["memory"] < 400
    assert facts["memory_after"] < 500
    assert facts["seconds"] < 20


MODELS = ["CARTClassifier", "partial(RandomForestClassifier, 3, oob_score=False, random_state=0)"]


@pytest.mark.slow
@pytest.mark.limited
@pytest.mark.parametrize("model", MODELS, ids=["tree", "forest"])
@pytest.mark.parametrize("n_jobs", sparingly([2_000, 10**9, 2**80], 3))
def test_more_threads_than_the_system_has_are_no_trouble(n_jobs, model):
    facts = run(
        f"""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(20_000, 8))
        y = X[:, 0] + rng.normal(size=len(X)) > 0
        from functools import partial
        model = {model}
        many, one = model(n_jobs={n_jobs}).fit(X, y), model().fit(X, y)
        same = many.predict_proba(X).tobytes() == one.predict_proba(X).tobytes()
        tell(same=same and (many.apply(X) == one.apply(X)).all().item())
        """,
        memory_gb=3,
        timeout=300,
    )
    assert facts["same"]


@pytest.mark.slow
@pytest.mark.limited
def test_evolved_trees_take_memory_in_proportion_to_the_columns():
    facts = run(
        """
        def used(n):
            X = np.random.default_rng(0).normal(size=(20, n))
            before = peak()
            GPTreeClassifier(20, generations=1, random_state=0).fit(X, np.arange(20) % 2)
            return peak() - before

        used(100)
        tell(few=used(4_000), many=used(16_000))
        """
    )
    assert facts["many"] < 150  # as lists for each symbol it would take 4 GB


@pytest.mark.slow
@pytest.mark.limited
@pytest.mark.skipif(sys.platform != "linux", reason="the address space is limited")
@pytest.mark.parametrize("spare", sparingly([12, 45, 60], 3))
def test_threads_without_memory_are_an_error_of_memory(spare):
    facts = run(
        f"""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20_000, 20)), rng.integers(0, 2, 20_000)
        RandomForestClassifier(2, n_jobs=1).fit(X[:100], y[:100])
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + {spare} * 2**20,) * 2)
        try:
            RandomForestClassifier(200, n_jobs=4).fit(X, y)
            tell(found="fitted")
        except MemoryError:
            tell(found="MemoryError")
        """
    )
    assert facts["found"] in ("fitted", "MemoryError")
