"""From Parquet and Arrow files to typed columns, by pyarrow."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from spinney._cli._cells import Sheet, Wanted, check_order, label_column
from spinney._cli._refusal import Refusal
from spinney.datasets._read import Column


def read_arrow(path: Path, wanted: Wanted | None = None) -> Sheet:
    """Read the columns of a Parquet or an Arrow (Feather) file.

    Parameters
    ----------
    path : Path
        A file that ends in .parquet or .pq, or in .arrow, .feather or .ipc.
    wanted : Wanted, optional
        Kinds that columns must have. Default: their types decide.

    Returns
    -------
    Sheet
    """
    if find_spec("pyarrow") is None:
        raise Refusal(
            f"{str(path)!r} needs pyarrow, which is not installed: pip install 'spinney[arrow]'. "
            "CSV and JSON lines need nothing else."
        )
    wanted = wanted or Wanted()
    table = _read_table(path)
    names = [name for name in table.column_names if wanted.wants(name)]
    if not names or not table.num_rows:
        raise Refusal(f"{str(path)!r} holds no rows.")
    columns = [_column(path, name, table.column(name), wanted) for name in names]
    return Sheet(columns, others=tuple(name for name in table.column_names if name not in names))


def _read_table(path: Path) -> Any:
    import pyarrow as pa

    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            import pyarrow.parquet

            return pyarrow.parquet.read_table(path)
        import pyarrow.feather

        return pyarrow.feather.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise Refusal(f"cannot read {str(path)!r}: {str(error).rstrip('.')}.") from error


def _column(path: Path, name: str, column: Any, wanted: Wanted) -> Column:
    import pyarrow as pa

    kind, of = wanted.kind_of(name), column.type
    is_number = pa.types.is_integer(of) or pa.types.is_floating(of) or pa.types.is_decimal(of)
    if is_number and kind in (None, "numeric"):
        numbers = column.cast(pa.float64(), safe=False).to_numpy()
        return Column(name, "numeric", np.array(numbers, dtype=np.float64))
    if pa.types.is_null(of):
        return Column(name, "numeric", np.full(len(column), np.nan))
    order = wanted.orders.get(name)
    if pa.types.is_dictionary(of):
        if of.ordered and order is None and len(column.chunks):
            order = tuple(map(str, column.unify_dictionaries().chunk(0).dictionary.to_pylist()))
        of = of.value_type
    words = pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_boolean(of)
    words = words or getattr(pa.types, "is_string_view", bool)(of)
    if not (words or is_number) and wanted.strict:
        raise Refusal(
            f"{str(path)!r}, column {name!r} holds {of}. Turn it into a number or a category, or "
            f"leave it out: --drop {name}."
        )
    if kind == "numeric":
        raise Refusal(f"{str(path)!r}, column {name!r} must hold numbers, and holds {of}.")
    made = label_column(name, ["" if v is None else _text(v) for v in column.to_pylist()], order)
    if order is not None:
        check_order(repr(str(path)), made, lambda row: row + 1)
    return made


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
