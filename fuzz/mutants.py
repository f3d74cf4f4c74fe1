"""Mutants of model files that know what a model file is made of.

Most have a sound container and a right checksum, so that they reach what reads the description and
the arrays; some are plain damage, which must always be refused.
"""

import copy
import hashlib
import json
import re
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

import numpy as np

from spinney._file._container import Contents, to_chunks
from spinney._file._values import canonical

ODD = [0, 1, -1, 2, 3, 255, 256, 65_535, 65_536, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**63, 2**80]
FLOATS = [0.0, -0.0, 0.5, -1.5, 1e-310, 1e300, -1e300, 1.7e308, np.inf, -np.inf, np.nan]
TEXTS = ["", "gini", "entropy", "mean", "vote", "x", "0", "a" * 300, "é", "\0", "__class__", "Tree"]
KINDS = ["u1", "u2", "u4", "i1", "i8", "f2", "f4", "f8", "?"]
_CHECKSUM = re.compile(rb'"checksum":"([0-9a-f]{64})"')


class Seed(NamedTuple):
    """A model file, taken apart."""

    name: str
    data: bytes
    contents: Contents


class Mutant(NamedTuple):
    """A file, what was done to it, and whether its checksum is right."""

    data: bytes
    done: str
    sealed: bool


def seal(data: bytes) -> bytes:
    """Return a file with the checksum that its other bytes have."""
    found = _CHECKSUM.search(data)
    if found is None:
        return data
    begin, end = found.span(1)
    zeroed = data[:begin] + b"0" * 64 + data[end:]
    return data[:begin] + hashlib.sha256(zeroed).hexdigest().encode() + data[end:]


def mutant(seed: Seed, others: list[Seed], random: Random) -> Mutant:
    """Return one mutant of a file."""
    how = random.choices(list(_WAYS), weights=[weight for weight, _ in _WAYS.values()])[0]
    return _WAYS[how][1](seed, others, random)


# -- Bytes


def _damage(seed: Seed, others: list[Seed], random: Random) -> Mutant:
    data = bytearray(seed.data)
    at = random.randrange(len(data))
    way = random.randrange(4)
    if way == 0:
        data[at] ^= 1 << random.randrange(8)
    elif way == 1:
        del data[at:]
    elif way == 2:
        data += bytes([random.randrange(256)])
    else:
        del data[at : at + random.randrange(1, 9)]
    return Mutant(bytes(data), f"damage {way} at {at}", sealed=False)


def _sealed_bytes(seed: Seed, others: list[Seed], random: Random) -> Mutant:
    """Change bytes of header and data, and make the checksum right again."""
    data = bytearray(seed.data)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(data))
        data[at] = random.choice([data[at] ^ 1 << random.randrange(8), random.randrange(32, 127)])
    if random.random() < 0.2:
        at = random.randrange(8, len(data))
        end = at + random.randrange(1, 40)
        data[at:end] = data[at:end] * 2 if random.random() < 0.5 else b""
    if random.random() < 0.05:
        data[:8] = random.choice([2**60, 0, 1, len(data), 2**64 - 1]).to_bytes(8, "little")
    return Mutant(seal(bytes(data)), "bytes", sealed=True)


# -- Arrays


def _changed_array(array: np.ndarray, random: Random) -> np.ndarray:
    flat = array.reshape(-1).copy()
    way = random.randrange(9)
    if flat.size and way < 5:
        at = random.randrange(flat.size)
        with np.errstate(all="ignore"):
            if way == 0:
                flat[at] = flat[random.randrange(flat.size)]
            elif flat.dtype.kind == "f":
                flat[at] = random.choice([*FLOATS, flat[at] + 1, np.nextafter(flat[at], np.inf)])
            elif flat.dtype.kind == "b":
                flat[at] = not flat[at]
            else:
                step = random.choice([1, -1, 2, 100, int(random.choice(ODD)) % 2**31])
                flat[at] = np.array(int(flat[at]) + step).astype(flat.dtype)
        return flat.reshape(array.shape)
    if way == 5:
        return np.repeat(flat, 2)
    if way == 6:
        return np.delete(flat, random.randrange(flat.size)) if flat.size else flat
    if way == 7:
        with np.errstate(all="ignore"):
            return array.astype(random.choice(KINDS))
    return flat.reshape((1, -1)) if array.ndim == 1 else flat


def _arrays(seed: Seed, others: list[Seed], random: Random) -> Mutant:
    if not seed.contents.arrays:
        return _description(seed, others, random)
    arrays = dict(seed.contents.arrays)
    done = []
    for _ in range(random.choice([1, 1, 2, 3])):
        name = random.choice(list(arrays))
        way = random.randrange(12)
        if way == 0:
            del arrays[name]
        elif way == 1:
            arrays[name] = arrays[random.choice(list(arrays))]
        elif way == 2:
            other = random.choice(others).contents.arrays or arrays
            arrays[name] = other[random.choice(list(other))]
        elif way == 3:
            arrays[random.choice(["9.x", "0.names", name + "x"])] = arrays[name]
        else:
            arrays[name] = _changed_array(arrays[name], random)
        done.append(f"array {name} {way}")
        if not arrays:
            break
    return built(seed.contents.description, arrays, ", ".join(done))


def built(description: str, arrays: dict[str, np.ndarray], done: str) -> Mutant:
    """Return a file with a right checksum, and its arrays in the order of their types."""
    by_size = dict(sorted(arrays.items(), key=lambda item: -item[1].dtype.itemsize))
    return Mutant(b"".join(map(bytes, to_chunks(Contents(description, by_size)))), done, True)


# -- Description


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the ways to all values inside a JSON value."""
    found = [path] if path else []
    items = enumerate(value) if isinstance(value, list) else ()
    items = value.items() if isinstance(value, dict) else items
    for key, inner in items:
        found += _places(inner, (*path, key))
    return found


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _other_value(value: Any, random: Random) -> Any:
    if isinstance(value, bool):
        return random.choice([not value, 1, None])
    if isinstance(value, int) and random.random() < 0.7:
        return random.choice([value + 1, value - 1, -value, random.choice(ODD)])
    if isinstance(value, str) and random.random() < 0.5:
        return random.choice(TEXTS)
    simple = [None, True, 0, 1, -1, 0.5, 1e300, "x", [], {}, {"float": "nan"}, {"tuple": []}]
    return random.choice([*simple, {"object": 0}, {"dict": []}, {"scalar": ["int64", 3]}, [[[]]]])


@lru_cache(maxsize=200)
def _all_places(description: str) -> list[tuple[Any, ...]]:
    return _places(json.loads(description))


def _change_value(objects: Any, places: list[tuple[Any, ...]], random: Random) -> str:
    """Change one value in place; return what was done."""
    path = random.choice(places)
    holder, key = _at(objects, path[:-1]), path[-1]
    way = random.randrange(10)
    if way == 0 and len(holder) > 0:
        del holder[key]
    elif way == 1 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif way == 2 and isinstance(holder, dict):
        holder[random.choice(TEXTS)] = holder.pop(key)
    elif way in (3, 4):
        holder[key] = copy.deepcopy(_at(objects, random.choice(places)))
    elif way == 5 and isinstance(holder, list) and len(holder) > 1:
        random.shuffle(holder)
    else:
        holder[key] = _other_value(holder[key], random)
    return ".".join(map(str, path)) + f" {way}"


def _description(seed: Seed, others: list[Seed], random: Random) -> Mutant:
    objects = json.loads(seed.contents.description)
    done = []
    for change in range(random.choice([1, 1, 1, 2, 3])):
        places = _places(objects) if change else _all_places(seed.contents.description)
        if places:
            done.append(_change_value(objects, places, random))
    return built(canonical(objects), dict(seed.contents.arrays), "; ".join(done))


def _both(seed: Seed, others: list[Seed], random: Random) -> Mutant:
    objects = json.loads(seed.contents.description)
    done = _change_value(objects, _all_places(seed.contents.description), random)
    half = Seed(seed.name, seed.data, Contents(canonical(objects), seed.contents.arrays))
    whole = _arrays(half, others, random)
    return Mutant(whole.data, f"{done}; {whole.done}", True)


_WAYS: dict[str, tuple[int, Callable[[Seed, list[Seed], Random], Mutant]]] = {
    "damage": (1, _damage),
    "sealed bytes": (2, _sealed_bytes),
    "arrays": (8, _arrays),
    "description": (7, _description),
    "both": (2, _both),
}
