"""What a tree is grown with, in one place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Criterion = str | Callable[[Array], Array]

GAP_RULES = ("learned", "category")  # tests place rows without a value by themselves
TOLERANCE = 1e-12  # times the impurity's scale: two gains closer than this are a tie


@dataclass(frozen=True)
class Settings:
    """The parameters of a tree; ``n_classes=None`` means regression."""

    n_classes: int | None = 2
    criterion: Criterion = "gini"
    cost_matrix: Array | None = None  # rows true, columns predicted
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0  # the weight itself, not its share of all
    min_impurity_decrease: float = 0.0
    missing: str = "surrogate"
    max_surrogates: int = 5
    power: float = 1.5  # of Tweedie deviance
    quantile: float = 0.5  # of pinball loss
    unit: float = 1.0  # the weight of one row, for the log-rank statistic
    prior: tuple[float, float] = (0.0, 0.0)  # counts and exposure that every leaf has beforehand

    def __post_init__(self) -> None:
        if self.missing not in ("surrogate", "majority", "fractional", *GAP_RULES):
            raise ValueError(f"missing={self.missing!r}")
        if self.n_classes is None and self.criterion == "gini":
            object.__setattr__(self, "criterion", "squared_error")

    @property
    def is_classification(self) -> bool:
        return self.n_classes is not None

    @property
    def places_gaps(self) -> bool:
        """Whether rows without a value count in a split."""
        return self.missing in GAP_RULES

    @property
    def is_deviance(self) -> bool:
        """Whether ``y`` has two columns: what was counted, and for which exposure."""
        return self.criterion in ("poisson", "gamma", "tweedie", "logrank")

    @property
    def share(self) -> float | None:
        """The share of the weight below what a leaf answers, if that is a quantile."""
        shares = {"absolute_error": 0.5, "quantile": self.quantile}
        return shares.get(self.criterion) if isinstance(self.criterion, str) else None

    @property
    def costs(self) -> Array:
        """The cost matrix, 0/1 if none was given."""
        if self.cost_matrix is not None:
            return np.asarray(self.cost_matrix, dtype=float)
        assert self.n_classes is not None
        return 1.0 - np.eye(self.n_classes)

    def but(self, **changes: Any) -> Settings:
        """A copy with some fields changed."""
        return replace(self, **changes)
