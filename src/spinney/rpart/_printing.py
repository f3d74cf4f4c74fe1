"""Print rpart's tables: the cp table, and nodes with competitors and surrogates."""

from typing import Any

import numpy as np

from spinney.rpart._call import CALLS, Call, at_cp
from spinney.tree import Node
from spinney.tree._forced import path_of

_KINDS = {
    "CARTClassifier": "Classification tree",
    "CARTRegressor": "Regression tree",
    "SurvivalTree": "Survival tree",
}


def cptable(fit: Any) -> Any:
    """Return rpart's cp table, from the root to the tree of the fit.

    Parameters
    ----------
    fit : estimator
        From `rpart` or `prune`, or any with a `pruning_path_`.

    Returns
    -------
    DataFrame
        `CP`, `nsplit`, `rel error`, and `xerror` and `xstd` if there was a cross-validation.
    """
    path = _path(fit)
    table = path.to_frame()[["CP", "nsplit", "rel error", "xerror", "xstd"]]
    table = table.iloc[path.selected :][::-1].reset_index(drop=True)
    table.index += 1
    call = CALLS.get(fit)
    if call is not None:  # the penalty that was asked for, where the tree stands for a range
        table.loc[len(table), "CP"] = max(table["CP"].iloc[-1], call.control.cp)
    return table if path.errors is not None else table[["CP", "nsplit", "rel error"]]


def _path(fit: Any) -> Any:
    path = getattr(fit, "pruning_path_", None)
    if path is None:
        raise TypeError(
            f"fit must be an estimator from rpart, or one with pruning='cost_complexity', got "
            f"{type(fit).__name__} without a pruning_path_."
        )
    return path


def printcp(fit: Any, digits: int = 5) -> None:
    """Print rpart's cp table.

    Parameters
    ----------
    fit : estimator
        From `rpart` or `prune`.
    digits : int, default=5
        Digits of the numbers.
    """
    path, root = _path(fit), fit.tree_.root
    used = sorted({node.test.feature_name for node in fit.tree_ if not node.is_leaf})
    lines = [f"{_KINDS.get(type(fit).__name__, 'Tree')}:"]
    if fit in CALLS:
        lines.append(_call_text(CALLS[fit]))
    lines += ["", "Variables actually used in tree construction:", " ".join(used) or "none", ""]
    total = float(path.risks[-1]) * root.weight
    lines += [f"Root node error: {total:.{digits}g}/{root.weight:g} = {path.risks[-1]:.{digits}g}"]
    lines += ["", f"n= {root.n_samples}", ""]
    shown = cptable(fit).to_string(float_format=lambda number: f"{number:.{digits}f}")
    print("\n".join([*lines, shown]))


def _call_text(call: Call) -> str:
    return f'rpart("{call.formula}", method="{call.frame.method}")'


def plotcp(fit: Any, ax: Any = None) -> Any:
    """Draw the cross-validated error of each size, with the line of one standard error.

    Parameters
    ----------
    fit : estimator
        From `rpart` or `prune`, with a cross-validation.
    ax : matplotlib Axes, default=None
        Axes to draw on; None for a new figure.

    Returns
    -------
    matplotlib Axes
    """
    from spinney.plot._matplotlib import axes_or_new

    table = cptable(fit)
    if "xerror" not in table:
        raise ValueError("plotcp shows cross-validated errors, but xval was 0.")
    ax = axes_or_new(ax, (6.4, 4.2))
    cp = table["CP"].to_numpy()
    middle = np.sqrt(cp * np.concatenate([[np.inf], cp[:-1]]))
    at = np.arange(len(table))
    ax.errorbar(at, table["xerror"], table["xstd"], marker="o", capsize=3)
    best = table["xerror"].to_numpy().argmin()
    ax.axhline(table["xerror"].iloc[best] + table["xstd"].iloc[best], linestyle=":", color="0.4")
    ax.set_xticks(at, [f"{value:.2g}" for value in middle])
    ax.set(xlabel="cp", ylabel="X-val relative error")
    top = ax.secondary_xaxis("top")
    top.set_xticks(at, [str(n + 1) for n in table["nsplit"]])
    top.set_xlabel("size of tree")
    return ax


def prune(fit: Any, cp: float) -> Any:
    """Return the subtree of a fit at a larger penalty, without growing a tree again.

    Parameters
    ----------
    fit : estimator
        From `rpart`, or any with a `pruning_path_`.
    cp : float
        The penalty of a leaf, relative to the risk of the root.

    Returns
    -------
    estimator
        Of the same class.
    """
    if not isinstance(cp, int | float | np.number) or not cp >= 0:
        raise ValueError(f"cp must be a number of 0 or more, got {cp!r}.")
    path = _path(fit)
    root = max(float(path.risks[-1]), 0.0)
    least = float(path.alphas[path.selected or 0])
    pruned = at_cp(fit, max(float(cp), least / root if root > 0 else 0.0))
    if fit in CALLS:
        CALLS[pruned] = CALLS[fit]
    return pruned


def summary(fit: Any, digits: int = 6) -> str:
    """Return every node of a fit as text: its rows, the best tests, and the surrogates.

    Parameters
    ----------
    fit : estimator
        From `rpart` or `prune`, in this session: the competing tests need its rows.
    digits : int, default=6
        Digits of the numbers.

    Returns
    -------
    str
        Nodes are numbered as in rpart: the children of k are 2k and 2k + 1.
    """
    if fit not in CALLS:
        raise ValueError(
            "summary needs the rows of the fit, which only rpart in this session remembers; "
            "spinney.edit.TreeEditor(fit, X, y).competitors(node) has them for any fit."
        )
    call = CALLS[fit]
    lines = [f"Call: {_call_text(call)}", f"  n= {fit.tree_.root.n_samples}", ""]
    lines += [cptable(fit).to_string(), "", "Variable importance"]
    shares = fit.tree_.importances(surrogates=True)
    total = float(shares.sum()) or 1.0
    names = fit.tree_.feature_names
    for place in np.argsort(-shares, kind="stable"):
        if shares[place] > 0:
            lines.append(f"  {names[place]} {round(100 * shares[place] / total)}")
    editor = _editor(fit, call)
    for number, node in _numbered(fit.tree_.root):
        lines += ["", *_node_lines(number, node, fit, call, editor, digits)]
    return "\n".join(lines)


def _editor(fit: Any, call: Call) -> Any:
    """Return what finds competing tests; lifetimes have none."""
    from spinney.edit import TreeEditor

    if call.frame.method == "exp":
        return None
    given = {} if call.frame.exposure is None else {"exposure": call.frame.exposure}
    y = call.frame.y
    y = np.asarray(y.astype(object)) if call.frame.method == "class" else y
    return TreeEditor(fit, call.frame.X, y, call.weights, **given)


def _numbered(root: Node) -> list[tuple[int, Node]]:
    """Return the nodes with rpart's numbers, in their order."""
    found, todo = [], [(1, root)]
    while todo:
        number, node = todo.pop()
        found.append((number, node))
        todo += [(2 * number + side, child) for side, child in enumerate(node.children)]
    return sorted(found, key=lambda pair: pair[0])


def _node_lines(
    number: int, node: Node, fit: Any, call: Call, editor: Any, digits: int
) -> list[str]:
    strength = _complexity(fit, node)
    price = "" if node.is_leaf else f", complexity param={strength:.{digits}g}"
    lines = [f"Node number {number}: {node.n_samples} observations{price}"]
    if call.frame.method == "class":
        share = node.weight / fit.tree_.root.weight
        loss = f"expected loss={node.risk / share:.{digits}g}"
        lines.append(f"  predicted class={node.prediction}  {loss}  P(node)={share:.{digits}g}")
        counts = " ".join(f"{count:g}" for count in np.asarray(node.counts))
        chances = " ".join(f"{p:.3f}" for p in np.asarray(node.probabilities))
        lines += [f"    class counts: {counts}", f"   probabilities: {chances}"]
    else:
        lines.append(f"  predicted={node.prediction:.{digits}g}, risk={node.risk:.{digits}g}")
    if node.is_leaf:
        return lines
    left, right = node.children
    lines.append(
        f"  yes: node {2 * number} ({left.n_samples} obs), "
        f"no: node {2 * number + 1} ({right.n_samples} obs)"
    )
    return lines + _tests(node, fit, call, editor, digits)


def _complexity(fit: Any, node: Node) -> float:
    """Return rpart's complexity of a node: the penalty at which it becomes a leaf."""
    path, above = fit.pruning_path_, node
    steps = path.leaf_steps(path.selected)
    step = int(steps[node.id])
    while above.parent is not None:  # it goes with its parent at the latest
        above = above.parent
        step = min(step, int(steps[above.id]))
    root = float(path.risks[-1])
    return float(path.alphas[min(step, len(path) - 1)]) / root if root > 0 else 0.0


def _tests(node: Node, fit: Any, call: Call, editor: Any, digits: int) -> list[str]:
    lines = ["  Primary splits:"]
    if editor is None:
        lines.append(f"      {node.test}, improve={node.gain:.{digits}g}")
    else:
        for found in editor.competitors(path_of(node), n=call.control.maxcompete + 1):
            missing = node.n_samples - sum(found.n_rows)
            lines.append(
                f"      {found.test}, improve={_improve(found, node, fit, call):.{digits}g}, "
                f"({missing} missing)"
            )
    if node.surrogates:
        lines.append("  Surrogate splits:")
    for one in node.surrogates:
        side = "no, if " if one.reversed else "yes, if "
        lines.append(f"      {side}{one.test}, agree={one.agreement:.3f}, adj={one.adjusted:.3f}")
    return lines


def _improve(found: Any, node: Node, fit: Any, call: Call) -> float:
    """Return the gain in rpart's units: shares of squares, and natural logarithms."""
    if call.frame.method == "anova" and node.impurity > 0:
        return float(found.gain / (node.impurity * node.weight))
    if getattr(fit, "criterion", "") == "entropy":
        return float(found.gain * np.log(2.0))
    return float(found.gain)
