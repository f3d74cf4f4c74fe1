"""Slow, obvious trees: the oracle that the core is compared with. See README.md."""

from .check import annotate, check_tree
from .criteria import altered_prior_weights, gain, impurity, impurity_scale, prior_weights
from .grow import grow
from .missing import best_surrogate, divide, surrogates
from .predict import leaf_value, predict, predict_row
from .prune import (
    PruningStep,
    first_tree,
    node_risks,
    reduced_error,
    weakest_link_sequence,
    weakest_links,
)
from .selection import Selection, betas, select_by_cv, select_by_test_sample
from .settings import Settings
from .splits import Split, all_splits, best_split, midpoint, required_splits, split_gain
from .structure import Node, Surrogate, Test, tree_from_dict, tree_to_dict

__all__ = [
    "Node",
    "PruningStep",
    "Selection",
    "Settings",
    "Split",
    "Surrogate",
    "Test",
    "all_splits",
    "altered_prior_weights",
    "annotate",
    "best_split",
    "best_surrogate",
    "betas",
    "check_tree",
    "divide",
    "first_tree",
    "gain",
    "grow",
    "impurity",
    "impurity_scale",
    "leaf_value",
    "midpoint",
    "node_risks",
    "predict",
    "predict_row",
    "prior_weights",
    "reduced_error",
    "required_splits",
    "select_by_cv",
    "select_by_test_sample",
    "split_gain",
    "surrogates",
    "tree_from_dict",
    "tree_to_dict",
    "weakest_link_sequence",
    "weakest_links",
]
