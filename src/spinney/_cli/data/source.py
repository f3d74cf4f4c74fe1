"""The source of a table: a file or standard input, decompressed, and text in whole lines.

Damage, another encoding and lines without an end are refused here, so that every reader of text
starts from lines in UTF-8. A file is read in blocks: what is refused costs no memory.
"""

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from spinney._cli.data.columns import Column, Sheet, Wanted
from spinney._cli.errors import Refusal
from spinney._format import did_you_mean
from spinney.datasets._registry import EVENT, REGISTRY, Task, list_datasets

_BLOCK = 1 << 23  # bytes that are read at once
_SMALL = 1 << 12  # so that little is lost before the place where a file is damaged
LONGEST_LINE = 1 << 26  # a table of a million columns has lines of some 10 MB
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_PACKED = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_BOM = b"\xef\xbb\xbf"

_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_ARROW_SUFFIXES = (".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc")
_ARROW_MAGIC = (b"PAR1", b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")


@dataclass(frozen=True)
class Source:
    """A file, or the content of standard input."""

    name: str  # as the user wrote it
    content: bytes | None = None  # of standard input

    @property
    def where(self) -> str:
        """Name in messages."""
        return repr(self.name) if self.content is None else "standard input"

    @property
    def suffix(self) -> str:
        """Suffix of the name in lower case, without that of a compressed file."""
        suffixes = [suffix.lower() for suffix in Path(self.name).suffixes]
        if suffixes[-1:] and suffixes[-1] in _PACKED:
            suffixes = suffixes[:-1]
        return suffixes[-1] if suffixes else ""

    @property
    def packing(self) -> str | None:
        """Compression, by the name or else by the first bytes."""
        by_name = _PACKED.get(Path(self.name).suffix.lower())
        if by_name is not None:
            return by_name
        head = self.head(4)
        return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)

    def head(self, size: int) -> bytes:
        """Return the first bytes, not decompressed."""
        with self.refusing(), self._raw() as file:
            return file.read(size)

    def _raw(self) -> IO[bytes]:
        if self.content is not None:
            return io.BytesIO(self.content)
        return open(self.name, "rb")

    @contextmanager
    def open(self) -> Iterator[Any]:
        """Open it for reading bytes, decompressed."""
        packing = self.packing
        with self.refusing(), self._raw() as raw, _unpacked(raw, packing) as file:
            yield file

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Turn errors of reading into refusals."""
        try:
            yield
        except (OSError, EOFError, zlib.error) as error:
            words = getattr(error, "strerror", None) or str(error) or type(error).__name__
            words = words.rstrip(".")
            if getattr(error, "errno", None) is None and self.packing is not None:
                words += (
                    f", after line {self._last_whole_line()}. The file is damaged or cut off: copy "
                    "it again"
                )
            raise Refusal(f"cannot read {self.where}: {words}.") from error
        except MemoryError as error:
            raise Refusal(f"there is not enough memory to read {self.where}.") from error

    def _last_whole_line(self) -> int:
        """Return the number of lines that can be decompressed; for messages only."""
        n_lines = 0
        with (
            suppress(OSError, EOFError, zlib.error),
            self._raw() as raw,
            _unpacked(raw, self.packing) as file,
        ):
            while piece := file.read1(_SMALL):
                n_lines += piece.count(b"\n")
        return n_lines

    def blocks(self, encoding: str | None = None) -> Iterator[bytes]:
        """Yield the text in UTF-8, in blocks of whole lines, without a byte order mark."""
        rest: list[bytes] = []
        begin = held = 0  # where the block begins, and the length of the rest
        with self.open() as file:
            for piece in _in_utf8(file, encoding, self.where):
                end = _end_of_lines(piece)
                if end:
                    block = b"".join([*rest, piece[:end]])
                    yield self._checked(block, begin, encoding)
                    begin += len(block)
                    rest, held = [], 0
                rest.append(piece[end:])
                held += len(piece) - end
                if held > LONGEST_LINE:
                    raise Refusal(
                        f"{self.where}, line {self._line_at(begin, encoding)}, is longer than "
                        f"{LONGEST_LINE >> 20} MB. This is no table, or its lines have no ends."
                    )
            if held:
                yield self._checked(b"".join(rest), begin, encoding)

    def lines(self, encoding: str | None, newline: str | None) -> Iterator[str]:
        """Yield the lines of the text, their ends as `io.StringIO` has them."""
        for block in self.blocks(encoding):
            yield from io.StringIO(block.decode(), newline=newline)

    def _checked(self, block: bytes, begin: int, encoding: str | None) -> bytes:
        """Return a block of text without a byte order mark; refuse others with the line."""
        if not block.isascii():
            try:
                block.decode()
            except UnicodeDecodeError as error:
                if begin == 0 and block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                    raise Refusal(
                        f"{self.where} is not text in UTF-8 but in UTF-16. Save it in UTF-8, or "
                        "add --encoding utf-16."
                    ) from error
                line = self._line_at(begin + error.start, encoding)
                raise Refusal(
                    f"{self.where}, line {line}, is not text in UTF-8. Save it in UTF-8, or name "
                    f"its encoding, such as --encoding {_likely_encoding(block)}."
                ) from error
        if b"\0" in block:
            line = self._line_at(begin + block.index(0), encoding)
            raise Refusal(
                f"{self.where}, line {line}, holds a NUL byte, which no text does. Remove it, or "
                f"name the encoding of the file, such as --encoding {_likely_encoding(block)}."
            )
        return block.removeprefix(_BOM) if begin == 0 else block

    def _line_at(self, position: int, encoding: str | None) -> int:
        """Return the line of a byte of the text; slow, and for messages only."""
        line = 1
        with self.open() as file:
            for piece in _in_utf8(file, encoding, self.where):
                line += piece.count(b"\n", 0, position)
                position -= len(piece)
                if position <= 0:
                    break
        return line


def _standard_input() -> bytes:
    stream = sys.stdin.buffer
    parts, since = [], 0
    while part := stream.read(_BLOCK):
        parts.append(part)
        since = 0 if b"\n" in part or b"\r" in part else since + len(part)
        if since > LONGEST_LINE:
            raise Refusal(f"standard input has no end of a line in {since >> 20} MB.")
    return b"".join(parts)


@contextmanager
def _unpacked(raw: IO[bytes], packing: str | None) -> Iterator[Any]:
    """Decompress a file while it is read."""
    if packing == "gzip":
        with gzip.GzipFile(fileobj=raw) as file:
            yield file
    elif packing == "zstd":
        import pyarrow

        with pyarrow.CompressedInputStream(raw, "zstd") as file:
            yield file
    else:
        yield raw


def _likely_encoding(block: bytes) -> str:
    """Return the encoding of text that is not in UTF-8: every other byte of UTF-16 is often NUL."""
    even, odd = (block[begin:1000:2].count(0) for begin in (0, 1))
    if max(even, odd) < len(block[:1000]) // 4:
        return "utf-16" if even + odd else "latin-1"
    return "utf-16-be" if even > odd else "utf-16-le"


def _end_of_lines(piece: bytes) -> int:
    """Return the end of the last whole line: after LF, or after CR that LF cannot follow."""
    return piece.rfind(b"\n") + 1 or piece.rfind(b"\r", 0, len(piece) - 1) + 1


def _in_utf8(file: Any, encoding: str | None, where: str) -> Iterator[bytes]:
    """Yield a file in pieces, converted to UTF-8 if an encoding is given."""
    decoder = None if encoding is None else _decoder(encoding)
    while True:
        piece: bytes = file.read(_BLOCK)
        if decoder is None:
            if not piece:
                return
            yield piece
            continue
        try:
            text = decoder.decode(piece, final=not piece).encode()
        except (UnicodeError, ValueError) as error:
            raise Refusal(
                f"{where} is not text in {encoding}: {error}. Give another --encoding."
            ) from error
        if text:
            yield text
        if not piece:
            return


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    try:
        "".encode(encoding)  # refuses codecs that are no encodings of text
        return codecs.getincrementaldecoder(encoding)()
    except (LookupError, ValueError) as error:
        raise Refusal(
            f"--encoding: {encoding!r} is no encoding of text. Use a name such as latin-1, cp1252 "
            "or utf-16."
        ) from error


def read_file(source: Source, wanted: Wanted | None = None) -> Sheet:
    """Read the columns of a file: CSV, JSON lines, Parquet or Arrow."""
    suffix = source.suffix
    if suffix in (".xlsx", ".xls", ".ods"):
        raise Refusal(f"{source.where} is a spreadsheet. Save it as CSV in UTF-8.")
    if suffix == ".spinney":
        raise Refusal(f"{source.where} is a model file, and a table is needed here.")
    form = form_of(source)
    if form == "arrow":
        from spinney._cli.data.arrow import read_arrow

        return read_arrow(source, wanted)
    if form == "json":
        from spinney._cli.data.json_lines import read_json_lines

        return read_json_lines(source, wanted)
    from spinney._cli.data.delimited import read_csv

    return read_csv(source, wanted)


def form_of(source: Source) -> str:
    """Return the form of a file: csv, json or arrow."""
    if source.suffix in _JSON_SUFFIXES:
        return "json"
    if source.suffix in _ARROW_SUFFIXES or source.head(8).startswith(_ARROW_MAGIC):
        return "arrow"
    if source.content is not None:
        with source.open() as file:
            return "json" if file.read(1) == b"{" else "csv"
    return "csv"


def bundled_columns(name: str) -> tuple[list[Column], str, Task]:
    """Return the columns of a bundled set with its target last, the target's name and the task."""
    from spinney.datasets._dataset import load

    data = load(name, as_="dict")
    columns = [
        Column(n, "numeric", data.data[n])
        if data.kinds[n] == "numeric"
        else Column.of_labels(n, data.kinds[n], data.data[n].tolist(), data.categories[n])
        for n in data.feature_names
    ]
    target, told = data.target_name, REGISTRY[name].exposure
    if told is not None:
        columns.append(Column(told, "numeric", data.exposure))
    if data.task == "survival":
        columns.append(Column(EVENT, "numeric", data.target[EVENT].astype(np.float64)))
        last = Column(target, "numeric", np.ascontiguousarray(data.target[target]))
    elif data.task == "regression":
        last = Column(target, "numeric", data.target)
    else:
        labels = data.target.tolist()
        last = Column.of_labels(target, "nominal", labels, sorted(set(labels)))
    return [*columns, last], target, data.task


def read_table(name: str, wanted: Wanted) -> tuple[Sheet, str | None, Task | None]:
    """Read a bundled data set, with its target and task, or a file."""
    if name not in list_datasets():
        return read_file(find_file(name), wanted), None, None
    for option, values in wanted.text.options():
        if any((option, value) not in wanted.text.remembered for value in values):
            raise Refusal(f"{option} is for files, and {name!r} is a bundled set.")
    columns, target, task = bundled_columns(name)
    return Sheet(columns), target, task


def find_file(name: str) -> Source:
    """Return the file of this name, or standard input for -."""
    path = Path(name)
    if name == "-":
        return Source(name, _standard_input())
    if path.is_fifo() or path.is_char_device():
        raise Refusal(
            f"{name!r} is no file but a stream, and a table is read more than once. Write it to a "
            "file first, or give it as standard input: -."
        )
    if path.is_dir():
        raise Refusal(f"{name!r} is a folder. Give the path of a file with a table.")
    if path.exists():
        return Source(name)
    if path.suffix or len(path.parts) > 1:
        raise Refusal(f"there is no file {name!r}.")
    hint = did_you_mean(name, list_datasets()) or " `spinney datasets` lists the names."
    raise Refusal(f"there is no data set and no file {name!r}.{hint}")


def as_table(columns: Iterable[Column]) -> dict[str, Any]:
    """Return columns as a table that estimators accept."""
    from spinney._table import CodedLabels  # here: to divide a table needs no scikit-learn

    return {
        column.name: column.cells
        if column.kind == "numeric"
        else CodedLabels(column.cells, column.categories, ordered=column.kind == "ordered")
        for column in columns
    }
