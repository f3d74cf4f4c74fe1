"""SQL for ensembles: the trees in batches, a column or more for each, and sums between batches.

A batch of trees takes one step where each is a single CASE, more where trees are deep or divide
rows. The sums of the classes so far are columns too. Answers are added in the order of the members,
as the model adds them, so that even sums that differ by rounding alone are the same.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spinney.export import _sql_steps as steps
from spinney.export._ensemble_model import EnsembleModel, Member
from spinney.export._sql_steps import Columns
from spinney.export._sql_syntax import Chain, Writer, case, lookup

_BATCH = 50  # trees whose columns stand side by side
_MOST_DIRECT = 4  # classes whose shares are each a column of a tree
_MOST_MEDIAN = 100  # members: each is compared with each


@dataclass
class _Walk:
    """A member on its way: the steps that are left, and the columns that hold its answer."""

    steps: Iterator[Columns]
    kept: list[str]
    terms: list[str]  # what it adds to each sum, of these columns


def add_ensemble(
    chain: Chain, model: EnsembleModel, writer: Writer, probabilities: bool
) -> list[str]:
    """Add the steps of an ensemble; return the prediction and, if asked for, the class shares."""
    if model.rule == "median":
        return [_add_median(chain, model, writer)]
    names = [f"{chain.stem}_sum{k}" for k in range(model.n_outputs)]
    zero, begun = writer.dialect.real_number(0.0), False
    for batch in _batches(model, writer):
        walks = [_walk(chain, model, i, writer) for i in batch]
        passed = [(name, chain.dialect.quoted(name)) for name in names] if begun else []
        _run(chain, walks, passed)
        sums = []
        for k, name in enumerate(names):
            terms = [chain.dialect.quoted(name) if begun else zero, *(w.terms[k] for w in walks)]
            sums.append((name, "\n+ ".join(terms)))
        chain.add(sums)
        begun = True
    if model.classes is None:
        return [f"{chain.name('sum0')} / {writer.dialect.real_number(len(model.members))}"]
    return _outputs(chain, model, writer, names, probabilities)


def _batches(model: EnsembleModel, writer: Writer) -> Iterator[list[int]]:
    """Yield the places of members whose columns fit side by side."""
    batch: list[int] = []
    room, width = steps.most_tests(writer.dialect), 0
    for i, member in enumerate(model.members):
        need = _widest(member) if member.tree.fractional else model.n_outputs
        if batch and (len(batch) == _BATCH or width + need > room):
            yield batch
            batch, width = [], 0
        batch.append(i)
        width += need
    yield batch


def _widest(member: Member) -> int:
    """Return the most tests that a fractional tree has at one depth."""
    tree, widest = member.tree, 0
    level = [tree.nodes[0]]
    while level:
        widest = max(widest, len(level))
        below = (tree.nodes[child] for step in level for child in step.children)
        level = [step for step in below if not step.is_leaf]
    return widest + tree.n_outputs


def _run(chain: Chain, walks: list[_Walk], passed: Columns) -> None:
    """Add the steps of all walks side by side; who has arrived waits for the others."""
    open_walks = [True] * len(walks)
    while any(open_walks):
        columns = list(passed)
        for i, walk in enumerate(walks):
            found = next(walk.steps, None) if open_walks[i] else None
            open_walks[i] = found is not None
            waiting = [(name, chain.dialect.quoted(name)) for name in walk.kept]
            columns += waiting if found is None else [(n, on_one_line(t)) for n, t in found]
        if any(open_walks):
            chain.add(columns)


def on_one_line(text: str) -> str:
    """Return an expression without its layout; line breaks of names and text are not there yet."""
    return re.sub(r"\n\s*", " ", text)


def _walk(chain: Chain, model: EnsembleModel, i: int, writer: Writer) -> _Walk:
    member, tag = model.members[i], f"t{i}_"
    if member.tree.fractional:
        return _walk_fractional(chain, model, member, writer, tag)
    direct = steps.is_one_case(member.tree, writer.dialect)
    if model.votes and direct:
        column = f"{chain.stem}_{tag}vote"
        labels = member.tree.labels
        text = steps.case_expression(member.tree, writer, lambda node: str(labels[node]))
        return _Walk(iter([[(column, text)]]), [column], _votes(chain, member, f"{tag}vote"))
    if direct and model.n_outputs <= _MOST_DIRECT:
        return _walk_direct(chain, model, member, writer, tag)
    column = chain.name(f"{tag}node")
    leaves = [node.id for node in member.tree.nodes if node.is_leaf]
    real, terms = writer.dialect.real_number, []
    said = {leaf: member.said(leaf, model.votes) for leaf in leaves}
    for k in range(model.n_outputs):
        terms.append(on_one_line(lookup(column, [(v, real(said[v][k])) for v in leaves], None)))
    walk = steps.walk_leaf(chain, member.tree, writer, tag)
    return _Walk(walk, [f"{chain.stem}_{tag}node"], terms)


def _walk_direct(
    chain: Chain, model: EnsembleModel, member: Member, writer: Writer, tag: str
) -> _Walk:
    """Return a walk of one step, whose columns hold what the tree adds to each sum."""
    real, columns = writer.dialect.real_number, []
    said = {node.id: member.said(node.id, False) for node in member.tree.nodes if node.is_leaf}
    for k in range(model.n_outputs):
        answers = {leaf: real(values[k]) for leaf, values in said.items()}
        text = steps.case_expression(member.tree, writer, answers.__getitem__)
        columns.append((f"{chain.stem}_{tag}value{k}", text))
    names = [name for name, _ in columns]
    return _Walk(iter([columns]), names, [chain.dialect.quoted(name) for name in names])


def _walk_fractional(
    chain: Chain, model: EnsembleModel, member: Member, writer: Writer, tag: str
) -> _Walk:
    shares = steps.walk_shares(chain, member.tree, writer, tag)
    if model.votes:

        def both() -> Iterator[Columns]:
            yield from shares
            yield from steps.walk_label(chain, member.tree, writer, tag=tag)

        return _Walk(both(), [f"{chain.stem}_{tag}best"], _votes(chain, member, f"{tag}best"))
    names = [f"{chain.stem}_{tag}sum{k}" for k in range(member.tree.n_outputs)]
    real, terms = writer.dialect.real_number, []
    for place, size in zip(member.places, member.sizes, strict=True):
        own = chain.name(f"{tag}sum{place}")
        scaled = f"{own} * {real(member.weight)}" if member.weight != 1.0 else own
        terms.append(f"{scaled} / {real(size)}" if size != 1.0 else scaled)
    return _Walk(shares, names, terms)


def _votes(chain: Chain, member: Member, column: str) -> list[str]:
    """Return what the vote of a member adds to each sum."""
    real, name = chain.dialect.real_number, chain.name(column)
    weight, nothing = real(member.weight), real(0.0)
    return [
        nothing if k < 0 else on_one_line(case([(f"{name} = {k}", weight)], nothing))
        for k in member.places
    ]


def _outputs(
    chain: Chain, model: EnsembleModel, writer: Writer, names: list[str], probabilities: bool
) -> list[str]:
    """Add the step that finds the largest sum; return the label and the shares."""
    sums = [chain.dialect.quoted(name) for name in names]
    passed, scores = list(zip(names, sums, strict=True)), sums
    if model.cost is not None:
        gains = _gains(chain, model, sums)
        chain.add([*passed, *gains])
        scores = [chain.dialect.quoted(name) for name, _ in gains]
        passed += [(name, chain.dialect.quoted(name)) for name, _ in gains]
    most = (f"{chain.stem}_most", _largest(scores))
    chain.add([*passed, most, (f"{chain.stem}_total", " + ".join(sums))])
    real = writer.dialect.real_number
    bound = chain.name("most") + (f" - {real(model.slack)}" if model.slack else "")
    texts = [_label(model, chain, scores, bound)]
    if probabilities:
        texts += _boosted(model, chain, sums) if model.rule == "boost" else _shares(chain, sums)
    return texts


def _gains(chain: Chain, model: EnsembleModel, sums: list[str]) -> Columns:
    """Return what speaks for each class: the expected cost of predicting it, negated."""
    assert model.cost is not None
    real = chain.dialect.real_number
    columns = []
    for j in range(len(sums)):
        terms = [f"{name} * {real(row[j])}" for name, row in zip(sums, model.cost, strict=True)]
        columns.append((f"{chain.stem}_gain{j}", "0 - (" + " + ".join(terms) + ")"))
    return columns


def _largest(columns: list[str]) -> str:
    pairs = []
    for j, own in enumerate(columns[:-1]):
        later = " AND ".join(f"{own} >= {other}" for other in columns[j + 1 :])
        pairs.append((later, own))  # one that is not below any before it would have been taken
    return case(pairs, columns[-1]) if pairs else columns[0]


def _label(model: EnsembleModel, chain: Chain, scores: list[str], bound: str) -> str:
    """Return the first class whose score is the largest, or what is said without a decision."""
    assert model.classes is not None
    value, real = chain.dialect.value, chain.dialect.real_number
    pairs = [(f"{s} >= {bound}", value(c)) for s, c in zip(scores, model.classes, strict=True)]
    share, strict = model.quorum
    if model.abstain is not None:
        limit = (share + 1e-9 if strict else share - 1e-9) * model.total
        sign = "<=" if strict else "<"
        pairs.insert(0, (f"{chain.name('most')} {sign} {real(limit)}", value(model.abstain)))
    return case(pairs[:-1], pairs[-1][1])


def _shares(chain: Chain, sums: list[str]) -> list[str]:
    total, real = chain.name("total"), chain.dialect.real_number
    even = real(1.0 / len(sums))
    return [on_one_line(case([(f"{total} > 0", f"{own} / {total}")], even)) for own in sums]


def _boosted(model: EnsembleModel, chain: Chain, sums: list[str]) -> list[str]:
    """Return the class shares of AdaBoost: a softmax of weighted votes."""
    real, total, count = chain.dialect.real_number, chain.name("total"), len(sums)
    if count == 1:
        return [real(1.0)]
    names = []
    for k, own in enumerate(sums):
        against = f"({total} - {own}) / {real(count - 1)}"
        text = f"EXP(({own} - {against}) / {total} / {real(count - 1)})"
        names.append((f"{chain.stem}_exp{k}", text))
    passed = [(f"{chain.stem}_{n}", chain.name(n)) for n in ("most", "total")]
    sum_names = [(f"{chain.stem}_sum{k}", own) for k, own in enumerate(sums)]
    chain.add([*sum_names, *passed, *names])
    powers = [chain.dialect.quoted(name) for name, _ in names]
    return [f"{own} / ({' + '.join(powers)})" for own in powers]


def _add_median(chain: Chain, model: EnsembleModel, writer: Writer) -> str:
    """Add the steps that find the median of the members; return it."""
    count, real = len(model.members), writer.dialect.real_number
    if count > _MOST_MEDIAN:
        raise ValueError(
            f"the model predicts the median of {count} members. SQL compares each with each, and "
            f"at most {_MOST_MEDIAN} are written. Export it by to_c or to_python, or use fewer."
        )
    plain = [Member(m.tree, 1.0, m.places, m.sizes) for m in model.members]
    walks = [_walk(chain, _with_members(model, plain), i, writer) for i in range(count)]
    _run(chain, walks, [])
    answers = [f"{chain.stem}_answer{i}" for i in range(count)]
    chain.add([(name, walk.terms[0]) for name, walk in zip(answers, walks, strict=True)])
    quoted = [chain.dialect.quoted(name) for name in answers]
    weights = [member.weight for member in model.members]
    below = []
    for own in quoted:
        pairs = zip(quoted, weights, strict=True)
        terms = [f"CASE WHEN {q} <= {own} THEN {real(w)} ELSE {real(0.0)} END" for q, w in pairs]
        below.append("\n+ ".join(terms))
    columns = list(zip(answers, quoted, strict=True))
    chain.add([*columns, *((f"{chain.stem}_upto{i}", text) for i, text in enumerate(below))])
    if not model.equal:
        return _least_from(chain, quoted, 0.5 * model.total)
    places = sorted({(count + 1) // 2, count // 2 + 1})
    middle = [_least_from(chain, quoted, float(place)) for place in places]
    return middle[0] if len(middle) == 1 else f"({middle[0]} + {middle[1]}) / {real(2.0)}"


def _with_members(model: EnsembleModel, members: list[Member]) -> EnsembleModel:
    return EnsembleModel(model.schema, None, tuple(members), "mean", True)


def _least_from(chain: Chain, answers: list[str], weight: float) -> str:
    """Return the least answer that, with all below it, has so much of the weight."""
    real = chain.dialect.real_number
    far = real(1.7976931348623157e308)
    texts = [
        f"CASE WHEN {chain.name(f'upto{i}')} >= {real(weight)} THEN {own} ELSE {far} END"
        for i, own in enumerate(answers)
    ]
    return texts[0] if len(texts) == 1 else f"{chain.dialect.least}({', '.join(texts)})"
