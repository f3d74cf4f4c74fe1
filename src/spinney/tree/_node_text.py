"""Words about nodes that text, graphs and plots share."""

from typing import TYPE_CHECKING

from spinney._format import SHORT_DIGITS, category_text, number_text, set_text
from spinney.tree._tests import IntervalTest, MultiwayTest, Test

if TYPE_CHECKING:
    from spinney.tree._node import Node
    from spinney.tree._tree import Tree

_MOST_CLASSES = 5


def question_words(test: Test, digits: int = SHORT_DIGITS, max_categories: int = 6) -> str:
    """Return what a test asks, shorter than `str(test)`."""
    if isinstance(test, MultiwayTest | IntervalTest):
        return test.feature_name
    return test.branch_text(0, digits, max_categories)


def answer_words(test: Test, branch: int, max_categories: int = 6) -> str:
    """Return the answer to a test that leads to a branch: "yes", "no", or what is held there."""
    if isinstance(test, IntervalTest):
        return test.interval_text(branch, SHORT_DIGITS)
    if not isinstance(test, MultiwayTest):
        return "no" if branch else "yes"
    categories = test.branches[branch]
    if len(categories) == 1:
        return category_text(categories[0])
    return set_text(categories, max_categories)


def class_words(node: "Node", digits: int = SHORT_DIGITS) -> str:
    """Return the weight of each class that a node holds; of many classes the heaviest."""
    counts, classes = node.counts, node.tree.classes
    if counts is None or classes is None or node.weight == 0:
        return ""
    present = [(c, label) for c, label in zip(counts.tolist(), classes, strict=True) if c > 0]
    more = len(present) - _MOST_CLASSES
    if more > 0:
        present = sorted(present, key=lambda pair: -pair[0])[:_MOST_CLASSES]
    # Shares of rows add up to whole numbers but for rounding, which nobody wants to read.
    words = [f"{number_text(float(f'{count:.12g}'), digits)} {label}" for count, label in present]
    if more > 0:
        words.append(f"{more} more")
    return ", ".join(words)


def below_counts(tree: "Tree") -> list[int]:
    """Return how many nodes stand below each node."""
    sizes = [0] * tree.n_nodes
    parents = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children come before their parent here
        sizes[parents[node]] += sizes[node] + 1
    return sizes
