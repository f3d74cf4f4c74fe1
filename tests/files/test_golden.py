"""Files that were written once still load and answer as they did."""

import json

import numpy as np
import pytest
from contracts.estimators import CLASSES

import spinney
from files.make_golden import FOLDER, FUNCTIONS, answers
from spinney._file._container import VERSION, VERSIONS
from spinney._state._recipes import estimators

PRESENT = "{}.{}".format(*VERSION)
FILES = sorted(FOLDER.glob("*/*.spinney"))
# Sines and exponentials differ in the last bit between machines.
SMOOTH = ("Mixture", "GP")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_golden_file_loads_and_answers_as_it_did(path, tmp_path):
    model = spinney.load(path, functions=FUNCTIONS)
    assert type(model).__name__ == path.stem
    told = json.loads(path.with_suffix(".json").read_text())
    found = json.loads(json.dumps(answers(model)))
    assert found.keys() == told.keys()
    for name, wanted in told.items():
        if path.stem.startswith(SMOOTH) and isinstance(np.ravel(wanted)[0], float):
            np.testing.assert_allclose(found[name], wanted, rtol=1e-9, atol=1e-12)
        else:
            assert found[name] == wanted
    again = tmp_path / "again.spinney"
    spinney.save(model, again)
    if path.parent.name == PRESENT:
        assert again.read_bytes() == path.read_bytes()
    assert json.loads(json.dumps(answers(spinney.load(again, functions=FUNCTIONS)))) == found


def test_every_version_of_the_format_has_golden_files():
    assert {path.parent.name for path in FILES} == {"{}.{}".format(*one) for one in VERSIONS}


def test_every_class_has_a_golden_file_of_the_version_that_is_written():
    here = {path.stem for path in FILES if path.parent.name == PRESENT}
    names = {cls.__name__ for cls in estimators()}
    assert here == names | {"Tree", "Forest", "RuleSet"}
    assert {cls.__name__ for cls in CLASSES} <= names
    assert {name for name in spinney.__all__ if name.endswith(("Classifier", "Regressor"))} <= names
