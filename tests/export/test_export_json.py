"""An interpreter that knows nothing but the JSON says what the model says."""

import bisect
import json
from typing import Any

import numpy as np
import pytest

from spinney.export import from_json, to_json


def refuse(token: str) -> Any:
    raise AssertionError(f"{token} is not JSON")


class Reader:
    """Predicts from the JSON of a tree alone."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.nodes = data["nodes"]
        self.places = [
            {label: place for place, label in enumerate(data["categories"].get(name, ()))}
            for name in data["features"]
        ]
        for node in self.nodes:
            answer = node["answer"]
            node["said"] = np.array(answer.get("probabilities", answer.get("mean")))
            for asked in (node, *node.get("surrogates", ())):
                self.prepare(asked["question"] or {})

    def prepare(self, question: dict[str, Any]) -> None:
        """Make tables of lists, which are slow to search."""
        if "cuts" in question:
            question["cuts"] = [float(cut) for cut in question["cuts"]]
        groups = enumerate(question.get("branches", ()))
        question["branch_of"] = {label: i for i, group in groups for label in group}

    def branch(self, question: dict[str, Any], row: Any) -> int | None:
        place = question["feature"]
        value = row[place]
        if value is None:
            return None
        if "branches" in question:
            return question["branch_of"].get(value)
        if self.data["kinds"][place] != "numeric":
            value = self.places[place].get(value)
        return None if value is None else bisect.bisect_left(question["cuts"], value)

    def chosen(self, node: dict[str, Any], row: Any) -> int | None:
        branch = self.branch(node["question"], row)
        if self.data["missing"] == "fractional":
            return branch
        for stand_in in node.get("surrogates", []):
            if branch is None:
                branch = self.branch(stand_in["question"], row)
                if branch is not None and stand_in["reversed"]:
                    branch = 1 - branch
        return node["default_branch"] if branch is None else branch

    def mixed(self, row: Any) -> tuple[Any, int | None]:
        total: Any = 0.0
        label = None
        parts = [(0, 1.0)]
        while parts:
            place, part = parts.pop()
            node = self.nodes[place]
            children = node["children"]
            if not children:
                total = total + part * node["said"]
                label = node["answer"].get("label")
                continue
            branch = self.chosen(node, row)
            if branch is not None:
                parts.append((children[branch], part))
                continue
            weights = [self.nodes[child]["weight"] for child in children]
            for child, weight in zip(children, weights, strict=True):
                if weight > 0:
                    parts.append((child, part * weight / sum(weights)))
        if self.data["missing"] == "fractional" and self.data["classes"] is not None:
            label = self.cheapest(total)
        return total, label

    def cheapest(self, shares: Any) -> int:
        cost = self.data.get("cost_matrix")
        expected = shares.sum() - shares if cost is None else shares @ np.array(cost)
        best, least = 0, np.inf
        for label, value in enumerate(expected):
            if value < least * (1 - 1e-12):
                best, least = label, value
        return best


class RuleReader:
    """Predicts from the JSON of rules alone."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def holds(self, condition: dict[str, Any], row: Any) -> bool:
        value = row[condition["feature"]]
        if value is None:
            return False
        if condition["type"] == "categories":
            return value in condition["categories"]
        assert condition["type"] == "interval"
        low, high = condition["low"], condition["high"]
        above = low is None or value > float(low)
        return above and (high is None or value <= float(high))

    def mixed(self, row: Any) -> tuple[Any, int | None]:
        answer = self.data["default"]
        for rule in self.data["rules"]:
            if all(self.holds(condition, row) for condition in rule["conditions"]):
                answer = rule["answer"]
                break
        return answer.get("probabilities", answer.get("mean")), answer.get("label")


READERS = {"spinney tree": Reader, "spinney rules": RuleReader}


def test_a_reader_of_the_json_predicts_as_the_model(case):
    data = json.loads(to_json(case.model), parse_constant=refuse)
    assert data["version"] == 1
    reader = READERS[data["format"]](data)
    said = [reader.mixed(row) for row in case.rows]
    if case.classes is None:
        case.check([mean for mean, _ in said])
    else:
        classes = data["classes"]
        case.check([classes[label] for _, label in said], np.array([s for s, _ in said]))


def test_the_tree_comes_back(tree_case):
    assert from_json(to_json(tree_case.model, indent=1)) == tree_case.said_by


@pytest.mark.parametrize("text", ["[]", "{}", '{"format": "other"}'])
def test_other_json_is_refused(text):
    with pytest.raises(ValueError, match="'format' is 'spinney tree'"):
        from_json(text)


def test_another_version_is_refused():
    with pytest.raises(ValueError, match="version 1 of the format can be read, got 2"):
        from_json('{"format": "spinney tree", "version": 2}')
