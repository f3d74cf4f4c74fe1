"""Nominal columns whose domain is declared."""

import numpy as np
import pandas as pd
import pytest

from spinney import BaggingClassifier, GPForestClassifier, GPTreeClassifier, GPTreeRegressor

BRIEF = {"population_size": 100, "generations": 20, "random_state": 0}


def towns(n=300, seed=0):
    """People who live in some towns and work in others; who works at home walks."""
    rng = np.random.default_rng(seed)
    home = rng.choice(["Brno", "Plzen", "Praha", "Zlin"], n)
    work = rng.choice(["Brno", "Ostrava", "Praha", "Zlin", "Tabor"], n)
    work = np.where((rng.random(n) < 0.4) & (home != "Plzen"), home, work)
    X = pd.DataFrame({"home": home, "work": work, "age": rng.integers(20, 60, n)})
    return X, np.where(home == work, "walks", "drives")


def test_columns_of_one_domain_are_compared():
    X, y = towns()
    model = GPTreeClassifier(domains=[["home", "work"]], **BRIEF).fit(X, y)
    assert model.score(X, y) == 1.0
    assert str(model.tree_.root.test) in ("home = work", "work = home")


def test_columns_with_other_categories_are_not_compared_by_themselves():
    X, y = towns()
    model = GPTreeClassifier(max_depth=1, **BRIEF).fit(X, y)
    texts = [str(node.test) for node in model.tree_ if not node.is_leaf]
    assert not any("home = work" in text or "work = home" in text for text in texts)


def test_the_vocabulary_is_that_of_all_columns_of_the_domain():
    X, y = towns()
    model = GPTreeClassifier(domains=[(0, "work")], **BRIEF).fit(X, y)
    home, work, _ = model.tree_.schema.columns
    assert home.categories == work.categories
    assert home.categories == ("Brno", "Ostrava", "Plzen", "Praha", "Tabor", "Zlin")


def test_a_town_that_only_others_worked_in_is_known_as_a_home():
    X, y = towns()
    model = GPTreeClassifier(domains=[["home", "work"]], unseen="error", **BRIEF).fit(X, y)
    new = pd.DataFrame({"home": ["Tabor", "Ostrava"], "work": ["Tabor", "Plzen"], "age": [30, 40]})
    assert model.predict(new).tolist() == ["walks", "drives"]


def test_forests_and_regression_have_domains_too():
    X, y = towns()
    forest = GPForestClassifier(3, domains=[["home", "work"]], **BRIEF).fit(X, y)
    assert forest.score(X, y) == 1.0
    minutes = np.where(y == "walks", 10.0, 40.0)
    tree = GPTreeRegressor(domains=[["home", "work"]], **BRIEF).fit(X, minutes)
    assert np.allclose(tree.predict(X), minutes)


def test_gaps_stay_gaps():
    X, y = towns()
    X.loc[::9, "home"] = None
    model = GPTreeClassifier(domains=[["home", "work"]], **BRIEF).fit(X, y)
    whole = X["home"].notna()
    assert (model.predict(X[whole]) == y[whole]).all()


@pytest.mark.parametrize(
    ("domains", "message"),
    [
        ("home", "domains must be a list of lists of columns"),
        (["home", "work"], "domains must be a list of lists of columns"),
        ([["home", "wrkk"]], "domains holds 'wrkk', which is no column"),
        ([["home", 3]], "domains holds 3, which is no column"),
        ([["home", "age"]], "domains holds 'age', which is numeric"),
        ([["home", "work"], ["work"]], "domains names the column 'work' more than once"),
    ],
)
def test_bad_domains_are_refused(domains, message):
    X, y = towns(40)
    with pytest.raises(ValueError, match=message):
        GPTreeClassifier(domains=domains, **BRIEF).fit(X, y)


def test_text_and_numbers_are_no_domain():
    X, y = towns(40)
    options = {"categorical_features": ["age"], "domains": [["home", "age"]]}
    with pytest.raises(ValueError, match="numbers in one and text in another"):
        GPTreeClassifier(**options, **BRIEF).fit(X, y)


def test_members_of_other_ensembles_have_none():
    X, y = towns(40)
    member = GPTreeClassifier(domains=[["home", "work"]], **BRIEF)
    with pytest.raises(ValueError, match=r"estimator has domains=\[\['home', 'work'\]\]"):
        BaggingClassifier(member, 2).fit(X, y)
