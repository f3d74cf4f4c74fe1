"""The names of the package may be used for the first time by several threads at once.

Not so `import spinney.rules` in one thread and `import spinney.tree` in another: between import
statements nothing but the locks of Python stands, and those of 3.11 tell a deadlock where there is
none.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from thinning import sparingly

import spinney

PACKAGE = Path(spinney.__file__).parent
SCRIPT = """
import sys, threading
import spinney

problems, names = [], sys.argv[1:]
barrier = threading.Barrier(len(names))

def use(name):
    barrier.wait()
    try:
        getattr(spinney, name)
    except BaseException as error:
        problems.append(f"{name}: {error!r}")

threads = [threading.Thread(target=use, args=(name,)) for name in names]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit("; ".join(problems) or 0)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    sparingly(
        [
            ["rules", "GPTreeClassifier", "export", "ensemble", "load"],
            ["CARTClassifier", "RandomForestClassifier"],
            ["pruning", "tree"],
        ],
        3,
    ),
    ids=lambda names: names[0],
)
def test_first_use_from_several_threads(names):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *names], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def first_import(path):
    """Return what a file imports first, but for the standard library and the package itself."""
    body = ast.parse(path.read_text()).body
    lines = [ast.unparse(n) for n in body if isinstance(n, ast.Import | ast.ImportFrom)]
    passed = {*sys.stdlib_module_names, "spinney"}
    return next(
        line
        for line in lines
        if line.startswith("from spinney") or line.split()[1].split(".")[0] not in passed
    )


@pytest.mark.parametrize("name", sorted(spinney._SUB_PACKAGES - {"compare", "datasets", "pruning"}))
def test_public_packages_import_the_libraries_first(name):
    folder = PACKAGE / name
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    assert first_import(file) == "from spinney import _libraries"


def test_data_sets_need_no_libraries_first_as_they_import_none():
    code = "import sys, spinney.datasets; sys.exit('sklearn' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def imported(path):
    """Return the packages of spinney that a file imports when it is imported itself."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spinney"):
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name.split(".")[1] for name in full}
    return found


def test_public_packages_do_not_need_each_other_in_a_circle():
    needs = {}
    for name in spinney._SUB_PACKAGES:
        folder = PACKAGE / name
        files = folder.glob("*.py") if folder.is_dir() else [folder.with_suffix(".py")]
        needs[name] = set().union(*map(imported, files)) & spinney._SUB_PACKAGES - {name}
    while needs:
        free = [name for name in needs if not needs[name]]
        assert free, f"in a circle, or behind one: {needs}"
        needs = {name: needs[name] - set(free) for name in needs if name not in free}
