"""Rules as a table of pandas: a row for each rule, a column for each thing known about it."""

from collections.abc import Iterable
from typing import Any

from spinney.rules._conditions import conditions_text
from spinney.rules._rule import Rule

_NUMBERS = ("coverage", "coverage_share", "confidence", "lift", "error_estimate")


def rules_frame(rules: Iterable[Rule]) -> Any:
    """Return a pandas DataFrame with a row for each rule."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(
            "to_frame needs pandas, which is not installed. Install pandas, or use to_text()."
        ) from None
    listed = list(rules)
    return pd.DataFrame(
        {
            "conditions": [conditions_text(rule.conditions) for rule in listed],
            "prediction": [rule.prediction for rule in listed],
            **{name: [getattr(rule, name) for rule in listed] for name in _NUMBERS},
        }
    )
