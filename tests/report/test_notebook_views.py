"""What notebooks show: small, escaped, and without scripts."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import sklearn
from report_problems import credit_model, random_model, small_forest

from spinney import C45Classifier, CARTClassifier, CARTRegressor
from spinney.compare import Experiment, RepeatedKFold, Table
from spinney.ensemble import diversity

HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(1)>\u202e" + "y" * 5000


class Tags(HTMLParser):
    """The tags of a piece of HTML, each of which must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def _hostile_model():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({HOSTILE: rng.normal(size=200), "b": rng.choice(["<b>", "&amp;"], 200)})
    y = np.where(frame[HOSTILE] > 0, HOSTILE, "good")
    return C45Classifier().fit(frame, y), frame, y


@pytest.fixture(scope="module")
def views():
    return dict(_views())


def _views():
    model, frame, _ = _hostile_model()
    yield "tree", model.tree_
    yield "rules", model.rules_
    yield "paths", model.tree_.rules()
    yield "explanation", model.explain(frame.iloc[0])
    yield "table", Table("<i>t</i>", ["<a>", HOSTILE], [["<u>", 1.0], [HOSTILE, 2.0]], {}, {(0, 1)})
    yield "results", _comparison()
    cart = CARTClassifier(pruning="cost_complexity", cv=3, random_state=0)
    yield "path", cart.fit(frame, model.predict(frame)).pruning_path_


def _comparison():
    """Return results on two data sets, of methods whose names are hostile."""
    X, y = np.arange(60.0)[:, None] % 7, np.arange(60) % 2
    methods = {HOSTILE[:60]: CARTClassifier(max_depth=1), "b & c": CARTClassifier(max_depth=2)}
    data = {"<i>one</i>": (X, y), "two": (-X, y)}
    return Experiment(data, methods, RepeatedKFold(2, 1)).run()


@pytest.mark.parametrize(
    "name", ["tree", "rules", "paths", "explanation", "table", "path", "results"]
)
def test_hostile_text_stays_text(name, views):
    text = views[name]._repr_html_()
    tags = Tags(text)
    assert tags.open == []
    assert not {"script", "img", "i", "u", "a"} & set(tags.seen)
    assert "\u202e" not in text
    assert len(text) < 30_000


def test_a_tree_says_what_it_predicts():
    model, *_ = credit_model()
    text = model.tree_._repr_html_()
    for leaf in model.tree_.leaves:
        assert f"({leaf.n_samples} rows)" in text
    assert "details" in Tags(text).seen
    regressor = random_model(5, 0)[0]
    assert "all rows" in regressor.tree_._repr_html_()


def test_a_large_tree_is_cut_and_says_so():
    X = np.arange(2000.0)[:, None]
    tree = CARTRegressor().fit(X, np.arange(2000) % 7).tree_
    text = tree._repr_html_()
    assert "nodes more" in text
    assert len(text) < 60_000


def test_diversity_has_its_means():
    model, frame, y, _ = small_forest()
    found = diversity(model, frame, y)
    assert f"{found.mean_kappa:.3f}" in found._repr_html_()
    assert f"{found.mean_kappa:.3f}" in str(found)


def test_estimators_show_their_tree_below_the_diagram():
    model, *_ = credit_model()
    if not hasattr(model, "_repr_html_inner") or sklearn.__version__ < "1.7":
        pytest.skip("scikit-learn draws its diagram in another way")
    assert model._repr_html_().endswith(model.tree_._repr_html_())
    assert "rows)" not in CARTClassifier()._repr_html_()
