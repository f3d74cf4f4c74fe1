"""Hints at the name that somebody meant."""

import pytest

from spinney._format import did_you_mean

COLUMNS = ["age", "income", "income_of_partner", "Job"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Income", ["income"]),  # the same in other letters, although another begins like it
        ("incom", ["income", "income_of_partner"]),
        ("job ", ["Job"]),
        ("agee", ["age"]),
        ("partner", ["income_of_partner"]),
        ("in", []),  # too short to be a part of a name
        ("", []),
        ("zzz", []),
    ],
)
def test_names_in_other_letters_come_first_then_longer_then_similar_ones(written, meant) -> None:
    listed = " or ".join(map(repr, meant))
    assert did_you_mean(written, COLUMNS) == (f" Did you mean {listed}?" if meant else "")
