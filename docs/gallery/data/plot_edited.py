"""
Editing a tree by hand
======================

The policy has two years where the data suggest 22.5 months. The editor sets the threshold, and its
history shows the effect on the error.
"""

from spinney import CARTClassifier
from spinney.datasets import load_german_credit
from spinney.edit import TreeEditor
from spinney.plot import plot_tree

credit = load_german_credit()
model = CARTClassifier(pruning="cost_complexity", random_state=0).fit(credit.X, credit.y)
editor = TreeEditor(model, credit.X, credit.y, author="A. Analyst")
editor.split("root/yes", "duration_months <= 24", reason="policy 7: terms of two years")
editor.grow("root/yes/no", max_depth=1)
plot_tree(editor.finish(), title="After two edits")
print(editor.history)
