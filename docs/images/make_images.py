"""Draw the pictures of the documentation: `python docs/images/make_images.py`."""

from pathlib import Path

import matplotlib

from spinney import CARTClassifier
from spinney.datasets import load_german_credit
from spinney.plot import plot_tree

HERE = Path(__file__).parent


def main() -> None:
    """Draw all of them into the folder of this file."""
    matplotlib.use("Agg")
    data = load_german_credit()
    model = CARTClassifier(pruning="cost_complexity", random_state=0).fit(data.X, data.y)
    axes = plot_tree(model, title="Who pays back? 1000 borrowers")
    axes.figure.savefig(
        HERE / "german_credit.png", dpi=120, bbox_inches="tight", metadata={"Software": None}
    )


if __name__ == "__main__":
    main()
