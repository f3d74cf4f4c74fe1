"""A plain run gives every check a setting of every family, and every setting some checks."""

from types import SimpleNamespace

from thinning import FAMILIES, family_of, plain_run, text_of

from contracts.estimators import LISTED


def an_item(case, listed):
    name = f"t.py::test[{case}-{text_of(listed.estimator)}]"
    params = {"case": case, "listed": listed}
    return SimpleNamespace(nodeid=name, callspec=SimpleNamespace(params=params))


def made(n_cases):
    return [an_item(f"case {case}", listed) for case in range(n_cases) for listed in LISTED]


def settings(items):
    return [item.callspec.params["listed"].estimator for item in items]


def test_every_case_meets_every_family_once():
    kept = plain_run(made(20))
    assert len(kept) == 20 * len(FAMILIES)
    for case in range(20):
        of_case = [item for item in kept if item.callspec.params["case"] == f"case {case}"]
        assert sorted(map(family_of, settings(of_case))) == sorted(FAMILIES)


def test_every_setting_is_met_and_the_same_ones_in_every_run():
    kept = plain_run(made(200))
    assert set(settings(kept)) == {one.estimator for one in LISTED}
    assert [item.nodeid for item in kept] == [item.nodeid for item in plain_run(made(200))]


def test_a_test_without_settings_is_kept_unless_it_is_thorough():
    plain, thorough = (
        SimpleNamespace(get_closest_marker=lambda name, marked=marked: marked or None)
        for marked in (False, True)
    )
    assert plain_run([plain, thorough]) == [plain]
