"""Tables from files: all that the commands read.

::

    path or - -> Source (source) -> read_file (read) -+-> CSV (delimited; careful, where in doubt)
                                                      +-> JSON lines (json_lines)
                                                      +-> Parquet, Arrow (arrow)

Each reader gives a `Sheet` of `Column` (columns): numbers, or codes with their categories. Text
becomes codes while it is read; nothing behind this package makes a Python object for each cell.
`cells` decides what a cell means: a gap, a number, a category. pyarrow is imported when a file is
read, and not before.
"""
