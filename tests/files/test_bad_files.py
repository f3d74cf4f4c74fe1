"""Files that are damaged, strange, or wrong in one thing: each is refused, with the reason."""

import json
import locale
import os
import pickle
import re
import shutil
import subprocess
import time
from dataclasses import replace

import joblib
import numpy as np
import pytest
from safetensors import safe_open

import spinney
from files.kit import sealed, with_array, with_text, written
from spinney import CARTClassifier, CARTRegressor, GPTreeClassifier, RandomForestClassifier
from spinney._file._container import MAX_HEADER, parse
from spinney._file._models import contents_of

SMALL = {"max_depth": 3, "max_surrogates": 1}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=40), "c": rng.choice(["a", "b", "c", "d"], 40)}
    return X, np.where((X["x"] > 0) ^ (X["c"] == "a"), "yes", "no")


@pytest.fixture(scope="module")
def tree(table):
    return CARTClassifier(**SMALL).fit(*table)


@pytest.fixture(scope="module")
def forest(table):
    return RandomForestClassifier(3, oob_score=False, random_state=0).fit(*table)


@pytest.fixture(scope="module")
def evolved(table):
    return GPTreeClassifier(population_size=20, generations=3, random_state=0).fit(*table)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.spinney"


def refusal(path):
    """Return why a file is refused."""
    with pytest.raises(spinney.ModelFileError) as caught:
        spinney.load(path)
    assert repr(str(path)) in str(caught.value)
    return str(caught.value)


# -- Damage


@pytest.fixture(scope="module")
def stump():
    return CARTRegressor(max_depth=1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 5.0]).tree_


@pytest.mark.slow
def test_a_file_that_ends_early_is_refused_wherever_it_ends(stump, path):
    spinney.save(stump, path)
    data = path.read_bytes()
    for n in range(len(data)):
        path.write_bytes(data[:n])
        refusal(path)


@pytest.mark.slow
def test_a_file_with_one_bit_flipped_is_refused_whichever_it_is(stump, path):
    spinney.save(stump, path)
    data = bytearray(path.read_bytes())
    begin = 8 + int.from_bytes(data[:8], "little")
    for place in range(len(data)):
        for bit in range(8):
            data[place] ^= 1 << bit
            if place < 8 or (bit == 0 and place % 5 == 0):
                path.write_bytes(data)
                refusal(path)
            else:  # the same without a file, for speed
                with pytest.raises(spinney.ModelFileError):
                    parse(bytes(data[:begin]), np.frombuffer(data[begin:], np.uint8))
            data[place] ^= 1 << bit


def test_bytes_behind_the_end_are_refused(stump, path):
    spinney.save(stump, path)
    data = path.read_bytes()
    for more in (data + b"\0", sealed(data + b"\0"), data[:-1]):
        path.write_bytes(more)
        assert "arrays end at" in refusal(path)


def test_a_file_is_measured_before_room_is_taken_for_it(stump, path):
    spinney.save(stump, path)
    os.truncate(path, 2**40)  # takes no room on the disk
    assert "arrays end at" in refusal(path)


# -- Wrong in one thing, with a right checksum


def put(place, value):
    def change(array):
        array[place] = value

    return change


def wider(array):
    return array.astype({1: np.uint16, 2: np.uint32}[array.dtype.itemsize])


TREE_CASES = {
    "its own child": ("parts.child", put(0, 0), "node 0: children out of range"),
    "child shared": ("parts.child", put(1, 1), "children out of range|another parent|no parent"),
    "child out of range": ("parts.child", put(-1, 99), "node .*: children out of range"),
    "unknown kind": ("parts.kind", put(1, 7), "node 1: unknown kind of test"),
    "feature out of range": ("parts.feature", put(0, 5), "node 0: feature out of range"),
    "threshold NaN": ("parts.threshold", put(0, np.nan), "node .*: threshold is NaN"),
    "category out of range": ("parts.code", put(-1, 9), "category code is not in the vocabulary"),
    "branch out of range": ("parts.branch", put(0, 5), "branch that is not there"),
    "wider than needed": ("parts.kind", wider, "'kind' is of a wider type"),
    "one node less": ("parts.kind", lambda a: a[:-1], "'kind' has too few entries"),
    "one node more": ("parts.kind", lambda a: np.append(a, a[:1]), "'kind' has too many entries"),
    "empty": ("parts.gain", lambda a: a[:0], "'gain' is empty"),
    "two dimensions": ("parts.gain", lambda a: a[None], "'gain' is no array of numbers"),
    "signed": ("parts.kind", lambda a: a.astype(np.int8), "'kind' is of a type"),
    "no class": ("parts.n_classes", put(0, 3), "too few entries|3 classes, but 2 are named"),
    "rule for gaps": ("parts.missing", put(0, 5), "unknown rule for missing values"),
}


@pytest.mark.parametrize(("name", "change", "words"), TREE_CASES.values(), ids=TREE_CASES)
def test_arrays_that_are_no_tree_are_refused(tree, path, name, change, words):
    written(with_array(tree, name, change), path)
    message = refusal(path)
    assert re.search(words, message), message


def test_a_damaged_state_is_refused_by_pickle_too(tree):
    for name, change, _ in TREE_CASES.values():
        state = tree.tree_.__getstate__()
        key = name.removeprefix("parts.")
        array = np.array(state["parts"][key])
        changed = change(array)
        state["parts"] = {**state["parts"], key: array if changed is None else changed}
        with pytest.raises(ValueError, match=r"\w"):
            spinney.Tree.__new__(spinney.Tree).__setstate__(state)


def test_a_damaged_estimator_is_refused_by_pickle_too(tree, forest):
    cases = [
        (tree, "fitted", "tree_", None, "tree_ must be a Tree, got None"),
        (tree, "fitted", "n_features_in_", 7, "n_features_in_ is not the schema's"),
        (tree, "fitted", "other_", 7, "has no attribute 'other_'"),
        (tree, "params", "other", 7, "has no parameter 'other'"),
        (tree, "fitted", "classes_", np.array(["a", "b"]), "tree_ has other classes"),
        (forest, "fitted", "selected_", np.array([0, 3]), "selected_ are no members"),
        (forest, "fitted", "selected_", np.array([1.0]), "selected_ must be a 1-D array of int64"),
        (forest, "fitted", "_seed", True, "_seed must be a whole number"),
    ]
    for model, part, name, value, words in cases:
        state = model.__getstate__()
        state[part] = {**state[part], name: value}
        with pytest.raises(ValueError, match=words):
            type(model).__new__(type(model)).__setstate__(state)
        lacking = model.__getstate__()
        lacking[part] = {k: v for k, v in lacking[part].items() if k != name}
        if name in state[part] and not name.startswith("other"):
            with pytest.raises(ValueError, match=f"lacks '{name}'|classes"):
                type(model).__new__(type(model)).__setstate__(lacking)


def test_the_tree_of_a_forest_is_named(forest, path):
    last = len(contents_of(forest).arrays[_name(forest, "parts.kind")]) - 1
    written(with_array(forest, "parts.kind", put(last, 9)), path)
    assert "tree 2, node" in refusal(path)
    written(
        with_array(forest, "parts.value", lambda a: put(0, np.inf)(f := a.astype("f4")) or f), path
    )
    assert "tree 0, node 0: value is not finite" in refusal(path)


def _infinite(array):
    wide = array.astype(np.float32)
    wide[0] = np.inf
    return wide


def _name(model, end):
    (name,) = [one for one in contents_of(model).arrays if one.endswith(end)]
    return name


def test_expressions_that_are_none_are_refused(evolved, path):
    cases = [
        ("parts.op", put(0, 12), "unknown operation"),
        ("parts.op", put(0, 2), "lacks an operand"),
        ("parts.n_tokens", put(0, 1), "one result|lacks an operand|true or false"),
    ]
    for name, change, words in cases:
        written(with_array(evolved, name, change), path)
        assert re.search(words, refusal(path))


TEXT_CASES = {
    "unknown class": ('"class":"Tree"', '"class":"eval"', "unknown class 'eval'"),
    "unknown parameter": ('["max_depth",', '["max_dept",', "no parameter 'max_dept'"),
    "unknown attribute": ('["tree_",', '["tree",', "no attribute 'tree'"),
    "attribute missing": ('["n_features_in_",2],', "", "lacks 'n_features_in_'"),
    "another type": ('["n_features_in_",2]', '["n_features_in_","2"]', "must be a whole number"),
    "other columns": ('["n_features_in_",2]', '["n_features_in_",3]', "not the schema's"),
    "object behind": ('{"object":1}', '{"object":9}', "does not come before"),
    "array elsewhere": (
        '"2.fitted.classes_"',
        '"0.names"',
        "must be the array '2.fitted.classes_'",
    ),
    "unknown kind of value": ('{"dict":[["_schema"', '{"code":[["_schema"', "unknown kind 'code'"),
    "spaces": ('"class":"Tree"', '"class": "Tree"', "not written the way"),
    "number that JSON lacks": ('["max_depth",3]', '["max_depth",NaN]', "not.* JSON"),
    "one key twice": ('["max_depth",3]', '["max_leaf_nodes",3]', "one key twice"),
    "no list": ("[", "3,[", "no valid JSON"),
    "deep": ('["max_depth",3]', f'["max_depth",{"[" * 90}{"]" * 90}]', "nested too deeply"),
    "deeper": ('["max_depth",3]', f'["max_depth",{"[" * 90000}{"]" * 90000}]', "JSON|deeply"),
    "lists": ('["max_depth",3]', f'["max_depth",[{"[]," * 2**19}[]]]', "more than 524288 lists"),
    "digits": ('["max_depth",3]', f'["max_depth",{"9" * 99}]', "too many digits"),
}


@pytest.mark.parametrize(("old", "new", "words"), TEXT_CASES.values(), ids=TEXT_CASES)
def test_descriptions_that_are_wrong_are_refused(tree, path, old, new, words):
    written(with_text(tree, old, new), path)
    message = refusal(path)
    assert re.search(words, message), message


def test_an_array_that_belongs_to_nothing_is_refused(tree, path):
    contents = contents_of(tree)
    written(replace(contents, arrays={**contents.arrays, "9.x": np.zeros(1, np.uint8)}), path)
    assert "belongs to nothing" in refusal(path)
    backwards = dict(reversed(list(contents.arrays.items())))
    written(replace(contents, arrays=backwards), path)
    assert "not in their order" in refusal(path)


# -- The header


def change_header(path, old, new):
    data = path.read_bytes()
    assert old in data
    length = int.from_bytes(data[:8], "little")
    header = data[8 : 8 + length].replace(old, new, 1)
    path.write_bytes(sealed(len(header).to_bytes(8, "little") + header + data[8 + length :]))


HEADER_CASES = {
    "unknown metadata": (b'"description":', b'"author":"me","description":', "missing"),
    "unknown type": (b'"dtype":"F64"', b'"dtype":"C64"', "unknown type 'C64'"),
    "shape": (b'"shape":[', b'"shape":[2,', "does not fit its bytes"),
    "negative": (b'"shape":[', b'"shape":[-', "arrays end at 0 of"),
    "hole": (b'"data_offsets":[0,', b'"data_offsets":[8,', "does not begin where"),
    "2**60": (b'"data_offsets":[0,', b'"data_offsets":[0,1152921504606846976],"x":[', "arrays end"),
    "2**62": (b'"shape":[', b'"shape":[4611686018427387904,', "does not fit its bytes"),
    "duplicate": (
        b'},"',
        b'},"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"x',
        "damaged|way",
    ),
    "spaces": (b',"checksum"', b', "checksum"', "missing"),
    "spaces behind": (b"}}", b"} }", "not written the way"),
    "nested": (b'"dtype":"F64"', b'"dtype":' + b"[" * 10**6, "arrays end at"),
}


@pytest.mark.parametrize(("old", "new", "words"), HEADER_CASES.values(), ids=HEADER_CASES)
def test_headers_that_are_wrong_are_refused(tree, path, old, new, words):
    spinney.save(tree, path)
    change_header(path, old, new)
    message = refusal(path)
    assert re.search(words, message), message


def test_huge_sizes_are_refused_at_once(tree, path):
    spinney.save(tree, path)
    data = path.read_bytes()
    starts = [2**60, 2**64 - 1, MAX_HEADER + 1, len(data) - 7]
    for n in starts:
        path.write_bytes(n.to_bytes(8, "little") + data[8:])
        began = time.process_time()
        assert "header" in refusal(path)
        assert time.process_time() - began < 1.0


def test_a_header_of_a_million_keys_is_refused(path):
    start = '{"__metadata__":{"format":"spinney","version":"1.1","needs":"0.2.0","checksum":"'
    keys = ",".join(
        f'"{i}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}' for i in range(200_000)
    )
    header = f'{start}{"0" * 64}","description":"[]"}},{keys}}}'.encode()
    path.write_bytes(sealed(len(header).to_bytes(8, "little") + header))
    began = time.process_time()
    assert "more than 65536 arrays" in refusal(path)
    assert time.process_time() - began < 5.0


def test_a_newer_version_says_which_spinney_it_needs(tree, path):
    spinney.save(tree, path)
    for version in (b"2.0", b"1.2"):
        data = path.read_bytes()
        change_header(
            path, b'"version":"1.1","needs":"0.2.0"', b'"version":"%s","needs":"7.2.1"' % version
        )
        assert f"version {version.decode()} of the format and needs spinney 7.2.1" in refusal(path)
        path.write_bytes(data)


# -- No model file at all


def test_files_of_another_kind_are_refused(tree, path, tmp_path):
    path.write_bytes(pickle.dumps(tree))
    assert "never unpickles" in refusal(path)
    joblib.dump(tree, path)
    assert "never unpickles" in refusal(path)
    path.write_bytes(b"")
    assert "it is empty" in refusal(path)
    path.write_text(json.dumps({"model": 1}))
    assert "no model file" in refusal(path)
    assert "a folder" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "no regular file" in refusal(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError, match=r"absent\.spinney"):
        spinney.load(tmp_path / "absent.spinney")
    with pytest.raises(TypeError, match="functions must map names"):
        spinney.load(path, functions=[len])


def test_another_librarys_safetensors_are_refused_and_ours_read_by_it(tree, path):
    from safetensors.numpy import save_file

    save_file({"x": np.zeros(3)}, path)
    assert "no model file of spinney" in refusal(path)
    spinney.save(tree, path)
    with safe_open(path, framework="numpy") as file:
        assert file.metadata()["format"] == "spinney"
        ours = contents_of(tree).arrays
        assert set(file.keys()) == set(ours)
        for name, array in ours.items():
            np.testing.assert_array_equal(file.get_tensor(name), array)


@pytest.fixture
def german(tmp_path, monkeypatch):
    """Set a German locale; one that is not installed is made for the test."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
    except locale.Error:
        if shutil.which("localedef") is None:
            pytest.skip("there is no German locale, and no localedef to make one")
        made = str(tmp_path / "de_DE.UTF-8")
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", made], check=False)
        monkeypatch.setenv("LOCPATH", str(tmp_path))
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
    yield
    locale.setlocale(locale.LC_ALL, before)


@pytest.mark.slow
def test_a_file_is_the_same_in_a_german_locale(tree, path, tmp_path, request):
    spinney.save(tree, path)
    request.getfixturevalue("german")
    assert locale.str(0.5) == "0,5"
    other = tmp_path / "other.spinney"
    spinney.save(spinney.load(path), other)
    assert other.read_bytes() == path.read_bytes()
    assert spinney.load(other).tree_ == tree.tree_
    assert pickle.loads(pickle.dumps(tree)).tree_ == tree.tree_
