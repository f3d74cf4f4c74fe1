"""Which reader reads a file: by how its name ends."""

from pathlib import Path

from spinney._cli._cells import Sheet, Wanted
from spinney._cli._refusal import Refusal

_JSON_LINES = (".jsonl", ".ndjson", ".json")
_ARROW = (".parquet", ".pq", ".arrow", ".feather", ".ipc")


def read_file(path: Path, wanted: Wanted | None = None) -> Sheet:
    """Read the columns of a file: CSV, JSON lines, Parquet or Arrow."""
    suffix = _suffix(path)
    if suffix in _ARROW:
        from spinney._cli._arrow import read_arrow

        return read_arrow(path, wanted)
    if suffix in _JSON_LINES:
        from spinney._cli._json_lines import read_json_lines

        return read_json_lines(path, wanted)
    if suffix in (".xlsx", ".xls", ".ods"):
        raise Refusal(f"{str(path)!r} is a spreadsheet. Save it as CSV in UTF-8.")
    if suffix == ".spinney":
        raise Refusal(f"{str(path)!r} is a model file, and a table is needed here.")
    from spinney._cli._csv import read_csv

    return read_csv(path, wanted)


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes = suffixes[:-1]
    return suffixes[-1] if suffixes else ""
