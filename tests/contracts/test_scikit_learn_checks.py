"""scikit-learn's own checks; where rows are drawn, a weight of 2 is not two rows."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from contracts.estimators import ALL_SEEN, LISTED, NONE_OUT
from spinney import C45Classifier

pytestmark = [  # of very few rows
    pytest.mark.filterwarnings(f"ignore:{ALL_SEEN}"),
    pytest.mark.filterwarnings(f"ignore:{NONE_OUT}"),
]

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
    """Return the checks that a model cannot pass, and why."""
    found = {WEIGHTS: "rows are drawn one by one"} if id(estimator) in DRAWING else {}
    if isinstance(getattr(estimator, "estimator", None), C45Classifier) and hasattr(
        estimator, "min_weight_fraction_leaf"
    ):
        why = "it sets min_weight_fraction_leaf of the forest, which trees of C4.5 do not have"
        found["check_class_weight_classifiers"] = why
    return found


@parametrize_with_checks(CHECKED, expected_failed_checks=failing)
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)
