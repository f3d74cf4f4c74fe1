"""Decision trees and small, accurate forests that people can read, defend and ship."""

from spinney.rules import Rule, RuleSet
from spinney.tree import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, Node, Tree

__version__ = "0.1.0"

__all__ = [
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "ID3Classifier",
    "Node",
    "Rule",
    "RuleSet",
    "Tree",
    "__version__",
]
