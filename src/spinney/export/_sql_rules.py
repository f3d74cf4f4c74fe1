"""SQL for ordered rules: one flat CASE, a line for each rule, and the default as ELSE."""

from spinney.export._literals import sql_number, sql_value
from spinney.export._rule_model import RuleModel, RuleStep
from spinney.export._sql_parts import Chain, by_number, case, condition


def rules_expression(rules: RuleModel, nan: bool) -> str:
    """Return what ordered rules predict as one expression."""
    return _first(rules, [_answer(rules, step) for step in rules.steps], nan)


def add_rules(chain: Chain, rules: RuleModel, nan: bool) -> list[str]:
    """Add the step that finds the rule which decides; return the prediction and class shares."""
    numbers = [str(place) for place in range(len(rules.steps))]
    chain.add([(f"{chain.stem}_rule", _first(rules, numbers, nan))])
    entries = [(place, _answer(rules, step), step.answer) for place, step in enumerate(rules.steps)]
    return by_number(chain.name("rule"), entries, probabilities=True)


def _first(rules: RuleModel, results: list[str], nan: bool) -> str:
    """Return the result of the first rule that fires."""
    pairs = []
    for step, result in zip(rules.steps, results, strict=True):
        texts = [condition(w.question, w.branch, rules.schema, nan) for w in step.wanted]
        assert None not in texts  # rules that cannot fire are left out before
        words = [
            f"({text})" if want.question.tokens else str(text)
            for want, text in zip(step.wanted, texts, strict=True)
        ]
        pairs.append((" AND ".join(words) or "TRUE", result))
    return case(pairs[:-1], results[-1])


def _answer(rules: RuleModel, step: RuleStep) -> str:
    if rules.classes is None:
        return sql_number(step.answer[0], always_real=True)
    return sql_value(rules.classes[step.label])
