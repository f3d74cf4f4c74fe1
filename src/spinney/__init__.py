"""Decision trees and small, accurate forests that people can read, defend and ship."""

from spinney.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    BoostByFilteringClassifier,
    IGPAForestClassifier,
    IGPAForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingCombiner,
)
from spinney.rules import Rule, RuleSet
from spinney.tree import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    IGPAClassifier,
    IGPARegressor,
    Node,
    Tree,
)

__version__ = "0.1.0"

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BoostByFilteringClassifier",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "ID3Classifier",
    "IGPAClassifier",
    "IGPAForestClassifier",
    "IGPAForestRegressor",
    "IGPARegressor",
    "Node",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Rule",
    "RuleSet",
    "Tree",
    "VotingCombiner",
    "__version__",
]
