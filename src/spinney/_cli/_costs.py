"""Costs of errors, as people write them: `bad:good=5`."""

from collections.abc import Iterable, Sequence
from typing import Any

from spinney._cli._refusal import Refusal


def parse_costs(given: Iterable[str], classes: Sequence[Any]) -> dict[tuple[Any, Any], float]:
    """Return costs by (true class, predicted class).

    Parameters
    ----------
    given : iterable of str
        Each as TRUE:PREDICTED=COST.
    classes : sequence
        The labels; they may hold colons themselves.

    Returns
    -------
    dict
    """
    by_text = {str(label): label for label in classes}
    costs = {}
    for text in given:
        words, _, number = text.rpartition("=")
        pair = _pair(words, by_text)
        if pair is None:
            raise Refusal(
                f"--cost: write TRUE:PREDICTED=COST with the classes {', '.join(by_text)}, not "
                f"{text!r}."
            )
        costs[pair] = _price(text, number)
    return costs


def _pair(words: str, by_text: dict[str, Any]) -> tuple[Any, Any] | None:
    places = [k for k, sign in enumerate(words) if sign == ":"]
    for place in places:
        true, predicted = words[:place].strip(), words[place + 1 :].strip()
        if true in by_text and predicted in by_text and true != predicted:
            return by_text[true], by_text[predicted]
    return None


def _price(text: str, number: str) -> float:
    try:
        price = float(number)
    except ValueError:
        price = -1.0
    if not 0.0 <= price < float("inf"):
        raise Refusal(f"--cost: a cost is a number from 0 up, not {number!r} (in {text!r}).")
    return price
