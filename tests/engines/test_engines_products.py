"""Products too small for a double are 0 in every engine, as they are to the model."""

import numpy as np
import pandas as pd

from spinney import Tree
from spinney.export import to_sql

EDGES = [2.0**-537, 2.0**-538, 1.5 * 2.0**-538, np.nextafter(2.0**-537, 1.0), 2.0**-1074, 1e-320]


def factors() -> pd.DataFrame:
    """Pairs of numbers around the least that a double can hold, zeros and gaps."""
    rng = np.random.default_rng(0)
    values = [0.0, np.nan, 1.0, 1e100, -0.5, *EDGES, *(-2.0 * np.array(EDGES))]
    values += list(rng.choice([-1.0, 1.0], 20) * 2.0 ** rng.uniform(-1074, 0, 20))
    grid = np.array(np.meshgrid(values, values)).reshape(2, -1).T
    return pd.DataFrame({"a": grid[:, 0], "r": grid[:, 1], "l": rng.uniform(0, 1, len(grid))})


def product_tree(product: str) -> Tree:
    """Tell products above 0, below 0 and equal to 0 apart; unknown ones are those above."""
    counts = [[3.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    leaves = [{"test": None, "children": [], "counts": own} for own in counts]
    nodes = [
        {"test": f"{product} > 0", "children": [1, 2], "counts": [3.0, 1.0, 1.0]},
        leaves[0],
        {"test": f"0 > {product}", "children": [3, 4], "counts": [0.0, 1.0, 1.0]},
        *leaves[1:],
    ]
    classes = ["above", "below", "zero"]
    return Tree.from_dict({"classes": classes, "features": ["a", "r", "l"], "nodes": nodes})


def test_products_that_vanish_are_0(database):
    X = factors()
    database.make_table("factors", X)
    with np.errstate(all="ignore"):
        pairs, triples = X["a"] * X["r"], X["a"] * X["r"] * X["l"]
    assert 100 < ((pairs == 0) & (X["a"] != 0) & (X["r"] != 0)).sum() < len(X) - 100
    for text, wanted in (("a * r", pairs), ("a * r * l", triples), ("0.25 * (a * r)", pairs / 4)):
        query = to_sql(product_tree(text), "factors", dialect=database.dialect, keep=["row_key"])
        found = [row[1] for row in sorted(database.run(query))]
        assert found == np.select([wanted < 0, wanted == 0], ["below", "zero"], "above").tolist()
    database.run("DROP TABLE factors")
