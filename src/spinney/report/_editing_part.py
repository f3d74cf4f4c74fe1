"""What could be asked instead at each node, from which readers propose edits."""

from typing import Any

from spinney._table._take import as_rows, take_rows
from spinney.report._sample import Sample, some_rows, some_target
from spinney.tree._forced import forced_to_dict, node_at, path_of
from spinney.tree._node import Node
from spinney.tree._tree import Tree

_MOST_ROWS, _MOST_CELLS = 10_000, 1_000_000  # that judge tests
_MOST_NODES = 60  # whose other tests are listed, those with most rows first
_N_TESTS = 5


def editing_part(model: Any, shown: Tree, data: Sample) -> dict[str, Any] | None:
    """Return the best tests of other columns at the nodes of a model.

    Parameters
    ----------
    model : estimator
        Fitted.
    shown : Tree
        The largest tree of the slider, of which the model's own is a subtree.
    data : Sample
        The rows; of many rows some are drawn.

    Returns
    -------
    dict or None
        None for models that `spinney.edit.TreeEditor` does not edit, and for rows on which it
        cannot begin. `competitors` are None for trees that are cut and not grown again.
    """
    from spinney.edit._editable_rows import is_editable, is_regrown
    from spinney.edit._regrowth import Regrowth

    if not is_editable(model):
        return None
    paths = {str(node_at(shown, path_of(node)).id): path_of(node) for node in model.tree_}
    if not is_regrown(model):
        return {"paths": paths, "rows": 0, "competitors": None}
    most = min(_MOST_ROWS, max(500, _MOST_CELLS // max(1, data.values.shape[1])))
    places = some_rows(data.n_rows, most)
    X, y = take_rows(as_rows(data.given.X), places), some_target(data, places)
    exposure = data.exposure[places] if len(data.exposure) else None
    try:
        rows = Regrowth(model, X, y, data.weight[places], exposure)
    except ValueError:  # such as a class that no row has
        return None
    nodes = sorted(model.tree_, key=lambda node: (-node.n_samples, node.id))[:_MOST_NODES]
    found: dict[str, list[dict[str, Any]]] = {}
    for node in nodes:
        found[str(node_at(shown, path_of(node)).id)] = _competitors(rows, node)
    return {"paths": paths, "rows": len(places), "competitors": found}


def _competitors(rows: Any, node: Node) -> list[dict[str, Any]]:
    """Return the best tests of the columns at a node as JSON holds them, the best first."""
    columns = list(range(len(rows.schema.columns)))
    best = sorted(rows.best_tests(node, columns), key=lambda one: -one.gain)[:_N_TESTS]
    return [
        {
            "test": forced_to_dict(own.test, rows.schema),
            "gain": own.gain,
            "rows": list(own.n_rows),
            "own": node.test is not None and str(own.test) == str(node.test),
        }
        for own in best
    ]
