"""The worked numbers of a textbook chapter on ID3: what to do in the evening, and its problems."""

import itertools

import numpy as np
import pytest

from spinney import C45Classifier, ID3Classifier

EVENINGS = {
    "deadline": [
        "Urgent",
        "Urgent",
        "Near",
        "None",
        "None",
        "None",
        "Near",
        "Near",
        "Near",
        "Urgent",
    ],
    "party": ["Yes", "No", "Yes", "Yes", "No", "Yes", "No", "No", "Yes", "No"],
    "lazy": ["Yes", "Yes", "Yes", "No", "Yes", "No", "No", "Yes", "Yes", "No"],
}
ACTIVITIES = ["Party", "Study", "Party", "Party", "Pub", "Party", "Study", "TV", "Party", "Study"]

# The chapter goes on with these five rows. In the last of them "lazy" is Yes, in its table No.
WITHOUT_PARTY = {
    "deadline": ["Urgent", "None", "Near", "Near", "Urgent"],
    "lazy": ["Yes", "Yes", "No", "Yes", "Yes"],
}
WITHOUT_PARTY_ACTIVITIES = ["Study", "Pub", "Study", "TV", "Study"]

PEOPLE = {
    "height": ["Small", "Tall", "Tall", "Tall", "Small", "Tall", "Tall", "Small"],
    "hair": ["Blonde", "Dark", "Blonde", "Dark", "Dark", "Red", "Blonde", "Blonde"],
    "eyes": ["Brown", "Brown", "Blue", "Blue", "Blue", "Blue", "Brown", "Blue"],
}
ATTRACTIVE = ["No", "No", "Yes", "No", "No", "Yes", "No", "Yes"]

DRINKERS = {"gender": list("TTTTFFFF"), "student": list("TFFFTFTT"), "pub": list("TTFFTFTT")}
DRINKS = ["Beer"] * 2 + ["Vodka"] * 6


def stump(table, y, column):
    """The tree that may ask for one column, once."""
    return ID3Classifier(max_depth=1).fit({column: table[column]}, y).tree_


def gain(table, y, column):
    root = stump(table, y, column).root
    return root.gain / root.weight


def said(rules):
    """What rules say, without their figures, and the default."""
    lines = [str(rule).split("  (")[0] for rule in rules]
    return [*lines, f"otherwise {rules.default}"]


# -- Entropy and gain


def test_one_true_in_four_has_entropy_0_811_and_the_feature_gains_0_311():
    table = {"f": ["f2", "f2", "f3", "f1"]}
    root = ID3Classifier().fit(table, [True, False, False, False]).tree_.root
    assert root.impurity == pytest.approx(0.811, abs=5e-4)
    assert root.gain / root.weight == pytest.approx(0.311, abs=5e-4)
    f1, f2, f3 = root.children
    assert [child.weight / 4 * child.impurity for child in (f1, f2, f3)] == [0.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("shares", "bits"), [([0.5] + [0.125] * 4, 2.0), ([0.5, 0.25, 0.125, 0.125], 1.75)]
)
def test_events_of_these_probabilities_take_that_many_questions(shares, bits):
    codes = np.arange(len(shares))
    model = ID3Classifier().fit({"event": codes}, codes, sample_weight=8 * np.array(shares))
    assert model.tree_.root.impurity == pytest.approx(bits, abs=1e-15)


def test_one_who_never_buys_the_round_takes_no_question():
    names = np.array(["Jim", "Jane", "Sarah", "Simon", "John"])
    model = ID3Classifier().fit({"name": names}, names, sample_weight=[4, 2, 1, 1, 0])
    assert model.tree_.root.impurity == pytest.approx(1.75, abs=1e-15)


def test_the_evenings_have_entropy_1_6855():
    assert stump(EVENINGS, ACTIVITIES, "lazy").root.impurity == pytest.approx(1.6855, abs=5e-5)


@pytest.mark.parametrize(
    ("column", "expected"), [("deadline", 0.5345), ("party", 1.0), ("lazy", 0.21)]
)
def test_gains_at_the_root_of_the_evenings(column, expected):
    assert gain(EVENINGS, ACTIVITIES, column) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("column", "expected"), [("deadline", 0.971), ("lazy", 0.171)])
def test_gains_below_evenings_without_a_party(column, expected):
    root = stump(WITHOUT_PARTY, WITHOUT_PARTY_ACTIVITIES, column).root
    assert root.impurity == pytest.approx(1.371, abs=5e-4)
    assert root.gain / root.weight == pytest.approx(expected, abs=5e-4)


def test_the_row_that_differs_from_the_table_changes_only_the_gain_of_lazy():
    table = WITHOUT_PARTY | {"lazy": [*WITHOUT_PARTY["lazy"][:-1], "No"]}
    assert gain(table, WITHOUT_PARTY_ACTIVITIES, "deadline") == pytest.approx(0.971, abs=5e-4)
    assert gain(table, WITHOUT_PARTY_ACTIVITIES, "lazy") == pytest.approx(0.420, abs=5e-4)


# -- What to do in the evening


def test_the_tree_of_the_evenings_is_the_chapters():
    tree = ID3Classifier().fit(EVENINGS, ACTIVITIES).tree_
    assert str(tree).splitlines() == [
        "all rows: Party, n=10 (5 Party, 1 Pub, 3 Study, 1 TV)",
        "|-- party = No: Study, n=5 (1 Pub, 3 Study, 1 TV)",
        "|   |-- deadline = Near: Study, n=2 (1 Study, 1 TV)",
        "|   |   |-- lazy = No: Study, n=1 (1 Study)",
        "|   |   `-- lazy = Yes: TV, n=1 (1 TV)",
        "|   |-- deadline = None: Pub, n=1 (1 Pub)",
        "|   `-- deadline = Urgent: Study, n=2 (2 Study)",
        "`-- party = Yes: Party, n=5 (5 Party)",
    ]
    assert tree.root.gain / tree.root.weight == pytest.approx(1.0)
    assert tree[1].gain / tree[1].weight == pytest.approx(0.971, abs=5e-4)


def test_both_versions_of_the_row_give_the_same_tree_without_a_party():
    tree = ID3Classifier().fit(WITHOUT_PARTY, WITHOUT_PARTY_ACTIVITIES).tree_
    whole = ID3Classifier().fit(EVENINGS, ACTIVITIES).tree_
    below = [line.removeprefix("|   ") for line in str(whole).splitlines()[2:7]]
    assert str(tree).splitlines()[1:] == below


def test_rules_of_the_evenings():
    rules = ID3Classifier().fit(EVENINGS, ACTIVITIES).tree_.rules()
    assert said(rules) == [
        "if party = No and deadline = Near and lazy = No then Study",
        "if party = No and deadline = Near and lazy = Yes then TV",
        "if party = No and deadline = None then Pub",
        "if party = No and deadline = Urgent then Study",
        "if party = Yes then Party",
        "otherwise Party",
    ]
    assert rules.predict(EVENINGS).tolist() == ACTIVITIES
    pruned = rules.prune(EVENINGS, ACTIVITIES)
    assert pruned.predict(EVENINGS).tolist() == ACTIVITIES
    assert sum(len(r.conditions) for r in pruned) < sum(len(r.conditions) for r in rules)


# -- The problems


def test_logical_and_takes_two_tests():
    table, y = {"a": list("0011"), "b": list("0101")}, [False, False, False, True]
    model = ID3Classifier().fit(table, y)
    assert model.predict(table).tolist() == y
    assert model.tree_.n_leaves == 3
    assert model.tree_.root.gain / 4 == pytest.approx(0.311, abs=5e-4)
    pruned = model.tree_.rules().prune(table, y)
    assert said(pruned) == ["if a = 1 and b = 1 then True", "otherwise False"]


def test_logical_and_of_numbers_is_cut_halfway():
    table = np.array(list(itertools.product([0.0, 1.0], repeat=2)))
    tree = ID3Classifier().fit(table, [0, 0, 0, 1]).tree_
    assert [node.test.branch_text(1) for node in tree if not node.is_leaf] == [
        "x0 > 0.5",
        "x1 > 0.5",
    ]


def test_attractive_people_by_id3():
    tree = ID3Classifier().fit(PEOPLE, ATTRACTIVE).tree_
    assert str(tree).splitlines() == [
        "all rows: No, n=8 (5 No, 3 Yes)",
        "|-- hair = Blonde: No, n=4 (2 No, 2 Yes)",
        "|   |-- eyes = Blue: Yes, n=2 (2 Yes)",
        "|   `-- eyes = Brown: No, n=2 (2 No)",
        "|-- hair = Dark: No, n=3 (3 No)",
        "`-- hair = Red: Yes, n=1 (1 Yes)",
    ]
    assert said(tree.rules()) == [
        "if hair = Blonde and eyes = Blue then Yes",
        "if hair = Blonde and eyes = Brown then No",
        "if hair = Dark then No",
        "if hair = Red then Yes",
        "otherwise No",
    ]


@pytest.mark.parametrize(
    ("column", "expected"), [("height", 0.003), ("hair", 0.454), ("eyes", 0.348)]
)
def test_gains_of_attractive_people(column, expected):
    assert gain(PEOPLE, ATTRACTIVE, column) == pytest.approx(expected, abs=5e-4)


def test_two_rules_tell_attractive_people():
    pruned = ID3Classifier().fit(PEOPLE, ATTRACTIVE).tree_.rules().prune(PEOPLE, ATTRACTIVE)
    assert said(pruned) == [
        "if hair = Blonde and eyes = Blue then Yes",
        "if hair = Red then Yes",
        "otherwise No",
    ]
    assert pruned.predict(PEOPLE).tolist() == ATTRACTIVE


def test_the_gain_ratio_asks_attractive_people_for_their_eyes_first():
    """Hair gains more, 0.454 of 1.406 bits to name its branch; eyes 0.348 of 0.954."""
    tree = C45Classifier().fit(PEOPLE, ATTRACTIVE).tree_
    assert tree.root.test.feature_name == "eyes"
    assert tree.root.gain / 8 / tree.root.impurity == pytest.approx(0.348 / 0.954, abs=1e-3)
    blue, brown = tree.root.children
    assert (brown.is_leaf, brown.prediction) == (True, "No")
    assert [(child.prediction, child.weight) for child in blue.children] == [
        ("Yes", 2),
        ("No", 2),
        ("Yes", 1),
    ]


def test_drinks_by_id3():
    model = ID3Classifier().fit(DRINKERS, DRINKS)
    assert str(model.tree_).splitlines() == [
        "all rows: Vodka, n=8 (2 Beer, 6 Vodka)",
        "|-- gender = F: Vodka, n=4 (4 Vodka)",
        "`-- gender = T: Beer, n=4 (2 Beer, 2 Vodka)",
        "    |-- pub = F: Vodka, n=2 (2 Vodka)",
        "    `-- pub = T: Beer, n=2 (2 Beer)",
    ]
    assert model.predict(DRINKERS).tolist() == DRINKS
    rules = model.tree_.rules()
    assert said(rules) == [
        "if gender = F then Vodka",
        "if gender = T and pub = F then Vodka",
        "if gender = T and pub = T then Beer",
        "otherwise Vodka",
    ]
    assert said(rules.prune(DRINKERS, DRINKS)) == [
        "if gender = T and pub = T then Beer",
        "otherwise Vodka",
    ]


@pytest.mark.parametrize(
    ("column", "expected"), [("gender", 0.311), ("student", 0.0), ("pub", 0.204)]
)
def test_gains_of_drinks(column, expected):
    assert gain(DRINKERS, DRINKS, column) == pytest.approx(expected, abs=5e-4)


def test_error_based_pruning_keeps_the_tree_of_drinks():
    tree = ID3Classifier().fit(DRINKERS, DRINKS).tree_
    assert ID3Classifier(pruning="error_based").fit(DRINKERS, DRINKS).tree_ == tree


def test_the_tree_of_drinks_does_not_pay_for_its_description():
    """Five nodes, two tests among three columns and the classes of three leaves against one leaf.

    Of n rows of one class among two the classes take log2(n + 1) bits; two in eight
    log2(9 * 28).
    """
    model = ID3Classifier(pruning="mdl").fit(DRINKERS, DRINKS)
    whole = 5 + 2 * np.log2(3) + np.log2(5) + np.log2(3) + np.log2(3)
    leaf = 1 + np.log2(9 * 28)
    grown = ID3Classifier().fit(DRINKERS, DRINKS).tree_
    assert grown.description_length() == pytest.approx(whole)
    assert leaf < whole
    assert model.tree_.n_nodes == 1
    assert model.tree_.description_length() == pytest.approx(leaf)
