"""Cases of rpart's method "exp": their data, their fits, and the comparison of the trees.

`make_lifetimes.R` describes the files.
"""

from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rpart_compare import Comparison
from rpart_counts import CountCase

from spinney import SurvivalTree

FOLDER = Path(__file__).parent / "lifetimes"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


class LifetimeCase(CountCase):
    """One file of results, and the data it came from."""

    folder = FOLDER

    @cached_property
    def y(self) -> Any:
        return self.data[".event"].to_numpy(dtype=float)

    @cached_property
    def exposure(self) -> Any:
        return np.array(self.raw["scaled"])

    @property
    def lifetimes(self) -> pd.DataFrame:
        return pd.DataFrame({"event": self.y, "time": self.data[".time"].astype(float)})


def new_tree(case: LifetimeCase, **settings: Any) -> SurvivalTree:
    control = case.raw["control"]
    return SurvivalTree(
        prior_cv=case.raw["shrink"],
        min_samples_split=control["minsplit"],
        min_samples_leaf=control["minbucket"],
        max_depth=control["maxdepth"],
        max_surrogates=control["maxsurrogate"],
        surrogate_style="agreement" if control["surrogatestyle"] else "count",
        min_impurity_decrease=1e-12,
        pruning="cost_complexity",
        **settings,
    )


@cache
def fitted_lifetimes(name: str) -> tuple[LifetimeCase, SurvivalTree, Comparison]:
    case = LifetimeCase(name)
    tree = new_tree(case, ccp_alpha=1e-12).fit(case.table, case.lifetimes)
    return case, tree, Comparison(case).run(tree.tree_.root)
