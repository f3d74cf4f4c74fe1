"""Walk a spinney tree and an rpart tree together, node by node from the root.

Training rows, and the same rows with more cells deleted, go down both trees. At each node the two
tests, surrogates and routings are compared. A difference is one of
- a *problem*: nothing explains it, so the test fails;
- a *tie*: the two tests are equally good, and either program may choose either;
- the *cut*: a row's value equals a cut that was set by other rows. rpart sends it with the larger
  values, spinney (`x <= c`) with the smaller ones;
- *scruple*: rpart 4.1.19 drops a nominal surrogate that errs on fewer than two rows of the node,
  even a perfect one;
- the *majority*: no test decides on a row. When rpart grows a tree, the side with more weight
  among the rows that its test decides on takes it; when it predicts, the child with more rows;
  in a draw the row stays in the node.
Where an explained difference divides the training rows differently, the walk goes no further.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rpart_reference import LEFT, NOWHERE, RIGHT, Case, Division

TOLERANCE = 1e-9


def close(a: float, b: float) -> bool:
    return bool(np.isclose(a, b, rtol=TOLERANCE, atol=TOLERANCE * 1e-3))


@dataclass
class Rules:
    """What a node does with a row: its test, its surrogates in order, and the majority's side."""

    primary: Division
    surrogates: list[Division]
    agreements: list[float]
    majority: int
    closed: bool  # x <= c, rather than x < c

    def decided(self, values: dict[str, Any], rows: Any) -> Any:
        """Send the rows that a test decides on."""
        sides = self.primary.sides(values, rows, closed=self.closed)
        for surrogate in self.surrogates:
            stand_in = surrogate.sides(values, rows, closed=self.closed)
            sides = np.where(sides == NOWHERE, stand_in, sides)
        return sides

    def sides(self, values: dict[str, Any], rows: Any) -> Any:
        """Send all rows."""
        sides = self.decided(values, rows)
        return np.where(sides == NOWHERE, self.majority, sides)

    def on_a_cut(self, values: dict[str, Any], rows: Any) -> Any:
        tests = [self.primary, *self.surrogates]
        return np.any([test.on_the_cut(values, rows) for test in tests], axis=0)


def our_division(test: Any, first: int, *, reverse: bool = False) -> Division:
    """Read a spinney test whose first child lies on side `first`."""
    below = LEFT + RIGHT - first if reverse else first
    if test.kind == "threshold":
        return Division(test.feature_name, float(test.threshold), below)
    true, false = (frozenset(map(str, s)) for s in (test.categories, test.other_categories))
    left, right = (true, false) if below == LEFT else (false, true)
    return Division(test.feature_name, left=left, right=right)


@dataclass
class Comparison:
    """The outcome: what differs and why, and where the rows ended up."""

    case: Case
    problems: list[str] = field(default_factory=list)
    explained: Counter[str] = field(default_factory=Counter)  # tests that differ, by reason
    stops: Counter[str] = field(default_factory=Counter)  # nodes where the walk ended early
    lost: Counter[str] = field(default_factory=Counter)  # rows that part ways, by reason
    train_leaf: Any = None  # rpart's node number, or 0 where the comparison ended before a leaf
    gap_leaf: Any = None

    def run(self, root: Any) -> "Comparison":
        n = len(self.case.y)
        self.train_leaf, self.gap_leaf = np.zeros(n, dtype=int), np.zeros(n, dtype=int)
        todo = [(root, 1, np.arange(n), np.arange(n))]
        while todo:
            todo += self.visit(*todo.pop())
        return self

    def visit(self, node: Any, number: int, rows: Any, gap_rows: Any) -> list[Any]:
        reference = self.case.nodes[number]
        self.check_contents(node, reference, rows)
        if node.is_leaf or "split" not in reference:
            if not node.is_leaf or "split" in reference:
                self.problem(number, "only one of the trees splits")
            self.train_leaf[rows] = self.gap_leaf[gap_rows] = number
            return []
        theirs = self.their_rules(reference, rows)
        first, tied = self.orient(node, reference, theirs, rows)
        if first is None:
            return []
        ours = self.our_rules(node, first, rows)
        reasons = {"tie"} if tied else set()
        reasons |= self.compare_surrogates(number, ours, theirs, rows)
        return self.descend(node, number, first, ours, theirs, reasons, rows, gap_rows)

    def problem(self, number: int, text: str) -> None:
        self.problems.append(f"node {number}: {text}")

    def check_contents(self, node: Any, reference: dict[str, Any], rows: Any) -> None:
        number = reference["id"]
        if not node.n_samples == reference["n"] == len(rows):
            text = f"{node.n_samples} rows, rpart has {reference['n']}, routed were {len(rows)}"
            self.problem(number, text)
        if self.case.is_classification:
            counts = np.asarray(node.counts, dtype=float)
            expected = [reference["counts"]]
            if self.case.raw["priors"]:  # counts may be weighted by the priors
                expected.append(np.array(reference["probs"]) * counts.sum())
            if not any(np.allclose(counts, e, rtol=TOLERANCE, atol=TOLERANCE) for e in expected):
                self.problem(number, f"counts {counts}, rpart has {reference['counts']}")

    def their_rules(self, reference: dict[str, Any], rows: Any) -> Rules:
        split = self.case.division(reference["split"])
        return Rules(
            split,
            [self.case.division(s) for s in reference["surrogates"]],
            [s["agree"] for s in reference["surrogates"]],
            self.majority(split, rows, closed=False),
            closed=False,
        )

    def our_rules(self, node: Any, first: int, rows: Any) -> Rules:
        test = our_division(node.test, first)
        rules = Rules(
            test,
            [our_division(s.test, first, reverse=s.reversed) for s in node.surrogates],
            [s.agreement for s in node.surrogates],
            self.majority(test, rows, closed=True),
            closed=True,
        )
        if rules.majority == NOWHERE:  # sides of equal weight: the children tell which was taken
            rules.majority = first
            n_first = int(np.sum(rules.sides(self.case.values, rows) == first))
            if n_first != node.children[0].n_samples:
                rules.majority = LEFT + RIGHT - first
        return rules

    def majority(self, test: Division, rows: Any, *, closed: bool) -> int:
        sides = test.sides(self.case.values, rows, closed=closed)
        left, right = (self.case.weight[rows[sides == side]].sum() for side in (LEFT, RIGHT))
        return NOWHERE if left == right else LEFT if left > right else RIGHT

    def orient(
        self, node: Any, reference: dict[str, Any], theirs: Rules, rows: Any
    ) -> tuple[int | None, bool]:
        """Return the side of our first child, or None to go no further; and whether tests tie."""
        values, number = self.case.values, reference["id"]
        expected = theirs.primary.sides(values, rows, closed=False)
        improve = self.case.improve(rows, expected)
        if not close(improve, reference["split"]["improve"]):
            self.problem(number, f"improve {reference['split']['improve']}, computed {improve}")
        ours = our_division(node.test, LEFT)
        for first, test in ((LEFT, ours), (RIGHT, ours.mirrored())):
            if test.matches(theirs.primary):
                return first, False
        sides = ours.sides(values, rows, closed=True)
        if not close(self.case.improve(rows, sides), improve):
            text = f"{node.test} improves by {self.case.improve(rows, sides)}"
            self.problem(number, f"{text}, rpart's {reference['split']} is computed as {improve}")
            return None, False
        self.explained["tie"] += 1
        swapped = ours.mirrored().sides(values, rows, closed=True)
        for first, same in ((LEFT, sides), (RIGHT, swapped)):
            if np.array_equal(same, expected):
                return first, True
        self.stops["tie"] += 1
        return None, True

    def compare_surrogates(self, number: int, ours: Rules, theirs: Rules, rows: Any) -> set[str]:
        """Compare the two lists from the best surrogate on; return the reasons for differences."""
        reasons = set()
        if not ours.primary.matches(theirs.primary):
            return {"tie"}  # surrogates of another test are no concern
        kept = [k for k, s in enumerate(ours.surrogates) if not self.is_scruple(s, ours, rows)]
        if len(kept) < len(ours.surrogates):
            reasons.add("scruple")
        limit = self.case.raw["control"]["maxsurrogate"]
        crowded_out = len(ours.surrogates) == limit and len(kept) < limit
        if len(kept) != len(theirs.surrogates) and not crowded_out:
            self.problem(number, f"{len(kept)} surrogates, rpart has {len(theirs.surrogates)}")
        for k, test, agreement in zip(kept, theirs.surrogates, theirs.agreements, strict=False):
            if not close(ours.agreements[k], agreement):
                text = f"{ours.surrogates[k]} agrees {ours.agreements[k]}"
                self.problem(number, f"{text}, rpart's {test} {agreement}")
            elif not ours.surrogates[k].matches(test):
                reasons.add("tie")
                self.explained["surrogate tie"] += 1
        self.explained["scruple"] += len(ours.surrogates) - len(kept)
        return reasons

    def is_scruple(self, surrogate: Division, ours: Rules, rows: Any) -> bool:
        if surrogate.cut is not None:
            return False
        primary = ours.primary.sides(self.case.values, rows, closed=True)
        sides = surrogate.sides(self.case.values, rows, closed=True)
        return int(np.sum((primary != sides) & (primary != NOWHERE) & (sides != NOWHERE))) < 2

    def descend(
        self,
        node: Any,
        number: int,
        first: int,
        ours: Rules,
        theirs: Rules,
        reasons: set[str],
        rows: Any,
        gap_rows: Any,
    ) -> list[Any]:
        """Send both sets of rows on; those that part ways need a reason."""
        alike = self.routed_alike(number, ours, theirs, reasons, self.case.values, rows)
        if not alike.all():
            self.stops["routing"] += 1
            return []
        sides = ours.sides(self.case.values, rows)
        theirs.majority = self.larger_child(number)
        alike = self.routed_alike(number, ours, theirs, reasons, self.case.values_gaps, gap_rows)
        gap_sides = np.where(alike, ours.sides(self.case.values_gaps, gap_rows), NOWHERE)
        return [
            (child, 2 * number + side - LEFT, rows[sides == side], gap_rows[gap_sides == side])
            for child, side in zip(node.children, (first, LEFT + RIGHT - first), strict=True)
        ]

    def routed_alike(
        self,
        number: int,
        ours: Rules,
        theirs: Rules,
        reasons: set[str],
        values: dict[str, Any],
        rows: Any,
    ) -> Any:
        alike = ours.sides(values, rows) == theirs.sides(values, rows)
        apart = rows[~alike]
        undecided = (ours.decided(values, apart) == theirs.decided(values, apart)) & (
            ours.decided(values, apart) == NOWHERE
        )
        on_a_cut = ours.on_a_cut(values, apart) & ~undecided
        other = ~(undecided | on_a_cut)
        self.lost["majority"] += int(undecided.sum())
        self.lost["cut"] += int(on_a_cut.sum())
        self.lost["tie or scruple"] += int(other.sum())
        if other.any() and not reasons:
            self.problem(number, f"rows {apart[other]} part ways")
        return alike

    def larger_child(self, number: int) -> int:
        left, right = (self.case.nodes[2 * number + side]["n"] for side in (0, 1))
        return NOWHERE if left == right else LEFT if left > right else RIGHT
