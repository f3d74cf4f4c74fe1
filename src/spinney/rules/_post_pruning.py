"""Post-pruning of rules as in C4.5rules: fewer and shorter rules of equal estimated accuracy.

The core does the work; this module converts rules to arrays and back.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney._params import CF
from spinney._table import Schema
from spinney._typing import Floats
from spinney.rules._conditions import merged
from spinney.rules._extract import leaf_conditions
from spinney.rules._matching import Packed, pack
from spinney.rules._rule import Rule
from spinney.rules._ruleset import RuleSet

if TYPE_CHECKING:
    from spinney.tree._tree import Tree

_NO_CLASSES = (
    "rules that predict numbers cannot be post-pruned: the error estimates are for classes. "
    "Prune the regression tree instead, for example with spinney.pruning.cost_complexity_path."
)


def pruned_rules(
    tree: "Tree",
    values: Floats,
    codes: NDArray[Any],
    weight: Floats,
    cf: float = 0.25,
) -> RuleSet:
    """Return the post-pruned rules of a tree, given encoded rows.

    Parameters
    ----------
    tree : Tree
        A classification tree.
    values : array of float64 of shape (n_rows, n_features)
        Numbers and category codes; NaN is missing.
    codes : array of int of shape (n_rows,)
        Index of each row's class in `tree.classes`; ignored where the weight is 0.
    weight : array of float64 of shape (n_rows,)
        Sample weights.
    cf : float, default=0.25
        Confidence level of the error estimates, above 0 and at most 0.5.

    Returns
    -------
    RuleSet
        Ordered: the first matching rule decides. See `RuleSet.prune`.
    """
    if tree.classes is None:
        raise ValueError(_NO_CLASSES)
    found = list(leaf_conditions(tree))
    labels = tree.labels[[leaf for leaf, _ in found]]
    packed = pack(
        [conditions for _, conditions in found], labels.tolist(), len(tree.schema.columns)
    )
    return run(packed, labels, tree.schema, tree.classes, (values, codes, weight), cf)


def run(
    packed: Packed,
    labels: NDArray[Any],
    schema: Schema,
    classes: NDArray[Any],
    rows: tuple[Floats, NDArray[Any], Floats],
    cf: float,
) -> RuleSet:
    """Post-prune packed rules; `rows` are encoded values, class codes and weights."""
    values, codes, weight = rows
    origin, begin, member, counts, default, default_counts, totals = packed.core.post_prune(
        packed.rows(values),
        np.ascontiguousarray(codes, dtype=np.int32),
        np.ascontiguousarray(weight, dtype=np.float64),
        len(classes),
        CF.check("cf", cf),
    )
    rules = []
    for place, source in enumerate(origin.tolist()):
        chosen = [packed.parts[c] for c in member[begin[place] : begin[place + 1]].tolist()]
        label = int(labels[source])
        made = Rule(
            merged(chosen), classes.item(label), counts[place], totals, label=label, cf=float(cf)
        )
        rules.append(made)
    return RuleSet(
        rules,
        schema=schema,
        classes=classes,
        default=classes.item(default),
        default_counts=default_counts if default_counts.any() else totals,
        ordered=True,
    )
