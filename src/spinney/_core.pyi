"""The compiled core of spinney."""

from collections.abc import Callable, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def instructions() -> str:
    """
    What the hot loops are made of on this machine; the environment variable SPINNEY_INSTRUCTIONS may say less.
    """

class Tree:
    def __init__(self, state: dict) -> None: ...

    def state(self) -> dict: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def n_classes(self) -> int: ...

    @property
    def answer(self) -> NDArray[numpy.float64] | None:
        """
        What each node predicts, of the shape of its values; None if that is its value.
        """

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

    def set_parameter(self, arg: float, /) -> None: ...

    def set_deviance(self, prior_cv: float, centre: float, exposed: bool) -> None: ...

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

    def set_surrogate_style(self, arg: int, /) -> None: ...

    @property
    def max_bins(self) -> int: ...

    @max_bins.setter
    def max_bins(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def oblique(self) -> bool: ...

    @oblique.setter
    def oblique(self, arg: bool, /) -> None: ...

    @property
    def random_cuts(self) -> bool: ...

    @random_cuts.setter
    def random_cuts(self, arg: bool, /) -> None: ...

    def set_monotone(self, arg: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    def add_interaction(self, arg: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    def set_forced(self, tests: Tree, closed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], gaps: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def set_multiway(self, arg: MultiwayParams, /) -> None: ...

class Dataset:
    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Target:
    def __init__(self, n_classes: int, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], split_scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], exposure: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def criteria(of_classes: bool) -> list[str]:
    """The names of the criteria of classification, or of regression."""

def needs_rows(criterion: str) -> bool:
    """Whether a criterion of regression cannot work from sums alone."""

def loss_degree(criterion: str) -> int:
    """
    The power of c by which losses grow if a target of regression is multiplied by c.
    """

def number_costs(criterion: str, answers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], exposure: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """
    What answers cost rows by a criterion of regression, such as squared_error or tweedie(1.5).
    """

def concordance(time: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], event: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], risk: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
    """
    Weights of pairs of rows whose risks are in the order of their lifetimes, in the other, or equal.
    """

def segment_borders(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int) -> NDArray[numpy.float64]:
    """Cuts between runs of values with equal class shares."""

def grow(dataset: Dataset, target: Target, params: GrowParams, validation_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1, start: Tree | None = None, patience: int = 0, fold_grow: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]] = [], fold_test: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]] = []) -> tuple:
    """
    Grow a tree; with folds, also the cross-validated error of its pruning sequence.
    """

def judge_folds(target: Target, tree: Tree, fold_trees: Sequence[Tree], leaves: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], fold_grow: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]], fold_test: Sequence[Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> tuple:
    """The cross-validated error of a tree's pruning sequence."""

def grow_stumps(dataset: Dataset, target: Target, params: GrowParams, columns: Sequence[int], n_threads: int = 1) -> list:
    """For each of some columns the tree of its best test alone."""

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

class Forest:
    def __init__(self, trees: Sequence[Tree], groups: Sequence[Sequence[int]] = []) -> None: ...

    @property
    def n_members(self) -> int: ...

    @property
    def n_classes(self) -> int: ...

    def n_nodes(self, arg: int, /) -> int: ...

    def tree(self, arg: int, /) -> Tree: ...

    def cost(self, arg: int, /) -> list[float]: ...

    def groups(self, arg: int, /) -> list[int]: ...

    def sums(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], vote: bool, n_threads: int = 1) -> NDArray[numpy.float64]:
        """
        Weighted answers of some members, added up: votes by class, class shares, or means.
        """

    def answers(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.float64]:
        """Class codes, or means, of some members, one row a member."""

    def permutation_importance(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], target: Target, plan: EnsemblePlan, members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_repeats: int, n_threads: int = 1) -> NDArray[numpy.float64]:
        """
        The rise of each member's loss when a column is shuffled, one row a member.
        """

    def apply(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.int32]: ...

class EvolvePlan:
    def __init__(self) -> None: ...

    @property
    def population_size(self) -> int: ...

    @population_size.setter
    def population_size(self, arg: int, /) -> None: ...

    @property
    def generations(self) -> int: ...

    @generations.setter
    def generations(self, arg: int, /) -> None: ...

    @property
    def max_size(self) -> int: ...

    @max_size.setter
    def max_size(self, arg: int, /) -> None: ...

    @property
    def tournament(self) -> int: ...

    @tournament.setter
    def tournament(self, arg: int, /) -> None: ...

    @property
    def elite(self) -> int: ...

    @elite.setter
    def elite(self, arg: int, /) -> None: ...

    @property
    def patience(self) -> int: ...

    @patience.setter
    def patience(self, arg: int, /) -> None: ...

    @property
    def refine(self) -> bool: ...

    @refine.setter
    def refine(self, arg: bool, /) -> None: ...

    def set_chances(self, arg0: float, arg1: float, arg2: float, arg3: float, arg4: float, /) -> None: ...

    @property
    def min_entropy(self) -> float: ...

    @min_entropy.setter
    def min_entropy(self, arg: float, /) -> None: ...

    @property
    def min_variance(self) -> float: ...

    @min_variance.setter
    def min_variance(self, arg: float, /) -> None: ...

    @property
    def min_fraction(self) -> float: ...

    @min_fraction.setter
    def min_fraction(self, arg: float, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def n_trees(self) -> int: ...

    @n_trees.setter
    def n_trees(self, arg: int, /) -> None: ...

    @property
    def diverse_roots(self) -> bool: ...

    @diverse_roots.setter
    def diverse_roots(self, arg: bool, /) -> None: ...

MAX_PROGRAM: int = 60

class Language:
    """The typed symbols that programs are made of."""

    def __init__(self, symbols: list, signatures: list = [], run: object | None = None) -> None: ...

    def least_size(self, arg: int, /) -> int: ...

    def tokens(self, arg: Sequence[tuple[int, float]], /) -> list[tuple[int, int, float]]: ...

    def breed(self, arg0: int, arg1: int, arg2: int, /) -> tuple: ...

def evaluate(tokens: Sequence[tuple[int, int, float]], x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.uint8]:
    """One byte a row: 1 true, 2 false, 0 unknown."""

def numbers(tokens: Sequence[tuple[int, int, float]], x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """The numbers of an expression that is no test."""

class Evolution:
    """Trees with evolved tests, generation by generation."""

    def __init__(self, arg0: Dataset, arg1: Target, arg2: GrowParams, arg3: Language, arg4: EvolvePlan, arg5: int, /) -> None: ...

    def run(self, n_generations: int, n_threads: int = 1) -> bool: ...

    @property
    def is_done(self) -> bool: ...

    @property
    def n_evaluations(self) -> int: ...

    @property
    def n_trees(self) -> int: ...

    @property
    def n_tests(self) -> int: ...

    @property
    def best_fitness(self) -> float: ...

    def tree(self, arg: int, /) -> Tree: ...

    def state(self) -> tuple: ...

    def resume(self, arg0: Sequence[Sequence[tuple[int, int, float]]], arg1: int, arg2: int, arg3: int, arg4: Sequence[tuple[Sequence[tuple[int, float]], float]], arg5: tuple[Sequence[tuple[int, float]], float], arg6: int, /) -> None: ...

class Learner:
    """The settings of one tree: how it is grown and cut back."""

    def __init__(self) -> None: ...

    def set_params(self, arg: GrowParams, /) -> None: ...

    def set_pruning(self, arg: str, /) -> None: ...

    @property
    def n_best_splits(self) -> int: ...

    @n_best_splits.setter
    def n_best_splits(self, arg: int, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def ccp_alpha(self) -> float | None: ...

    @ccp_alpha.setter
    def ccp_alpha(self, arg: float | None, /) -> None: ...

    @property
    def n_folds(self) -> int: ...

    @n_folds.setter
    def n_folds(self, arg: int, /) -> None: ...

    @property
    def one_standard_error(self) -> bool: ...

    @one_standard_error.setter
    def one_standard_error(self, arg: bool, /) -> None: ...

    @property
    def validation_fraction(self) -> float: ...

    @validation_fraction.setter
    def validation_fraction(self, arg: float, /) -> None: ...

    @property
    def patience(self) -> int: ...

    @patience.setter
    def patience(self, arg: int, /) -> None: ...

    @property
    def cf(self) -> float: ...

    @cf.setter
    def cf(self, arg: float, /) -> None: ...

    @property
    def raise_subtrees(self) -> bool: ...

    @raise_subtrees.setter
    def raise_subtrees(self, arg: bool, /) -> None: ...

    @property
    def collapse(self) -> bool: ...

    @collapse.setter
    def collapse(self, arg: bool, /) -> None: ...

    @property
    def balanced(self) -> bool: ...

    @balanced.setter
    def balanced(self, arg: bool, /) -> None: ...

    @property
    def shrinkage(self) -> float: ...

    @shrinkage.setter
    def shrinkage(self, arg: float, /) -> None: ...

    def set_igpa(self, arg: IgpaParams, /) -> None: ...

    def set_evolve(self, arg0: Language, arg1: EvolvePlan, /) -> None: ...

class IgpaParams:
    def __init__(self) -> None: ...

    @property
    def n_parts(self) -> int: ...

    @n_parts.setter
    def n_parts(self, arg: int, /) -> None: ...

    @property
    def max_iterations(self) -> int: ...

    @max_iterations.setter
    def max_iterations(self, arg: int, /) -> None: ...

    @property
    def renews_labels(self) -> bool: ...

    @renews_labels.setter
    def renews_labels(self, arg: bool, /) -> None: ...

    @property
    def prunes_all(self) -> bool: ...

    @prunes_all.setter
    def prunes_all(self, arg: bool, /) -> None: ...

    @property
    def keeps_unjudged(self) -> bool: ...

    @keeps_unjudged.setter
    def keeps_unjudged(self, arg: bool, /) -> None: ...

    @property
    def recounts(self) -> bool: ...

    @recounts.setter
    def recounts(self, arg: bool, /) -> None: ...

def deal_parts(target: Target, n_parts: int, seed: int) -> NDArray[numpy.int32]:
    """The part of each row; -1 for rows of weight 0."""

def grow_and_prune(dataset: Dataset, target: Target, learner: Learner, seed: int, n_threads: int = 1) -> tuple:
    """(tree, one row an iteration, whether the tree has settled)."""

class EnsemblePlan:
    def __init__(self) -> None: ...

    @property
    def n_members(self) -> int: ...

    @n_members.setter
    def n_members(self, arg: int, /) -> None: ...

    @property
    def first_member(self) -> int: ...

    @first_member.setter
    def first_member(self, arg: int, /) -> None: ...

    def set_sampling(self, arg0: str, arg1: int, arg2: int, /) -> None: ...

    def set_targets(self, arg0: str, arg1: float, /) -> None: ...

    @property
    def n_features(self) -> int: ...

    @n_features.setter
    def n_features(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    def __getstate__(self) -> tuple[int, int, int, int, int, float, int]: ...

    def __setstate__(self, arg: tuple[int, int, int, int, int, float, int], /) -> None: ...

    @property
    def out_of_bag(self) -> bool: ...

    @out_of_bag.setter
    def out_of_bag(self, arg: bool, /) -> None: ...

    @property
    def records(self) -> bool: ...

    @records.setter
    def records(self, arg: bool, /) -> None: ...

    @property
    def patience(self) -> int: ...

    @patience.setter
    def patience(self, arg: int, /) -> None: ...

    @property
    def tolerance(self) -> float: ...

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

    def counts(self, arg0: int, arg1: int, /) -> NDArray[numpy.float64]:
        """What each of n rows counts for in a member."""

    def features(self, arg0: int, arg1: int, /) -> NDArray[numpy.int32]: ...

    def groups(self, arg0: int, arg1: int, /) -> list[int]: ...

    def flipped(self, arg0: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: int, arg2: int, /) -> NDArray[numpy.int32]: ...

    def growth_seed(self, arg: int, /) -> int: ...

class BoostPlan:
    def __init__(self) -> None: ...

    @property
    def n_members(self) -> int: ...

    @n_members.setter
    def n_members(self, arg: int, /) -> None: ...

    def set_rules(self, arg0: str, arg1: str, arg2: float, arg3: int, /) -> None: ...

    @property
    def resample(self) -> bool: ...

    @resample.setter
    def resample(self, arg: bool, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    def draw(self, arg0: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: int, /) -> NDArray[numpy.float64]:
        """How often each row is drawn for a member, by weights."""

class Booster:
    """The weights of rows, and what the errors of members do to them."""

    def __init__(self, arg0: BoostPlan, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    @property
    def weights(self) -> NDArray[numpy.float64]: ...

    def add(self, arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> NDArray[numpy.float64]: ...

class Bag:
    """Adds up what members answer for rows that they did not see."""

    def __init__(self, target: Target, params: GrowParams) -> None: ...

    def add(self, answers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """By row: a class code or a number; NaN if the member saw it."""

    def finish(self) -> tuple:
        """
        (sums, votes by row, error by number of members, members to cover all).
        """

def fit_ensemble(tables: Sequence[Dataset], targets: Sequence[Target], learners: Sequence[Learner], plan: EnsemblePlan, n_threads: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_votes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], curve: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_to_cover: int, finished: object | None) -> tuple:
    """
    (forest, out-of-bag sums, votes by row, error by number of members, members until every row had an answer, records of the members).
    """

def boost(tables: Sequence[Dataset], targets: Sequence[Target], learners: Sequence[Learner], plan: BoostPlan, n_threads: int, before: Forest | None, finished: object | None) -> tuple:
    """(forest, one row a round, weights of the rows)."""

def shrunk(tree: Tree, strength: float) -> Tree:
    """A tree whose predictions are pulled towards those of the nodes above."""

def unshrunk(tree: Tree) -> Tree:
    """A tree that predicts as it was grown."""

def shrunk_forest(forest: Forest, strength: float, n_threads: int = 1) -> Forest: ...

def unshrunk_forest(forest: Forest, n_threads: int = 1) -> Forest: ...

def judge_members(forest: Forest, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], target: Target, criterion: str, plans: Sequence[EnsemblePlan], first: int, everyone: bool, n_threads: int = 1) -> tuple:
    """
    (out-of-bag sums, votes by row, error by number of members, members until every row had an answer, errors of the members), of members with the plans that drew their rows.
    """

class SmallPlan:
    """How few trees are chosen from a pool, and fitted to it."""

    def __init__(self) -> None: ...

    @property
    def n_trees(self) -> int: ...

    @n_trees.setter
    def n_trees(self, arg: int, /) -> None: ...

    @property
    def n_drawn(self) -> int: ...

    @n_drawn.setter
    def n_drawn(self, arg: int, /) -> None: ...

    @property
    def stop(self) -> float: ...

    @stop.setter
    def stop(self, arg: float, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def n_staying(self) -> int: ...

    @n_staying.setter
    def n_staying(self, arg: int, /) -> None: ...

    @property
    def reach(self) -> int: ...

    @reach.setter
    def reach(self, arg: int, /) -> None: ...

    @property
    def prior_rows(self) -> float: ...

    @prior_rows.setter
    def prior_rows(self, arg: float, /) -> None: ...

    @property
    def halvings(self) -> int: ...

    @halvings.setter
    def halvings(self, arg: int, /) -> None: ...

    def set_order(self, name: str) -> None: ...

    @property
    def doubt(self) -> float: ...

    @doubt.setter
    def doubt(self, arg: float, /) -> None: ...

    @property
    def n_sweeps(self) -> int: ...

    @n_sweeps.setter
    def n_sweeps(self, arg: int, /) -> None: ...

def small_forest(pool: Forest, kinds: Sequence[int], x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], target: Target, plan: EnsemblePlan, strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], how: SmallPlan, n_threads: int = 1) -> tuple:
    """
    (the chosen trees, refitted; their places in the pool, distances from it with each of them; of each kind the strength of shrinkage, the share and the loss; power, loss of the pool, sizes, and their distances when refitted), of a pool with a kind for each tree.
    """

class ShrinkageTrial:
    """Many strengths of shrinkage, tried on rows that trees did not see."""

    def __init__(self, target: Target, strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], criterion: str, vote: bool) -> None: ...

    def add_tree(self, tree: Tree, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], take: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def add_members(self, forest: Forest, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], target: Target, plans: Sequence[EnsemblePlan], first: int, n_threads: int = 1) -> None: ...

    def losses(self) -> NDArray[numpy.float64]: ...

def leaf_rows(forest: Forest, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], target: Target, plans: Sequence[EnsemblePlan], place_of_row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple:
    """
    (places of the rows in the leaves, where a node's begin, where a tree's begin).
    """

def leaf_quantiles(forest: Forest, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], tree: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], quantiles: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> NDArray[numpy.float64]:
    """
    Quantiles of the targets in the leaves that rows reach, which the caller has checked.
    """

def shapley_of_tree(tree: Tree, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], background: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, pairs: bool, n_threads: int = 1) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], int]: ...

def shapley_of_forest(forest: Forest, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], background: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, pairs: bool, members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], vote: bool, n_threads: int = 1) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], int]: ...

def speakers_of_tree(tree: Tree, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.bool_]:
    """The columns that spoke for each row on its own way."""

def part_names() -> list[str]:
    """The names of the arrays that trees are stored in, in their order."""

def tree_parts(tree: Tree) -> dict:
    """The arrays that a tree is stored in, by name."""

def tree_of_parts(parts: dict, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Tree:
    """The tree that is stored in some arrays, checked."""

def forest_parts(forest: Forest, n_threads: int = 1) -> dict:
    """The arrays that a forest is stored in, by name."""

def forest_of_parts(parts: dict, n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> Forest:
    """The forest that is stored in some arrays, checked."""

class BinBorders:
    """The bins of every column: the smallest and largest value of each."""

    def __init__(self, nominal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_bins: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def arrays(self) -> tuple: ...

def find_borders(table: Dataset, used: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], max_bins: int, n_threads: int = 1) -> BinBorders:
    """The bins of the used rows."""

MOST_SPLITTERS: int = 16383

def deal_rows(table: Dataset, used: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], splitters: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> tuple:
    """
    The buckets between splitters that values are in, by column and row, and how many each holds.
    """

def take_dealt(table: Dataset, buckets: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], wanted: Sequence[Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> list:
    """The values in the wanted buckets of each column, ascending."""

def bin_codes(table: Dataset, borders: BinBorders, n_threads: int = 1) -> tuple:
    """
    The bins of all rows: of columns of up to 255 bins in 8 bits, of the others in 16.
    """

def moves_rows(request: bytes) -> bool:
    """Whether rows are elsewhere in the tree after it."""

def add_answers(answers: Sequence[bytes]) -> bytes:
    """What holders of rows answered to the same request, all together."""

class Moments:
    """What rows are added up to: the same for all who hold some of them."""

    def __init__(self, n_classes: int, params: GrowParams, truth: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], times: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, exposure: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], taken_off: float | None = None) -> None: ...

    def __getstate__(self) -> tuple[int, str, float, float, float, bool, int, float, float, float, float, list[float], float | None]: ...

    def __setstate__(self, arg: tuple[int, str, float, float, float, bool, int, float, float, float, float, Sequence[float], float | None], /) -> None: ...

class Part:
    """Holds rows in bins: counts and divides them as a planner asks."""

    def __init__(self, table: Dataset, narrow: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', writable=False)], wide: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', writable=False)], borders: BinBorders, moments: Moments, truth: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], times: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, exposure: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_number: int, n_threads: int = 1) -> None: ...

    def start(self) -> bytes:
        """Put all rows into the root; their sums, as an answer."""

    def answer(self, request: bytes) -> bytes: ...

    def places(self) -> tuple:
        """Where rows are: all that requests change."""

    def resume(self, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Go on from places of the same rows."""

class Planner:
    """Grows a tree by sums over rows that others hold."""

    def __init__(self, table: Dataset, target: Target, params: GrowParams, features: Sequence[int], seed: int, borders: BinBorders, moments: Moments, start: bytes, n_threads: int = 1) -> None: ...

    def request(self) -> object:
        """What to ask all holders of rows next; None when the tree is grown."""

    def receive(self, answer: bytes) -> None:
        """What they answered, added up."""

    def finish(self) -> Tree: ...
