"""The container of a model file: named arrays and a description, in the layout of safetensors.

    8 bytes     length of the header, little-endian
    header      JSON: "__metadata__" first, then dtype, shape and offsets of each array; padded with
                spaces to a multiple of 8 bytes
    data        the arrays, little-endian, one after the other

The metadata are `format` ("spinney"), `version`, `needs` (the first spinney release that reads this
version), `checksum` and `description`. Files are written in the present version; those of earlier
versions are read (see `_upgrade`). The checksum is the SHA-256, in hexadecimal, of the whole file
with 64 zeros in place of the checksum. The header of every version begins with `format`, `version`
and `needs`, so that every reader can report what is missing.

The header has exactly one valid form. The reader rebuilds it from the parsed content and compares,
which rejects whitespace, another order, and duplicate or unknown keys without a rule for each.
"""

import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from typing import Any

import numpy as np
from numpy.typing import NDArray

VERSIONS = {(1, 0): "0.1.0", (1, 1): "0.2.0"}  # and the first spinney that reads each
VERSION = max(VERSIONS)
MAX_HEADER = 16 * 2**20
MAX_ARRAYS = 2**16
MAX_DIMENSIONS = 8

_TYPES = {
    "BOOL": np.dtype(np.bool_),
    **{f"I{8 * n}": np.dtype(f"<i{n}") for n in (1, 2, 4, 8)},
    **{f"U{8 * n}": np.dtype(f"<u{n}") for n in (1, 2, 4, 8)},
    **{f"F{8 * n}": np.dtype(f"<f{n}") for n in (2, 4, 8)},
}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}

_BEGIN = '{"__metadata__":{"format":"spinney","version":"'
_HEAD = re.compile(
    re.escape(_BEGIN) + r'(\d{1,4})\.(\d{1,4})","needs":"(\d{1,4}(?:\.\d{1,4}){0,2}[a-z0-9]{0,8})"'
)
_CHECKSUM = re.compile(r',"checksum":"([0-9a-f]{64})","description":(?=")')
_ENTRY = re.compile(
    r',"([^"\\]{1,500})":\{"dtype":"([A-Z0-9]{2,4})","shape":\[([0-9,]{0,160})\],'
    r'"data_offsets":\[(\d{1,19}),(\d{1,19})\]\}'
)
_ZEROS = "0" * 64

_Entry = tuple[str, str, list[int], int, int]  # name, type, shape, begin and end of an array


class ModelFileError(ValueError):
    """Not a valid model file for this version of spinney, or a model that cannot be saved."""


def require(fits: bool, problem: str) -> None:
    """Raise a ModelFileError unless something fits."""
    if not fits:
        raise ModelFileError(problem)


@dataclass(frozen=True)
class Contents:
    """The content of a file: a description, and arrays by name in the order of the file."""

    description: str
    arrays: dict[str, NDArray[Any]]
    version: tuple[int, int] = VERSION


def is_storable(dtype: np.dtype[Any]) -> bool:
    """Return whether arrays of a dtype can be stored."""
    return dtype.newbyteorder("<") in _NAMES


# -- Out


def to_chunks(contents: Contents) -> Iterator[Any]:
    """Yield the bytes of a file."""
    arrays = [np.ascontiguousarray(a, a.dtype.newbyteorder("<")) for a in contents.arrays.values()]
    shapes = [np.shape(a) for a in contents.arrays.values()]
    entries, end = [], 0
    for name, array, shape in zip(contents.arrays, arrays, shapes, strict=True):
        begin, end = end, end + array.nbytes
        entries.append((name, _NAMES[array.dtype], shape, begin, end))
    start = _header(contents.description, _ZEROS, entries)
    data = [array.reshape(-1).view(np.uint8).data for array in arrays if array.size]
    digest = _digest([start, *data]).encode("ascii")
    yield start.replace(_ZEROS.encode("ascii"), digest, 1)  # its place comes before the rest
    yield from data


def _header(
    description: str, checksum: str, entries: Sequence[Any], version: tuple[int, int] = VERSION
) -> bytes:
    """Return the length of the header and the header."""
    words = f"{version[0]}.{version[1]}"
    facts = {"format": "spinney", "version": words, "needs": VERSIONS[version]}
    facts |= {"checksum": checksum, "description": description}
    listed = {"__metadata__": facts} | {
        name: {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}
        for name, dtype, shape, begin, end in entries
    }
    text = json.dumps(listed, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 8)
    require(
        len(text) <= MAX_HEADER,
        f"the model has a description of {len(text)} bytes, the limit of model files is "
        f"{MAX_HEADER}: too many members or parameters. Use joblib for it.",
    )
    return len(text).to_bytes(8, "little") + text


def _digest(parts: Iterable[Any]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


# -- In


def read(path: str | os.PathLike[str]) -> Contents:
    """Read and check a file."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        kind = "a folder" if os.path.isdir(path) else "no regular file"
        raise ModelFileError(f"it is {kind}, not a model file")
    with open(path, "rb") as file:
        return _read(file)


def _read(file: BufferedReader) -> Contents:
    size = os.fstat(file.fileno()).st_size
    first = file.read(8)
    length = int.from_bytes(first, "little")
    if len(first) < 8 or length > size - 8:
        _refuse_stranger(first + file.read(64))
        raise ModelFileError(f"it declares a header of {length} bytes, but has only {size} in all")
    require(length <= MAX_HEADER, f"its header has {length} bytes, the limit is {MAX_HEADER}")
    start = first + file.read(length)
    _refuse_stranger(start[:72])
    header = _read_header(start, size - 8 - length)  # before room for the data is taken
    data = np.empty(size - 8 - length, np.uint8)
    if len(start) != 8 + length or file.readinto(data.data) != len(data) or file.read(1):
        raise ModelFileError("it changed while it was read")
    return _read_data(start, header, data)


def _refuse_stranger(start: bytes) -> None:
    """Refuse a file of another kind, and guess which."""
    if not _BEGIN.encode("ascii").startswith(start[8 : 8 + len(_BEGIN)]) or len(start) <= 8:
        is_pickle = start[:1] in (b"\x80", b"\x78") or start[:2] == b"\x1f\x8b"
        words = "it is no model file of spinney" if start else "it is empty"
        if is_pickle:
            words = (
                "it is no model file but seems to be a pickle. spinney.load never unpickles: use "
                "joblib.load if you trust where it is from"
            )
        raise ModelFileError(words)


def parse(start: bytes, data: NDArray[np.uint8]) -> Contents:
    """Check a header, given with its length before it, against the data, and read both."""
    return _read_data(start, _read_header(start, len(data)), data)


@dataclass(frozen=True)
class _Header:
    checksum: str
    checksum_place: int  # in the file
    version: tuple[int, int]
    description: str
    entries: list[_Entry]


def _read_header(start: bytes, n_bytes: int) -> _Header:
    """Check a header, given with its length before it, against the number of bytes behind it."""
    try:
        text = start[8:].decode("ascii")
    except UnicodeDecodeError:
        raise ModelFileError("its header is damaged: it is not plain ASCII") from None
    version, place = _check_version(text)
    found = _CHECKSUM.match(text, place)
    if found is None:
        raise ModelFileError("its header is damaged: the checksum or description is missing")
    try:
        description, place = json.JSONDecoder().raw_decode(text, found.end())
    except ValueError:
        raise ModelFileError("its header is damaged: the description does not end") from None
    entries = _entries(text, place + 1, n_bytes)
    same = _header(description, found[1], entries, version) == start
    require(same, "its header is not written the way that model files are")
    return _Header(found[1], 8 + found.start(1), version, description, entries)


def _read_data(start: bytes, header: _Header, data: NDArray[np.uint8]) -> Contents:
    zeroed = bytearray(start)
    zeroed[header.checksum_place : header.checksum_place + 64] = _ZEROS.encode("ascii")
    same = _digest([zeroed, data.data]) == header.checksum
    require(same, "it is damaged: its contents do not match its checksum")
    arrays = {entry[0]: _array(data, *entry[1:]) for entry in header.entries}
    return Contents(header.description, arrays, header.version)


def _check_version(text: str) -> tuple[tuple[int, int], int]:
    head = _HEAD.match(text)
    if head is None:
        raise ModelFileError("it is no model file of spinney, or its header is damaged")
    version = (int(head[1]), int(head[2]))
    if version > VERSION:
        raise ModelFileError(
            f"it is of version {head[1]}.{head[2]} of the format and needs spinney {head[3]} or "
            f"later; this one reads versions up to {VERSION[0]}.{VERSION[1]}"
        )
    if version not in VERSIONS:
        raise ModelFileError(f"there is no version {head[1]}.{head[2]} of the format")
    return version, head.end()


def _entries(text: str, place: int, n_bytes: int) -> list[_Entry]:
    """Return the entries of the arrays, which must be contiguous."""
    entries: list[_Entry] = []
    before = 0
    n_arrays = text.count('"data_offsets":[', place)  # before any of them is looked at
    require(n_arrays <= MAX_ARRAYS, f"it has more than {MAX_ARRAYS} arrays")
    while (found := _ENTRY.match(text, place)) is not None:
        name, dtype = found[1], found[2]
        who = f"array {name!r}"
        require(dtype in _TYPES, f"{who} is of the unknown type {dtype!r}")
        parts = found[3].split(",") if found[3] else []
        possible = len(parts) <= MAX_DIMENSIONS and all(parts)
        require(possible, f"{who} has a shape that cannot be: [{found[3]}]")
        shape = [int(part) for part in parts]
        begin, end = int(found[4]), int(found[5])
        require(begin == before, f"{who} does not begin where the one before it ends")
        n_needed = math.prod(shape) * _TYPES[dtype].itemsize
        require(n_needed == end - begin, f"{who} has a shape that does not fit its bytes")
        entries.append((name, dtype, shape, begin, end))
        before, place = end, found.end()
    changed = f"its arrays end at {before} of {n_bytes} bytes: it was cut off, added to or changed"
    require(before == n_bytes, changed)
    return entries


def _array(
    data: NDArray[np.uint8], dtype: str, shape: list[int], begin: int, end: int
) -> NDArray[Any]:
    """Return a read-only view of an array."""
    is_valid = dtype != "BOOL" or not (data[begin:end] > 1).any()
    require(is_valid, "an array of truth values holds something else")
    array = data[begin:end].view(_TYPES[dtype]).reshape(shape)
    array.flags.writeable = False
    return array
