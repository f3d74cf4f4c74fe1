"""Draw the pictures of the documentation: `python docs/images/make_images.py`."""

from pathlib import Path

import matplotlib

from spinney import CARTClassifier
from spinney.datasets import load_german_credit, load_iris
from spinney.plot import plot_pruning_path, plot_regions, plot_tree

HERE = Path(__file__).parent


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
    }
    for name, axes in pictures.items():
        axes.figure.savefig(
            HERE / f"{name}.png", dpi=120, bbox_inches="tight", metadata={"Software": None}
        )


if __name__ == "__main__":
    main()
