"""Draw the pictures of the documentation: `python docs/images/make_images.py`."""

from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot

from spinney import CARTClassifier
from spinney.datasets import load_german_credit, load_iris
from spinney.plot import plot_pruning_path, plot_regions, plot_tree

HERE = Path(__file__).parent


def plot_values() -> Any:
    """Draw what each column adds to the probability that a borrower does not pay back."""
    data = load_german_credit()
    model = CARTClassifier(max_depth=3, random_state=0).fit(data.X, data.y)
    values = model.shap_values(data.X[1:2])[0, :, 0]
    used = sorted((j for j in range(len(values)) if values[j]), key=lambda j: abs(values[j]))
    axes = matplotlib.pyplot.figure(figsize=(7, 2.5)).add_subplot()
    shown = [f"{data.X.columns[j]} is {data.X.iloc[1, j]}" for j in used]
    axes.barh(shown, values[used], color=["C3" if values[j] > 0 else "C0" for j in used])
    axes.axvline(0.0, color="black", linewidth=0.8)
    answer = model.expected_value_[0] + values.sum()
    axes.set_xlabel(
        f"probability of bad: {model.expected_value_[0]:.2f} expected, {answer:.2f} said"
    )
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def main() -> None:
    """Draw all of them into the folder of this file."""
    matplotlib.use("Agg")
    data = load_german_credit()
    model = CARTClassifier(pruning="cost_complexity", random_state=0).fit(data.X, data.y)
    iris = load_iris()
    two = iris.X[["petal_length", "petal_width"]]
    small = CARTClassifier(max_depth=2).fit(two, iris.y)
    pictures = {
        "german_credit": plot_tree(model, title="Who pays back? 1000 borrowers"),
        "pruning_path": plot_pruning_path(model.pruning_path_, max_leaves=60),
        "iris_regions": plot_regions(small, two, iris.y),
        "shapley_values": plot_values(),
    }
    for name, axes in pictures.items():
        axes.figure.savefig(
            HERE / f"{name}.png", dpi=120, bbox_inches="tight", metadata={"Software": None}
        )


if __name__ == "__main__":
    main()
