"""The arrays of small models, as the fuzz target of the decoder reads them."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np

from fuzz import ROOT
from fuzz.files import make_seeds, temporary_place

TYPES = ["u1", "<u2", "<u4", "<f4", "<f8"]  # StoredType, in its order


def part_names() -> list[str]:
    """Return the names of the arrays in the order of the core."""
    text = (ROOT / "cpp/spinney/file/parts.hpp").read_text(encoding="utf-8")
    return re.findall(r'"(\w+)"', text.split("kPartNames")[1].split("}")[0])


def frame(parts: dict[str, np.ndarray]) -> bytes:
    """Return the arrays of a forest in one run of bytes."""
    out = b""
    for number, name in enumerate(part_names()):
        if name in parts and parts[name].size:
            kind = TYPES.index(parts[name].dtype.str.replace("|", ""))
            out += bytes([number, kind]) + parts[name].size.to_bytes(4, "little")
            out += parts[name].tobytes()
    return out


def write_frames(folder: Path, most: int = 3_000) -> int:
    """Write the frames of small models, one file each; return how many."""
    folder.mkdir(parents=True, exist_ok=True)
    written = set()
    with temporary_place() as name:
        seeds = make_seeds(Path(name))
    for seed in seeds:
        for place, entry in enumerate(json.loads(seed.contents.description)):
            if entry["class"] not in ("Tree", "Forest"):
                continue
            start = f"{place}.parts."
            parts = {
                array.removeprefix(start): values
                for array, values in seed.contents.arrays.items()
                if array.startswith(start)
            }
            data = bytes([0 if entry["class"] == "Forest" else 2]) + frame(parts)
            digest = hashlib.sha256(data).hexdigest()[:12]
            if len(data) <= most:
                (folder / digest).write_bytes(data)
                written.add(digest)
    return len(written)
