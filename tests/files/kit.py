"""Saves, loads, and makes files that are wrong in one thing."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import spinney
from spinney._file._container import Contents, to_chunks
from spinney._file._models import contents_of


def through_file(model: Any, path: Path, **options: Any) -> Any:
    """Save and load a model, and see that the second file is the first."""
    spinney.save(model, path)
    first = path.read_bytes()
    loaded = spinney.load(path, **options)
    spinney.save(loaded, path)
    assert path.read_bytes() == first
    return loaded


def with_array(model: Any, end_of_name: str, change: Any) -> Contents:
    """Return the contents of a model's file with one array changed."""
    contents = contents_of(model)
    (name,) = [one for one in contents.arrays if one.endswith(end_of_name)]
    array = np.array(contents.arrays[name])
    changed = change(array)
    return replace(
        contents, arrays={**contents.arrays, name: array if changed is None else changed}
    )


def with_text(model: Any, old: str, new: str) -> Contents:
    """Return the contents of a model's file with another description."""
    contents = contents_of(model)
    assert old in contents.description, contents.description
    return replace(contents, description=contents.description.replace(old, new, 1))


def written(contents: Contents, path: Path) -> Path:
    """Write a file with a right checksum."""
    path.write_bytes(b"".join(bytes(chunk) for chunk in to_chunks(contents)))
    return path


def sealed(data: bytes) -> bytes:
    """Return a file whose header was changed with a right checksum, and length of the header."""
    begin = data.index(b'"checksum":"') + len(b'"checksum":"')
    zeroed = data[:begin] + b"0" * 64 + data[begin + 64 :]
    digest = hashlib.sha256(zeroed).hexdigest().encode()
    return data[:begin] + digest + data[begin + 64 :]
