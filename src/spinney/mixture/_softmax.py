"""Penalised multinomial logistic regression with soft targets, improved step by step.

Gates and logistic experts are both this model. Its rows carry a weight for every class (a matrix of
`targets`), so a row may belong to several classes in part:

    maximise  sum_ik targets_ik log p_ik  -  1/2 sum_j ridge_j  c_j' M c_j

The first class is the reference: its logit is 0, and `coef` has a column for each other class. With
two classes M is 1, so one vector is penalised; with K > 2 classes M = I - 11'/K, which is the ridge
on all K vectors of the symmetric softmax at its best shift. Both are what LogisticRegression of
scikit-learn penalises, and neither leaves a direction in which the model does not change.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney.mixture._solve import solved

Floats = NDArray[np.float64]
_MOST_UNKNOWNS = 600  # beyond that, the equations of a step are solved without their matrix
_MOST_HALVINGS = 40
_MOST_PRODUCTS = 300  # with that matrix, for one step
_LEFT_OVER = 1e-4  # of the right-hand side: good enough for a step among several


def log_softmax(design: Floats, coef: Floats) -> Floats:
    """Return the logarithms of the probabilities, one column a class.

    Parameters
    ----------
    design : array of shape (n_rows, n_columns)
        The first column holds ones.
    coef : array of shape (n_columns, n_classes - 1)
        Logits against the first class.

    Returns
    -------
    array of shape (n_rows, n_classes)
    """
    logits = np.zeros((len(design), coef.shape[1] + 1), order="F")  # classes are read one by one
    logits[:, 1:] = design @ coef
    top = logits.max(axis=1)
    logits -= top[:, np.newaxis]
    total = np.exp(logits).sum(axis=1)
    logits -= np.log(total)[:, np.newaxis]
    return logits


def penalty(coef: Floats, ridge: Floats) -> float:
    """Return what the ridge takes from the log-likelihood.

    Parameters
    ----------
    coef : array of shape (n_columns, n_classes - 1)
        Logits against the first class.
    ridge : array of shape (n_columns,)
        Of each column; 0 for the intercept.

    Returns
    -------
    float
    """
    return 0.5 * float(np.sum(ridge[:, np.newaxis] * coef * _coupled(coef)))


def _coupled(coef: Floats) -> Floats:
    """Return coef @ M."""
    n_logits = coef.shape[1]
    if n_logits < 2:
        return coef
    return np.asarray(coef - coef.sum(axis=1, keepdims=True) / (n_logits + 1))


@dataclass(frozen=True)
class SoftTargets:
    """A problem: rows, what they weigh for each class, and the ridge.

    Parameters
    ----------
    design : array of shape (n_rows, n_columns)
        The first column holds ones.
    weights : array of shape (n_rows, n_classes)
        What each row weighs for each class.
    ridge : array of shape (n_columns,)
        Of each column; 0 for the intercept.
    """

    design: Floats
    weights: Floats
    ridge: Floats

    def objective(self, coef: Floats, log_prob: Floats) -> float:
        """Return the penalised log-likelihood."""
        return float(np.vdot(self.weights, log_prob)) - penalty(coef, self.ridge)

    def gradient(self, coef: Floats, log_prob: Floats) -> Floats:
        """Return the slope of the objective, in the shape of `coef`."""
        mass = self.weights.sum(axis=1)
        surplus = self.weights[:, 1:] - mass[:, np.newaxis] * np.exp(log_prob[:, 1:])
        return np.asarray(self.design.T @ surplus - self.ridge[:, np.newaxis] * _coupled(coef))

    def curvature(self, log_prob: Floats) -> Floats:
        """Return the negative second derivatives: a square matrix, block by block of classes."""
        n_columns, n_logits = self.design.shape[1], log_prob.shape[1] - 1
        mass, prob = self.weights.sum(axis=1), np.exp(log_prob[:, 1:])
        matrix = np.empty((n_logits, n_columns, n_logits, n_columns))
        pull = 1.0 / (n_logits + 1) if n_logits > 1 else 0.0
        for k in range(n_logits):
            for m in range(k + 1):
                weight = mass * prob[:, k] * ((k == m) - prob[:, m])
                block = self.design.T @ (self.design * weight[:, np.newaxis])
                block[np.diag_indices(n_columns)] += self.ridge * ((k == m) - pull)
                matrix[k, :, m] = block
                matrix[m, :, k] = block
        return matrix.reshape(n_logits * n_columns, n_logits * n_columns)

    def improved(self, coef: Floats, log_prob: Floats) -> tuple[Floats, Floats]:
        """Take one step of Newton's, halved until the objective does not fall.

        Parameters
        ----------
        coef : array of shape (n_columns, n_classes - 1)
            Where to start.
        log_prob : array of shape (n_rows, n_classes)
            `log_softmax` of it.

        Returns
        -------
        coef, log_prob
            Of no lower objective.
        """
        if coef.shape[1] == 0:
            return coef, log_prob
        slope = self.gradient(coef, log_prob)
        if coef.size > _MOST_UNKNOWNS:
            return self._climbed(coef, log_prob, self._by_products(log_prob, slope))
        step = solved(self.curvature(log_prob), slope.T.ravel())
        return self._climbed(coef, log_prob, step.reshape(slope.T.shape).T)

    def _climbed(self, coef: Floats, log_prob: Floats, step: Floats) -> tuple[Floats, Floats]:
        before = self.objective(coef, log_prob)
        for halvings in range(_MOST_HALVINGS):
            tried = coef + step * 0.5**halvings
            answer = log_softmax(self.design, tried)
            if self.objective(tried, answer) >= before:
                return tried, answer
        return coef, log_prob

    def _by_products(self, log_prob: Floats, slope: Floats) -> Floats:
        """Return the step of Newton's by conjugate gradients, which need products only."""
        mass = self.weights.sum(axis=1)[:, np.newaxis]
        prob = np.exp(log_prob[:, 1:])
        own = 1.0 - 1.0 / (slope.shape[1] + 1) if slope.shape[1] > 1 else 1.0
        size = (self.design**2).T @ (mass * prob * (1.0 - prob)) + own * self.ridge[:, np.newaxis]
        size = np.where(size > 0.0, size, 1.0)

        def product(way: Floats) -> Floats:
            moved = prob * (self.design @ way)
            moved -= prob * moved.sum(axis=1, keepdims=True)
            return np.asarray(
                self.design.T @ (mass * moved) + self.ridge[:, np.newaxis] * _coupled(way)
            )

        step, left = np.zeros_like(slope), slope.copy()
        way = left / size
        power = float(np.vdot(left, way))
        enough = _LEFT_OVER**2 * power
        for _ in range(_MOST_PRODUCTS):
            if power <= enough:
                break
            pulled = product(way)
            bend = float(np.vdot(way, pulled))
            if bend <= 0.0:  # nothing but rounding is left
                break
            step += power / bend * way
            left -= power / bend * pulled
            before, power = power, float(np.vdot(left, left / size))
            way = left / size + power / before * way
        return step


def fit_softmax(problem: SoftTargets, *, max_steps: int = 100, tol: float = 1e-10) -> Floats:
    """Climb from zero until a step brings almost nothing.

    Parameters
    ----------
    problem : SoftTargets
        Rows, targets and ridge.
    max_steps : int, default=100
        Steps at most.
    tol : float, default=1e-10
        The least gain of the objective, for a unit of weight, that is worth another step.

    Returns
    -------
    array of shape (n_columns, n_classes - 1)
    """
    n_classes = problem.weights.shape[1]
    coef = np.zeros((problem.design.shape[1], n_classes - 1))
    log_prob = log_softmax(problem.design, coef)
    least = tol * float(problem.weights.sum())
    for _ in range(max_steps):
        before = problem.objective(coef, log_prob)
        coef, log_prob = problem.improved(coef, log_prob)
        if problem.objective(coef, log_prob) - before <= least:
            break
    return coef
