"""Which reader reads a file: by how its name ends, else by its first bytes."""

from spinney._cli._refusal import Refusal
from spinney._cli.data.columns import Sheet, Wanted
from spinney._cli.data.source import Source

_ENDINGS = {
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "arrow",
    ".pq": "arrow",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_BEGINNINGS = {b"PAR1": "arrow", b"ARROW1": "arrow", b"FEA1": "arrow", b"\xff\xff\xff\xff": "arrow"}


def read_file(source: Source, wanted: Wanted | None = None) -> Sheet:
    """Read the columns of a file: CSV, JSON lines, Parquet or Arrow."""
    suffix = source.suffix
    if suffix in (".xlsx", ".xls", ".ods"):
        raise Refusal(f"{source.where} is a spreadsheet. Save it as CSV in UTF-8.")
    if suffix == ".spinney":
        raise Refusal(f"{source.where} is a model file, and a table is needed here.")
    form = _ENDINGS.get(suffix) or _form_of(source)
    if form == "arrow":
        from spinney._cli.data.arrow import read_arrow

        return read_arrow(source, wanted)
    if form == "json":
        from spinney._cli.data.json_lines import read_json_lines

        return read_json_lines(source, wanted)
    from spinney._cli.data.delimited import read_csv

    return read_csv(source, wanted)


def _form_of(source: Source) -> str:
    head = source.head(8)
    for beginning, form in _BEGINNINGS.items():
        if head.startswith(beginning):
            return form
    if source.content is not None:
        with source.open() as file:
            return "json" if file.read(1) == b"{" else "csv"
    return "csv"
