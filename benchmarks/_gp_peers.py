"""Fitness evaluations a second: ours, DEAP's typed programs on NumPy columns, and gplearn's.

Ours are of a whole search, with all that it does besides. The peers have two rates: of a whole
search, and of the evaluation of ready programs only.
"""

import operator
import random
import time
import warnings

import numpy as np

from spinney import GPTreeClassifier

MAX_SIZE = 12
_LEAST_SIZE = 8  # of the peers' programs: evolved ones fill the room that they have


def our_rate(X, y, generations):
    """Return evaluations a second of one thread, and their number, for one search."""
    model = GPTreeClassifier(max_depth=1, generations=generations, random_state=0, n_jobs=1)
    start = time.process_time()
    model.fit(X, y)
    return model.n_evaluations_ / (time.process_time() - start), model.n_evaluations_


def deap_rates(X, y, n_programs, population_size, generations):
    """Return the rates of evaluation and of a whole search by DEAP; None if it is missing."""
    try:
        from deap import gp
    except ImportError:
        return None
    symbols = _deap_symbols(gp, X)
    random.seed(0)
    columns = [np.ascontiguousarray(column) for column in X.T]
    positive = y == 1

    def gain(program):
        truth = np.broadcast_to(gp.compile(program, symbols)(*columns), y.shape)
        return (information_gain(truth, positive),)

    programs = []
    while len(programs) < n_programs:
        one = gp.PrimitiveTree(gp.genHalfAndHalf(symbols, min_=2, max_=4))
        if _LEAST_SIZE <= len(one) <= MAX_SIZE:
            programs.append(one)
    start = time.process_time()
    for one in programs:
        gain(one)
    alone = n_programs / (time.process_time() - start)
    start = time.process_time()
    n_run = _deap_search(symbols, gain, population_size, generations)
    return alone, n_run / (time.process_time() - start)


def _deap_search(symbols, gain, population_size, generations):
    """Evolve tests, and return how many were run."""
    from deap import algorithms, base, gp, tools

    class Best(base.Fitness):
        weights = (1.0,)

    class Program(gp.PrimitiveTree):
        def __init__(self, content):
            super().__init__(content)
            self.fitness = Best()

    tools_of = base.Toolbox()
    tools_of.register("evaluate", gain)
    tools_of.register("select", tools.selTournament, tournsize=5)
    tools_of.register("mate", gp.cxOnePoint)
    tools_of.register("fresh", gp.genGrow, min_=0, max_=2)
    tools_of.register("mutate", gp.mutUniform, expr=tools_of.fresh, pset=symbols)
    for change in ("mate", "mutate"):
        tools_of.decorate(change, gp.staticLimit(len, MAX_SIZE))
    population = []
    while len(population) < population_size:
        one = Program(gp.genHalfAndHalf(symbols, min_=1, max_=3))
        if len(one) <= MAX_SIZE:
            population.append(one)
    _, log = algorithms.eaSimple(population, tools_of, 0.7, 0.3, generations, verbose=False)
    return sum(log.select("nevals"))


class Numbers:
    """The type of columns of numbers."""


class Truths:
    """The type of columns of truths."""


def _deap_symbols(gp, X):
    symbols = gp.PrimitiveSetTyped("test", [Numbers] * X.shape[1], Truths)
    for work in (np.add, np.subtract, np.multiply):
        symbols.addPrimitive(work, [Numbers, Numbers], Numbers, name=work.__name__)
    symbols.addPrimitive(np.sin, [Numbers], Numbers, name="sin")
    symbols.addPrimitive(np.equal, [Numbers, Numbers], Truths, name="equal")
    symbols.addPrimitive(operator.gt, [Numbers, Numbers], Truths, name="greater")
    symbols.addPrimitive(lambda a: np.greater(a, 0.0), [Numbers], Truths, name="positive")
    symbols.addPrimitive(np.logical_and, [Truths, Truths], Truths, name="both")
    symbols.addPrimitive(np.logical_or, [Truths, Truths], Truths, name="either")
    symbols.addPrimitive(np.logical_not, [Truths], Truths, name="negated")
    values = X.ravel().tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a constant is a function without a name
        symbols.addEphemeralConstant("drawn", lambda: random.choice(values), Numbers)
    symbols.addTerminal(True, Truths, name="always")  # its generator needs one where depth ends
    return symbols


def gplearn_rates(X, y, n_programs, population_size, generations):
    """Return the rates of evaluation and of a whole search by gplearn; None if it is missing."""
    try:
        from gplearn.genetic import SymbolicClassifier
    except ImportError:
        return None
    programs = _gplearn_programs(X, n_programs)
    weight = np.ones(len(y))
    with np.errstate(all="ignore"):
        start = time.process_time()
        for one in programs:
            one.raw_fitness(X, y, weight)
        alone = n_programs / (time.process_time() - start)
        model = SymbolicClassifier(
            population_size=population_size,
            generations=generations,
            tournament_size=5,
            init_depth=(1, 3),
            function_set=("add", "sub", "mul", "sin"),
            parsimony_coefficient=0.01,  # it knows no limit of the size
            random_state=0,
        )
        start = time.process_time()
        model.fit(X, y)
        n_run = len(model.run_details_["generation"]) * population_size
        return alone, n_run / (time.process_time() - start)


def _gplearn_programs(X, n_programs):
    from gplearn._program import _Program
    from gplearn.fitness import _fitness_map
    from gplearn.functions import _function_map, sig1

    functions = [_function_map[name] for name in ("add", "sub", "mul", "sin")]
    facts = {
        "function_set": functions,
        "arities": {n: [one for one in functions if one.arity == n] for n in (1, 2)},
        "init_depth": (2, 4),
        "init_method": "half and half",
        "n_features": X.shape[1],
        "const_range": (-1.0, 1.0),
        "metric": _fitness_map["log loss"],
        "p_point_replace": 0.05,
        "parsimony_coefficient": 0.0,
        "random_state": np.random.RandomState(0),
        "transformer": sig1,
    }
    programs = []
    while len(programs) < n_programs:
        one = _Program(**facts)
        if _LEAST_SIZE <= one.length_ <= MAX_SIZE:
            programs.append(one)
    return programs


def information_gain(truth, positive):
    """Return the gain of a test in bits, times the rows, for two classes."""
    n, n_positive = len(truth), int(np.count_nonzero(positive))
    n_true = int(np.count_nonzero(truth))
    both = int(np.count_nonzero(truth & positive))
    rest = n_positive - both
    return _entropy(n, n_positive) - _entropy(n_true, both) - _entropy(n - n_true, rest)


def _entropy(n, n_positive):
    if n_positive in (0, n):
        return 0.0
    negative = n - n_positive
    return -(n_positive * np.log2(n_positive / n) + negative * np.log2(negative / n))
