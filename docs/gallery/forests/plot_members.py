"""
Selection of members
====================

Mode-based selection keeps the members whose number of errors is at most the most common one.
"""

from spinney import BaggingClassifier
from spinney.datasets import load_heart_disease
from spinney.plot import plot_selection

heart = load_heart_disease()
model = BaggingClassifier(n_estimators=100, selection="mode", random_state=0)
model.fit(heart.X, heart.y)
plot_selection(model.selection_report_)
