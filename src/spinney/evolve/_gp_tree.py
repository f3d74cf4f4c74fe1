"""Trees with evolved tests."""

from collections.abc import Mapping
from typing import Any, ClassVar

from spinney._state._kinds import Kind
from spinney.evolve._gp_learner import EVOLVED_FIELDS, EvolvedLearner
from spinney.evolve._language import SEARCHED
from spinney.tree._estimator import TreeClassifier, TreeRegressor


class GPTreeClassifier(TreeClassifier):
    """A classification tree whose tests are evolved expressions over several columns.

    Each test is the best of a population of expressions that are true or false, such as
    `sin(age) + bmi > 30 and sex = f`. They are well typed by construction: numbers are added and
    compared, categories are compared with categories of the same domain. A row for which a test is
    neither true nor false, as values are missing, goes where most rows go.

    Parameters
    ----------
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
    tree_ : Tree
        The tree.
    feature_importances_ : array of shape (n_features_in_,)
        Impurity-based importance of each feature; they add up to 1.
    n_evaluations_ : int
        Expressions that were run on the rows; equal ones of a generation or the one before are not
        run again.

    References
    ----------
    Suchý and Kubalík (2006). Inducing diverse decision forests with genetic programming.

    Examples
    --------
    >>> from spinney import GPTreeClassifier
    >>> X = [[a, b] for a in (-2.0, -1.0, 1.0, 2.0) for b in (-2.0, -1.0, 1.0, 2.0)]
    >>> y = [a * b > 0 for a, b in X]
    >>> model = GPTreeClassifier(100, generations=20, random_state=0).fit(X, y)
    >>> print(model.tree_.n_leaves, model.score(X, y))
    2 1.0
    """

    _fitted_fields: ClassVar[Mapping[str, Kind]] = EVOLVED_FIELDS
    _parameters = SEARCHED

    def __init__(
        self,
        population_size: int = 500,
        *,
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
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        checkpoint: Any = None,
        checkpoint_every: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
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
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _learner(self) -> EvolvedLearner:
        return EvolvedLearner(self)


class GPTreeRegressor(TreeRegressor):
    """A regression tree whose tests are evolved expressions over several columns.

    As `GPTreeClassifier`; tests are judged by the variance that they take away.

    Parameters
    ----------
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
    tree_ : Tree
        The tree.
    feature_importances_ : array of shape (n_features_in_,)
        Impurity-based importance of each feature; they add up to 1.
    n_evaluations_ : int
        Expressions that were run on the rows; equal ones of a generation or the one before are not
        run again.

    References
    ----------
    Suchý and Kubalík (2006). Inducing diverse decision forests with genetic programming.

    Examples
    --------
    >>> from spinney import GPTreeRegressor
    >>> X = [[a, b] for a in (-2.0, -1.0, 1.0, 2.0) for b in (-2.0, -1.0, 1.0, 2.0)]
    >>> y = [1.0 if a * b > 0 else 5.0 for a, b in X]
    >>> model = GPTreeRegressor(100, generations=20, random_state=0).fit(X, y)
    >>> model.predict([[1.5, 3.0]])
    array([1.])
    """

    criterion = "squared_error"  # of the numbers that nodes keep

    _fitted_fields: ClassVar[Mapping[str, Kind]] = EVOLVED_FIELDS
    _parameters = SEARCHED

    def __init__(
        self,
        population_size: int = 500,
        *,
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
        categorical_features: Any = "from_dtype",
        unseen: str = "missing",
        checkpoint: Any = None,
        checkpoint_every: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
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
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _learner(self) -> EvolvedLearner:
        return EvolvedLearner(self)
