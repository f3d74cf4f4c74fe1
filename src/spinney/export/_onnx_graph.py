"""Nodes and constants of an ONNX graph, and trees as the operator TreeEnsemble."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

OPSET, ML_OPSET = 18, 5
OLD_ML_OPSET = 3  # the latest that skl2onnx writes: without sets, and with sums as floats
_LEQ, _MEMBER = 0, 6  # modes of a node


def import_onnx() -> ModuleType:
    """Return the package onnx, which is not installed with spinney."""
    try:
        onnx: ModuleType = import_module("onnx")
    except ImportError:
        raise ImportError(
            "ONNX is written by the package onnx, which is not installed. Install it: "
            "pip install 'spinney[onnx]'."
        ) from None
    return onnx


class Graph:
    """Operators in the order in which they are computed.

    Parameters
    ----------
    stem : str
        Beginning of all names that are given here.
    ml_opset : int
        Version of ai.onnx.ml, 5 or 3.
    """

    def __init__(self, stem: str = "spinney", ml_opset: int = ML_OPSET) -> None:
        self.onnx = import_onnx()
        self.has_sets = ml_opset >= ML_OPSET
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._stem = stem
        self._known: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def add(self, op: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add an operator; return the name of its output."""
        name = f"{self._stem}_{op}_{len(self.nodes)}"
        make = self.onnx.helper.make_node
        self.nodes.append(make(op, list(inputs), [name], name=name, domain=domain, **attributes))
        return name

    def constant(self, value: Any) -> str:
        """Return the name of a constant; equal ones are kept once."""
        array = np.asarray(value)
        if array.dtype == object or array.dtype.kind == "U":
            array = array.astype(object)
            key = ("text", array.shape, repr(array.tolist()).encode("utf-8", "surrogatepass"))
        else:
            key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._known:
            name = f"{self._stem}_constant_{len(self.constants)}"
            self.constants.append(self.onnx.numpy_helper.from_array(array, name))
            self._known[key] = name
        return self._known[key]

    def whole(self, *values: int) -> str:
        """Return a constant of whole numbers, as axes and places are given."""
        return self.constant(np.array(values, dtype=np.int64))

    def real(self, value: Any) -> str:
        """Return a constant of real numbers."""
        return self.constant(np.asarray(value, dtype=np.float64))

    def cast(self, name: str, kind: str) -> str:
        """Return values as another type, such as DOUBLE."""
        return self.add("Cast", name, to=getattr(self.onnx.TensorProto, kind))

    def columns(self, name: str, places: Sequence[int]) -> str:
        """Return some columns of a table."""
        return self.add("Gather", name, self.whole(*places), axis=1)

    def column(self, name: str, place: int) -> str:
        """Return one column of a table, without its second dimension."""
        return self.add("Gather", name, self.constant(np.int64(place)), axis=1)

    def joined(self, names: Sequence[str]) -> str:
        """Return columns side by side."""
        return names[0] if len(names) == 1 else self.add("Concat", *names, axis=1)

    def equal(self, name: str, value: Any) -> str:
        """Tell where numbers are some value; both are doubles."""
        return self.add("Equal", name, self.real(value))


@dataclass(frozen=True)
class Step:
    """A test of two branches on a column: a threshold, or membership if there are members."""

    column: int
    threshold: float
    members: tuple[float, ...]
    missing_is_true: bool
    # The next steps, by their places in the list; or leaves, below 0: -1 is the first.
    yes: int
    no: int


@dataclass
class Ensemble:
    """Trees of steps; the leaf of each adds its weight to one output."""

    n_outputs: int
    steps: list[Step] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)  # of leaves
    weights: list[float] = field(default_factory=list)

    def leaf(self, output: int, weight: float) -> int:
        """Return the place of a new leaf."""
        self.outputs.append(output)
        self.weights.append(weight)
        return -len(self.weights)

    def begin(self, step: int) -> None:
        """Begin a tree at a step; a leaf alone becomes a step that always ends there."""
        if step < 0:
            self.steps.append(Step(0, 0.0, (), True, step, step))
            step = len(self.steps) - 1
        self.roots.append(step)

    def write(self, graph: Graph, values: str) -> str:
        """Return the table of the sums of the outputs."""
        if not graph.has_sets:
            return self._write_old(graph, values)
        tensor, helper = graph.onnx.TensorProto, graph.onnx.helper

        def reals(name: str, numbers: Any) -> Any:
            array: NDArray[np.float64] = np.asarray(numbers, dtype=np.float64)
            return graph.onnx.numpy_helper.from_array(array, name)

        steps = self.steps
        members = [m for s in steps if s.members for m in (*s.members, np.nan)]
        modes = bytes(_MEMBER if s.members else _LEQ for s in steps)
        given = {
            "nodes_featureids": [s.column for s in steps],
            "nodes_splits": reals("splits", [s.threshold for s in steps]),
            "nodes_modes": helper.make_tensor("modes", tensor.UINT8, [len(modes)], modes, raw=True),
            "nodes_truenodeids": [s.yes if s.yes >= 0 else -1 - s.yes for s in steps],
            "nodes_falsenodeids": [s.no if s.no >= 0 else -1 - s.no for s in steps],
            "nodes_trueleafs": [int(s.yes < 0) for s in steps],
            "nodes_falseleafs": [int(s.no < 0) for s in steps],
            "nodes_missing_value_tracks_true": [int(s.missing_is_true) for s in steps],
            "leaf_targetids": self.outputs,
            "leaf_weights": reals("weights", self.weights),
            "tree_roots": self.roots,
            "n_targets": self.n_outputs,
            "aggregate_function": 1,
            "post_transform": 0,
        }
        if members:
            given["membership_values"] = reals("members", members)
        return graph.add("TreeEnsemble", values, domain="ai.onnx.ml", **given)

    def _write_old(self, graph: Graph, values: str) -> str:
        """Return the table by the operator of earlier versions, in which a leaf is a node too."""
        rows: list[_Row] = []
        for tree, root in enumerate(self.roots):
            self._add_rows(tree, root, rows)
        leaves = [row for row in rows if row.mode == "LEAF"]
        reals = graph.onnx.numpy_helper.from_array
        splits = np.array([row.value for row in rows])
        weights = np.array([self.weights[row.leaf] for row in leaves])
        found = graph.add(
            "TreeEnsembleRegressor",
            values,
            domain="ai.onnx.ml",
            nodes_treeids=[row.tree for row in rows],
            nodes_nodeids=[row.id for row in rows],
            nodes_featureids=[row.column for row in rows],
            nodes_modes=[row.mode for row in rows],
            nodes_values_as_tensor=reals(splits, "splits"),
            nodes_truenodeids=[row.yes for row in rows],
            nodes_falsenodeids=[row.no for row in rows],
            nodes_missing_value_tracks_true=[row.missing for row in rows],
            target_treeids=[row.tree for row in leaves],
            target_nodeids=[row.id for row in leaves],
            target_ids=[self.outputs[row.leaf] for row in leaves],
            target_weights_as_tensor=reals(weights, "weights"),
            n_targets=self.n_outputs,
            aggregate_function="SUM",
            post_transform="NONE",
        )
        return graph.cast(found, "DOUBLE")

    def _add_rows(self, tree: int, root: int, rows: list["_Row"]) -> None:
        """Add the nodes of a tree; every way to a leaf gets a leaf of its own."""
        begin = len(rows)
        waiting: list[tuple[int, _Row | None, bool]] = [(root, None, True)]
        while waiting:
            place, above, is_yes = waiting.pop()
            row = _Row(tree, len(rows) - begin)
            rows.append(row)
            if above is not None:
                above.yes, above.no = (row.id, above.no) if is_yes else (above.yes, row.id)
            if place < 0:
                row.leaf = -1 - place
                continue
            step = self.steps[place]
            row.column, row.missing = step.column, int(step.missing_is_true)
            row.mode, row.value = "BRANCH_LEQ", step.threshold
            for i, member in enumerate(step.members):  # one after the other
                row.mode, row.value = "BRANCH_EQ", member
                if i + 1 < len(step.members):
                    waiting.append((step.yes, row, True))
                    other = _Row(tree, len(rows) - begin, step.column)
                    rows.append(other)
                    row.no, row = other.id, other
            waiting += [(step.yes, row, True), (step.no, row, False)]


@dataclass
class _Row:
    """A node of the operator of earlier versions."""

    tree: int
    id: int
    column: int = 0
    mode: str = "LEAF"
    value: float = 0.0
    yes: int = 0
    no: int = 0
    missing: int = 0
    leaf: int = 0
