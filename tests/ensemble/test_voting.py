"""Votes, rules and abstention of `VotingCombiner`, against plain Python."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.ensemble._voting import VotingCombiner


class Says:
    """A classifier of no library: row i gets the i-th of its labels."""

    def __init__(self, labels: Sequence[Any]) -> None:
        self.labels = np.array(labels)

    def predict(self, X: Any) -> np.ndarray:
        return self.labels[np.asarray(X)[:, 0].astype(int)]


def rows(n: int) -> np.ndarray:
    return np.arange(n, dtype=float)[:, None]


def combiner(answers: Sequence[Sequence[Any]], classes: Sequence[Any], **settings: Any) -> Any:
    """Return a fitted combiner of members that say these labels."""
    made = VotingCombiner([Says(labels) for labels in answers], **settings)
    return made.fit(rows(len(classes)), list(classes))


def tally(ballot: Sequence[str], weights: Sequence[Fraction], classes: Sequence[str]) -> list[Any]:
    return [
        sum((w for b, w in zip(ballot, weights, strict=True) if b == c), Fraction(0))
        for c in classes
    ]


def winner(
    ballot: Sequence[str], weights: Sequence[Fraction], classes: Sequence[str], rule: Any
) -> str:
    """Decide one row, slowly and exactly."""
    votes = tally(ballot, weights, classes)
    leader = votes.index(max(votes))
    most, total = votes[leader], sum(weights)
    enough = {
        "plurality": True,
        "majority": most > total / 2,
        "unanimous": most == total,
    }.get(rule, isinstance(rule, Fraction) and most >= rule * total)
    return classes[leader] if enough else "?"


CLASSES = ["a", "bb", "ccc"]


@st.composite
def elections(draw: Any) -> tuple[list[list[str]], list[int]]:
    """Draw ballots by member and row, and weights in tenths."""
    n_members = draw(st.integers(1, 6))
    n_rows = draw(st.integers(1, 5))
    row = st.lists(st.sampled_from(CLASSES), min_size=n_rows, max_size=n_rows)
    ballots = draw(st.lists(row, min_size=n_members, max_size=n_members))
    tenths = st.lists(st.integers(0, 9), min_size=n_members, max_size=n_members).filter(any)
    return ballots, draw(tenths)


RULES = ["plurality", "majority", "unanimous"]
SHARES = [Fraction(1, 6), Fraction(1, 3), Fraction(2, 5), Fraction(1, 2), Fraction(2, 3)]
QUORUMS = [*SHARES, Fraction(3, 4), Fraction(9, 10), Fraction(1)]


def voted(ballots: Any, tenths: list[int] | None, rule: Any) -> Any:
    weights = None if tenths is None else [k / 10 for k in tenths]
    named = float(rule) if isinstance(rule, Fraction) else rule
    members = [Says(labels) for labels in ballots]
    made = VotingCombiner(members, rule=named, weights=weights, abstain_label="?")
    return made.fit(rows(len(CLASSES)), CLASSES)


@given(elections(), st.sampled_from([*RULES, *QUORUMS]), st.booleans())
def test_decisions_are_those_of_the_plain_count(election: Any, rule: Any, weighted: bool) -> None:
    ballots, tenths = election
    n_rows = len(ballots[0])
    exact = [Fraction(k if weighted else 1) for k in tenths]
    expected = [winner(ballot, exact, CLASSES, rule) for ballot in zip(*ballots, strict=True)]
    made = voted(ballots, tenths if weighted else None, rule)
    assert made.predict(rows(n_rows)).tolist() == expected
    assert made.decided(rows(n_rows)).tolist() == [label != "?" for label in expected]
    assert made.coverage(rows(n_rows)) == pytest.approx(
        sum(label != "?" for label in expected) / n_rows
    )


@given(elections())
def test_votes_are_weights_and_probabilities_their_shares(election: Any) -> None:
    ballots, tenths = election
    made = voted(ballots, tenths, "plurality")
    exact = [Fraction(k, 10) for k in tenths]
    votes = [tally(ballot, exact, CLASSES) for ballot in zip(*ballots, strict=True)]
    X = rows(len(votes))
    np.testing.assert_allclose(made.votes(X), np.array(votes, dtype=float), atol=1e-12)
    shares = np.array([[v / sum(exact) for v in row] for row in votes], dtype=float)
    np.testing.assert_allclose(made.predict_proba(X), shares, atol=1e-12)
    np.testing.assert_allclose(made.predict_proba(X).sum(axis=1), 1.0)


@given(elections(), st.randoms(use_true_random=False))
def test_the_coverage_table_is_that_of_a_loop_over_quorums(election: Any, random: Any) -> None:
    ballots, tenths = election
    n_rows = len(ballots[0])
    y = [random.choice(CLASSES) for _ in range(n_rows)]
    row_weights = [random.randint(0, 3) for _ in range(n_rows - 1)] + [1]
    exact = [Fraction(k) for k in tenths]
    tallies = [tally(ballot, exact, CLASSES) for ballot in zip(*ballots, strict=True)]
    lines = []
    counted = [i for i in range(n_rows) if row_weights[i]]
    for share in sorted({max(tallies[i]) / sum(exact) for i in counted}):
        decided = [i for i in counted if max(tallies[i]) >= share * sum(exact)]
        right = [i for i in decided if CLASSES[tallies[i].index(max(tallies[i]))] == y[i]]
        weight = sum(row_weights[i] for i in decided)
        accuracy = sum(row_weights[i] for i in right) / weight
        lines.append((float(share), len(decided), weight / sum(row_weights), accuracy))
    table = voted(ballots, tenths, "plurality").coverage_table(rows(n_rows), y, row_weights)
    found = table.to_dict()
    assert list(found) == ["quorum", "n_decided", "coverage", "accuracy"]
    assert len(table) == len(lines)
    for column, wanted in zip(found.values(), zip(*lines, strict=True), strict=True):
        np.testing.assert_allclose(column, wanted, atol=1e-12)


@given(elections())
def test_each_quorum_of_the_table_is_a_rule_with_its_coverage(election: Any) -> None:
    ballots, tenths = election
    X, y = rows(len(ballots[0])), ballots[0]
    table = voted(ballots, tenths, "plurality").coverage_table(X, y)
    assert table.coverage[0] == 1.0
    for k, quorum in enumerate(table.quorum.tolist()):
        made = voted(ballots, tenths, "plurality").set_params(rule=quorum).fit(rows(3), CLASSES)
        assert made.decided(X).sum() == table.n_decided[k]
        assert made.decided_score(X, y) == pytest.approx(table.accuracy[k])


FOUR = [[1, 1, 0, 2], [1, 1, 1, 2], [1, 0, 0, 1], [1, 2, 1, 0]]  # members by rows


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("plurality", [1, 1, 0, 2]),  # 4-0, 2-1-1, 2-2, 2-1-1
        ("majority", [1, -1, -1, -1]),
        ("unanimous", [1, -1, -1, -1]),
        (0.5, [1, 1, 0, 2]),
        (0.51, [1, -1, -1, -1]),
        (1, [1, -1, -1, -1]),
    ],
)
def test_four_members_decide_as_counted_by_hand(rule: Any, expected: list[int]) -> None:
    made = combiner(FOUR, [0, 1, 2], rule=rule, abstain_label=-1)
    assert made.predict(rows(4)).tolist() == expected


def test_two_of_three_meet_two_thirds_but_not_a_rounded_up_share() -> None:
    ballots = [["a"], ["a"], ["b"]]
    for rule, decides in [(2 / 3, True), (0.66, True), (0.667, False), (0.6666666667, True)]:
        made = combiner(ballots, ["a", "b"], rule=rule, abstain_label="?")
        assert made.decided([[0.0]]).tolist() == [decides], rule


def test_sums_of_tenths_tie_whatever_their_rounding() -> None:
    weights = [0.1, 0.2, 0.3]  # 0.1 + 0.2 > 0.3 in floats
    for ballots in ([["b"], ["b"], ["a"]], [["a"], ["a"], ["b"]]):
        made = combiner(ballots, ["a", "b"], weights=weights)
        assert made.predict([[0.0]]).tolist() == ["a"]
        made = combiner(ballots, ["a", "b"], weights=weights, rule="majority", abstain_label="?")
        assert made.predict([[0.0]]).tolist() == ["?"]


def test_a_member_without_weight_does_not_break_unanimity() -> None:
    settings = {"rule": "unanimous", "abstain_label": "?"}
    assert combiner([["a"], ["b"]], ["a", "b"], weights=[1, 0], **settings).decided([[0.0]])[0]
    assert not combiner([["a"], ["b"]], ["a", "b"], **settings).decided([[0.0]])[0]


def test_score_counts_undecided_rows_as_not_right() -> None:
    made = combiner(FOUR, [0, 1, 2], rule="majority", abstain_label=-1)
    y = [1, 1, 0, 2]
    assert made.score(rows(4), y) == 0.25
    assert made.coverage(rows(4)) == 0.25
    assert made.decided_score(rows(4), y) == 1.0
    assert made.score(rows(4), y, sample_weight=[3, 1, 0, 0]) == 0.75
    assert made.coverage(rows(4), sample_weight=[3, 1, 0, 0]) == 0.75


def test_the_score_of_no_decided_row_is_unknown() -> None:
    made = combiner([["a"], ["b"]], ["a", "b"], rule="unanimous", abstain_label="?")
    assert np.isnan(made.decided_score([[0.0]], ["a"]))
    assert made.score([[0.0]], ["a"]) == 0.0


def test_a_label_that_nobody_knows_is_a_row_that_is_not_right() -> None:
    assert combiner([["a", "b"]], ["a", "b"]).score(rows(2), ["a", "new"]) == 0.5


@pytest.mark.parametrize(
    ("classes", "label", "kind"),
    [
        (["no", "yes"], "undecided", "U"),
        ([0, 1], -1, "i"),
        ([0, 1], np.int8(-1), "i"),
        ([1.0, 2.0], -1, "f"),
        ([0, 1], float("nan"), "f"),
        ([0, 1], "unsure", "O"),
        (["no", "yes"], -1, "O"),
        ([False, True], -1, "O"),
        ([2**62 + 1, 1], 0.5, "O"),  # a float would change the first class
    ],
)
def test_no_label_is_cut_or_changed_to_fit_the_others(classes: Any, label: Any, kind: str) -> None:
    answers = [[classes[0], classes[0], classes[1]], [classes[0], classes[1], classes[1]]]
    made = combiner(answers, classes, rule="unanimous", abstain_label=label)
    found = made.predict(rows(3))
    assert found.dtype.kind == kind
    assert [found[0], found[2]] == classes
    assert found[1] == label or (found[1] != found[1] and label != label)
    assert type(made.predict(rows(1))[0]) is type(found[0])
    assert made.predict(rows(1)).dtype == found.dtype  # also where nobody abstains


def test_a_plurality_keeps_the_type_of_the_classes() -> None:
    made = combiner([["a"]], ["a", "b"], abstain_label="undecided")
    assert made.predict(rows(1)).dtype == made.classes_.dtype


@pytest.mark.parametrize("rule", ["majority", "unanimous", 0.5])
def test_a_rule_that_may_abstain_wants_a_label(rule: Any) -> None:
    with pytest.raises(ValueError, match=r"abstain_label is None.*abstain_label='unsure'"):
        combiner([["a"]], ["a", "b"], rule=rule)
    with pytest.raises(ValueError, match=r"abstain_label=-1"):
        combiner([[1]], [0, 1], rule=rule)


@pytest.mark.parametrize("label", ["a", np.str_("b")])
def test_a_class_cannot_be_the_label_of_abstention(label: str) -> None:
    with pytest.raises(ValueError, match="is one of the classes"):
        combiner([["a"]], ["a", "b"], abstain_label=label)


@pytest.mark.parametrize("label", [["x"], {"x": 1}, np.zeros(2)])
def test_the_label_of_abstention_is_a_single_one(label: Any) -> None:
    with pytest.raises(ValueError, match="abstain_label must be a single label"):
        combiner([["a"]], ["a", "b"], rule="majority", abstain_label=label)


@pytest.mark.parametrize("rule", ["most", "Majority", None, True, [0.5]])
def test_an_unknown_rule_is_refused_with_the_choices(rule: Any) -> None:
    with pytest.raises(ValueError, match=r"rule must be one of 'plurality', 'majority'"):
        combiner([["a"]], ["a"], rule=rule, abstain_label="?")


@pytest.mark.parametrize("rule", [0, 0.0, -0.5, 1.01, 2, float("nan"), float("inf")])
def test_a_share_outside_zero_to_one_is_refused(rule: float) -> None:
    with pytest.raises(ValueError, match=r"rule must be a number > 0 and <= 1"):
        combiner([["a"]], ["a"], rule=rule, abstain_label="?")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "one number for each of the 2 members"),
        ([1.0, 2.0, 3.0], "one number for each of the 2 members"),
        (1.0, "one number for each of the 2 members"),
        ([[1.0, 2.0]], "one number for each of the 2 members"),
        ([1.0, -1.0], "finite and >= 0, got -1.0 for member 1"),
        ([np.nan, 1.0], "finite and >= 0, got nan for member 0"),
        ([np.inf, 1.0], "finite and >= 0, got inf for member 0"),
        ([0, 0], "all 0"),
        ([1e308, 1e308], "more than a float can hold"),
        (["1", "2"], "must be numbers"),
        ([1, "x"], "must be numbers"),
        ([1, None], "finite and >= 0, got nan for member 1"),
    ],
)
def test_bad_weights_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        combiner([["a"], ["a"]], ["a"], weights=weights)


def test_the_table_prints_a_line_for_each_quorum() -> None:
    table = combiner(FOUR, [0, 1, 2]).coverage_table(rows(4), [1, 0, 0, 2])
    assert str(table).split("\n") == [
        "quorum  n_decided  coverage  accuracy",
        "0.5000          4    1.0000    0.7500",
        "1.0000          1    0.2500    1.0000",
    ]
    assert repr(table) == "CoverageTable(2 quorums, coverage 0.25 to 1)"
