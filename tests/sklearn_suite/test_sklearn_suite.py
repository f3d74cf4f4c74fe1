"""The list of scikit-learn's tests tells what passes and what does not; CI runs all of them."""

import pytest

from .expectations import KINDS, Expectations, Reason, read_list
from .outcomes import Outcomes
from .substitution import substituted

SOURCE = """
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier, export_text
TREES = {"tree": DecisionTreeClassifier, "extra": ExtraTreeClassifier}
NAMES = ["DecisionTreeClassifier", "ExtraTreeClassifier"]

def test_one():
    DecisionTreeClassifier()

def test_other():
    ExtraTreeClassifier()
"""
OUTCOMES = Outcomes(["m::a[1]", "m::b"], {"m::a[2]": "why", "m::c[1]": "", "m::c[2]": ""})
LISTED = Expectations("1.9", [Reason("missing", "something", {"m::a[2]", "m::c"})])


def test_our_estimators_stand_for_theirs():
    assert substituted(SOURCE).split("\n\n")[0].splitlines() == [
        "from spinney import CARTClassifier as DecisionTreeClassifier",
        "from sklearn.tree import ExtraTreeClassifier, export_text",
        "TREES = {'tree': DecisionTreeClassifier}",
        "NAMES = ['DecisionTreeClassifier']",
    ]
    assert "test_one" in substituted(SOURCE)
    assert "test_other" not in substituted(SOURCE)


def test_what_goes_as_listed_is_no_surprise():
    assert LISTED.surprises(OUTCOMES) == []
    assert OUTCOMES.summary() == "2 of 5 tests pass (m 2 of 5)"


@pytest.mark.parametrize(
    ("names", "surprise"),
    [
        ({"m::a", "m::c"}, "passes, though listed: m::a[1]"),
        ({"m::c"}, "fails: m::a[2]: why"),
        ({"m::a[2]", "m::c", "m::d"}, "listed, but there is no such test: m::d"),
    ],
)
def test_what_goes_otherwise_is_told(names, surprise):
    assert Expectations("1.9", [Reason("missing", "", names)]).surprises(OUTCOMES) == [surprise]


def test_a_renewed_list_has_no_surprises_but_what_nobody_has_looked_at():
    old = Expectations("1.8", [Reason("missing", "something", {"m::a", "m::b"})])
    new = old.renewed(OUTCOMES, "1.9")
    assert [(r.kind, r.tests) for r in new.reasons] == [
        ("missing", {"m::a[2]"}),
        ("unknown", {"m::c"}),
    ]
    assert new.surprises(OUTCOMES) == ["listed without a reason: m::c"]


def test_every_reason_is_of_a_known_kind_and_no_test_is_listed_twice():
    reasons = read_list().reasons
    assert {reason.kind for reason in reasons} <= set(KINDS)
    names = [name for reason in reasons for name in reason.tests]
    assert len(names) == len(set(names))
