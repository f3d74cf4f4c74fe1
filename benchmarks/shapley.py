"""Shapley values of the same forest, brought over from scikit-learn, against shap, in one thread.

Times are of the processor: other work on the machine counts in neither. Needs shap.
"""

import time

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from benchmarks._measure import show
from spinney import Tree, _core


def brought_over(model):
    """Return a tree of scikit-learn as one of ours."""
    tree = model.tree_
    counts = tree.value[:, 0] * tree.weighted_n_node_samples[:, None]
    nodes = []
    for i in range(tree.node_count):
        children = [int(tree.children_left[i]), int(tree.children_right[i])]
        inner = children[0] >= 0
        test = f"x{tree.feature[i]} <= {float(tree.threshold[i])!r}" if inner else None
        nodes.append(
            {"test": test, "children": children if inner else [], "counts": counts[i].tolist()}
        )
    features = [f"x{j}" for j in range(model.n_features_in_)]
    classes = [int(label) for label in model.classes_]
    return Tree.from_dict({"classes": classes, "features": features, "nodes": nodes})


def cpu_seconds(work, repeat=3):
    """Return the least time of the processor of some runs, and the last result."""
    best, result = float("inf"), None
    for _ in range(repeat):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def shapley(n_rows=200, n_training=4000, n_trees=100):
    """Print how many times as long shap takes, by cover and by background."""
    try:
        import shap
    except ImportError:
        print("\nShapley values: skipped, as shap is not installed")
        return
    rows = []
    for words, n_classes, depth in [
        ("2 classes, fully grown", 2, None),
        ("2 classes, depth 8", 2, 8),
        ("4 classes, fully grown", 4, None),
    ]:
        X, y = make_classification(
            n_training, 20, n_informative=8, n_classes=n_classes, random_state=0
        )
        X = X.astype(np.float32).astype(np.float64)  # as scikit-learn compares
        model = RandomForestClassifier(n_trees, max_depth=depth, random_state=0).fit(X, y)
        forest = _core.Forest([brought_over(tree)._core for tree in model.estimators_])
        asked, members = np.ascontiguousarray(X[:n_rows]), np.arange(n_trees)
        shares = np.full(n_trees, 1.0 / n_trees)

        def ours(background, forest=forest, asked=asked, members=members, shares=shares):
            return _core.shapley_of_forest(
                forest, asked, background, False, members, shares, False, 1
            )[0]

        own, values = cpu_seconds(lambda: ours(None))
        explainer = shap.TreeExplainer(model)
        theirs, wanted = cpu_seconds(
            lambda: explainer.shap_values(asked, check_additivity=False)  # noqa: B023
        )
        others = np.ascontiguousarray(X[-50:])
        own_mixed, mixed = cpu_seconds(lambda: ours(others), 1)  # noqa: B023
        explainer = shap.TreeExplainer(model, others)
        their_mixed, wanted_mixed = cpu_seconds(
            lambda: explainer.shap_values(asked, check_additivity=False),  # noqa: B023
            1,
        )
        apart = max(np.abs(values - wanted).max(), np.abs(mixed - wanted_mixed).max())
        rows.append(
            [
                words,
                f"{own:.3f}",
                f"{theirs:.3f}",
                f"{theirs / own:.1f}",
                f"{their_mixed / own_mixed:.1f}",
                f"{apart:.0e}",
            ]
        )
    show(
        f"Shapley values, {n_rows} rows x 20, {n_trees} trees of {n_training:,} rows, shap "
        f"{shap.__version__}",
        ["", "seconds", "shap", "shap x", "background x", "apart"],
        rows,
    )
