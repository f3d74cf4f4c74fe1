import numpy as np

from spinney.export import to_text
from spinney.tree import Tree


def test_a_tree_reads_from_top_to_bottom(credit: Tree) -> None:
    assert to_text(credit) == (
        "all rows: bad, n=100 (50 bad, 50 good)\n"
        "|-- income <= 36: bad, n=50 (40 bad, 10 good)\n"
        "|   |-- purpose in {A40, A43}: bad, n=30 (30 bad)\n"
        "|   `-- purpose not in {A40, A43}: bad, n=20 (10 bad, 10 good)\n"
        "`-- income > 36: good, n=50 (10 bad, 40 good)\n"
        "    |-- deadline = none: good, n=30 (30 good)\n"
        "    |-- deadline = near: bad, n=10 (6 bad, 4 good)\n"
        "    `-- deadline in {far, lazy}: good, n=10 (4 bad, 6 good)"
    )
    assert credit.to_text() == str(credit) == to_text(credit)


def test_a_regression_tree_shows_means(prices: Tree) -> None:
    assert to_text(prices) == (
        "all rows: 22, n=10\n|-- area <= 55.5: 10, n=4\n`-- area > 55.5: 30, n=6"
    )


def test_text_is_cut_at_max_depth_and_says_so(credit: Tree) -> None:
    assert to_text(credit, max_depth=1) == (
        "all rows: bad, n=100 (50 bad, 50 good)\n"
        "|-- income <= 36: bad, n=50 (40 bad, 10 good)\n"
        "|   `-- ... 2 nodes below depth 1\n"
        "`-- income > 36: good, n=50 (10 bad, 40 good)\n"
        "    `-- ... 3 nodes below depth 1"
    )
    assert to_text(credit, max_depth=0).endswith("\n`-- ... 7 nodes below depth 0")
    assert to_text(credit, max_depth=None) == to_text(credit)


def test_surrogates_are_listed_on_demand() -> None:
    tree = Tree.from_dict(
        {
            "classes": ["a", "b"],
            "features": ["x", "y"],
            "nodes": [
                {
                    "test": "x <= 3",
                    "children": [1, 2],
                    "counts": [4, 4],
                    "surrogates": [{"test": "y <= 1", "reversed": True, "agreement": 0.875}],
                },
                {"counts": [4, 0]},
                {"counts": [0, 4]},
            ],
        }
    )
    assert to_text(tree, surrogates=True).split("\n")[1] == (
        "|   else y <= 1 (reversed), agreement 0.875"
    )
    assert "else" not in to_text(tree)


def test_of_many_classes_the_heaviest_are_shown() -> None:
    counts = [1, 9, 3, 7, 5, 2, 8]
    tree = Tree.from_dict(
        {"classes": list("abcdefg"), "features": [], "nodes": [{"counts": counts}]}
    )
    assert to_text(tree) == "all rows: b, n=35 (9 b, 8 g, 7 d, 5 e, 3 c, 2 more)"


def test_numbers_are_shortened_by_digits() -> None:
    node = {"value": np.pi, "n_samples": 3, "impurity": 1}
    tree = Tree.from_dict({"classes": None, "features": [], "nodes": [node]})
    assert to_text(tree) == "all rows: 3.14159, n=3"
    assert to_text(tree, digits=3) == "all rows: 3.14, n=3"


def test_a_leaf_without_rows_shows_no_classes() -> None:
    nodes = [
        {"test": "x <= 1", "children": [1, 2], "counts": [1, 2]},
        {"counts": [1, 2]},
        {"counts": [0, 0]},
    ]
    tree = Tree.from_dict({"classes": [0, 1], "features": ["x"], "nodes": nodes})
    assert to_text(tree).endswith("`-- x > 1: 1, n=0")
