"""Every field of a model file, changed to every value near the edge of what may be.

There is no chance in it: where mutants by chance need luck to meet a check, this meets each one
that looks at a single field. A field of a class is changed in the first file that has it.
"""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from fuzz.mutants import FLOATS, KINDS, Mutant, Seed, built, seal
from spinney._file._values import canonical

Path = tuple[Any, ...]
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 3, 4, 625, 4001, 2**31, 2**40 + 1, 2**53 + 1, 2**64, 2**300),
    *(0.5, -0.0, 1.5, 1e-310, 1.7e308, "", "x", "0", "é", "column", "Tree", [], {}, [[]], [0]),
    *({"float": "nan"}, {"float": "inf"}, {"float": "-inf"}, {"float": 1}, {"float": "1"}),
    *({"tuple": []}, {"tuple": 1}, {"tuple": [1]}, {"tuple": ["x", 1, 0.5]}, {"strange": 1}),
    *({"dict": []}, {"dict": 1}, {"dict": [1]}, {"dict": [[[], 1]]}, {"dict": [["a", 1]] * 2}),
    *({"scalar": ["int64", 3]}, {"scalar": 3}, {"scalar": ["int8", 300]}, {"scalar": [3, 3]}),
    *({"scalar": ["float32", 0.1]}, {"scalar": ["O", 3]}, {"scalar": ["int64", 0.5]}),
    *({"scalar": ["i8", 3]}, {"scalar": ["complex128", 0.5]}, {"scalar": ["bool", 1]}),
    *({"scalar": ["float64", {"float": "nan"}]}, {"scalar": ["none", 1]}),
    *({"object": 0}, {"object": -1}, {"object": 10**6}, {"object": True}, {"object": "x"}),
    *({"array": "0.x"}, {"array": 3}, {"text": "0.x", "dtype": "O"}, {"extra": 1, "more": 2}),
    *({"function": "far"}, {"function": "none"}, {"function": 1}, {"function": []}),
]
DEEP: Any = 1
for _ in range(40):
    DEEP = [DEEP]
LABELS = [
    *("", "[", "[1, 2]", "3", "{}", "[[]]", "[[1]]", "[null]", '["a","a"]', "[1,1]", "[NaN]"),
    *('[{"float":"nan"}]', '["\\u0000"]', '["a\\u0000"]', "[true,1]", '["a",1]', "[1.5,2]", "[]"),
    *(
        '["a\\u0000","b","c"]',
        '[{"scalar":["int64",3]}]',
        '[{"tuple":[]}]',
        '["x","y","z"]',
        "[1,2,3]",
        '["\\u00e9"]',
    ),
]
_TYPES = ["<U0", "<U1", "<U5000", "<U05", "U3", "|S3", "O", "<U", "<U-1", 3, None, "<f8"]


def sweep(seeds: list[Seed], seen: set[Any] | None = None) -> Iterator[Mutant]:
    """Yield the mutants of some files."""
    seen = set() if seen is None else seen
    yield from _headers(next(seed for seed in seeds if seed.contents.arrays))
    yield from _grafts(seeds)
    yield _no_trees()
    for seed in seeds:
        yield from _descriptions(seed, seen)
        yield from _arrays(seed, seen)


def family(name: str) -> str:
    """Return one name for the classes that leave the same attributes behind."""
    if name.startswith(("Ada", "Boost", "Mixture")) or not name.endswith(("fier", "ssor")):
        return name
    return "ensemble" if "Forest" in name or "Bagging" in name else "tree"


def _built(seed: Seed, objects: Any, arrays: dict[str, np.ndarray], done: str) -> Mutant:
    """Return a mutant whose arrays are in the order that its objects ask for them."""
    order = {name: at for at, name in enumerate(_named(objects))}
    known = dict(sorted(arrays.items(), key=lambda item: order.get(item[0], len(order))))
    return built(canonical(objects), known, f"{seed.name}: {done}")


def _named(value: Any) -> Iterator[str]:
    """Yield the names of the arrays that a JSON value refers to."""
    if isinstance(value, dict):
        for key in ("array", "text"):
            if isinstance(value.get(key), str):
                yield value[key]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        yield from _named(one)


def _grafts(seeds: list[Seed]) -> Iterator[Mutant]:
    """Give the attributes of one fitted model to another that is made of as many objects."""
    models = [(seed, json.loads(seed.contents.description)) for seed in seeds]
    plain = [
        (seed, objects)
        for seed, objects in models
        if "params" in objects[-1]["state"]
        and not any(f"{len(objects) - 1}.params" in name for name in seed.contents.arrays)
        and "object" not in json.dumps(objects[-1]["state"]["params"])
    ]
    done = set()
    for seed, objects in plain:
        for _, others in plain:
            classes = tuple(entry["class"] for entry in (*objects, others[-1]))
            if len(others) == len(objects) and classes not in done:
                done.add(classes)
                state = {**objects[-1]["state"], "params": others[-1]["state"]["params"]}
                graft = {"class": others[-1]["class"], "state": state}
                arrays = dict(seed.contents.arrays)
                yield _built(seed, [*objects[:-1], graft], arrays, f"as {graft['class']}")


def _no_trees() -> Mutant:
    """Return a forest without columns and trees."""
    none = np.frombuffer(b"[]", np.uint8)
    arrays = {"0.sizes": np.zeros(0, np.int64), "0.names": none, "0.kinds": np.zeros(0, np.uint8)}
    arrays |= {"0.categories": none, "1.parts.n_features": np.zeros(1, np.uint8)}
    listed = {name: {"text": f"0.{name}", "dtype": "O"} for name in ("names", "categories")}
    listed |= {name: {"array": f"0.{name}"} for name in ("kinds", "sizes")}
    schema = {name: listed[name] for name in ("names", "kinds", "sizes", "categories")}
    parts = {"dict": [["n_features", {"array": "1.parts.n_features"}]]}
    forest = {"parts": parts, "schema": {"object": 0}, "classes": None}
    objects = [
        {"class": "Schema", "state": {**schema, "has_names": True}},
        {"class": "Forest", "state": forest},
    ]
    return built(canonical(objects), arrays, "no trees")


# -- Header


def _headers(seed: Seed) -> Iterator[Mutant]:
    """Change the text of a header, and its length."""
    length = int.from_bytes(seed.data[:8], "little")
    header, data = seed.data[8 : 8 + length], seed.data[8 + length :]
    first = header.index(b'"shape":[')
    entry = header[header.index(b',"0.') : header.index(b"}", first) + 1]
    edits = [
        *((b'"1.0"', version) for version in (b'"0.9"', b'"1.1"', b'"2.0"', b'"01.0"', b'"x"')),
        *((b'"needs":"0.1.0"', other) for other in (b'"needs":"0.1"', b'"need":"0.1.0"')),
        *((b'"checksum"', other) for other in (b'"Checksum"', b' "checksum"')),
        *((b'"dtype":"', other) for other in (b'"dtype":"C', b'"dtype":"U7","x":"', b'"type":"')),
        *((b'"shape":[', b'"shape":[' + more) for more in (b"1,", b"2,", b"0,", b"01", b",", b"-")),
        (b'"shape":[', b'"shape":[' + b"1," * 12),
        *((b'"data_offsets":[0,', b'"data_offsets":[' + more) for more in (b"1,", b"00,", b"8,")),
        *((b'"description":"', b'"description":"' + more) for more in (b"\\", b'","x":"', b"\xe9")),
        *((entry, more) for more in (b"", entry + entry, b" " + entry, entry + b",")),
        *((entry, entry.replace(b'"0.', b'"' + more, 1)) for more in (b"1.", b"\\u0030.", b"")),
        *((b"}}", more) for more in (b"} }", b"}}x", b"},}", b"}", b'},"x":1}')),
    ]
    for old, new in edits:
        yield _whole(header.replace(old, new, 1), data, f"header {old[:20]!r} {new[:20]!r}")
    ends = header.rindex(b"]}", 0, len(header))
    begin = header.rindex(b",", 0, ends) + 1
    for more in (1, 8, 2**40):  # the last array ends behind the file, or it does not end there
        end = int(header[begin:ends]) + more
        yield _whole(header[:begin] + str(end).encode() + header[ends:], data, f"end + {more}")
    many = b'"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},' * 65_537
    yield _whole(header.replace(b'},"0.', b"}," + many + b'"0.', 1), data, "many arrays")
    for n in (0, 1, length - 8, length + 8, len(seed.data), 2**60, 2**64 - 1):
        yield Mutant(seal(n.to_bytes(8, "little") + seed.data[8:]), f"length {n}", True)
    for cut in (0, 1, 7, 8, 9, 60, 100, 8 + length - 1, 8 + length, len(seed.data) - 1):
        yield Mutant(seed.data[:cut], f"{cut} bytes", cut == len(seed.data))
    yield Mutant(seal(seed.data + bytes(8)), "more bytes", True)
    yield Mutant(bytes([0x80, 4]) + seed.data, "pickle", False)
    for at in range(0, len(seed.data), max(1, len(seed.data) // 200)):
        flipped = bytearray(seed.data)
        flipped[at] ^= 1
        yield Mutant(bytes(flipped), f"flip {at}", False)
    yield from _shared_places(header, data)


def _shared_places(header: bytes, data: bytes) -> Iterator[Mutant]:
    """Let an array have the place of the one before it, if both are of one size."""
    places = list(re.finditer(rb"\[(\d+),(\d+)\]\}", header))
    for one, other in pairwise(places):
        begin, end, own, last = (int(n) for n in (*one.groups(), *other.groups()))
        if end - begin == last - own:
            changed = header[: other.start()] + one[0] + header[other.end() :]
            yield _whole(changed, data, f"array at {begin} twice")


def _whole(header: bytes, data: bytes, done: str) -> Mutant:
    """Return a file with a header that is filled up, and with its length and checksum."""
    text = header.rstrip(b" ")
    text += b" " * (-len(text) % 8)
    return Mutant(seal(len(text).to_bytes(8, "little") + text + data), done, True)


# -- Description


def _places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the ways to all values inside a JSON value, of long lists to the first and last."""
    if path:
        yield path
    items: list[tuple[Any, Any]] = list(value.items()) if isinstance(value, dict) else []
    if isinstance(value, list):
        items = list(enumerate(value))
    for key, inner in items:
        yield from _places(inner, (*path, key))


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _field(objects: Any, path: Path) -> tuple[Any, ...]:
    """Return what a place is called in every file: the class, and names instead of numbers."""
    names = [objects[path[0]]["class"]]
    holder = objects[path[0]]
    for key in path[1:]:
        pair = isinstance(key, int) and key == 1 and len(holder) == 2
        known = pair and isinstance(holder[0], str)
        names.append(holder[0] if known else min(key, 2) if isinstance(key, int) else key)
        holder = holder[key]
    if "params" in names:  # all parameters are stored as they are given
        names = ["params", *names[6:]]
    names[0] = family(names[0])
    if isinstance(holder, dict) and isinstance(holder.get("object"), int):
        names.append(objects[holder["object"]]["class"])
    return (*names, str(holder) if isinstance(holder, bool) else type(holder).__name__)


def _descriptions(seed: Seed, seen: set[Any]) -> Iterator[Mutant]:
    text, arrays = seed.contents.description, dict(seed.contents.arrays)
    objects = json.loads(text)
    for whole in ([], {}, 1, objects[:-1], [*objects, objects[-1]], objects[::-1], [[]], [1]):
        if ("whole", str(whole)[:30]) not in seen:
            seen.add(("whole", str(whole)[:30]))
            yield _built(seed, whole, arrays, "whole")
    yield from _first_objects(seed, objects, seen)
    for path in list(_places(objects)):
        field = _field(objects, path)
        if field in seen:
            continue
        seen.add(field)
        where = ".".join(map(str, path))
        for other in _others(_at(objects, path)):
            changed = json.loads(text)
            _at(changed, path[:-1])[path[-1]] = other
            yield _built(seed, changed, arrays, f"{where} = {str(other)[:40]}")
        for how, changed in _moved(text, path):
            yield _built(seed, changed, arrays, f"{where} {how}")


def _first_objects(seed: Seed, objects: Any, seen: set[Any]) -> Iterator[Mutant]:
    """Cut a file behind each object, with the arrays that are left."""
    for n in range(1, len(objects)):
        last = objects[n - 1]["class"]
        if ("last", last) not in seen:
            seen.add(("last", last))
            arrays = seed.contents.arrays.items()
            kept = {name: a for name, a in arrays if int(name.partition(".")[0]) < n}
            yield _built(seed, objects[:n], kept, f"{n} objects")


def _others(value: Any) -> Iterator[Any]:
    yield from VALUES
    yield DEEP
    if type(value) in (int, float):
        yield from (value + 1, value - 1, -value)
    if isinstance(value, str):
        yield from (value + "x", value[:-1], value.upper())
    if isinstance(value, list):
        yield from (value[1:], value + value[-1:], value[::-1])
        yield {"tuple": value}
    if isinstance(value, dict) and "tuple" in value:
        yield value["tuple"]
    if isinstance(value, dict) and isinstance(value.get("object"), int):
        yield from ({"object": place} for place in range(value["object"]))
    if isinstance(value, dict) and "array" in value:
        yield from ({**value, "order": order} for order in ("F", "C", 1))
        yield {"array": value["array"]}
    if isinstance(value, dict) and "text" in value:
        yield from ({**value, "dtype": dtype} for dtype in _TYPES)


def _moved(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the objects without a value, with it twice, behind the next one, and renamed."""
    key = path[-1]

    def change() -> tuple[Any, Any]:
        changed = json.loads(text)
        return changed, _at(changed, path[:-1])

    changed, holder = change()
    del holder[key]
    yield "gone", changed
    changed, holder = change()
    if isinstance(holder, list):
        holder.insert(key, holder[key])
        yield "twice", changed
        if len(holder) > 2:
            changed, holder = change()
            other = key - 1
            holder[key], holder[other] = holder[other], holder[key]
            yield "moved", changed
        return
    holder["strange"] = holder.pop(key)
    yield "renamed", changed
    changed, holder = change()
    holder[key] = holder.pop(key)
    yield "last", changed
    for more, value in (("strange", 1), ("extra", {"dict": [["note", 1]]})):
        changed, holder = change()
        holder[more] = value
        yield "more", changed


# -- Arrays


def _arrays(seed: Seed, seen: set[Any]) -> Iterator[Mutant]:
    objects = json.loads(seed.contents.description)
    arrays = dict(seed.contents.arrays)
    for name, array in arrays.items():
        place, _, path = name.partition(".")
        kind = objects[int(place)]["class"]
        full = array.size > 0, bool((array > 0).any())
        is_text = f'"{name}","dtype":"<U' in seed.contents.description
        field = (family(kind), path, array.dtype.str, array.ndim, *full, is_text)
        if field in seen:
            continue
        seen.add(field)
        for how, other in _changed(array):
            yield _built(seed, objects, {**arrays, name: other}, f"{name} {how}")
        rest = {key: value for key, value in arrays.items() if key != name}
        yield _built(seed, objects, rest, f"{name} gone")
        yield _built(seed, objects, {**arrays, f"{name}x": array}, f"{name} twice")
        yield from _together(seed, objects, name)
    backwards = built(seed.contents.description, dict(reversed(list(arrays.items()))), "backwards")
    if ("backwards", len(arrays)) not in seen:
        seen.add(("backwards", len(arrays)))
        yield backwards


def _changed(array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    flat = array.reshape(-1)
    for at in sorted({0, 1, flat.size // 2, flat.size - 2, flat.size - 1}):
        if 0 <= at < flat.size:
            for value in _entries(flat, at):
                other = flat.copy()
                other[at] = value
                yield f"{at} = {value}", other.reshape(array.shape)
    yield "empty", flat[:0]
    yield "shorter", flat[:-1]
    yield "longer", np.append(flat, flat[-1:])
    yield "backwards", flat[::-1].reshape(array.shape)
    yield "2-D", flat.reshape(1, -1)
    yield "flat", flat.reshape(-1)
    yield "columns", flat.reshape(-1, 1)
    if flat.size == 1:
        yield "0-D", flat.reshape(())
    if array.ndim == 2:
        yield from (("wider", np.hstack([array, array])), ("narrower", array[:, :-1]))
        yield from (("taller", np.vstack([array, array])), ("lower", array[:-1]))
    with np.errstate(all="ignore"):
        for kind in KINDS:
            yield kind, array.astype(kind)
    for size in range(1, 4):
        yield f"{size} zeros", np.zeros(size, array.dtype)
    if array.dtype == np.bool_:
        yield "neither", np.full(array.shape, 2, np.uint8).view(np.bool_)
    if array.dtype == np.uint8:
        for text in LABELS:
            yield f"text {text!r}", np.frombuffer(text.encode(), np.uint8)
        yield "no text", np.array([0xE9], np.uint8)


def _entries(flat: np.ndarray, at: int) -> Iterator[Any]:
    with np.errstate(all="ignore"):
        if flat.dtype.kind == "f":
            yield from (*FLOATS, 1.0, -1.0, 3.5, flat[at] + 1, -flat[at], 1.0001 * flat[at])
        elif flat.dtype.kind in "iu":
            steps = np.array([1, -1, 2, 3, 7, 100]).astype(flat.dtype)
            yield from (flat[at] + steps).tolist()
            yield from (0, 1, 2, 5, 6, 12, np.iinfo(flat.dtype).max, np.iinfo(flat.dtype).min)
        else:
            yield not flat[at]
    yield from (flat[0], flat[-1])


def _together(seed: Seed, objects: Any, name: str) -> Iterator[Mutant]:
    """Change all arrays of an object that are as long as one in the same way."""
    arrays = dict(seed.contents.arrays)
    size, start = arrays[name].size, name.partition(".")[0] + "."
    alike = [one for one, a in arrays.items() if one.startswith(start) and a.size == size]
    if len(alike) < 2 or name != alike[0]:
        return
    ways = {
        "none": lambda a: a[:0],
        "one less": lambda a: a[:-1],
        "one more": lambda a: np.concatenate([a, a[-1:]]),
        "backwards": lambda a: a[::-1],
    }
    for how, way in ways.items():
        other = {one: way(arrays[one]) for one in alike if arrays[one].ndim}
        yield _built(seed, objects, {**arrays, **other}, f"all like {name} {how}")
