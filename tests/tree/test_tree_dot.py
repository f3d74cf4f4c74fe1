import re

from spinney.export import to_graphviz
from spinney.tree import Tree


def statements(dot: str) -> list[str]:
    return [line.strip() for line in dot.splitlines()]


def test_every_node_is_a_box_and_every_child_an_edge(credit: Tree) -> None:
    lines = statements(to_graphviz(credit))
    assert lines[0] == "digraph tree {"
    assert lines[-1] == "}"
    edges = [re.match(r"n(\d+) -> n(\d+) \[label=(.*)\];", line) for line in lines]
    assert [(m[1], m[2], m[3]) for m in edges if m] == [
        ("0", "1", '"yes"'),
        ("0", "2", '"no"'),
        ("1", "3", '"yes"'),
        ("1", "4", '"no"'),
        ("2", "5", '"none"'),
        ("2", "6", '"near"'),
        ("2", "7", '"{far, lazy}"'),
    ]
    assert sum(re.match(r"n\d+ \[label=", line) is not None for line in lines) == 8
    assert r'n0 [label="income <= 36\nbad\n100 rows\n50 bad, 50 good"' in to_graphviz(credit)


def test_purer_boxes_have_a_stronger_colour(credit: Tree) -> None:
    fills = dict(re.findall(r'n(\d) \[.*fillcolor="(#\w{6})"', to_graphviz(credit)))
    assert len(fills) == 8
    assert len({fills[k] for k in "013"}) == 3
    assert fills["0"] == fills["4"]
    assert "n0" in to_graphviz(credit, filled=False)
    assert to_graphviz(credit, filled=False).count("fillcolor") == 1


def test_quotes_backslashes_and_newlines_are_escaped() -> None:
    name = 'a "b" \\n c\nd'
    tree = Tree.from_dict(
        {
            "classes": ['say "x"', "y"],
            "features": [name],
            "nodes": [
                {"test": f"{name} <= 1", "children": [1, 2], "counts": [4, 3]},
                {"counts": [4, 0]},
                {"counts": [0, 3]},
            ],
        }
    )
    dot = to_graphviz(tree)
    assert '[label="a \\"b\\" \\\\n c\\nd <= 1\\nsay \\"x\\"\\n7 rows' in dot
    for line in statements(dot):
        without_escapes = line.replace("\\\\", "").replace('\\"', "")
        assert without_escapes.count('"') % 2 == 0


def test_the_graph_is_cut_at_max_depth_and_says_so(credit: Tree) -> None:
    dot = to_graphviz(credit, max_depth=1)
    assert 'm1 [label="2 nodes below depth 1", style="rounded,dashed"];' in dot
    assert "n1 -> m1 [style=dashed];" in dot
    assert "n3 [" not in dot


def test_a_regression_tree_shows_means(prices: Tree) -> None:
    assert r'n1 [label="mean 10\n4 rows"];' in to_graphviz(prices)
    assert prices.to_graphviz() == to_graphviz(prices)
