"""
Error against size
==================

The smallest model whose error is not significantly larger is the one to hand over.
"""

from spinney import C45Classifier, CARTClassifier, IGPAClassifier, RandomForestClassifier
from spinney.compare import Experiment, RepeatedKFold, plot_error_and_leaves

methods = {
    "full": CARTClassifier(),
    "pruned": CARTClassifier(pruning="cost_complexity"),
    "c45": C45Classifier(),
    "igpa": IGPAClassifier(),
    "forest": RandomForestClassifier(n_estimators=50),
}
results = Experiment("heart_disease", methods, RepeatedKFold(10)).run(progress=False)
plot_error_and_leaves(results, "heart_disease")
