import dataclasses

import numpy as np
import pandas as pd
import pytest

from spinney._format import category_text, number_text, set_text
from spinney.tree import MultiwayTest, SubsetTest, Surrogate, ThresholdTest

INCOME = ThresholdTest(0, "income", 36.0)
SIZE = ThresholdTest(1, "size", 1.0, ("low", "med", "high"))
PURPOSE = SubsetTest(2, "purpose", ("A40", "A43"), ("A41",))
DEADLINE = MultiwayTest(3, "deadline", (("none",), ("near", "far")))


@pytest.mark.parametrize(
    ("test", "texts"),
    [
        (INCOME, ["income <= 36", "income > 36"]),
        (SIZE, ["size <= med", "size > med"]),
        (PURPOSE, ["purpose in {A40, A43}", "purpose in {A41}"]),
        (SubsetTest(0, "x", ("a",)), ["x in {a}", "x not in {a}"]),
        (DEADLINE, ["deadline = none", "deadline in {near, far}"]),
    ],
)
def test_each_branch_has_its_condition(
    test: ThresholdTest | SubsetTest | MultiwayTest, texts: list[str]
) -> None:
    assert [test.branch_text(branch) for branch in range(test.n_branches)] == texts
    assert str(test) == ("deadline" if test is DEADLINE else texts[0])


@pytest.mark.parametrize(
    ("test", "value", "branch"),
    [
        (INCOME, 36, 0),
        (INCOME, 36.1, 1),
        (INCOME, -np.inf, 0),
        (INCOME, np.nan, None),
        (INCOME, None, None),
        (INCOME, pd.NA, None),
        (SIZE, "med", 0),
        (SIZE, "high", 1),
        (SIZE, "huge", None),
        (PURPOSE, "A43", 0),
        (PURPOSE, "A41", 1),
        (PURPOSE, "A42", None),
        (PURPOSE, None, None),
        (SubsetTest(0, "x", (1, 2), (3,)), "2", 0),
        (SubsetTest(0, "x", ("1", "2"), ("3",)), 3.0, 1),
        (dataclasses.replace(SIZE, categories=(10, 20, 30)), "20", 0),
        (DEADLINE, "none", 0),
        (DEADLINE, "far", 1),
        (DEADLINE, "never", None),
        (Surrogate(INCOME, reversed=True), 36, 1),
        (Surrogate(INCOME, reversed=True), 37, 0),
        (Surrogate(INCOME, reversed=True), None, None),
        (Surrogate(PURPOSE), "A43", 0),
    ],
)
def test_a_test_answers_raw_values(
    test: ThresholdTest | Surrogate, value: object, branch: int | None
) -> None:
    assert test.branch(value) == branch


@pytest.mark.parametrize(
    ("threshold", "category"),
    [(0.5, "low"), (1.0, "med"), (1.5, "med"), (2.0, "high"), (9.0, "high"), (np.inf, "high")],
)
def test_an_ordered_test_names_the_last_category_for_which_it_is_true(
    threshold: float, category: str
) -> None:
    test = dataclasses.replace(SIZE, threshold=threshold)
    assert test.category == category
    assert str(test) == f"size <= {category}"


def test_an_ordered_test_below_every_category_shows_its_code() -> None:
    assert str(dataclasses.replace(SIZE, threshold=-np.inf)) == "size <= -inf"
    assert INCOME.category is None


def test_kinds_and_frozenness() -> None:
    assert [t.kind for t in (INCOME, PURPOSE, DEADLINE)] == ["threshold", "subset", "multiway"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        INCOME.threshold = 3  # type: ignore[misc]
    assert hash(PURPOSE) == hash(dataclasses.replace(PURPOSE))


def test_surrogates_say_how_well_they_agree() -> None:
    surrogate = Surrogate(SubsetTest(0, "gender", ("f",), ("m",)), True, 0.857142, 0.5)
    assert str(surrogate) == "gender in {f} (reversed), agreement 0.857"
    assert str(Surrogate(INCOME, False, 1.0, 1.0)) == "income <= 36, agreement 1.000"


@pytest.mark.parametrize(
    ("value", "text", "short"),
    [
        (36.0, "36", "36"),
        (127.5, "127.5", "127.5"),
        (-0.0, "0", "0"),
        (0.1 + 0.2, "0.3", "0.3"),
        (1 / 3, "0.3333333333", "0.333333"),
        (100 / 3, "33.33333333", "33.3333"),
        (1234567891.5, "1234567891.5", "1234567891.5"),
        (2.0**60, "1152921504606846976", "1152921504606846976"),
        (1e300, "1e+300", "1e+300"),
        (1e-310, "1e-310", "1e-310"),
        (35.9999999, "35.9999999", "35.9999999"),
        (64286.03369715811, "64286.0337", "64286.03"),
        (0.99999912345678, "0.9999991235", "0.999999"),
        (7.0000000012345678, "7.000000001", "7.000000001"),
        (3.0000000000000004, "3.0000000000000004", "3.0000000000000004"),
        (0.99999999999, "0.99999999999", "0.99999999999"),
        (np.inf, "inf", "inf"),
    ],
)
def test_numbers_are_short_and_never_rounded_to_a_whole(
    value: float, text: str, short: str
) -> None:
    assert number_text(value) == text
    assert number_text(value, 6) == short


def test_categories_are_quoted_only_where_they_must_be() -> None:
    texts = ["A40", "two words", 3, 2.5, True, "a,b", "", " a", "{", "it's", "new\nline", "é"]
    expected = [
        "A40", "two words", "3", "2.5", "True", "'a,b'", "''", "' a'", "'{'", '"it\'s"',
        "'new\\nline'", "é",
    ]  # fmt: skip
    assert [category_text(text) for text in texts] == expected


def test_long_sets_are_cut_and_say_so() -> None:
    assert set_text("abcdef", 3) == "{a, b, c, ... 3 more}"
    assert set_text("abcd", 3) == "{a, b, c, d}"
    assert set_text("abcd") == "{a, b, c, d}"
