"""Decision trees and small, accurate forests that people can read, defend and ship.

Names and sub-packages are imported when they are first asked for, so that `import spinney` and
`spinney --help` take no time.
"""

from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spinney._file import ModelFileError, load, save
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

__version__ = "0.1.0"

_MODULE_OF = {
    "AdaBoostClassifier": "ensemble",
    "AdaBoostRegressor": "ensemble",
    "BaggingClassifier": "ensemble",
    "BaggingRegressor": "ensemble",
    "BoostByFilteringClassifier": "ensemble",
    "C45Classifier": "tree",
    "CARTClassifier": "tree",
    "CARTRegressor": "tree",
    "GPForestClassifier": "evolve._forest",
    "GPForestRegressor": "evolve._forest",
    "GPTreeClassifier": "evolve._tree",
    "GPTreeRegressor": "evolve._tree",
    "ID3Classifier": "tree",
    "IGPAClassifier": "tree",
    "IGPAForestClassifier": "ensemble",
    "IGPAForestRegressor": "ensemble",
    "IGPARegressor": "tree",
    "MixtureOfExpertsClassifier": "mixture",
    "MixtureOfExpertsRegressor": "mixture",
    "ModelFileError": "_file",
    "Node": "tree",
    "RandomForestClassifier": "ensemble",
    "RandomForestRegressor": "ensemble",
    "Rule": "rules",
    "RuleSet": "rules",
    "Tree": "tree",
    "VotingCombiner": "ensemble",
    "load": "_file",
    "save": "_file",
}
_SUB_PACKAGES = frozenset(
    {"compare", "datasets", "ensemble", "evolve", "export", "mixture", "plot", "pruning"}
    | {"rules", "tree"}
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
