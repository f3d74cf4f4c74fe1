"""A plain run gives every check settings of some families, and every setting some checks."""

from types import SimpleNamespace

from thinning import FAMILIES, N_FAMILIES, family_of, plain_run, text_of

from contracts.estimators import LISTED


def an_item(case, listed):
    name = f"t.py::test[{case}-{text_of(listed.estimator)}]"
    params = {"case": case, "listed": listed}
    return SimpleNamespace(nodeid=name, callspec=SimpleNamespace(params=params))


def made(n_cases):
    return [an_item(f"case {case}", listed) for case in range(n_cases) for listed in LISTED]


def settings(items):
    return [item.callspec.params["listed"].estimator for item in items]


def test_every_case_meets_some_families_once_and_another_case_others():
    kept = plain_run(made(20))
    assert len(kept) == 20 * N_FAMILIES
    met = [
        {family_of(one) for one in settings(kept[start : start + N_FAMILIES])}
        for start in range(0, len(kept), N_FAMILIES)
    ]
    assert {len(families) for families in met} == {N_FAMILIES}
    assert set.union(*met) == set(FAMILIES)


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
