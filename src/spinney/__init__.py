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
from spinney.evolve._forest import GPForestClassifier, GPForestRegressor
from spinney.evolve._tree import GPTreeClassifier, GPTreeRegressor
from spinney.mixture import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
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

from spinney._file import ModelFileError, load, save  # isort: skip  # it knows all of the above

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
    "GPForestClassifier",
    "GPForestRegressor",
    "GPTreeClassifier",
    "GPTreeRegressor",
    "ID3Classifier",
    "IGPAClassifier",
    "IGPAForestClassifier",
    "IGPAForestRegressor",
    "IGPARegressor",
    "MixtureOfExpertsClassifier",
    "MixtureOfExpertsRegressor",
    "ModelFileError",
    "Node",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Rule",
    "RuleSet",
    "Tree",
    "VotingCombiner",
    "__version__",
    "load",
    "save",
]
