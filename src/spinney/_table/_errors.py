"""Messages about cells that are neither numbers nor categories; each names its column."""

# The estimator checks of scikit-learn look for these words.
STRING_OR_NUMBER = "argument must be a string or a real number"


def dates_error(name: str, dtype: str) -> ValueError:
    """Return the error for a column of dates, times or time spans."""
    what = "time spans" if dtype == "timedelta64" else "dates" if dtype != "time" else "times"
    example = "days since a date" if what == "dates" else "hours"
    return ValueError(
        f"column {name!r} holds {what} ({dtype}). Turn it into a number, such as {example}, or "
        "into a category."
    )


def nested_error(name: str, dtype: object) -> TypeError:
    """Return the error for a column whose cells hold several values."""
    return TypeError(
        f"column {name!r} holds nested values ({dtype}): every {STRING_OR_NUMBER}. Spread the "
        "values over columns of their own."
    )


def object_error(name: str, type_name: str) -> TypeError:
    """Return the error for an object that is neither a string nor a number."""
    return TypeError(
        f"column {name!r} holds an object of type {type_name!r}: every {STRING_OR_NUMBER}, "
        "or missing."
    )


def mixed_error(name: str, found: list[str]) -> TypeError:
    """Return the error for a column that mixes kinds of values."""
    return TypeError(
        f"column {name!r} mixes {' and '.join(found)}: every {STRING_OR_NUMBER}, and all of one "
        "kind. Convert the column to strings, or to numbers."
    )
