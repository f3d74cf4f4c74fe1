"""Files and classes have names of their own: one name, one meaning."""

import importlib
import pkgutil
from collections import defaultdict
from pathlib import Path

import spinney

PACKAGE = Path(spinney.__file__).parent
# Estimators on a cluster have the names of those whose trees they grow.
NAMESAKES = {"dask"}


def repeated(places: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the names that stand in several places."""
    return {name: found for name, found in places.items() if len(found) > 1}


def test_no_file_name_is_in_two_packages() -> None:
    """But for `__init__` and commands, which are named for what they run."""
    places = defaultdict(set)
    for file in PACKAGE.rglob("*.py"):
        if file.name != "__init__.py" and file.parent.name != "commands":
            places[file.name].add(file.relative_to(PACKAGE).parent.as_posix())
    assert len(places) > 100
    assert repeated(places) == {}


def test_no_two_public_classes_have_one_name() -> None:
    places = defaultdict(set)
    for info in pkgutil.walk_packages(spinney.__path__, "spinney."):
        words = set(info.name.split(".")[1:])
        if words & NAMESAKES or any(word.startswith("_") for word in words):
            continue
        module = importlib.import_module(info.name)
        values = [getattr(module, name) for name in module.__all__]
        for one in (value for value in values if isinstance(value, type)):
            places[one.__name__].add(one.__module__)
    assert len(places) > 50
    assert repeated(places) == {}


def test_a_name_that_is_there_twice_is_found() -> None:
    assert repeated({"_json.py": {"rules", "export"}, "_sql.py": {"export"}}) == {
        "_json.py": {"rules", "export"}
    }
