"""Values of trees of scikit-learn, brought over, are those that shap finds for them."""

from typing import Any

import numpy as np
import pytest
from explained_problems import classes_of, gappy
from sklearn.datasets import make_classification, make_regression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from spinney import CARTClassifier, CARTRegressor, Tree

shap = pytest.importorskip("shap", reason="shap is not installed", exc_type=ImportError)


def brought_over(model: Any) -> Tree:
    """Return a tree of scikit-learn as one of ours. Its thresholds are compared in float32."""
    tree, nodes = model.tree_, []
    for i in range(tree.node_count):
        weight, answer = float(tree.weighted_n_node_samples[i]), tree.value[i, 0]
        children = [int(tree.children_left[i]), int(tree.children_right[i])]
        inner = children[0] >= 0
        node: dict[str, Any] = {
            "test": f"x{tree.feature[i]} <= {float(tree.threshold[i])!r}" if inner else None,
            "children": children if inner else [],
        }
        if hasattr(model, "classes_"):
            node["counts"] = (weight * answer).tolist()
        else:
            node |= {"value": float(answer[0]), "n_samples": weight, "impurity": 0.0}
        nodes.append(node)
    return Tree.from_dict(
        {
            "classes": model.classes_.tolist() if hasattr(model, "classes_") else None,
            "features": [f"x{j}" for j in range(model.n_features_in_)],
            "nodes": nodes,
        }
    )


@pytest.mark.parametrize("depth", [2, 6, None])
def test_classes_have_the_values_of_shap(depth: int | None) -> None:
    X, y = make_classification(300, 9, n_informative=6, n_classes=3, random_state=0, shuffle=False)
    X = X.astype(np.float32).astype(np.float64)
    model = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    tree, rows = brought_over(model), X[:20]
    np.testing.assert_array_equal(tree.predict(X), model.predict(X))
    theirs = shap.TreeExplainer(model)
    np.testing.assert_allclose(tree.shap_values(rows), theirs.shap_values(rows), atol=1e-9)
    np.testing.assert_allclose(tree.expected_value_, theirs.expected_value, atol=1e-12)
    theirs = shap.TreeExplainer(model, X[50:80], feature_perturbation="interventional")
    np.testing.assert_allclose(
        tree.shap_values(rows, X[50:80]), theirs.shap_values(rows), atol=1e-6
    )


def test_numbers_have_the_values_and_interactions_of_shap() -> None:
    X, y = make_regression(300, 7, random_state=0)
    X = X.astype(np.float32).astype(np.float64)
    model = DecisionTreeRegressor(max_depth=5, random_state=0).fit(X, y)
    tree, theirs = brought_over(model), shap.TreeExplainer(model)
    np.testing.assert_allclose(tree.shap_values(X), theirs.shap_values(X), atol=1e-9 * 1e3)
    np.testing.assert_allclose(
        tree.shap_interaction_values(X[:9]), theirs.shap_interaction_values(X[:9]), atol=1e-6
    )


def test_plots_of_shap_take_what_is_explained() -> None:
    X, y = gappy(0)
    model = CARTClassifier(max_depth=3).fit(X, classes_of(y))
    found = model.shap_explanation(X[:10])
    assert isinstance(found, shap.Explanation)
    assert found.shape == (10, 5, 3)
    assert found.output_names == ["low", "mid", "top"]
    assert list(found.feature_names) == list(X.columns)
    assert found.data[0].tolist()[3] == X["kind"][0]
    np.testing.assert_allclose(
        found.values.sum(axis=1) + found.base_values, model.predict_proba(X[:10]), atol=1e-9
    )
    numbers = CARTRegressor(max_depth=3).fit(X[["x", "z"]], y).shap_explanation(X[["x", "z"]][:10])
    assert numbers.base_values.shape == (10,)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    shap.plots.waterfall(found[0, :, 1], show=False)
    shap.plots.bar(numbers, show=False)
    matplotlib.pyplot.close("all")


def test_without_shap_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = gappy(0)
    model = CARTRegressor(max_depth=2).fit(X, y)
    monkeypatch.setitem(__import__("sys").modules, "shap", None)
    with pytest.raises(ImportError, match="pip install shap"):
        model.shap_explanation(X)
