"""Modules run by a bare interpreter say what the model says."""

import ast
import pickle
import subprocess
import sys

import numpy as np
import pytest

from spinney import Tree
from spinney.export import to_python

# The modules run in a space where importing fails; only the frame around them imports.
RUN = """
import builtins, pickle, sys

def refuse(*names, **others):
    raise ImportError(names[0])

with open(sys.argv[1], "rb") as file:
    given = pickle.load(file)
said = []
for code, rows in given:
    space = {"__builtins__": {**vars(builtins), "__import__": refuse}}
    exec(compile(code, "module", "exec"), space)
    columns, predict, proba = space["COLUMNS"], space["predict"], space.get("predict_proba")
    rows = [dict(zip(columns, row)) if i % 2 else row for i, row in enumerate(rows)]
    said.append(([predict(row) for row in rows], proba and [proba(row) for row in rows]))
with open(sys.argv[2], "wb") as file:
    pickle.dump(said, file)
"""


@pytest.fixture(scope="session")
def python_answers(all_cases, tmp_path_factory):
    """What the modules of all models say when a bare interpreter runs them."""
    folder = tmp_path_factory.mktemp("python")
    (folder / "run.py").write_text(RUN)
    given = [(to_python(case.model), case.rows) for case in all_cases]
    (folder / "given").write_bytes(pickle.dumps(given))
    command = [sys.executable, "-I", "run.py", "given", "said"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    said = pickle.loads((folder / "said").read_bytes())
    return {case.name: entry for case, entry in zip(all_cases, said, strict=True)}


def test_a_module_run_alone_predicts_as_the_model(case, python_answers):
    predicted, probabilities = python_answers[case.name]
    assert (probabilities is None) == (case.classes is None)
    case.check(predicted, probabilities)


def module_of(model):
    space = {}
    exec(to_python(model), space)
    return space


@pytest.fixture
def nominal() -> Tree:
    return Tree.from_dict(
        {
            "classes": [1, 2],
            "features": ["code"],
            "categories": {"code": [1, 2.5, 7]},
            "nodes": [
                {
                    "test": "code",
                    "branches": [[1, 2.5], [7]],
                    "children": [1, 2],
                    "counts": [5, 5],
                    "default_branch": 1,
                },
                {"test": None, "children": [], "counts": [4, 1]},
                {"test": None, "children": [], "counts": [1, 4]},
            ],
        }
    )


@pytest.mark.parametrize(
    "value", [1, 1.0, True, "1", "1.0", "2.5", 2.5, 7, "7", "x", "1_0", None, float("nan"), 9]
)
def test_categories_match_as_they_do_in_the_model(nominal, value):
    column = nominal.schema.columns[0]
    missing = value is None or value != value
    code = None if missing else column.code_of(value)
    expected = nominal.predict(np.array([[np.nan if code is None else float(code)]]), encoded=True)[
        0
    ]
    assert module_of(nominal)["predict"]([value]) == expected


def test_nothing_is_imported(case):
    tree = ast.parse(to_python(case.model))
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]


def test_a_row_of_the_wrong_length_is_refused(nominal):
    with pytest.raises(ValueError, match="a row has 1 values, got 2"):
        module_of(nominal)["predict"]([1, 2])


def test_a_row_without_a_column_is_refused(nominal):
    with pytest.raises(KeyError, match="code"):
        module_of(nominal)["predict"]({"cod": 1})


def test_the_nodes_read_well(nominal):
    assert """\
NODES = (
    (((0, (), {0: 0, 1: 0, 2: 1}, False),), 1, 1, ()),  # 0: code
    ((), (0.8, 0.2,), 0),  # 1: predicts 1
    ((), (0.2, 0.8,), 1),  # 2: predicts 2
)
""" in to_python(nominal)
