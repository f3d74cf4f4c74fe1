"""Trees, their nodes and tests, and the estimators that learn one tree."""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney._expression.expression_test import ExpressionTest
from spinney.tree._c45 import C45Classifier
from spinney.tree._cart import CARTClassifier, CARTRegressor
from spinney.tree._discretize import segment_borders
from spinney.tree._id3 import ID3Classifier
from spinney.tree._igpa import IGPAClassifier, IGPARegressor, Iteration
from spinney.tree._leaf_lifetimes import LeafLifetimes
from spinney.tree._node import Node
from spinney.tree._survival_tree import SurvivalTree
from spinney.tree._tests import IntervalTest, MultiwayTest, SubsetTest, Surrogate, ThresholdTest
from spinney.tree._tree import Tree

__all__ = [
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "ExpressionTest",
    "ID3Classifier",
    "IGPAClassifier",
    "IGPARegressor",
    "IntervalTest",
    "Iteration",
    "LeafLifetimes",
    "MultiwayTest",
    "Node",
    "SubsetTest",
    "Surrogate",
    "SurvivalTree",
    "ThresholdTest",
    "Tree",
    "segment_borders",
]
