"""What a public module exports is what it says it exports."""

import importlib
import importlib.util
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import spinney


def _public_modules() -> list[str]:
    found = [spinney.__name__]
    for info in pkgutil.walk_packages(spinney.__path__, "spinney."):
        if not any(part.startswith("_") for part in info.name.split(".")[1:]):
            found.append(info.name)
    return sorted(found)


_NEEDS = {"spinney.dask": "dask"}  # modules that cannot be imported without another library
MODULES = [
    name
    for name in _public_modules()
    if name not in _NEEDS or importlib.util.find_spec(_NEEDS[name]) is not None
]
every_module = pytest.mark.parametrize("name", MODULES)


def _is_from_spinney(value: object) -> bool:
    return str(getattr(value, "__module__", "")).split(".")[0] == "spinney"


def test_the_sub_packages_are_found():
    assert {"spinney", "spinney.tree", "spinney.pruning", "spinney.datasets"} <= set(MODULES)


@every_module
def test_every_exported_name_exists(name):
    module = importlib.import_module(name)
    assert len(set(module.__all__)) == len(module.__all__)
    assert [word for word in module.__all__ if not hasattr(module, word)] == []


@every_module
def test_every_public_class_and_function_is_exported(name):
    """Imports from other libraries do not count, nor do modules."""
    module = importlib.import_module(name)
    defined = {
        word
        for word, value in vars(module).items()
        if not word.startswith("_")
        and not isinstance(value, ModuleType)
        and callable(value)
        and _is_from_spinney(value)
        and (hasattr(module, "__path__") or value.__module__ == name)
    }
    assert defined - set(module.__all__) == set()


@every_module
def test_what_is_exported_is_documented(name):
    module = importlib.import_module(name)
    assert module.__doc__
    bare = [
        word
        for word in module.__all__
        if callable(value := getattr(module, word)) and not value.__doc__
    ]
    assert bare == []


def test_a_star_import_gives_the_exported_names():
    for name in MODULES:
        space: dict[str, object] = {}
        exec(f"from {name} import *", space)
        assert set(importlib.import_module(name).__all__) <= set(space)


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert spinney.__version__ == version("spinney")


@pytest.mark.slow
def test_every_public_module_can_be_imported_first():
    """Names are imported when asked for, so no module may rely on others having been before it."""
    code = (
        "import sys\nfrom importlib import import_module\nimport spinney._core\n"
        f"for name in {MODULES!r}:\n"
        "    import_module(name)\n"
        "    for loaded in [n for n in sys.modules if n.startswith('spinney')]:\n"
        "        if loaded != 'spinney._core':\n"
        "            del sys.modules[loaded]\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_importing_the_package_imports_no_other_library():
    code = "import sys, spinney\nprint(sorted({'numpy', 'sklearn', 'click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout == "[]\n", done.stderr


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'spinney' has no attribute 'Carrot'"):
        spinney.Carrot  # noqa: B018
