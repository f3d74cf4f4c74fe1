"""Plain values to JSON and named arrays, and back.

    None, bool, int, float, str     as JSON; a float that JSON lacks is {"float": "nan"}
    path                            its text
    list                            a JSON list
    tuple, dict                     {"tuple": [...]}, {"dict": [[key, value], ...]}
    NumPy scalar                    {"scalar": ["float32", 0.5]}
    array of numbers                {"array": its name}, with "order": "F" if its columns are whole
    array of texts or labels        {"text": its name, "dtype": ...}: JSON in an array of bytes
    function                        {"function": its name}
    another object                  {"object": its place in the list of objects}

An array is named after the object and the place in it where it belongs, such as "3.parts.kind".
"""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._file._container import ModelFileError, is_storable, require
from spinney._state import recipe_of
from spinney._state._kinds import is_array
from spinney._table._cells import as_objects

MAX_DEPTH = 24
MAX_INT = 2**256
MAX_TEXT_WIDTH = 2**12  # of text arrays that are wider than their longest text
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def step(path: str, key: Any, place: int) -> str:
    """Return the name of what is inside a list or dict."""
    return f"{path}.{key if isinstance(key, str) and key.isidentifier() else place}"


def canonical(value: Any) -> str:
    """Return the one text that a JSON value has."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def parse_json(text: str, what: str) -> Any:
    """Read JSON that is written in the one way that `canonical` writes it."""
    try:
        value = json.loads(text)
        same = canonical(value) == text
    except (ValueError, RecursionError) as problem:
        raise ModelFileError(f"{what} is no valid JSON: {problem}") from None
    require(same, f"{what} is not written the way that model files are")
    return value


# -- Out


class Encoder:
    """Turns the values of one object's state into JSON.

    Parameters
    ----------
    place_of : callable
        Returns the place of another object in the list of objects, from it and where it was found.
    where : str
        The object, for messages.
    function_name : str or None
        Name of its function, if the function does not have it.
    """

    def __init__(
        self, place_of: Callable[[Any, str], int], where: str, function_name: str | None = None
    ) -> None:
        self._place_of, self._where, self._function_name = place_of, where, function_name
        self.arrays: list[tuple[dict[str, Any], str, NDArray[Any]]] = []  # JSON, path, array
        self.functions: list[tuple[str, Any]] = []

    def encode(self, value: Any, path: str, depth: int = 0) -> Any:
        """Return a value as JSON."""
        if depth > MAX_DEPTH:
            raise self._refusal(path, "is nested too deeply")
        if value is None or type(value) in (bool, str):
            return value
        if isinstance(value, np.generic):
            return self._scalar(value, path)
        if isinstance(value, str | PurePath):
            return str(value)
        if type(value) is int or type(value) is float:
            return self._number(value, path)
        if is_array(value):
            return self._array(value, path)
        if type(value) is list or type(value) is tuple:
            items = [
                self.encode(item, step(path, None, i), depth + 1) for i, item in enumerate(value)
            ]
            return items if type(value) is list else {"tuple": items}
        if type(value) is dict:
            keys = [self.encode(key, path, depth + 1) for key in value]
            values = [
                self.encode(item, step(path, key, i), depth + 1)
                for i, (key, item) in enumerate(value.items())
            ]
            return {"dict": [list(pair) for pair in zip(keys, values, strict=True)]}
        return self._thing(value, path)

    def _refusal(self, path: str, what: str) -> ModelFileError:
        return ModelFileError(
            f"{self._where}{path} {what}, which a model file cannot hold. Use joblib for this one."
        )

    def _number(self, value: int | float, path: str) -> Any:
        if isinstance(value, int):
            if abs(value) >= MAX_INT:
                raise self._refusal(path, "is a number of too many digits")
            return value
        if math.isfinite(value):
            return value
        return {"float": "nan" if value != value else ("inf" if value > 0 else "-inf")}

    def _scalar(self, value: np.generic, path: str) -> Any:
        if isinstance(value, np.str_):
            return str(value)
        if not is_storable(value.dtype):
            raise self._refusal(path, f"is a {value.dtype}")
        item = value.item()
        number = item if value.dtype.kind == "b" else self._number(item, path)
        return {"scalar": [value.dtype.name, number]}

    def _array(self, array: NDArray[Any], path: str) -> Any:
        if array.dtype.kind in "OU":
            return self._texts(array, path)
        if not is_storable(array.dtype):
            raise self._refusal(path, f"is an array of {array.dtype}")
        by_columns = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
        reference: dict[str, Any] = {"array": None}
        if by_columns:
            reference["order"] = "F"
        self.arrays.append((reference, path, array.T if by_columns else array))
        return reference

    def _texts(self, array: NDArray[Any], path: str) -> Any:
        if array.ndim != 1:
            raise self._refusal(path, f"is an array of {array.dtype} with {array.ndim} dimensions")
        items = []
        for label in array.tolist():
            if not (label is None or isinstance(label, str | int | float | bool | np.generic)):
                raise self._refusal(path, f"holds a {type(label).__name__}")
            items.append(self.encode(label, path))
        text = np.frombuffer(canonical(items).encode("ascii"), np.uint8)
        reference = {"text": None, "dtype": "O" if array.dtype.kind == "O" else array.dtype.str}
        self.arrays.append((reference, path, text))
        return reference

    def _thing(self, value: Any, path: str) -> Any:
        if recipe_of(value) is None and _is_function(value):
            name = self._function_name or getattr(value, "__name__", None)
            if not isinstance(name, str):
                raise self._refusal(path, f"is a {type(value).__name__} without a name")
            self.functions.append((name, value))
            return {"function": name}
        return {"object": self._place_of(value, f"{self._where}{path}")}


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, type) and not hasattr(value, "get_params")


# -- In


class Decoder:
    """Turns JSON into the values of one object's state.

    Parameters
    ----------
    place : int
        The place of the object in the list of objects.
    objects : list
        The objects before it.
    arrays : mapping
        All arrays of the file.
    functions : mapping
        What the user gives for names of functions.
    """

    def __init__(
        self,
        place: int,
        objects: list[Any],
        arrays: Mapping[str, NDArray[Any]],
        functions: Mapping[str, Any],
    ) -> None:
        self._place, self._objects = place, objects
        self._arrays, self._functions = arrays, functions
        self.taken: list[str] = []  # names of arrays
        self.referred: list[int] = []  # places of objects

    def decode(self, value: Any, path: str, depth: int = 0) -> Any:
        """Return the value that JSON stands for."""
        if depth > MAX_DEPTH:
            raise ModelFileError(f"{path} is nested too deeply")
        if isinstance(value, int) and abs(value) >= MAX_INT:
            raise ModelFileError(f"{path} is a number of too many digits")
        if isinstance(value, list):
            return [self.decode(v, step(path, None, i), depth + 1) for i, v in enumerate(value)]
        if not isinstance(value, dict):
            return value
        tag = next(iter(value), None)
        read = {
            ("float",): self._float,
            ("tuple",): self._tuple,
            ("dict",): self._dict,
            ("scalar",): self._scalar,
            ("array",): self._array,
            ("array", "order"): self._array,
            ("text", "dtype"): self._texts,
            ("function",): self._function,
            ("object",): self._object,
        }.get(tuple(value))
        if read is None:
            raise ModelFileError(f"{path} is of the unknown kind {str(tag)[:40]!r}")
        return read(value, path, depth)

    def _float(self, value: dict[str, Any], path: str, depth: int) -> float:
        is_known = isinstance(value["float"], str) and value["float"] in _FLOATS
        require(is_known, f"{path} is no number")
        return _FLOATS[value["float"]]

    def _tuple(self, value: dict[str, Any], path: str, depth: int) -> tuple[Any, ...]:
        require(isinstance(value["tuple"], list), f"{path} is no tuple")
        return tuple(self.decode(value["tuple"], path, depth))

    def _dict(self, value: dict[str, Any], path: str, depth: int) -> dict[Any, Any]:
        pairs = value["dict"]
        is_list = isinstance(pairs, list)
        is_dict = is_list and all(isinstance(p, list) and len(p) == 2 for p in pairs)
        require(is_dict, f"{path} is no dict")
        found = {}
        for i, (stored, item) in enumerate(pairs):
            key = self.decode(stored, path, depth + 1)
            try:
                found[key] = self.decode(item, step(path, key, i), depth + 1)
            except TypeError:
                raise ModelFileError(f"{path} has a key that is none") from None
        require(len(found) == len(pairs), f"{path} has one key twice")
        return found

    def _scalar(self, value: dict[str, Any], path: str, depth: int) -> Any:
        parts = value["scalar"]
        is_pair = isinstance(parts, list) and len(parts) == 2 and isinstance(parts[0], str)
        require(is_pair, f"{path} is no scalar")
        try:
            dtype = np.dtype(parts[0])
            item = self.decode(parts[1], path, depth + 1)
            scalar = dtype.type(item)
        except (TypeError, ValueError, OverflowError) as problem:
            raise ModelFileError(f"{path} is no scalar: {problem}") from None
        one_number = is_storable(dtype) and dtype.name == parts[0] and np.ndim(scalar) == 0
        require(one_number and type(scalar.item()) is type(item), f"{path} is no scalar")
        fits = scalar.item() == item or item != item
        require(fits, f"{path} does not fit into {dtype.name}")
        return scalar

    def _take(self, name: Any, path: str) -> NDArray[Any]:
        wanted = f"{self._place}.{path}"
        is_there = name == wanted and name in self._arrays
        require(is_there, f"{path} must be the array {wanted!r}, got {str(name)[:60]!r}")
        self.taken.append(name)
        return self._arrays[name]

    def _array(self, value: dict[str, Any], path: str, depth: int) -> NDArray[Any]:
        array = self._take(value["array"], path)
        if "order" not in value:
            return array
        is_possible = value["order"] == "F" and array.ndim >= 2 and array.T.flags.f_contiguous
        require(is_possible, f"{path} has no such order")
        require(not array.T.flags.c_contiguous, f"{path} needs no order")
        return array.T

    def _texts(self, value: dict[str, Any], path: str, depth: int) -> NDArray[Any]:
        stored = self._take(value["text"], path)
        require(stored.dtype == np.uint8 and stored.ndim == 1, f"{path} is no text")
        try:
            text = stored.tobytes().decode("ascii")
        except UnicodeDecodeError:
            raise ModelFileError(f"{path} is no plain text") from None
        listed = parse_json(text, path)
        is_flat = isinstance(listed, list) and not any(isinstance(item, list) for item in listed)
        require(is_flat, f"{path} is no list of labels")
        items = [self.decode(item, path) for item in listed]
        if value["dtype"] == "O":
            return as_objects(items)
        return _as_text(items, value["dtype"], path)

    def _function(self, value: dict[str, Any], path: str, depth: int) -> Any:
        name = value["function"]
        require(isinstance(name, str), f"{path} is no name of a function")
        require(
            name in self._functions,
            f"{path} is the function {name!r}, which the file holds by name only. Give it "
            f"again: spinney.load(path, functions={{{name!r}: ...}})",
        )
        given = self._functions[name]
        return getattr(given, "f", given)  # of a Function of spinney.evolve

    def _object(self, value: dict[str, Any], path: str, depth: int) -> Any:
        place = value["object"]
        is_before = type(place) is int and 0 <= place < self._place
        require(is_before, f"{path} refers to an object that does not come before it")
        self.referred.append(place)
        return self._objects[place]


def _as_text(items: list[Any], dtype: Any, path: str) -> NDArray[Any]:
    require(all(isinstance(item, str) for item in items), f"{path} holds other than text")
    longest = max((len(item) for item in items), default=0)
    width = dtype[2:] if isinstance(dtype, str) and dtype[:2] == "<U" else ""
    is_known = width.isascii() and width.isdigit() and width == str(int(width))
    require(is_known, f"{path} is of the unknown type {str(dtype)[:40]!r}")
    fits = longest <= int(width) <= max(longest, MAX_TEXT_WIDTH)
    require(fits, f"{path}: texts of {longest} characters do not fit {dtype}")
    array = np.array(items, dtype=dtype)
    require(array.tolist() == items, f"{path} holds text that an array cannot")
    return array
