"""Rules that a model has besides the paths of its tree, such as those of C4.5."""

from typing import Any

from spinney.rules._conditions import conditions_text
from spinney.rules._ruleset import RuleSet

_MOST_RULES = 200


def rules_part(model: Any) -> dict[str, Any] | None:
    """Return the rules of a model as text, with their measures; None if it has none of its own."""
    rules = getattr(model, "rules_", None)
    if not isinstance(rules, RuleSet):
        return None
    shown = [
        [
            conditions_text(rule.conditions) or "always",
            rule.prediction_text,
            rule.coverage,
            rule.confidence,
            rule.lift,
        ]
        for rule in rules.rules[:_MOST_RULES]
    ]
    return {"n": len(rules), "rules": shown, "default": rules.default_text}
