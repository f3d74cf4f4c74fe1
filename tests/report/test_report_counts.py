"""Reports of counts: deviance and calibration by leaf, with exposure."""

import numpy as np
import pandas as pd
import pytest

from spinney import CARTRegressor
from spinney.report import Report


def claims(seed):
    """Return policies, the claims on them, and the years that they ran."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 500), "town": rng.choice(["a", "b"], 500)})
    years = rng.uniform(0.1, 1.0, 500)
    rate = np.where(frame["age"] < 30, 1.5, 0.4) * np.where(frame["town"] == "b", 1.5, 1.0)
    return frame, rng.poisson(years * rate), years


@pytest.mark.slow
def test_the_page_counts_by_leaf_and_exposure(open_report):
    (frame, y, years), (other, y2, years2) = claims(0), claims(1)
    model = CARTRegressor("poisson", max_depth=2).fit(frame, y, exposure=years)
    opened = open_report(Report(model, frame, y, exposure=years, holdout=(other, y2, None, years2)))
    measures = opened.run("[0, 1].map((set) => S.numberMeasures(set))")
    wanted = [model.score(frame, y, exposure=years), model.score(other, y2, exposure=years2)]
    assert [own["d2"] for own in measures] == pytest.approx(wanted)
    assert [own["rows"] for own in measures] == [500, 500]
    assert [own["weight"] for own in measures] == pytest.approx([years.sum(), years2.sum()])
    rows = opened.run(
        "S.leaves().map((leaf) => [leaf, S.countedOf(1, leaf), S.exposureOf(1, leaf),"
        " S.expectedOf(1, leaf)])"
    )
    reached = np.asarray(model.apply(other))
    for leaf, counted, exposure, expected in rows:
        here = reached == leaf
        assert counted == pytest.approx(y2[here].sum())
        assert exposure == pytest.approx(years2[here].sum())
        assert expected == pytest.approx((model.predict(other) * years2)[here].sum())
    text = opened.page.locator("#quality").inner_text()
    assert "Calibration by leaf" in text
    assert "Deviance by size" in text
    assert opened.complaints == []
