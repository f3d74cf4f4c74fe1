"""Decision trees and small, accurate forests that people can read, defend and ship.

Names and sub-packages are imported on first use, so that `import spinney` and
`spinney --help` take no time.
"""

from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spinney._file import ModelFileError, load, save
    from spinney._versions import show_versions
    from spinney.ensemble import (
        AdaBoostClassifier,
        AdaBoostRegressor,
        BaggingClassifier,
        BaggingRegressor,
        BoostByFilteringClassifier,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        IGPAForestClassifier,
        IGPAForestRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
        RandomSurvivalForest,
        SmallForestClassifier,
        SmallForestRegressor,
        VotingCombiner,
    )
    from spinney.evolve._gp_forest import GPForestClassifier, GPForestRegressor
    from spinney.evolve._gp_tree import GPTreeClassifier, GPTreeRegressor
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
        SurvivalTree,
        Tree,
    )

__version__ = "0.2.0"

_NAMES = {
    "_file": "ModelFileError load save",
    "_versions": "show_versions",
    "ensemble": "AdaBoostClassifier AdaBoostRegressor BaggingClassifier BaggingRegressor "
    "BoostByFilteringClassifier ExtraTreesClassifier ExtraTreesRegressor IGPAForestClassifier "
    "IGPAForestRegressor RandomForestClassifier RandomForestRegressor "
    "RandomSurvivalForest SmallForestClassifier SmallForestRegressor VotingCombiner",
    "evolve._gp_forest": "GPForestClassifier GPForestRegressor",
    "evolve._gp_tree": "GPTreeClassifier GPTreeRegressor",
    "mixture": "MixtureOfExpertsClassifier MixtureOfExpertsRegressor",
    "rules": "Rule RuleSet",
    "tree": "C45Classifier CARTClassifier CARTRegressor ID3Classifier IGPAClassifier IGPARegressor "
    "Node SurvivalTree Tree",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}
_SUB_PACKAGES = frozenset(
    {"compare", "datasets", "ensemble", "evolve", "export", "mixture", "plot", "pruning"}
    | {"batches", "dask", "edit", "mlflow", "onnx", "report", "rpart", "rules", "shapley", "tree"}
)

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BoostByFilteringClassifier",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
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
    "RandomSurvivalForest",
    "Rule",
    "RuleSet",
    "SmallForestClassifier",
    "SmallForestRegressor",
    "SurvivalTree",
    "Tree",
    "VotingCombiner",
    "__version__",
    "load",
    "save",
    "show_versions",
]


_first_use = RLock()  # one thread at a time imports what is asked for, and all that it needs


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF and name not in _SUB_PACKAGES:
        raise AttributeError(f"module 'spinney' has no attribute {name!r}")
    with _first_use:
        if name in _MODULE_OF:
            value = getattr(import_module(f"spinney.{_MODULE_OF[name]}"), name)
        else:
            value = import_module(f"spinney.{name}")
    globals()[name] = value  # so that the next time costs nothing
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUB_PACKAGES})
