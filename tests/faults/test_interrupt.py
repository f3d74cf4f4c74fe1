"""Ctrl-C stops any fit within 0.3 s, and leaves the estimator as it was."""

import sys

import pytest
from contracts.estimators import CLASSES
from thinning import sparingly

from faults.scripts import run

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
    pytest.mark.limited,
]

CASES = {
    "classes": ("CARTClassifier()", "z > 0"),
    "classes, two threads": ("CARTClassifier(n_jobs=2)", "z > 0"),
    "classes, pruned by folds": ("CARTClassifier(pruning='cost_complexity', cv=3)", "z > 0"),
    "numbers": ("CARTRegressor()", "z"),
    "numbers by absolute error": ("CARTRegressor('absolute_error')", "z"),
    "a forest": ("RandomForestClassifier()", "z > 0"),
    "a forest of numbers, two threads": ("RandomForestRegressor(n_jobs=2)", "z"),
    "drawn cuts": ("ExtraTreesClassifier()", "z > 0"),
    "drawn cuts of numbers": ("ExtraTreesRegressor()", "z"),
    "bagging": ("BaggingClassifier(selection='mode')", "z > 0"),
    "bagging of C4.5": ("BaggingClassifier(C45Classifier(rules=False))", "z > 0"),
    "bagging of numbers": ("BaggingRegressor(combine='median')", "z"),
    "boosted stumps": ("AdaBoostClassifier(n_estimators=500)", "z > 0"),
    "boosted trees on drawn rows": (
        "AdaBoostClassifier(CARTClassifier(max_depth=6, max_surrogates=0), resample=True)",
        "z > 0",
    ),
    "boosted numbers": ("AdaBoostRegressor()", "z"),
    "boosting by filtering": ("BoostByFilteringClassifier(CARTClassifier())", "z > 0"),
    "C4.5": ("C45Classifier()", "z > 0"),
    "ID3": ("ID3Classifier()", "z > 0"),
    "growing and pruning": ("IGPAClassifier()", "z > 0"),
    "growing and pruning of numbers": ("IGPARegressor()", "z"),
    "a forest of such trees": ("IGPAForestClassifier()", "z > 0"),
    "a forest of such trees of numbers": ("IGPAForestRegressor()", "z"),
    "few trees of many": ("SmallForestClassifier()", "z > 0"),
    "few trees of many, of numbers": ("SmallForestRegressor()", "z"),
    "an evolved tree": ("GPTreeClassifier(**LONG)", "z > 0"),
    "an evolved tree of numbers": ("GPTreeRegressor(**LONG)", "z"),
    "evolved trees": ("GPForestClassifier(n_jobs=2, **BRIEF)", "z > 0"),
    "evolved trees of numbers": ("GPForestRegressor(refine_constants=True, **BRIEF)", "z"),
    "a mixture": ("MixtureOfExpertsClassifier(branching=4)", "z > 0"),
    "a mixture of numbers": ("MixtureOfExpertsRegressor(branching=4)", "z"),
}
# What is slow to begin with is asked with fewer rows: it takes long enough.
SLOWER = {"GP": (200_000, 12), "IGPA": (600_000, 12), "C45": (300_000, 12), "ID3": (300_000, 12)}
SLOWER |= {"Mixture": (100_000, 8)}

INTERRUPT = '''
import math, signal, threading, pickle

def interrupted(call, delay, estimator=None):
    """Return the seconds from a signal to KeyboardInterrupt, the best of a few tries.

    A call that has ended before the signal comes is tried again, sooner, and the estimator is what
    it was: other work on the machine may have held up what the delay was measured by.
    """
    best, before = math.inf, dict(vars(estimator)) if estimator else {}
    for _ in range(8):
        wait = interrupted_once(call, delay)
        if wait is None:
            delay *= 0.75
            if estimator:
                vars(estimator).clear()
                vars(estimator).update(before)
            continue
        best = min(best, wait)
        if best < 0.3:
            break
    return best

def interrupted_once(call, delay):
    """Return the seconds from a signal to KeyboardInterrupt; None if the call had ended before.

    They are of the processor, where the clock shows up to ten times as many: others may have it.
    """
    sent, ended = [], False
    def send():
        time.sleep(delay)
        sent.append((time.perf_counter(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)
    sender = threading.Thread(target=send)
    try:
        sender.start()
        call()
        ended = True
        sender.join()
        time.sleep(0.2)
    except KeyboardInterrupt:
        assert sent, "interrupted by something else"
        wall, own = time.perf_counter() - sent[0][0], time.process_time() - sent[0][1]
        return None if ended else min(wall, max(own, wall / 10))

def unfitted(estimator):
    return not [name for name in vars(estimator) if name.endswith("_")]

def state(estimator):
    return pickle.dumps(sorted(vars(estimator).items()))
'''


@pytest.mark.slow
@pytest.mark.parametrize("case", sparingly(CASES.values(), 10), ids=CASES)
def test_an_interrupt_stops_a_long_fit_and_changes_nothing(case):
    """More tries are allowed at each moment: the machine may be busy with other things."""
    estimator, y = case
    shapes = [shape for name, shape in SLOWER.items() if estimator.startswith(name)]
    shape = shapes[0] if shapes else (1_000_000, 20)
    facts = run(
        INTERRUPT
        + f"""
BRIEF = dict(population_size=200, generations=50)
LONG = dict(population_size=1000, generations=200)
rng = np.random.default_rng(0)
X = rng.normal(size={shape})
z = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X))
y = {y}
fresh, fitted = {estimator}, {estimator}.fit(X[:500, :3], y[:500])
waits = []
for estimator, delay in [(fresh, 0.05), (fresh, 0.4), (fresh, 1.2), (fitted, 0.3)]:
    before = state(estimator)
    waits.append(interrupted(lambda: estimator.fit(X, y), delay, estimator))
    assert state(estimator) == before
tell(waits=waits, unfitted=unfitted(fresh), answers=len(fitted.predict(X[:9, :3])))
"""
    )
    assert max(facts["waits"]) < 0.3
    assert facts["unfitted"]
    assert facts["answers"] == 9


def test_every_class_has_a_case():
    named = " ".join(estimator for estimator, _ in CASES.values())
    assert [cls.__name__ for cls in CLASSES if cls.__name__ + "(" not in named] == []


@pytest.mark.slow
def test_an_interrupt_stops_a_long_fit_late_in_its_course():
    """Deep in the tree nodes are small, and cross-validation has begun."""
    facts = run(
        INTERRUPT
        + """
rng = np.random.default_rng(0)
X = rng.normal(size=(150_000, 20))
y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0
pruned = CARTClassifier(pruning="cost_complexity", cv=50)
waits = [interrupted(lambda: pruned.fit(X, y), delay, pruned) for delay in (1.0, 2.5)]
tell(waits=waits, unfitted=unfitted(pruned))
"""
    )
    assert max(facts["waits"]) < 0.3
    assert facts["unfitted"]


@pytest.mark.slow
def test_an_interrupt_stops_the_making_of_rules_and_changes_nothing():
    """Noise in categories: the tree is grown in a moment and has very many rules."""
    facts = run(
        INTERRUPT
        + """
rng = np.random.default_rng(0)
X = rng.integers(0, 6, size=(150_000, 8))
y = rng.integers(0, 3, len(X))
model = C45Classifier(pruning=None, categorical_features=list(range(8)))
start = time.perf_counter()
n_nodes = model.set_params(rules=False).fit(X, y).tree_.n_nodes
grown = time.perf_counter() - start
before = state(model.set_params(rules=True))
delays = (grown + 0.3, grown + 1.0)
waits = [interrupted(lambda: model.fit(X, y), delay, model) for delay in delays]
assert state(model) == before
tell(waits=waits, n_nodes=n_nodes, rules=hasattr(model, "rules_"))
"""
    )
    assert max(facts["waits"]) < 0.3, facts
    assert facts["n_nodes"] > 20_000
    assert not facts["rules"]


@pytest.mark.slow
def test_an_interrupt_stops_a_long_predict():
    facts = run(
        INTERRUPT
        + """
X = np.arange(20_000.0)[:, None]
fitted = CARTClassifier().fit(X, np.arange(len(X)) % 2)
X = np.broadcast_to(X[-1], (200_000, 1))
wait = interrupted(lambda: fitted.predict(X), 0.3)
tell(wait=wait, answer=int(fitted.predict([[1.0]])[0]))
"""
    )
    assert facts["wait"] < 0.3
    assert facts["answer"] == 1


PREDICTIONS = {
    "votes": "RandomForestClassifier(100, oob_score=False)",
    "shares": "BaggingClassifier(combine='average')",
    "means": "RandomForestRegressor(100, oob_score=False)",
    "medians": "BaggingRegressor(combine='median')",
    "weighted votes": "AdaBoostClassifier(CARTClassifier(max_depth=8), n_estimators=100)",
}


@pytest.mark.slow
@pytest.mark.parametrize("estimator", sparingly(PREDICTIONS.values(), 5), ids=PREDICTIONS)
def test_an_interrupt_stops_a_long_predict_of_many_members(estimator):
    facts = run(
        INTERRUPT
        + f"""
rng = np.random.default_rng(0)
X = rng.normal(size=(2_000, 10))
fitted = {estimator}.fit(X, X[:, 0] + rng.normal(size=len(X)) > 0)
X = np.tile(X, (300, 1))
wait = interrupted(lambda: fitted.predict(X), 0.3)
tell(wait=wait, answers=len(fitted.predict(X[:7])))
"""
    )
    assert facts["wait"] < 0.3
    assert facts["answers"] == 7


@pytest.mark.slow
def test_an_interrupt_stops_long_explanations():
    facts = run(
        INTERRUPT
        + """
rng = np.random.default_rng(0)
X = rng.normal(size=(3_000, 12))
y = X[:, 0] + rng.normal(size=len(X)) > 0
fitted = RandomForestClassifier(60, combine="average", oob_score=False, n_jobs=2).fit(X, y)
calls = [
    lambda: fitted.shap_values(np.tile(X, (20, 1))),
    lambda: fitted.shap_values(X, X),
    lambda: fitted.shap_interaction_values(X),
]
waits = [interrupted(call, 0.3) for call in calls]
tell(waits=waits, answers=len(fitted.shap_values(X[:7])))
"""
    )
    assert max(facts["waits"]) < 0.3
    assert facts["answers"] == 7


@pytest.mark.slow
def test_a_handler_of_the_program_decides_what_a_signal_means():
    """One that returns lets the tree grow to its end; the error of one that raises stops it."""
    facts = run(
        INTERRUPT
        + """
rng = np.random.default_rng(0)
X = rng.normal(size=(200_000, 20))
y = X[:, 0] + rng.normal(size=len(X)) > 0
quiet, disturbed, stopped = (CARTClassifier(max_depth=6) for _ in range(3))
quiet.fit(X, y)

seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
interrupted_once(lambda: disturbed.fit(X, y), 0.1)
tell(seen=len(seen), same=disturbed.tree_ == quiet.tree_)

class Stop(Exception):
    pass

def stop(*_):
    raise Stop("enough")

signal.signal(signal.SIGINT, stop)
try:
    interrupted_once(lambda: stopped.fit(X, y), 0.1)
except Stop as error:
    tell(message=str(error), unfitted=not hasattr(stopped, "tree_"))
"""
    )
    assert facts == {"seen": 1, "same": True, "message": "enough", "unfitted": True}
