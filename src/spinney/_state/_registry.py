"""The list of classes that models are made of. A class that is not here is in no model file."""

from typing import Any

import spinney
from spinney._state._estimators import estimator
from spinney._state._functions import FUNCTIONS
from spinney._state._outside import OUTSIDE
from spinney._state._recipes import Recipe
from spinney._state._records import RECORDS
from spinney._state._rules import RULES
from spinney._state._trees import TREES

ESTIMATORS: tuple[type, ...] = (
    spinney.AdaBoostClassifier,
    spinney.AdaBoostRegressor,
    spinney.BaggingClassifier,
    spinney.BaggingRegressor,
    spinney.BoostByFilteringClassifier,
    spinney.C45Classifier,
    spinney.CARTClassifier,
    spinney.CARTRegressor,
    spinney.GPForestClassifier,
    spinney.GPForestRegressor,
    spinney.GPTreeClassifier,
    spinney.GPTreeRegressor,
    spinney.ID3Classifier,
    spinney.IGPAClassifier,
    spinney.IGPAForestClassifier,
    spinney.IGPAForestRegressor,
    spinney.IGPARegressor,
    spinney.MixtureOfExpertsClassifier,
    spinney.MixtureOfExpertsRegressor,
    spinney.RandomForestClassifier,
    spinney.RandomForestRegressor,
    spinney.VotingCombiner,
)

_ALL: list[Recipe[Any]] = [
    *map(estimator, ESTIMATORS),
    *TREES,
    *RULES,
    *RECORDS,
    *FUNCTIONS,
    *OUTSIDE,
]
RECIPES: dict[str, Recipe[Any]] = {recipe.name: recipe for recipe in _ALL}
BY_CLASS: dict[type, Recipe[Any]] = {recipe.cls: recipe for recipe in _ALL}
assert len(RECIPES) == len(BY_CLASS) == len(_ALL), "two recipes have one name or one class"
