"""Fixtures that run a test once for each table library."""

import pytest
from table_makers import MAKERS, NAMED


@pytest.fixture(params=MAKERS)
def make_table(request):
    """Return a function from a dict of lists to a table."""
    return MAKERS[request.param]


@pytest.fixture(params=NAMED)
def make_named_table(request):
    """Return a function from a dict of lists to a table with column names."""
    return NAMED[request.param]
