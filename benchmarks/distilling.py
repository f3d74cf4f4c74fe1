"""Errors of a tree of 12 leaves: distilled from a forest, and grown on the labels.

Run it as `python -m benchmarks.distilling [--trees N] [--repeats N]`. It prints the table of
`docs/guide/distilling.md`, five folds of 16 bundled data sets: test errors in percent, and how
often the tree says what the forest says, on test rows and as `distil` told it from training rows.
"""

import argparse
import warnings

import numpy as np

from benchmarks.shrinkage import SETS, folds_of
from spinney import CARTClassifier, RandomForestClassifier
from spinney.pruning import cost_complexity_path

_HEADS = ("forest", "CART", "pruned", "distilled", "estimate", "rules", "agreement", "estimate")
_LEAVES = 12


def measure(name: str, n_trees: int, repeats: int) -> list[float]:
    """Return the figures of a data set, in percent."""
    found = []
    for repeat in range(repeats):
        for X, y, X_test, y_test in folds_of(name, repeat):
            forest = RandomForestClassifier(n_trees, oob_score=False, random_state=repeat)
            said = forest.fit(X, y).predict(X_test)
            grown = CARTClassifier(max_leaf_nodes=_LEAVES).fit(X, y)
            path = cost_complexity_path(CARTClassifier().fit(X, y).tree_)
            pruned = path.trees[int(np.flatnonzero(path.n_leaves <= _LEAVES)[0])]
            tree = forest.distil(X, y, max_leaves=_LEAVES, random_state=repeat)
            rules = tree.tree_.rules().prune(X, forest.predict(X))
            models = (grown, pruned, tree, rules)
            errors = [np.mean(model.predict(X_test) != y_test) for model in models]
            agrees = np.mean(tree.predict(X_test) == said)
            told = tree.distillation_
            errors.insert(3, told.error)
            found.append([np.mean(said != y_test), *errors, agrees, told.agreement])
    means: list[float] = (100 * np.mean(found, axis=0)).tolist()
    return means


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--sets", nargs="*", default=SETS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'':24}" + "".join(f"{head:>11}" for head in _HEADS))
    rows = []
    for name in given.sets:
        rows.append(measure(name, given.trees, given.repeats))
        print(f"{name:24}" + "".join(f"{value:11.2f}" for value in rows[-1]), flush=True)
    print(f"{'mean':24}" + "".join(f"{value:11.2f}" for value in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
