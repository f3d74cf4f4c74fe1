"""A model to the contents of a file, and back.

The description is JSON: a list of objects, each with its class and its state. An object comes
behind those that it refers to, and the last one is the model. Objects that a model holds twice are
stored once.
"""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._atomic import write_atomically
from spinney._file._container import MAX_ARRAYS, Contents, ModelFileError, read, require, to_chunks
from spinney._file._upgrade import present_name, present_state
from spinney._file._values import Decoder, Encoder, canonical, parse_json
from spinney._params import declared
from spinney._state import recipe_named, recipe_of

_LONE = ("Tree", "Forest", "RuleSet")  # models beside the estimators
_MAX_NESTED = 50
_MAX_LISTS = 2**19  # lists and dicts of a description: empty ones take most memory for their length


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a model to a file that holds numbers and text only, never code.

    The file is written beside the old one and takes its place when it is whole: a crash, a full
    disk or Ctrl-C leaves the old file as it was. The same model is always the same bytes.

    Parameters
    ----------
    model : estimator, Tree, Forest or RuleSet
        Fitted or not. Functions among its parameters are stored by name.
    path : str or path
        The file. By habit its name ends in ".spinney".

    Raises
    ------
    ModelFileError
        If the model holds what a file cannot: estimators or other objects of other libraries. Use
        joblib for those.

    Examples
    --------
    >>> import spinney, tempfile
    >>> model = spinney.CARTClassifier().fit([[0.0], [1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     spinney.save(model, f"{folder}/model.spinney")
    ...     spinney.load(f"{folder}/model.spinney").predict([[1.0]]).tolist()
    ['yes']
    """
    write_atomically(path, to_chunks(contents_of(model)))


def load(path: str | os.PathLike[str], functions: Mapping[str, Any] | None = None) -> Any:
    """Load a model that `save` wrote.

    Everything in the file is checked before it is used, and nothing in it is ever run.

    Parameters
    ----------
    path : str or path
        The file.
    functions : mapping of str to callable, default=None
        The functions that the model was saved with, by their names: a file holds no code.

    Returns
    -------
    estimator, Tree, Forest or RuleSet

    Raises
    ------
    ModelFileError
        If the file is no model file, is damaged, was written by a later version, or needs a
        function that is not given.
    """
    if functions is not None and not isinstance(functions, Mapping):
        raise TypeError(f"functions must map names to functions, got {functions!r}.")
    try:
        return model_of(read(path), functions or {})
    except ModelFileError as problem:
        raise ModelFileError(f"{os.fspath(path)!r} cannot be loaded: {problem}.") from None


# -- Out


def contents_of(model: Any) -> Contents:
    """Return the content of the file of a model."""
    name = type(model).__name__
    recipe = recipe_of(model)
    if recipe is None or not _is_model(recipe):
        raise ModelFileError(
            f"a {name} is no model that can be saved. Give a spinney estimator, Tree, Forest or "
            "RuleSet, or use joblib."
        )
    taker = _Taker()
    taker.place_of(model, name)
    arrays = dict(sorted(taker.arrays.items(), key=lambda item: -item[1].dtype.itemsize))
    few = len(arrays) <= MAX_ARRAYS
    require(few, f"the {name} has {len(arrays)} arrays, the limit is {MAX_ARRAYS}.")
    description = canonical(taker.objects)
    _refuse_many_lists(description)
    return Contents(description, arrays)


def _refuse_many_lists(description: str) -> None:
    """Refuse a description whose values would take much more memory than its text."""
    few = description.count("[") + description.count("{") <= _MAX_LISTS
    require(few, f"the description has more than {_MAX_LISTS} lists and dicts")


def _is_model(recipe: Any) -> bool:
    return "params" in recipe.fields or recipe.name in _LONE


class _Taker:
    """Decomposes a model into objects."""

    def __init__(self) -> None:
        self.objects: list[dict[str, Any]] = []
        self.arrays: dict[str, NDArray[Any]] = {}
        self._places: dict[int, int] = {}
        self._seen: list[Any] = []  # so that no other object gets their identity
        self._open: list[int] = []
        self._functions: dict[str, Any] = {}

    def place_of(self, thing: Any, where: str) -> int:
        """Return the place of an object, which is stored if it is not yet."""
        if id(thing) in self._places:
            return self._places[id(thing)]
        recipe = recipe_of(thing)
        if recipe is None:
            kind = type(thing)
            raise ModelFileError(
                f"{where} is a {kind.__module__}.{kind.__qualname__}, which a model file cannot "
                "hold. Use joblib for this model, and load it only where you trust the file."
            )
        if id(thing) in self._open or len(self._open) > _MAX_NESTED:
            raise ModelFileError(f"{where} is nested too deeply, or in itself.")
        self._open.append(id(thing))
        state = recipe.take(thing)
        _refuse_extra(state, where)
        name = getattr(thing, "name", None) if recipe.name == "Function" else None
        encoder = Encoder(self.place_of, f"{where}.", name)
        stored = {field: encoder.encode(value, field) for field, value in state.items()}
        self._open.pop()
        self._remember_functions(encoder.functions, where)
        place = self._places[id(thing)] = len(self.objects)
        self._seen += [thing, state]
        self.objects.append({"class": recipe.name, "state": stored})
        for reference, path, array in encoder.arrays:
            reference["array" if "array" in reference else "text"] = f"{place}.{path}"
            self.arrays[f"{place}.{path}"] = array
        return place

    def _remember_functions(self, functions: list[tuple[str, Any]], where: str) -> None:
        for name, function in functions:
            if self._functions.setdefault(name, function) is not function:
                raise ModelFileError(
                    f"{where} has two functions of the name {name!r}, and a model file tells them "
                    "apart by name only. Rename one."
                )


def _refuse_extra(state: dict[str, Any], where: str) -> None:
    for name, value in state.get("extra", {}).items():
        raise ModelFileError(
            f"{where} has an attribute {name!r} (a {type(value).__name__}) that is none of a model "
            "file. Delete it, or use joblib for this model."
        )


# -- In


def model_of(contents: Contents, functions: Mapping[str, Any]) -> Any:
    """Build the model of a file, after checking it."""
    _refuse_many_lists(contents.description)
    listed = parse_json(contents.description, "its description")
    require(isinstance(listed, list) and bool(listed), "its description is no list of objects")
    objects: list[Any] = []
    taken: list[str] = []
    referred: list[list[int]] = []
    for place, entry in enumerate(listed):
        decoder = Decoder(place, objects, contents.arrays, functions)
        is_last = place == len(listed) - 1
        objects.append(_build(entry, place, decoder, contents.version, is_last=is_last))
        taken += decoder.taken
        referred.append(decoder.referred)
    _check_order(referred)
    by_size = sorted(taken, key=lambda name: -contents.arrays[name].dtype.itemsize)
    same = by_size == list(contents.arrays)
    require(same, "its arrays are not in their order, or one belongs to nothing")
    return objects[-1]


def _build(
    entry: Any, place: int, decoder: Decoder, version: tuple[int, int], *, is_last: bool
) -> Any:
    is_object = isinstance(entry, dict) and list(entry) == ["class", "state"]
    require(is_object, f"object {place} has no class and state")
    name, stored = entry["class"], entry["state"]
    recipe = recipe_named(present_name(name, version)) if isinstance(name, str) else None
    if recipe is None or not isinstance(stored, dict):
        raise ModelFileError(f"object {place} is of the unknown class {str(name)[:40]!r}")
    is_model = not is_last or _is_model(recipe)
    require(is_model, f"its last object is a {name}, which is no model")
    no_extra = "extra" not in stored
    require(no_extra, f"object {place} ({name}) has attributes that are none of a file")
    same = name != "Function" or stored.get("f") == {"function": stored.get("name")}
    require(same, f"object {place} (Function) has another name than what it calls")
    try:
        state = {field: decoder.decode(value, field) for field, value in stored.items()}
        state = present_state(recipe.cls, state, version)
        model = recipe.build(state if recipe.name in ("Tree", "Forest") else _owned(state))
        if state.get("fitted"):
            _check_parameters(model)
        return model
    except MemoryError:
        raise
    except Exception as problem:
        raise ModelFileError(f"object {place} ({name}): {str(problem).rstrip('.')}") from problem


def _check_parameters(model: Any) -> None:
    """Refuse parameters of a fitted estimator that would fail when it predicts."""
    cls: Any = type(model)
    checks = declared(cls)
    for name in ("unseen", "n_jobs"):
        if name in checks:
            checks[name].check(name, getattr(model, name))


def _owned(value: Any) -> Any:
    """Return values whose arrays are copies, in their order of memory, that can be written to."""
    if isinstance(value, np.ndarray):
        return value.copy(order="F" if not value.flags.c_contiguous else "C")
    if type(value) is list:
        return [_owned(item) for item in value]
    if type(value) is tuple:
        return tuple(_owned(item) for item in value)
    if type(value) is dict:
        return {key: _owned(item) for key, item in value.items()}
    return value


def _check_order(referred: list[list[int]]) -> None:
    """Refuse objects in another order than `save` finds them, or that nothing refers to."""
    seen = {len(referred) - 1}
    stack = [(len(referred) - 1, iter(referred[-1]))]
    n_done = 0
    while stack:
        place, rest = stack[-1]
        inner = next((other for other in rest if other not in seen), None)
        if inner is not None:
            seen.add(inner)
            stack.append((inner, iter(referred[inner])))
            continue
        stack.pop()
        if place != n_done:
            break
        n_done += 1
    in_order = n_done == len(referred)
    require(in_order, "its objects are not in their order, or nothing refers to one")
