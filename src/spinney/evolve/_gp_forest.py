"""Forests of trees with evolved tests, whose roots are made to differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from spinney import _core
from spinney._base import encode_training
from spinney._params import OF_NUMBERS
from spinney._state._kinds import Kind
from spinney._table import Schema
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.ensemble._classifier_ensemble import ClassifierEnsemble
from spinney.ensemble._ensemble import BaseEnsemble, Finished
from spinney.ensemble._forest import Forest
from spinney.ensemble._regressor_ensemble import RegressorEnsemble
from spinney.evolve._gp_learner import EVOLVED_FIELDS
from spinney.evolve._gp_tree import GPTreeClassifier, GPTreeRegressor
from spinney.evolve._language import SEARCHED


@dataclass(frozen=True)
class EvolvedTrainer:
    """An encoded table and its target, for trees that are evolved one after the other."""

    learners: list[Any]
    values: Floats
    schema: Schema
    target: FitTarget


class EvolvedForest(BaseEnsemble):
    """Base class of forests of evolved trees."""

    _fitted_fields: ClassVar[Mapping[str, Kind]] = EVOLVED_FIELDS

    def _trainer(self, X: Any, y: Any, sample_weight: Any, metadata: Any) -> EvolvedTrainer:
        tree = self._make_learners()[0]
        values, schema, target = encode_training(
            self,
            X,
            y,
            sample_weight,
            encode_target=tree._encode_target,
            counts_weight=False,
            schema=None,
        )
        values, schema = tree._learner().share_columns(values, schema)
        return EvolvedTrainer([tree], values, schema, target)

    def _train(self, trainer: Any, finished: Finished) -> None:
        learner = trainer.learners[0]._learner()
        plan = learner.plan()
        plan.n_trees = self._n_members()
        plan.diverse_roots = self.diversity == "roots"
        evolved = learner.evolve(trainer.values, trainer.schema, trainer.target, plan, self)
        trees = evolved.trees
        none: list[list[int]] = [[] for _ in trees]
        cores = [tree._core for tree in trees]
        forest = Forest(_core.Forest(cores, none), trees[0].schema, trainer.target.classes)
        self._keep_members(trainer, forest)
        self._derived = evolved.derived
        self.n_evaluations_ = evolved.n_evaluations
        finished(len(trees))


class GPForestClassifier(ClassifierEnsemble, EvolvedForest):
    """A forest of classification trees with evolved tests, combined by a vote.

    The root of each tree is sought where the roots before it leave most to be learned, so that
    trees describe the same rows in different ways. Nothing is drawn from the rows: every tree is
    made from all of them.

    Parameters
    ----------
    n_estimators : int, default=11
        Number of trees.
    population_size : int, default=500
        Number of expressions in a generation.
    generations : int, default=100
        Number of generations of the search for each test.
    max_size : int, default=12
        Maximum number of symbols in an expression: columns, constants and functions.
    max_depth : int or None, default=None
        Maximum depth of the tree; None for no limit.
    min_entropy : float, default=0.65
        Bits: a node whose classes have less entropy is a leaf.
    min_fraction : float, default=0.05
        Share of all the weight: a node with less is a leaf.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. "balanced" makes their weights add up to the same, those of the rows
        included; scikit-learn counts rows.
    priors : dict, array or None, default=None
        Prior probabilities of the classes; they add up to 1.
    cost_matrix : dict, array or None, default=None
        Cost of predicting j for a row of class i: rows true, columns predicted, or
        `{(true, predicted): cost}`, others 1.
    functions : list of str and Function, or None, default=None
        What expressions are made of: "=", ">", "+", "-", "*", "sin", "> 0", "and", "or", "not", and
        functions of `spinney.evolve`. None for all of these words.
    terminals : list of str, int and Constant, or None, default=None
        Columns that expressions may use, "constants" for constants drawn from their values, and
        constants of `spinney.evolve`. None for all columns, with constants.
    domains : list of lists of str or int, or None, default=None
        Nominal columns that share one domain, by name or position, such as
        `[["home", "work"]]`: they can be compared with each other. Columns with equal categories
        can be in any case.
    tournament_size : int, default=5
        Number of expressions drawn for a tournament, the best of which becomes a parent.
    n_iter_no_change : int or None, default=None
        Number of generations without a better test after which a search ends; None for never.
    refine_constants : bool, default=False
        Whether a test `expression > constant` gets its best constant after the search.
    diversity : {"roots"} or None, default="roots"
        "roots" judges the root of each tree by what the roots before it have left; None judges all
        tests by their gain, so trees differ by chance only.
    combine : {"vote", "average"}, default="vote"
        Each tree votes for a class, or the class shares are averaged.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    checkpoint : path or None, default=None
        File to which the state of the search is written. If it exists, fit resumes from it; a file
        of other data or parameters is refused.
    checkpoint_every : int, default=100
        Number of generations between checkpoints.
    random_state : int, RandomState or None, default=None
        Random seed.
    n_jobs : int or None, default=None
        Number of threads; does not affect the result. -1 uses all cores.
    verbose : int, default=0
        1 shows the progress of the search and its best fitness.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.
    estimators_ : list of GPTreeClassifier
        All trees.
    forest_ : Forest
        The same as one structure.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the tests remove, on average.
    n_evaluations_ : int
        Expressions that were run on the rows; equal ones of a generation or the one before are not
        run again.

    References
    ----------
    Suchý and Kubalík (2006). Inducing diverse decision forests with genetic programming.

    Examples
    --------
    >>> from spinney import GPForestClassifier
    >>> from spinney.datasets import load_iris
    >>> data = load_iris()
    >>> forest = GPForestClassifier(3, population_size=100, generations=20, random_state=0)
    >>> forest.fit(data.X, data.y).score(data.X, data.y) > 0.95
    True
    """

    _parameters = SEARCHED

    def __init__(
        self,
        n_estimators: int = 11,
        *,
        population_size: int = 500,
        generations: int = 100,
        max_size: int = 12,
        max_depth: int | None = None,
        min_entropy: float = 0.65,
        min_fraction: float = 0.05,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        functions: Any = None,
        terminals: Any = None,
        domains: Any = None,
        tournament_size: int = 5,
        n_iter_no_change: int | None = None,
        refine_constants: bool = False,
        diversity: str | None = "roots",
        combine: str = "vote",
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        checkpoint: Any = None,
        checkpoint_every: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.population_size = population_size
        self.generations = generations
        self.max_size = max_size
        self.max_depth = max_depth
        self.min_entropy = min_entropy
        self.min_fraction = min_fraction
        self.class_weight = class_weight
        self.priors = priors
        self.cost_matrix = cost_matrix
        self.functions = functions
        self.terminals = terminals
        self.domains = domains
        self.tournament_size = tournament_size
        self.n_iter_no_change = n_iter_no_change
        self.refine_constants = refine_constants
        self.diversity = diversity
        self.combine = combine
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return [_own_tree(self, GPTreeClassifier)]


class GPForestRegressor(RegressorEnsemble, EvolvedForest):
    """A forest of regression trees with evolved tests, combined by the mean.

    As `GPForestClassifier`; tests are judged by the variance that they take away.

    Parameters
    ----------
    n_estimators : int, default=11
        Number of trees.
    population_size : int, default=500
        Number of expressions in a generation.
    generations : int, default=100
        Number of generations of the search for each test.
    max_size : int, default=12
        Maximum number of symbols in an expression: columns, constants and functions.
    max_depth : int or None, default=None
        Maximum depth of the tree; None for no limit.
    min_variance : float, default=0.05
        Share of the variance of all rows: a node with less is a leaf.
    min_fraction : float, default=0.05
        Share of all the weight: a node with less is a leaf.
    functions : list of str and Function, or None, default=None
        What expressions are made of: "=", ">", "+", "-", "*", "sin", "> 0", "and", "or", "not", and
        functions of `spinney.evolve`. None for all of these words.
    terminals : list of str, int and Constant, or None, default=None
        Columns that expressions may use, "constants" for constants drawn from their values, and
        constants of `spinney.evolve`. None for all columns, with constants.
    domains : list of lists of str or int, or None, default=None
        Nominal columns that share one domain, by name or position, such as
        `[["home", "work"]]`: they can be compared with each other. Columns with equal categories
        can be in any case.
    tournament_size : int, default=5
        Number of expressions drawn for a tournament, the best of which becomes a parent.
    n_iter_no_change : int or None, default=None
        Number of generations without a better test after which a search ends; None for never.
    refine_constants : bool, default=False
        Whether a test `expression > constant` gets its best constant after the search.
    diversity : {"roots"} or None, default="roots"
        "roots" judges the root of each tree by what the roots before it have left; None judges all
        tests by their gain, so trees differ by chance only.
    combine : {"mean", "median"}, default="mean"
        The mean of the trees' predictions, or the median.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns to treat as nominal whatever their type, by name, index or mask.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories at prediction that were not seen in fit: as missing values, with a
        warning, or as an error.
    checkpoint : path or None, default=None
        File to which the state of the search is written. If it exists, fit resumes from it; a file
        of other data or parameters is refused.
    checkpoint_every : int, default=100
        Number of generations between checkpoints.
    random_state : int, RandomState or None, default=None
        Random seed.
    n_jobs : int or None, default=None
        Number of threads; does not affect the result. -1 uses all cores.
    verbose : int, default=0
        1 shows the progress of the search and its best fitness.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if the table had any.
    estimators_ : list of GPTreeRegressor
        All trees.
    forest_ : Forest
        The same as one structure.
    feature_importances_ : array of shape (n_features_in_,)
        Each feature's share of the impurity that the tests remove, on average.
    n_evaluations_ : int
        Expressions that were run on the rows; equal ones of a generation or the one before are not
        run again.

    References
    ----------
    Suchý and Kubalík (2006). Inducing diverse decision forests with genetic programming.

    Examples
    --------
    >>> from spinney import GPForestRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 1.0, 5.0, 5.0]
    >>> forest = GPForestRegressor(3, population_size=20, generations=5, random_state=0)
    >>> forest.fit(X, y).predict([[3.5]])
    array([5.])
    """

    _parameters = OF_NUMBERS | SEARCHED

    def __init__(
        self,
        n_estimators: int = 11,
        *,
        population_size: int = 500,
        generations: int = 100,
        max_size: int = 12,
        max_depth: int | None = None,
        min_variance: float = 0.05,
        min_fraction: float = 0.05,
        functions: Any = None,
        terminals: Any = None,
        domains: Any = None,
        tournament_size: int = 5,
        n_iter_no_change: int | None = None,
        refine_constants: bool = False,
        diversity: str | None = "roots",
        combine: str = "mean",
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        checkpoint: Any = None,
        checkpoint_every: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.population_size = population_size
        self.generations = generations
        self.max_size = max_size
        self.max_depth = max_depth
        self.min_variance = min_variance
        self.min_fraction = min_fraction
        self.functions = functions
        self.terminals = terminals
        self.domains = domains
        self.tournament_size = tournament_size
        self.n_iter_no_change = n_iter_no_change
        self.refine_constants = refine_constants
        self.diversity = diversity
        self.combine = combine
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_learners(self) -> list[Any]:
        return [_own_tree(self, GPTreeRegressor)]


def _own_tree(forest: Any, kind: type[Any]) -> Any:
    """Return an unfitted tree with the parameters that it shares with its forest."""
    return kind(**{name: getattr(forest, name) for name in kind._get_param_names()})
