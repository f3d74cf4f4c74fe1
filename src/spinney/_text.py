"""Plain text: plurals and aligned tables."""

from collections.abc import Collection, Sequence


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = ()) -> list[str]:
    """Return the lines of a table whose columns are aligned.

    Parameters
    ----------
    rows : sequence of sequence of str
        Rows of cells, all of the same length.
    left : collection of int
        Left-aligned columns; the others are right-aligned.

    Returns
    -------
    list of str
        A line for each row, without trailing spaces.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
