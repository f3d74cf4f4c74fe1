"""Trees, their nodes and tests, and the estimators that learn one tree."""

from spinney.tree._classifier import CARTClassifier
from spinney.tree._node import Node
from spinney.tree._regressor import CARTRegressor
from spinney.tree._segments import segment_borders
from spinney.tree._tests import MultiwayTest, SubsetTest, Surrogate, ThresholdTest
from spinney.tree._view import Tree

__all__ = [
    "CARTClassifier",
    "CARTRegressor",
    "MultiwayTest",
    "Node",
    "SubsetTest",
    "Surrogate",
    "ThresholdTest",
    "Tree",
    "segment_borders",
]
