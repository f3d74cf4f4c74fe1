"""The compiled core of spinney."""

from collections.abc import Callable, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Tree:
    def __init__(self, state: dict) -> None: ...

    def state(self) -> dict: ...

    @property
    def n_nodes(self) -> int: ...

    def labels(self) -> NDArray[numpy.int64]: ...

    def apply(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.int32]: ...

    def predict_values(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.float64]: ...

    def predict_labels(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.int64]: ...

    def collapse(self, make_leaf: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Tree: ...

class MultiwayParams:
    def __init__(self) -> None: ...

    @property
    def gain_ratio(self) -> bool: ...

    @gain_ratio.setter
    def gain_ratio(self, arg: bool, /) -> None: ...

    @property
    def without_gain(self) -> bool: ...

    @without_gain.setter
    def without_gain(self, arg: bool, /) -> None: ...

    @property
    def nominal_only(self) -> bool: ...

    @nominal_only.setter
    def nominal_only(self, arg: bool, /) -> None: ...

    @property
    def grouped(self) -> bool: ...

    @grouped.setter
    def grouped(self, arg: bool, /) -> None: ...

    @property
    def max_intervals(self) -> int: ...

    @max_intervals.setter
    def max_intervals(self, arg: int, /) -> None: ...

    @property
    def min_branch(self) -> float: ...

    @min_branch.setter
    def min_branch(self, arg: float, /) -> None: ...

    @property
    def every_branch_fraction(self) -> float: ...

    @every_branch_fraction.setter
    def every_branch_fraction(self, arg: float, /) -> None: ...

    @property
    def min_split(self) -> float: ...

    @min_split.setter
    def min_split(self, arg: float, /) -> None: ...

class GrowParams:
    def __init__(self) -> None: ...

    @overload
    def set_criterion(self, arg: str, /) -> None: ...

    @overload
    def set_criterion(self, arg: Callable, /) -> None: ...

    def set_cost(self, arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    def set_missing(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def min_samples_split(self) -> int: ...

    @min_samples_split.setter
    def min_samples_split(self, arg: int, /) -> None: ...

    @property
    def min_samples_leaf(self) -> int: ...

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: int, /) -> None: ...

    @property
    def min_weight_fraction_leaf(self) -> float: ...

    @min_weight_fraction_leaf.setter
    def min_weight_fraction_leaf(self, arg: float, /) -> None: ...

    @property
    def max_leaf_nodes(self) -> int: ...

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

    @property
    def min_impurity_decrease(self) -> float: ...

    @min_impurity_decrease.setter
    def min_impurity_decrease(self, arg: float, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def max_surrogates(self) -> int: ...

    @max_surrogates.setter
    def max_surrogates(self, arg: int, /) -> None: ...

    @property
    def max_bins(self) -> int: ...

    @max_bins.setter
    def max_bins(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    def set_multiway(self, arg: MultiwayParams, /) -> None: ...

class Dataset:
    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Target:
    def __init__(self, n_classes: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], split_scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def segment_borders(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int) -> NDArray[numpy.float64]:
    """Cuts between runs of values with equal class shares."""

def grow(dataset: Dataset, target: Target, params: GrowParams, validation_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1, start: Tree | None = None, patience: int = 0, fold_grow: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]] = [], fold_test: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]] = []) -> tuple:
    """
    Grow a tree; with folds, also the cross-validated error of its pruning sequence.
    """

def cost_complexity(tree: Tree, exact: bool = False) -> tuple:
    """(alpha of every node, alphas, leaves, risks) of the pruning sequence."""

def path_errors(tree: Tree, alphas: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], target: Target, exact: bool = False) -> tuple:
    """
    Error and standard error of the subtrees at ascending alphas on given rows.
    """

def reduced_error(tree: Tree, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], target: Target) -> NDArray[numpy.bool_]:
    """Nodes to turn into leaves."""

def collapse_useless(tree: Tree) -> Tree:
    """The tree without branches that save no training errors."""

def error_based(tree: Tree, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], target: Target, grown: GrowParams, cf: float, raise_subtrees: bool) -> Tree:
    """
    The tree pruned by C4.5's estimate of errors, from the rows that grew it.
    """

def describe(tree: Tree) -> tuple:
    """(bits of every node's test, bits of the classes in it as a leaf)."""

def shortest(tree: Tree) -> NDArray[numpy.bool_]:
    """Nodes to turn into leaves for the shortest description."""

class Rules:
    def __init__(self, n_features: int, kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bound: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], code_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rule_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rule_condition: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def match(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], count_all: bool = False) -> tuple:
        """
        (first rule that fires or -1, number of rules that fire if count_all) of each row.
        """

    def post_prune(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, cf: float) -> tuple:
        """
        (origin, begin, condition, counts) of the rules that are left, (label, counts) of the default, totals.
        """

def leaf_shares(tree: Tree, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> tuple:
    """(row, leaf, share) for every leaf that a part of a row reaches."""

def added_errors(total: float, errors: float, cf: float) -> float:
    """Errors to expect beyond those seen, as C4.5."""
