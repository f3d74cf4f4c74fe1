"""Penalised multinomial logistic regression with soft targets, improved by Newton steps.

Gates and logistic experts are both this model. Each row has a weight for every class (a matrix of
`targets`), so it may belong to several classes in part:

    maximise  sum_ik targets_ik log p_ik  -  1/2 sum_j ridge_j  c_j' M c_j

The first class is the reference: its logit is 0, and `coef` has a column for each other class. With
two classes M is 1, so one vector is penalised; with K > 2 classes M = I - 11'/K, which is the ridge
on all K vectors of the symmetric softmax at its best shift. Both are what LogisticRegression of
scikit-learn penalises, and neither leaves a direction in which the model does not change.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from spinney._typing import Floats

_MOST_UNKNOWNS = 600  # beyond that, the equations of a step are solved without their matrix
_MOST_HALVINGS = 40
_MOST_PRODUCTS = 300  # with that matrix, for one step
_LEFT_OVER = 1e-4  # of the right-hand side: good enough for a step among several
_DAMPING = 1e-12  # of each diagonal entry, more if that is not enough


def log_softmax(design: Floats, coef: Floats) -> Floats:
    """Return log-probabilities, one column per class.

    Parameters
    ----------
    design : array of shape (n_rows, n_columns)
        The design matrix; its first column is constant 1.
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
    """Return the ridge penalty.

    Parameters
    ----------
    coef : array of shape (n_columns, n_classes - 1)
        Logits against the first class.
    ridge : array of shape (n_columns,)
        Penalty of each column; 0 for the intercept.

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
    """A regression problem: rows, their weights for each class, and the ridge penalty.

    Parameters
    ----------
    design : array of shape (n_rows, n_columns)
        The design matrix; its first column is constant 1.
    weights : array of shape (n_rows, n_classes)
        Weight of each row for each class.
    ridge : array of shape (n_columns,)
        Penalty of each column; 0 for the intercept.
    """

    design: Floats
    weights: Floats
    ridge: Floats

    def objective(self, coef: Floats, log_prob: Floats) -> float:
        """Return the penalised log-likelihood."""
        return float(np.vdot(self.weights, log_prob)) - penalty(coef, self.ridge)

    def gradient(self, coef: Floats, log_prob: Floats) -> Floats:
        """Return the gradient of the objective, in the shape of `coef`."""
        mass = self.weights.sum(axis=1)
        surplus = self.weights[:, 1:] - mass[:, np.newaxis] * np.exp(log_prob[:, 1:])
        return np.asarray(self.design.T @ surplus - self.ridge[:, np.newaxis] * _coupled(coef))

    def curvature(self, log_prob: Floats) -> Floats:
        """Return the negative Hessian, in blocks by class."""
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
        """Perform one Newton step, halved until the objective does not fall.

        Parameters
        ----------
        coef : array of shape (n_columns, n_classes - 1)
            The current coefficients.
        log_prob : array of shape (n_rows, n_classes)
            Their log-probabilities.

        Returns
        -------
        coef : array of shape (n_columns, n_classes - 1)
            The new coefficients.
        log_prob : array of shape (n_rows, n_classes)
            Their log-probabilities.
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
            output = log_softmax(self.design, tried)
            if self.objective(tried, output) >= before:
                return tried, output
        return coef, log_prob

    def _by_products(self, log_prob: Floats, slope: Floats) -> Floats:
        """Return the Newton step by conjugate gradients, without forming the Hessian."""
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
            with np.errstate(over="ignore"):
                further = power / bend * way
            if not np.isfinite(further).all():  # the bend is too small for the power to mean much
                break
            step += further
            left -= power / bend * pulled
            before, power = power, float(np.vdot(left, left / size))
            way = left / size + power / before * way
        return step


def solved(matrix: Floats, right: Floats) -> Floats:
    """Solve a positive semidefinite linear system.

    The matrix is scaled to a unit diagonal and slightly damped: columns may be collinear or have no
    weight, and penalties may differ by many orders of magnitude.

    Parameters
    ----------
    matrix : array of shape (n, n)
        The matrix, without negative diagonal entries.
    right : array of shape (n,)
        The right-hand side.

    Returns
    -------
    array of shape (n,)
    """
    size = np.sqrt(np.diag(matrix))
    size = np.where(size > 0.0, size, 1.0)
    scaled = matrix / size / size[:, np.newaxis]
    damping = _DAMPING
    while True:
        damped = scaled.copy()
        damped[np.diag_indices(len(damped))] += damping
        try:
            factor = cho_factor(damped, check_finite=False, overwrite_a=True)
        except LinAlgError:  # rounding made it indefinite
            damping *= 1e3
            continue
        return np.asarray(cho_solve(factor, right / size, check_finite=False) / size)
