"""Walk a spinney tree and an rpart tree together, node by node from the root.

Training rows, and the same rows with more cells deleted, go down both trees. At each node contents,
tests, surrogates and routings are compared. A difference is a *problem*, which fails the test,
unless one of these explains it:
- *tie*: the two tests are equally good, up to rounding. Spinney takes the earlier column, then the
  lower cut; in rpart the last digit decides;
- *scruple*: rpart 4.1.19 drops every nominal surrogate that errs on fewer than two rows of its
  node, even a perfect one. Spinney keeps them: they are the best stand-ins there are;
- *cut*: a row's value equals a cut that was set by other rows. rpart sends it with the larger
  values, spinney (`x <= c`) with the smaller ones;
- *majority*: no test decides on a row. Spinney sends it where the more weight went among the rows
  that the node's own test decides on. So does rpart when it grows a tree; when it predicts, the
  child with more rows takes it, and in a draw it stays in the node.
Where training rows part ways the walk *stops*: from there on the trees are of different rows.
"""

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rpart_reference import LEFT, NOWHERE, RIGHT, Case, Division

TOLERANCE = 1e-9


def close(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE * 1e-3))


@dataclass
class Rules:
    """What a node does with a row: its test, its surrogates in order, and the majority's side."""

    primary: Division
    surrogates: list[Division]
    agreements: list[float]
    majority: int

    def decided(self, values: dict[str, Any], rows: Any, *, closed: bool) -> Any:
        """Send the rows that a test decides on; closed: x <= c, rather than x < c."""
        sides = self.primary.sides(values, rows, closed=closed)
        for surrogate in self.surrogates:
            stand_in = surrogate.sides(values, rows, closed=closed)
            sides = np.where(sides == NOWHERE, stand_in, sides)
        return sides

    def sides(self, values: dict[str, Any], rows: Any, *, closed: bool) -> Any:
        """Send all rows."""
        sides = self.decided(values, rows, closed=closed)
        return np.where(sides == NOWHERE, self.majority, sides)


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
    differences: Counter[str] = field(default_factory=Counter)  # tests and surrogates, by reason
    stops: dict[int, str] = field(default_factory=dict)  # nodes where the walk ended, and why
    lost: Counter[str] = field(default_factory=Counter)  # rows with gaps that part ways
    train_leaf: Any = None  # rpart's node number, or 0 where the comparison ended before a leaf
    gap_leaf: Any = None
    root_risk: float = 0.0

    def run(self, root: Any) -> "Comparison":
        n = len(self.case.y)
        self.root_risk = root.risk
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
        first, reasons = self.orient(node, reference, theirs, rows)
        if first is None:
            return self.stop(number, "tie", gap_rows)
        ours = self.our_rules(node, number, first, rows)
        if not reasons:  # surrogates of another test are no concern
            reasons = self.compare_surrogates(number, ours, theirs, rows)
        why = self.parting(number, ours, theirs, reasons, self.case.values, rows)
        if any(why):
            return self.stop(number, " ".join(sorted(set(why) - {""})), gap_rows)
        theirs.majority = self.larger_child(number)
        gap_why = self.parting(number, ours, theirs, reasons, self.case.values_gaps, gap_rows)
        self.lost.update(reason for reason in gap_why if reason)
        return self.children(node, number, first, ours, rows, gap_rows[gap_why == ""])

    def children(
        self, node: Any, number: int, first: int, ours: Rules, rows: Any, gap_rows: Any
    ) -> list[Any]:
        sides = ours.sides(self.case.values, rows, closed=True)
        gap_sides = ours.sides(self.case.values_gaps, gap_rows, closed=True)
        return [
            (child, 2 * number + side - LEFT, rows[sides == side], gap_rows[gap_sides == side])
            for child, side in zip(node.children, (first, LEFT + RIGHT - first), strict=True)
        ]

    def problem(self, number: int, text: str) -> None:
        self.problems.append(f"node {number}: {text}")

    def stop(self, number: int, reason: str, gap_rows: Any) -> list[Any]:
        self.stops[number] = reason
        self.lost["stop"] += len(gap_rows)
        return []

    def check_contents(self, node: Any, reference: dict[str, Any], rows: Any) -> None:
        number = reference["id"]
        if not node.n_samples == reference["n"] == len(rows):
            text = f"{node.n_samples} rows, rpart has {reference['n']}, routed were {len(rows)}"
            self.problem(number, text)
        risk = reference["dev"] / self.case.nodes[1]["dev"]
        if not np.isclose(node.risk / self.root_risk, risk, rtol=TOLERANCE, atol=1e-13):
            self.problem(number, f"risk {node.risk / self.root_risk}, rpart has {risk}")
        if self.case.is_classification:
            if not close(node.probabilities, reference["probs"]):
                text = f"probabilities {node.probabilities}, rpart has {reference['probs']}"
                self.problem(number, text)
        elif not close(node.prediction, reference["yval"]):
            self.problem(number, f"mean {node.prediction}, rpart has {reference['yval']}")

    def their_rules(self, reference: dict[str, Any], rows: Any) -> Rules:
        split = self.case.division(reference["split"])
        return Rules(
            split,
            [self.case.division(s) for s in reference["surrogates"]],
            [s["agree"] for s in reference["surrogates"]],
            self.majority(split, rows, closed=False),
        )

    def our_rules(self, node: Any, number: int, first: int, rows: Any) -> Rules:
        test = our_division(node.test, first)
        taken = first if node.default_child.id == node.children[0].id else LEFT + RIGHT - first
        expected = self.majority(test, rows, closed=True)
        if expected not in (taken, NOWHERE):  # in a draw either will do
            self.problem(number, f"undecided rows go to side {taken}, the majority to {expected}")
        return Rules(
            test,
            [our_division(s.test, first, reverse=s.reversed) for s in node.surrogates],
            [s.agreement for s in node.surrogates],
            taken,
        )

    def majority(self, test: Division, rows: Any, *, closed: bool) -> int:
        sides = test.sides(self.case.values, rows, closed=closed)
        left, right = (self.case.weight[rows[sides == side]].sum() for side in (LEFT, RIGHT))
        return NOWHERE if left == right else LEFT if left > right else RIGHT

    def larger_child(self, number: int) -> int:
        left, right = (self.case.nodes[2 * number + side]["n"] for side in (0, 1))
        return NOWHERE if left == right else LEFT if left > right else RIGHT

    def orient(
        self, node: Any, reference: dict[str, Any], theirs: Rules, rows: Any
    ) -> tuple[int | None, Set[str]]:
        """Return the side of our first child, or None if the tests divide other rows."""
        values, number = self.case.values, reference["id"]
        expected = theirs.primary.sides(values, rows, closed=False)
        improve = self.case.improve(rows, expected)
        if not close(improve, reference["split"]["improve"]):
            self.problem(number, f"improve {reference['split']['improve']}, computed {improve}")
        ours = our_division(node.test, LEFT)
        for first, test in ((LEFT, ours), (RIGHT, ours.mirrored())):
            if test.matches(theirs.primary):
                return first, set()
        sides = ours.sides(values, rows, closed=True)
        if not close(self.case.improve(rows, sides), improve):
            text = f"{node.test} improves by {self.case.improve(rows, sides)}"
            self.problem(number, f"{text}, rpart's {reference['split']} is computed as {improve}")
        self.differences["tie"] += 1
        if not self.comes_first(ours, theirs.primary):
            self.problem(number, f"{node.test} is as good as {reference['split']}, but comes later")
        swapped = ours.mirrored().sides(values, rows, closed=True)
        for first, same in ((LEFT, sides), (RIGHT, swapped)):
            if np.array_equal(same, expected):
                return first, {"tie"}
        return None, {"tie"}

    def comes_first(self, ours: Division, theirs: Division) -> bool:
        names = list(self.case.levels)
        if ours.name != theirs.name:
            return names.index(ours.name) < names.index(theirs.name)
        return ours.cut is None or theirs.cut is None or ours.cut < theirs.cut

    def compare_surrogates(self, number: int, ours: Rules, theirs: Rules, rows: Any) -> Set[str]:
        """Compare the two lists from the best surrogate on; return the reasons for differences."""
        reasons = set()
        if any(self.is_scruple(s, theirs.primary, rows) for s in theirs.surrogates):
            self.problem(number, "rpart keeps a nominal surrogate that errs on fewer than two rows")
        scruples = [self.is_scruple(s, ours.primary, rows) for s in ours.surrogates]
        if any(scruples):
            reasons.add("scruple")
            self.differences["scruple"] += sum(scruples)
        kept = [k for k, scruple in enumerate(scruples) if not scruple]
        room = self.case.raw["control"]["maxsurrogate"] - sum(scruples)
        if len(kept) != min(len(theirs.surrogates), room):
            self.problem(number, f"{len(kept)} surrogates, rpart has {len(theirs.surrogates)}")
        for k, test, agreement in zip(kept, theirs.surrogates, theirs.agreements, strict=False):
            if not close(ours.agreements[k], agreement):
                text = f"{ours.surrogates[k]} agrees {ours.agreements[k]}"
                self.problem(number, f"{text}, rpart's {test} {agreement}")
            elif not ours.surrogates[k].matches(test):
                reasons.add("tie")
                self.differences["surrogate tie"] += 1
        return reasons

    def is_scruple(self, surrogate: Division, test: Division, rows: Any) -> bool:
        if surrogate.cut is not None:
            return False
        wanted = test.sides(self.case.values, rows, closed=True)
        sides = surrogate.sides(self.case.values, rows, closed=True)
        return int(np.sum((wanted != sides) & (wanted != NOWHERE) & (sides != NOWHERE))) < 2

    def parting(
        self,
        number: int,
        ours: Rules,
        theirs: Rules,
        reasons: Set[str],
        values: dict[str, Any],
        rows: Any,
    ) -> Any:
        """Tell for each row why the trees send it to different sides; "" if they do not."""
        expected = theirs.sides(values, rows, closed=False)
        apart = ours.sides(values, rows, closed=True) != expected
        undecided = (ours.decided(values, rows, closed=True) == NOWHERE) & (
            theirs.decided(values, rows, closed=False) == NOWHERE
        )
        cut = ours.sides(values, rows, closed=False) == expected
        other = apart & ~undecided & ~cut
        if other.any() and not reasons:
            self.problem(number, f"rows {rows[other]} part ways")
        choices = ["majority", "cut", " or ".join(sorted(reasons)) or "problem"]
        return np.select([apart & undecided, apart & cut, other], choices, "")
