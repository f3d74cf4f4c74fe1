"""Tests run on every model; engines that are slow to start run once for all of them."""

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from export_cases import TREES
from export_models import NAMES, Case, make_case
from handover_models import plain


@pytest.fixture(scope="session", params=NAMES)
def case(request: pytest.FixtureRequest) -> Case:
    """Each of the models."""
    return make_case(request.param)


@pytest.fixture(scope="session", params=list(TREES))
def tree_case(request: pytest.FixtureRequest) -> Case:
    """Each of the trees."""
    return make_case(request.param)


@pytest.fixture(scope="session")
def all_cases() -> list[Case]:
    """All models, for engines that are slow to start."""
    return [make_case(name) for name in NAMES]


@pytest.fixture(scope="session")
def judge(tmp_path_factory: Any) -> Any:
    """Score rows by jpmml_evaluator, which runs in Java."""
    jpmml = pytest.importorskip("jpmml_evaluator")
    if shutil.which("java") is None:
        pytest.skip("there is no java")
    path = Path(tmp_path_factory.mktemp("pmml")) / "model.pmml"

    def score(text: str, X: pd.DataFrame) -> pd.DataFrame:
        path.write_text(text, encoding="utf-8")
        found = jpmml.make_evaluator(str(path)).verify().evaluateAll(plain(X))
        assert "errors" not in found, found["errors"].dropna().iloc[0]
        return found

    return score
