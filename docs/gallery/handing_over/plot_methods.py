"""
Comparing methods with a statistical test
=========================================

Six data sets, four methods, three partitions each: mean ranks, and a line under those that do not
differ by Nemenyi's test.
"""

from spinney import C45Classifier, CARTClassifier, IGPAClassifier, RandomForestClassifier
from spinney.compare import Experiment, RepeatedHoldout, plot_critical_difference

methods = {
    "pruned": CARTClassifier(pruning="cost_complexity"),
    "c45": C45Classifier(),
    "igpa": IGPAClassifier(),
    "forest": RandomForestClassifier(n_estimators=30),
}
names = ["heart_disease", "glass", "wine", "haberman", "sonar", "iris"]
results = Experiment(names, methods, RepeatedHoldout(3)).run(progress=False)
found = results.nemenyi(alpha=0.10)
plot_critical_difference(results.mean_ranks(), found.critical_difference, results.methods)
print(results.table("ranks"))
