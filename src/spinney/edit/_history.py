"""The record of edits: what was done, where, by whom and why, as text and as JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spinney._format import aligned, did_you_mean, number_text, plural

ACTIONS = ("split", "prune", "grow", "lock")
_KEYS = ("action", "node", "test", "max_depth", "reason", "author")
_VERSION = 1


@dataclass(frozen=True)
class Edit:
    """One change of a tree.

    Parameters
    ----------
    action : {"split", "prune", "grow", "lock"}
        What was done.
    node : str
        The path of the node, such as `"root/yes"`.
    test : dict or None, default=None
        The test that a split gave the node, as in `Tree.to_dict`.
    max_depth : int or None, default=None
        Levels that `grow` was allowed to add; None for those of the model.
    reason : str, default=""
        Why.
    author : str, default=""
        Name of the editor.

    Examples
    --------
    >>> from spinney.edit import Edit
    >>> print(Edit("split", "root", {"test": "income <= 40"}, reason="policy 7"))
    split root by income <= 40 (policy 7)
    """

    action: str
    node: str
    test: Mapping[str, Any] | None = None
    max_depth: int | None = None
    reason: str = ""
    author: str = ""

    @classmethod
    def from_dict(cls, given: Any) -> "Edit":
        """Read an edit from a dict.

        Parameters
        ----------
        given : dict
            With `action` and `node`, and for a split `test`, a text or the dict of a test.

        Returns
        -------
        Edit
        """
        if not isinstance(given, Mapping):
            raise ValueError(f"an edit is a dict with 'action' and 'node', got {given!r}.")
        for key in given:
            if key not in _KEYS:
                raise ValueError(f"an edit has no {key!r}.{did_you_mean(str(key), _KEYS)}")
        action, test = given.get("action"), given.get("test")
        if action not in ACTIONS:
            hint = did_you_mean(str(action), ACTIONS)
            raise ValueError(f"'action' of an edit must be one of {ACTIONS}, got {action!r}.{hint}")
        if not isinstance(given.get("node"), str):
            raise ValueError(f"'node' of an edit must be a path such as 'root/yes': {given!r}.")
        if isinstance(test, str):
            test = {"test": test}
        if (test is not None) != (action == "split") or not isinstance(test, Mapping | None):
            raise ValueError(
                f"a split, and no other edit, has a 'test' as text or dict: {given!r}."
            )
        depth = given.get("max_depth")
        if depth is not None and (type(depth) is not int or depth < 1 or action != "grow"):
            raise ValueError(f"'max_depth' is a whole number >= 1 of a 'grow': {given!r}.")
        texts = {key: str(given.get(key) or "") for key in ("reason", "author")}
        return cls(action, given["node"], test, depth, **texts)

    def to_dict(self) -> dict[str, Any]:
        """Return the edit as a dict that JSON can hold, without what is not set."""
        return {key: value for key in _KEYS if (value := getattr(self, key)) not in (None, "")}

    def __str__(self) -> str:
        test = f" by {self.test['test']}" if self.test else ""
        depth = f" by up to {plural(self.max_depth, 'level')}" if self.max_depth else ""
        notes = ", ".join(note for note in (self.author, self.reason) if note)
        return f"{self.action} {self.node}{test}{depth}" + (f" ({notes})" if notes else "")


@dataclass(frozen=True)
class Step:
    """A tree as it was after an edit, in numbers."""

    edit: Edit | None  # None: before the first edit
    n_leaves: int
    risk: float
    error: float
    standard_error: float


@dataclass(frozen=True)
class EditHistory(Sequence[Edit]):
    """The edits of a tree in their order, with what each did to its size and error.

    Parameters
    ----------
    steps : sequence of Step
        The tree before the first edit, and after each.
    """

    steps: tuple[Step, ...] = ()

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits."""
        return tuple(step.edit for step in self.steps if step.edit is not None)

    def __len__(self) -> int:
        return len(self.edits)

    def __getitem__(self, place: Any) -> Any:
        return self.edits[place]

    def __iter__(self) -> Iterator[Edit]:
        return iter(self.edits)

    def __str__(self) -> str:
        rows = [["leaves", "risk", "cross-validated", "edit"]]
        for step in self.steps:
            error = f"{number_text(step.error, 4)} ± {number_text(step.standard_error, 2)}"
            what = "as it was" if step.edit is None else str(step.edit)
            rows.append([str(step.n_leaves), number_text(step.risk, 4), error, what])
        return "\n".join(line.rstrip() for line in aligned(rows, left=(2, 3)))

    def to_json(self) -> str:
        """Return the edits as JSON, which `TreeEditor.replay` and `spinney edit` take.

        Returns
        -------
        str
        """
        return json.dumps(
            {"version": _VERSION, "edits": [edit.to_dict() for edit in self]},
            indent=2,
            ensure_ascii=False,
        )


def read_edits(given: Any) -> list[Edit]:
    """Return edits from a history, JSON text, a list of dicts or edits, or a dict with `edits`."""
    if isinstance(given, str | bytes):
        try:
            given = json.loads(given)
        except ValueError as problem:
            raise ValueError(f"the edits are no JSON: {problem}.") from None
    if isinstance(given, Mapping):
        version = given.get("version", _VERSION)
        if version != _VERSION:
            raise ValueError(
                f"the edits are of version {version!r}; this spinney reads {_VERSION}."
            )
        given = given.get("edits")
    if not isinstance(given, Sequence):
        raise ValueError("edits are a list of edits, or a dict that holds one under 'edits'.")
    return [edit if isinstance(edit, Edit) else Edit.from_dict(edit) for edit in given]


@dataclass(frozen=True)
class Competitor:
    """The best test of one column at a node.

    Parameters
    ----------
    test : Test
        The test.
    gain : float
        What it takes off the impurity of the node, over the rows that have a value, times their
        weight.
    n_rows : tuple of int
        The rows on each side, without those that have no value.
    """

    test: Any
    gain: float
    n_rows: tuple[int, int]

    def __str__(self) -> str:
        sides = f"{self.n_rows[0]} + {self.n_rows[1]} rows"
        return f"{self.test}  gain {number_text(self.gain, 4)}  {sides}"


@dataclass(frozen=True)
class ReplayReport:
    """The outcome of replayed edits.

    Parameters
    ----------
    applied : list of Edit
        Those that were made.
    refused : list of (Edit, str)
        Those that no longer fit, each with the reason.
    """

    applied: list[Edit] = field(default_factory=list)
    refused: list[tuple[Edit, str]] = field(default_factory=list)

    def __str__(self) -> str:
        n = len(self.applied) + len(self.refused)
        lines = [f"{len(self.applied)} of {n} edits applied"]
        lines += [f"not applied: {edit}: {why}" for edit, why in self.refused]
        return "\n".join(lines)
