"""Metadata for members: what they receive, and what is refused, as in scikit-learn."""

import numpy as np
import pytest
import sklearn.tests.test_metaestimators_metadata_routing as theirs
from sklearn import config_context
from sklearn import ensemble as sklearn_ensemble
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    BoostByFilteringClassifier,
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
    VotingCombiner,
)

X = np.column_stack([np.arange(60.0), np.random.default_rng(0).normal(size=60)])
Y = (np.random.default_rng(1).random(60) < np.where(X[:, 0] < 30, 0.1, 0.9)).astype(int)
ROWS = np.arange(60) + 1000.0


class Recorder(BaseEstimator):
    """Remembers the rows, by the first column, and the metadata that it gets."""

    def fit(self, X, y, mark=None, note=None):
        self.seen_ = X[:, 0].copy(), mark, note
        self.classes_ = np.unique(y)
        self.stump_ = CARTRegressor(max_depth=2).fit(X, y)
        self.asked_ = []
        return self

    def predict(self, X, mark=None):
        self.asked_.append(mark)
        return self.stump_.predict(X)


class RecordingRegressor(RegressorMixin, Recorder):
    pass


class RecordingClassifier(ClassifierMixin, Recorder):
    def predict(self, X, mark=None):
        return np.where(super().predict(X, mark) > 0.5, 1, 0)


class OtherClassifier(ClassifierMixin, Recorder):
    def fit(self, X, y, other=None):
        return super().fit(X, y, mark=other)

    def predict(self, X):
        return np.where(super().predict(X) > 0.5, 1, 0)


class GroupedClassifier(OtherClassifier):
    def fit(self, X, y, sample_weight=None, groups=None):
        return Recorder.fit(self, X, y, mark=groups, note=sample_weight)


@pytest.fixture(autouse=True)
def routing():
    with config_context(enable_metadata_routing=True):
        yield


def asking(kind):
    """Return a recorder that requests all metadata."""
    return kind().set_fit_request(mark=True, note=True).set_predict_request(mark=True)


# -- scikit-learn's own tests of routing

GIVEN = {row["metaestimator"].__name__: row for row in theirs.METAESTIMATORS}
ANSWERS = ("predict", "predict_proba", "predict_log_proba")
BAGGING = {  # by the method that members are asked
    "vote": (BaggingClassifier, "predict"),
    "average": (BaggingClassifier, "predict_proba"),
    "mean": (BaggingRegressor, "predict"),
    "median": (BaggingRegressor, "predict"),
}
FILTERING = {  # not its predict: it does not ask a learner that it trained and then left out
    **GIVEN["BaggingClassifier"],
    "metaestimator": BoostByFilteringClassifier,
    "init_args": {"random_state": 0},
    "estimator_routing_methods": [("fit", ["metadata"])],
    "method_mapping": {name: ["predict"] for name in ANSWERS},
}


def their_case(combine):
    ours, asked = BAGGING[combine]
    return {
        **GIVEN[ours.__name__],
        "metaestimator": ours,
        "init_args": {"combine": combine, "n_estimators": 3},
        "method_mapping": {name: [asked] for name in ANSWERS},
    }


their_tests = pytest.mark.parametrize(
    "test",
    [
        theirs.test_default_request,
        theirs.test_setting_request_on_sub_estimator_removes_error,
        theirs.test_non_consuming_estimator_works,
    ],
)


@pytest.mark.parametrize("combine", BAGGING)
@their_tests
def test_bagging_passes_scikit_learns_own_tests(combine, test):
    test(their_case(combine))


@their_tests
def test_boosting_by_filtering_passes_scikit_learns_own_tests(test):
    test(FILTERING)


@pytest.mark.parametrize("combine", BAGGING)
def test_bagging_tells_of_missing_requests_as_scikit_learn_does(combine):
    case, asked = their_case(combine), BAGGING[combine][1]
    methods = [("fit", ["metadata"]), asked]  # the message names the method of the member
    theirs.test_error_on_missing_requests_for_sub_estimator(
        {**case, "estimator_routing_methods": methods}
    )


# -- What members receive

ENSEMBLES = {
    "their bagging": (sklearn_ensemble.BaggingClassifier, {}),
    "bagging": (BaggingClassifier, {}),
    "subsample": (BaggingClassifier, {"sampling": "subsample"}),
    "numbers": (BaggingRegressor, {"n_jobs": 2}),
    "boosting": (AdaBoostClassifier, {"resample": True}),
    "boosted numbers": (AdaBoostRegressor, {}),
    "filtering": (BoostByFilteringClassifier, {}),
}


def ensemble(name):
    kind, settings = ENSEMBLES[name]
    is_classifier = issubclass(kind, ClassifierMixin)
    learner = asking(RecordingClassifier if is_classifier else RecordingRegressor)
    size = {} if kind is BoostByFilteringClassifier else {"n_estimators": 5}
    return kind(learner, random_state=0, **size, **settings)


@pytest.mark.parametrize("name", ENSEMBLES)
def test_metadata_follow_the_rows_of_each_member(name):
    model = ensemble(name).fit(X, Y, mark=ROWS, note="a note")
    drawn = set()
    for member in model.estimators_:
        rows, mark, note = member.seen_
        assert np.array_equal(mark, rows + 1000.0)
        assert note == "a note"
        drawn.add(tuple(rows))
    assert len(drawn) == len(model.estimators_)


def test_rows_of_no_weight_leave_their_metadata_behind():
    weight = np.where(np.arange(60) % 3 == 0, 0.0, 1.0)
    model = BaggingClassifier(asking(RecordingClassifier), 4, random_state=0)
    note = list(range(40))  # as many as there are rows of positive weight, but not of the table
    model.fit(X, Y, sample_weight=weight, mark=ROWS.tolist(), note=note)
    for member in model.estimators_:
        rows, mark, told = member.seen_
        assert np.array_equal(mark, rows + 1000.0)
        assert (rows % 3 != 0).all()
        assert told == note


@pytest.mark.parametrize("name", sorted(set(ENSEMBLES) - {"their bagging"}))
def test_predict_hands_metadata_on_as_they_are(name):
    model = ensemble(name).fit(X, Y)
    members = model.estimators_
    before = [len(member.asked_) for member in members]
    model.predict(X, mark=ROWS)
    for member, n in zip(members, before, strict=True):
        assert len(member.asked_) == n + 1
        assert member.asked_[-1] is ROWS


@pytest.mark.parametrize("name", sorted(set(ENSEMBLES) - {"numbers", "boosted numbers"}))
def test_metadata_pass_through_searches_and_pipelines_to_the_members(name):
    """A search hands on the rows of a fold, the ensemble those of a member, inside and out."""
    model = ensemble(name)
    model.set_params(estimator=make_pipeline(FunctionTransformer(), model.estimator))
    search = GridSearchCV(
        make_pipeline(FunctionTransformer(), model),
        {f"{type(model).__name__.lower()}__random_state": [0, 1]},
        cv=GroupKFold(3),
        scoring=make_scorer(accuracy_score),
    )
    search.fit(X, Y, groups=np.arange(60) // 6, mark=ROWS, note="a note")
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    members = search.best_estimator_[-1].estimators_
    assert members
    for member in members:
        rows, mark, note = member[-1].seen_
        assert np.array_equal(mark, rows + 1000.0)
        assert note == "a note"


@pytest.mark.parametrize("kind", [BaggingClassifier, AdaBoostClassifier])
def test_weights_and_groups_reach_members_inside_a_pipeline(kind):
    groups, weight = np.arange(60) // 6 + 7, np.where(np.arange(60) % 2, 1.0, 0.0)
    learner = GroupedClassifier().set_fit_request(groups=True, sample_weight=True)
    model = kind(make_pipeline(FunctionTransformer(), learner), n_estimators=4, random_state=0)
    pipe = make_pipeline(FunctionTransformer(), model.set_fit_request(sample_weight=True))
    pipe.fit(X, Y, sample_weight=weight, groups=groups)
    for member in pipe[-1].estimators_:
        rows, seen, weights = member[-1].seen_
        assert np.array_equal(seen, rows // 6 + 7)
        assert (rows % 2 == 1).all()
        assert len(weights) == len(rows)
        assert (weights > 0).all()


def test_members_of_a_vote_get_what_they_request():
    members = [
        ("marked", asking(RecordingClassifier).fit(X, Y)),
        FrozenEstimator(asking(RecordingClassifier).fit(X, Y)),
        OtherClassifier().fit(X, Y),
        CARTClassifier(max_depth=1).fit(X, Y),
    ]
    vote = VotingCombiner(members).fit(X, Y)
    alone = vote.predict(X)
    routed = set(vote.get_metadata_routing()._route_mappings)
    assert routed == {"marked", "estimator_1", "estimator_2"}  # a tree of ours requests nothing
    assert np.array_equal(vote.predict(X, mark=ROWS), alone)
    shares = vote.predict_proba(X, mark=ROWS)
    assert np.array_equal(shares, vote.predict_proba(X))
    for marked in (members[0][1], members[1].estimator):
        assert [one is ROWS for one in marked.asked_] == [False, True, True, False]
    pipe = make_pipeline(FunctionTransformer(), vote)
    pipe.fit(X, Y).predict(X, mark=ROWS)
    assert members[0][1].asked_[-1] is ROWS


def test_a_vote_refuses_what_no_member_requests():
    vote = VotingCombiner([RecordingClassifier().fit(X, Y)]).fit(X, Y)
    with pytest.raises(UnsetMetadataPassedError, match=r"\[mark\] are passed but are not"):
        vote.predict(X, mark=ROWS)
    with pytest.raises(TypeError, match="got unexpected argument"):
        VotingCombiner([CARTClassifier().fit(X, Y)]).fit(X, Y).predict(X, mark=ROWS)
    refused = pytest.raises(ValueError, match="enable_metadata_routing=True")
    with config_context(enable_metadata_routing=False), refused:
        vote.predict_proba(X, mark=ROWS)


def test_each_of_several_learners_gets_what_it_asks_for():
    learners = [
        asking(RecordingClassifier),
        OtherClassifier().set_fit_request(other="mark"),
        CARTClassifier(max_depth=1),
    ]
    model = BaggingClassifier(learners, 6, random_state=0).fit(X, Y, mark=ROWS, note=1)
    for i, member in enumerate(model.estimators_):
        if i % 3 < 2:
            assert np.array_equal(member.seen_[1], member.seen_[0] + 1000.0)
            assert member.seen_[2] == (1 if i % 3 == 0 else None)
    model.predict(X, mark=ROWS)
    assert [member.asked_[-1] is ROWS for member in model.estimators_[:2]] == [True, False]


def test_a_stand_in_for_members_of_one_class_is_told_nothing():
    y = np.zeros(60, int)
    y[0] = 1
    model = BaggingClassifier(asking(RecordingClassifier), 20, random_state=0)
    model.fit(X, y, mark=ROWS).predict(X, mark=ROWS)
    kinds = {type(member).__name__ for member in model.estimators_}
    assert kinds == {"DummyClassifier", "RecordingClassifier"}


# -- What is refused


@pytest.mark.parametrize("method", ["fit", "predict", "predict_proba", "predict_log_proba"])
def test_without_routing_the_message_is_scikit_learns(method):
    ours = BaggingClassifier(RecordingClassifier(), 2).fit(X, Y)
    other = sklearn_ensemble.BaggingClassifier(RecordingClassifier(), 2).fit(X, Y)
    data = (X, Y) if method == "fit" else (X,)
    messages = []
    with config_context(enable_metadata_routing=False):
        for model in (ours, other):
            with pytest.raises(ValueError, match="enable_metadata_routing=True") as caught:
                getattr(model, method)(*data, mark=ROWS)
            messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_what_nobody_asked_for_is_refused():
    with pytest.raises(UnsetMetadataPassedError, match=r"\[mark\] are passed but are not"):
        BaggingClassifier(RecordingClassifier(), 2).fit(X, Y, mark=ROWS)
    for model in (BaggingClassifier(), RandomForestClassifier(), AdaBoostClassifier()):
        with pytest.raises(TypeError, match="got unexpected argument"):
            model.fit(X, Y, mark=ROWS)


# -- Requests of our own estimators


@pytest.mark.parametrize(
    "model",
    [CARTClassifier(), RandomForestClassifier(25), BaggingClassifier(SVC(), 3)],
    ids=lambda model: type(model).__name__,
)
def test_our_estimators_ask_for_weights(model):
    model.set_params(random_state=0)
    weight = np.where(np.arange(60) < 40, 1.0, 0.0)
    alone = model.fit(X, Y, sample_weight=weight).predict(X)
    asking = model.set_fit_request(sample_weight=True)
    pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asking)
    scaled = StandardScaler().fit_transform(X)
    assert np.array_equal(
        pipe.fit(X, Y, sample_weight=weight).predict(X),
        model.fit(scaled, Y, sample_weight=weight).predict(scaled),
    )
    vote = sklearn_ensemble.VotingClassifier([("one", asking)])
    assert np.array_equal(vote.fit(X, Y, sample_weight=weight).predict(X), alone)
    bag = BaggingClassifier(sampling=None, n_estimators=1, random_state=0)
    assert bag.set_fit_request(sample_weight=True).get_metadata_routing().consumes(
        "fit", ["sample_weight"]
    ) == {"sample_weight"}


def test_groups_of_a_search_do_not_reach_a_tree_that_does_not_request_them():
    groups, y = np.arange(60) % 6, np.arange(60) % 2
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(CARTClassifier(), {"max_depth": [1, 2]}, cv=GroupKFold(3))
        assert search.fit(X, y, groups=groups).best_params_["max_depth"] in (1, 2)
        inner = CARTClassifier(pruning="cost_complexity", cv=GroupKFold(2))
        with pytest.raises(ValueError, match="groups"):
            cross_validate(
                inner, X, y, cv=GroupKFold(3), params={"groups": groups}, error_score="raise"
            )


def test_groups_reach_the_cross_validation_of_a_tree():
    groups = np.arange(60) // 6
    tree = CARTClassifier(pruning="cost_complexity", cv=GroupKFold(5))
    alone = CARTClassifier(pruning="cost_complexity", cv=GroupKFold(5)).fit(X, Y, groups=groups)
    pipe = make_pipeline(tree.set_fit_request(groups=True)).fit(X, Y, groups=groups)
    assert pipe[-1].tree_.to_text() == alone.tree_.to_text()
    results = cross_validate(tree, X, Y, cv=GroupKFold(3), params={"groups": groups})
    assert np.isfinite(results["test_score"]).all()


# -- Decision functions of members


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decision_function_is_the_mean_of_the_members(n_classes):
    y = np.arange(60) % n_classes
    model = BaggingClassifier(LogisticRegression(), 4, max_features=1, random_state=0).fit(X, y)
    own = [
        member.decision_function(X[:, features])
        for member, features in zip(model.estimators_, model.estimators_features_, strict=True)
    ]
    assert np.allclose(model.decision_function(X), np.mean(own, axis=0))


def test_decision_function_is_there_if_all_members_have_one():
    assert not hasattr(BaggingClassifier(), "decision_function")
    assert not hasattr(BaggingClassifier([SVC(), CARTClassifier()]), "decision_function")
    assert hasattr(BaggingClassifier([SVC(), LogisticRegression()]), "decision_function")


def test_decision_functions_of_other_classes_are_not_averaged():
    y = np.zeros(60, int)
    y[0] = 1
    model = BaggingClassifier(SVC(), 20, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="other classes than y has"):
        model.decision_function(X)
