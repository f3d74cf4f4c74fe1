"""SQL for trees whose rows go every way at a gap: a step for each level of the tree.

Step d holds, for each test at depth d, the share of the row that arrives there and the branch that
the test chooses (NULL if it cannot tell), and for each class the sum over the leaves above. So the
text grows with the number of nodes, not with that of the ways through the tree.
"""

from spinney.export._literals import sql_number, sql_value
from spinney.export._model import Step, TreeModel
from spinney.export._sql_parts import Chain, balanced_sum, case, condition, lookup

MOST_TESTS = 900  # at one depth: each takes two columns, and SQLite's tables have up to 2,000
_BETTER = sql_number(1.0 - 1e-12)  # as in the core: costs closer than rounding are ties


def add_levels(chain: Chain, model: TreeModel, nan: bool) -> list[str]:
    """Add the steps that sum the answers of the leaves; return the columns that hold the sums."""
    sums = [f"{chain.stem}_sum{k}" for k in range(model.n_outputs)]
    root = model.steps[0]
    if root.is_leaf:
        chain.add([(name, _real(v)) for name, v in zip(sums, model.answers[0], strict=True)])
        return sums
    level = [root]
    chain.add([*_arrivals(chain, model, root, "1e0", nan), *((name, "0e0") for name in sums)])
    while level:
        columns, below = [], []
        for step in level:
            for branch, child in enumerate(step.children):
                if not model.steps[child].is_leaf:
                    share = _share(chain, step, branch)
                    columns += _arrivals(chain, model, model.steps[child], share, nan)
                    below.append(model.steps[child])
        _check_width(len(below))
        for k, name in enumerate(sums):
            terms = [_leaf_term(chain, model, step, k) for step in level]
            own = chain.name(f"sum{k}")
            columns.append((name, balanced_sum([own, *(term for term in terms if term)])))
        chain.add(columns)
        level = below
    return sums


def add_label(chain: Chain, model: TreeModel, probabilities: bool) -> str:
    """Add the steps that choose the class of least expected cost; return the expression of it."""
    assert model.classes is not None
    count = len(model.classes)
    sums = [chain.name(f"sum{k}") for k in range(count)]
    kept = [(f"{chain.stem}_sum{k}", sums[k]) for k in range(count if probabilities else 0)]
    costs = [(f"{chain.stem}_cost{j}", _expected(model, sums, j)) for j in range(count)]
    chain.add([*kept, *costs])
    least, best = chain.name("cost0"), "0"
    for j in range(1, count):
        ours = chain.name(f"cost{j}")
        cheaper = f"{ours} < {least} * {_BETTER}"
        later = [(f"{chain.stem}_cost{i}", chain.name(f"cost{i}")) for i in range(j + 1, count)]
        chain.add(
            [
                *kept,
                *later,
                (f"{chain.stem}_least", case([(cheaper, ours)], least)),
                (f"{chain.stem}_best", case([(cheaper, str(j))], best)),
            ]
        )
        least, best = chain.name("least"), chain.name("best")
    return lookup(best, [(j, sql_value(label)) for j, label in enumerate(model.classes)], None)


def _arrivals(
    chain: Chain, model: TreeModel, step: Step, share: str, nan: bool
) -> list[tuple[str, str]]:
    """Return two columns of a test: the share of the row that arrives, and where it goes."""
    assert step.question is not None
    texts = [condition(step.question, b, model.schema, nan) for b in range(len(step.children))]
    pairs = [(text, str(branch)) for branch, text in enumerate(texts) if text is not None]
    name = f"{chain.stem}_branch{step.id}"
    return [(f"{chain.stem}_share{step.id}", share), (name, case(pairs, "NULL"))]


def _share(chain: Chain, step: Step, branch: int) -> str:
    chosen, share = chain.name(f"branch{step.id}"), chain.name(f"share{step.id}")
    pairs = [
        (f"{chosen} = {branch}", share),
        (f"{chosen} IS NULL", f"{share} * {_real(step.shares[branch])}"),
    ]
    return case(pairs, "0e0")


def _leaf_term(chain: Chain, model: TreeModel, step: Step, k: int) -> str:
    """Return what the leaves right below a test add to a sum; empty if it has none."""
    chosen = chain.name(f"branch{step.id}")
    everywhere, results = 0.0, []
    for branch, child in enumerate(step.children):
        value = model.answers[child][k] if model.steps[child].is_leaf else 0.0
        everywhere += step.shares[branch] * value
        results.append((branch, _real(value)))
    if not any(model.steps[child].is_leaf for child in step.children):
        return ""
    text = lookup(chosen, results, (f"{chosen} IS NULL", _real(everywhere)))
    return f"{chain.name(f'share{step.id}')} * {text}"


def _expected(model: TreeModel, sums: list[str], label: int) -> str:
    """Return the expected cost of a label, given the sums of the classes."""
    if model.cost is None:
        return balanced_sum(sums) + f"\n- {sums[label]}"
    terms = [f"{name} * {_real(row[label])}" for name, row in zip(sums, model.cost, strict=True)]
    return balanced_sum(terms)


def _real(value: float) -> str:
    return sql_number(value, always_real=True)


def _check_width(count: int) -> None:
    if count > MOST_TESTS:
        raise ValueError(
            f"the tree asks {count} tests at one depth. A row with gaps may go down all of them, "
            f"which takes SQL two columns each, and databases limit these: at most {MOST_TESTS} "
            "tests are written. Prune the tree, or export it by to_c or to_python."
        )
