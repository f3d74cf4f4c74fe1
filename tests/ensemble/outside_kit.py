"""An ensemble that is none, a learner that remembers, and plans: to drive lessons by hand."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from spinney import _core
from spinney.ensemble._foreign_trainer import foreign_trainer


class ClassOwner(ClassifierMixin, BaseEstimator):
    """Stands in for an ensemble."""

    categorical_features = "from_dtype"
    unseen = "missing"
    n_best_splits = 1
    schema = None


class NumberOwner(RegressorMixin, ClassOwner):
    pass


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers what it was given."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.given_ = X, y, sample_weight
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def nothing(n_done):
    return False


def make_plan(n_members, kind="bootstrap", size=60, n_parts=1, seed=7, **settings):
    plan = _core.EnsemblePlan()
    plan.n_members, plan.seed = n_members, seed
    plan.set_sampling(kind, size, n_parts)
    for name, value in settings.items():
        setattr(plan, name, value)
    return plan


def boost_plan(n_members, n_classes, rule="SAMME", loss="exponential", seed=3):
    plan = _core.BoostPlan()
    plan.n_members, plan.seed = n_members, seed
    plan.set_rules(rule, loss, 1.0, n_classes)
    return plan


def teach(learners, X, y, weight=None, owner=None):
    learners = learners if isinstance(learners, list) else [learners]
    owner = owner or ClassOwner()
    return foreign_trainer(owner, learners, X, y, weight, owner.schema)


def everyone(members):
    return np.arange(len(members))


def bagged_members(learner, X, y, n_members=4, owner=None, **settings):
    plan = make_plan(n_members, **settings)
    return teach(learner, X, y, owner=owner).bag(plan, 1, None, nothing).members


def class_rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 4))
    codes = (X[:, 0] + 0.5 * random.normal(size=60) > 0).astype(int) + (X[:, 1] > 0.8)
    return X, np.array(["a", "b", "c"])[codes]


def number_rows():
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 3))
    return X, 3.0 * X[:, 0] + random.normal(size=60)
