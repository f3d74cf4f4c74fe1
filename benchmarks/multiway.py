"""C4.5 on mixed rows with gaps: ours and Weka's J48 on the same rows, in one run."""

import numpy as np

from benchmarks._measure import seconds, show
from benchmarks._weka import j48


def mixed_with_gaps(n_rows, n_numeric=10, n_nominal=10, n_categories=8, gaps=0.03, seed=0):
    """Numbers and categories, both with gaps; two classes that depend on some, with noise."""
    rng = np.random.default_rng(seed)
    table, signal = {}, rng.normal(size=n_rows)
    for j in range(n_numeric):
        column = np.round(rng.normal(size=n_rows), 4)
        if j < 4:
            signal += column
        column[rng.random(n_rows) < gaps] = np.nan
        table[f"number_{j}"] = column
    words = np.array([f"w{c}" for c in range(n_categories)], dtype=object)
    for j in range(n_nominal):
        codes = rng.integers(0, n_categories, n_rows)
        if j < 4:
            signal += rng.normal(size=n_categories)[codes]
        column = words[codes]
        column[rng.random(n_rows) < gaps] = None
        table[f"nominal_{j}"] = column
    return table, np.where(signal > 0, "yes", "no")


def multiway(n_rows=100_000):
    import pandas as pd

    from spinney import C45Classifier

    table, y = mixed_with_gaps(n_rows)
    frame = pd.DataFrame(table)
    ours, model = seconds(lambda: C45Classifier(rules=False).fit(frame, y), 3)
    ruled, _ = seconds(lambda: C45Classifier().fit(frame, y), 3)
    accuracy, nodes = f"{model.score(frame, y):.4f}", model.tree_.n_nodes
    rows = [
        ["spinney", f"{ours:.3f}", "", accuracy, nodes],
        ["spinney, with rules", f"{ruled:.3f}", "", accuracy, nodes],
    ]
    theirs = j48(table, y)
    if theirs is not None:
        time, accuracy = theirs["seconds"], f"{theirs['accuracy']:.4f}"
        for row, own in zip(rows, (ours, ruled), strict=True):
            row[2] = f"{time / own:.1f}"
        rows.append(["J48", f"{time:.3f}", "1.0", accuracy, theirs["nodes"]])
    heads = ["", "seconds", "times faster", "training acc", "nodes"]
    show(f"C4.5 with pruning, {n_rows:,} rows, 10 numeric and 10 nominal columns", heads, rows)

    table, y = mixed_with_gaps(3_000, n_numeric=8, n_nominal=7)
    frame = pd.DataFrame(table)
    plain, _ = seconds(lambda: C45Classifier(rules=False).fit(frame, y), 20)
    ruled, _ = seconds(lambda: C45Classifier().fit(frame, y), 5)
    times = [["tree", f"{plain * 1e3:.1f}"], ["tree and rules", f"{ruled * 1e3:.1f}"]]
    show("C4.5 on 3,000 x 15 mixed", ["", "ms"], times)
