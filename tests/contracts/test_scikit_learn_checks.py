"""scikit-learn's own checks; where rows are drawn, a weight of 2 is not two rows."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from contracts.estimators import ALL_SEEN, LISTED

pytestmark = pytest.mark.filterwarnings(f"ignore:{ALL_SEEN}")  # of very few rows

# Rows set aside are drawn by row, so that a weight of 2 is not two rows, which a check wants.
CHECKED = [listed.estimator for listed in LISTED if not listed.holds_out]
DRAWING = [
    id(listed.estimator)
    for listed in LISTED
    if listed.by_parts
    or (listed.draws_rows and not (listed.is_tree or listed.draws_cuts))  # these use all rows
]
WEIGHTS = "check_sample_weight_equivalence_on_dense_data"


def failing(estimator):
    """Return the checks that models of drawn rows cannot pass, and why."""
    return {WEIGHTS: "rows are drawn one by one"} if id(estimator) in DRAWING else {}


@parametrize_with_checks(CHECKED, expected_failed_checks=failing)
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)
