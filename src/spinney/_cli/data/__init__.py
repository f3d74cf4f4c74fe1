"""Tables from files: all that the commands read.

::

    path or - -> Source, read_file (source) ----------+-> CSV (delimited; csv_rows without pyarrow)
                                                      +-> JSON lines (json_lines)
                                                      +-> Parquet, Arrow (arrow)

Each reader gives a `Sheet` of `Column` (columns): numbers, or codes with their categories. Text
becomes codes while it is read; nothing after that makes a Python object for each cell. `text_cells`
decides what a cell means: a missing value, a number, a category. `reading` separates features and
target for training; `match` finds the columns of a fitted model. pyarrow is imported when a file is
read, and not before.
"""
