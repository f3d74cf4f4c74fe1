"""Ensembles: sampling, learners, selection of members, combination of their predictions."""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.ensemble._bagged import PermutationImportance
from spinney.ensemble._bagging import BaggingClassifier, BaggingRegressor
from spinney.ensemble._boosting import AdaBoostClassifier, AdaBoostRegressor
from spinney.ensemble._distil import Distillation
from spinney.ensemble._diversity import (
    Diversity,
    binomial_accuracy,
    disagreement,
    diversity,
    kappa,
    q_statistic,
)
from spinney.ensemble._extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from spinney.ensemble._filtering import BoostByFilteringClassifier
from spinney.ensemble._forest import Forest
from spinney.ensemble._igpa_forest import IGPAForestClassifier, IGPAForestRegressor
from spinney.ensemble._random_forest import RandomForestClassifier, RandomForestRegressor
from spinney.ensemble._selection import SelectionReport
from spinney.ensemble._small_forest import SmallForestClassifier, SmallForestRegressor
from spinney.ensemble._small_report import SmallForestReport
from spinney.ensemble._survival_forest import RandomSurvivalForest
from spinney.ensemble._voting import VotingCombiner
from spinney.ensemble._voting_rules import CoverageTable

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BoostByFilteringClassifier",
    "CoverageTable",
    "Distillation",
    "Diversity",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "Forest",
    "IGPAForestClassifier",
    "IGPAForestRegressor",
    "PermutationImportance",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomSurvivalForest",
    "SelectionReport",
    "SmallForestClassifier",
    "SmallForestRegressor",
    "SmallForestReport",
    "VotingCombiner",
    "binomial_accuracy",
    "disagreement",
    "diversity",
    "kappa",
    "q_statistic",
]
