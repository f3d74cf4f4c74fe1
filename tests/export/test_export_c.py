"""Headers compiled by a C and a C++ compiler say what the model says."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from export_c_program import cell, source

from spinney import Tree
from spinney.export import to_c

COMPILER = shutil.which("gcc") or shutil.which("cc")
CPP_COMPILER = shutil.which("g++") or shutil.which("c++")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


@pytest.fixture(scope="session")
def c_folder(all_cases, tmp_path_factory) -> Path:
    """The headers of all models, and a program that includes them."""
    made = tmp_path_factory.mktemp("c")
    for i, case in enumerate(all_cases):
        (made / f"m{i}.h").write_text(to_c(case.model, f"m{i}"), encoding="utf-8")
    for name in ("main.c", "main.cpp"):
        (made / name).write_text(source(all_cases))
    return made


def run_compiler(*command: str) -> None:
    done = subprocess.run([*command, *STRICT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.fixture(scope="session")
def c_program(c_folder) -> Path:
    run_compiler(COMPILER or "", "-std=c99", str(c_folder / "main.c"), "-o", str(c_folder / "main"))
    return c_folder / "main"


@needs_compiler
def test_a_program_in_c_predicts_as_the_model(case, all_cases, c_program):
    place = next(i for i, other in enumerate(all_cases) if other is case)
    text = "\0".join(cell(value) for row in case.rows for value in row)
    command = [str(c_program), str(place), str(len(case.rows))]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    numbers = np.frombuffer(done.stdout).reshape(len(case.rows), -1)
    if case.classes is None:
        case.check(numbers[:, 0])
    else:
        case.check(case.classes[numbers[:, 0].astype(int)].tolist(), numbers[:, 1:])


@pytest.mark.skipif(CPP_COMPILER is None, reason="there is no C++ compiler")
def test_the_headers_are_c_plus_plus_too(c_folder):
    run_compiler(CPP_COMPILER or "", "-fsyntax-only", str(c_folder / "main.cpp"))


def test_the_header_includes_nothing_and_names_the_tests(case):
    text = to_c(case.model, "loans")
    assert "#include" not in text
    named = case.said_by.n_nodes if isinstance(case.said_by, Tree) else 1
    assert text.count(" /* ") >= named
    assert "PREFIX" not in text


def test_text_of_the_model_is_not_taken_for_code():
    tree = Tree.from_dict(
        {
            "classes": ["PREFIX_a */", "PREFIX_b"],
            "features": ["PREFIX_x"],
            "nodes": [{"test": None, "children": [], "counts": [1, 2]}],
        }
    )
    text = to_c(tree, "loans")
    assert '"PREFIX_a */"' in text
    assert '"PREFIX_x"' in text
    assert "PREFIX_predict" not in text


@pytest.mark.parametrize("prefix", ["", "2x", "a-b", "a b", "a;b", "é", None])
def test_a_prefix_that_is_no_name_is_refused(prefix):
    tree = Tree.from_dict(
        {
            "classes": ["a"],
            "features": ["x"],
            "nodes": [{"test": None, "children": [], "counts": [1]}],
        }
    )
    with pytest.raises(ValueError, match="prefix must be a name in C"):
        to_c(tree, prefix)


def test_the_nodes_read_well():
    tree = Tree.from_dict(
        {
            "classes": ["bad", "good"],
            "features": ["income"],
            "nodes": [
                {"test": "income <= 36", "children": [1, 2], "counts": [5, 5]},
                {"test": None, "children": [], "counts": [4, 1]},
                {"test": None, "children": [], "counts": [1, 4]},
            ],
        }
    )
    assert """\
static const model_test model_tests[] = {
  {0, 0, 1, 0, 0, 0},
};
static const double model_cuts[] = {
  36.0,
};
static const int model_codes[] = {
  0,
};
static const int model_branches[] = {
  0,
};
static const model_node model_nodes[] = {
  {0, 1, 1, 2, 0, -1, 0}, /* 0: income <= 36 */
  {1, 1, 0, 0, 0, 0, 0}, /* 1: predicts bad */
  {1, 1, 0, 0, 0, 1, 1}, /* 2: predicts good */
};
""" in to_c(tree)
