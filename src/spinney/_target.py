"""Labels, weights, priors and costs to the core's target: every check of `y` and weights.

Numbers far from 1 are learned in units of a power of two, so that their squares stay in range.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from spinney import _core
from spinney._counts import NO_EXPOSURE, Exposed, check_counts, check_exposure, is_deviance
from spinney._lifetimes import Lifetimes, hazard_scale, read_lifetimes
from spinney._typing import Floats

_MAX_CLASSES = 65_535
_FEW_LABELS = 1 << 16  # integers within this span are counted, others are sorted
_FAR = 100  # powers of two


def check_weights(sample_weight: Any, n_rows: int, *, counted: bool = False) -> Floats:
    """Return the weights of the rows; ones if there are none.

    Weights far from 1 are all multiplied by one power of two, which changes no tree; where
    something counts weight (`counted`), they are refused instead.
    """
    if sample_weight is None:
        return np.ones(n_rows)
    if isinstance(sample_weight, np.ma.MaskedArray):  # a masked weight is a missing one
        sample_weight = np.ma.filled(sample_weight.astype(np.float64), np.nan)
    weight = np.asarray(sample_weight)
    if weight.dtype.kind == "c":
        raise ValueError("sample_weight holds complex numbers. Weights must be finite and >= 0.")
    weight = weight.astype(np.float64)
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.ndim != 1:
        raise ValueError(f"sample_weight must be 1-D, got an array of {weight.ndim} dimensions.")
    if len(weight) != n_rows:
        raise ValueError(
            f"sample_weight has {len(weight)} entries for {n_rows} rows (sample_weight.shape == "
            f"{weight.shape}, expected ({n_rows},)). Give one weight per row."
        )
    bad = np.flatnonzero(~np.isfinite(weight) | (weight < 0))
    if len(bad):
        found = weight[bad[0]]
        what = "Negative values" if found < 0 else "a value that is not finite"
        raise ValueError(
            f"sample_weight holds {what} (first: {found} at index {bad[0]}). "
            "Weights must be finite and >= 0."
        )
    most = weight.max(initial=0.0)
    if most == 0.0:
        raise ValueError(
            "sample_weight is 0 for every row. Sample weights must contain at least one non-zero "
            "number."
        )
    if not 1e-100 < most < 1e100:
        if counted:
            raise ValueError(
                f"sample_weight holds weights of {most:g}, but limits and estimates count weight "
                "here. Scale the weights so that a row weighs about 1."
            )
        weight = np.ldexp(weight, -int(np.frexp(most)[1]))
    return weight


def check_y(y: Any, n_rows: int, estimator_name: str) -> NDArray[Any]:
    """Return y as one column without gaps, as long as the table."""
    if y is None:
        raise ValueError(
            f"This {estimator_name} estimator requires y to be passed, but the target y is None."
        )
    if isinstance(y, np.ma.MaskedArray):
        _refuse_gaps(np.ma.getmaskarray(y).ravel())
        y = y.data
    if type(y) is not np.ndarray or y.ndim != 1:
        if getattr(y, "ndim", 1) > 2:
            raise ValueError(f"y must be one column, got an array of {y.ndim} dimensions.")
        y = column_or_1d(_plain_type(y), warn=True)
    if len(y) != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {n_rows} rows, y has {len(y)}."
        )
    if np.iscomplexobj(y):
        raise ValueError("Complex data not supported: y holds complex numbers.")
    if y.dtype.kind == "f" and np.isinf(y).any():
        where = np.flatnonzero(np.isinf(y))[0]
        raise ValueError(f"Input y contains infinity (index {where}). Drop or correct this row.")
    _refuse_gaps(_is_missing(y))
    return np.asarray(y)


def _plain_type(y: Any) -> Any:
    """Return a column of a nullable type of pandas, if it has no gaps, in its plain type.

    NumPy would take whole numbers and booleans of such a column for fractions: 1.0 for True.
    """
    plain = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if not isinstance(plain, np.dtype) or plain.kind not in "biu" or y.isna().any():
        return y
    return y.to_numpy(dtype=plain)


def _refuse_gaps(missing: NDArray[np.bool_]) -> None:
    gaps = np.flatnonzero(missing)
    if len(gaps):
        shown = ", ".join(map(str, gaps[:5])) + (", ..." if len(gaps) > 5 else "")
        raise ValueError(
            f"Input y contains NaN: the target is missing in {len(gaps)} rows (index {shown}). "
            "Drop these rows."
        )


def _is_missing(y: NDArray[Any]) -> NDArray[np.bool_]:
    if y.dtype.kind == "f":
        return np.asarray(np.isnan(y))
    if y.dtype.kind == "O" and not _all_text(y):
        return np.array(
            [v is None or type(v).__name__ == "NAType" or bool(v != v) for v in y], bool
        )
    return np.zeros(len(y), dtype=bool)


def _all_text(y: NDArray[Any]) -> bool:
    """Return whether an array holds nothing but strings, which need no further look."""
    return y.dtype.kind == "O" and set(map(type, y.tolist())) == {str}


def _nothing() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True)
class FitTarget:
    """A checked target: class codes or numbers, and everything that weighs them."""

    weight: Floats
    classes: Any = None  # the labels; None for regression
    codes: NDArray[np.intp] | None = None  # -1 in rows without weight whose class no other row has
    y: Floats | None = None  # the numbers of regression, multiplied by 2**-exponent
    class_scale: Floats = field(default_factory=_nothing)
    split_scale: Floats = field(default_factory=_nothing)
    cost: Floats = field(default_factory=_nothing)  # (n_classes, n_classes), or empty
    split_cost: Floats | None = None  # the costs, where they enter the split search
    exponent: int = 0
    loss_exponent: int = 0  # of losses by the criterion, which are multiplied by 2**-loss_exponent
    criterion: str = "squared_error"  # by which predicted numbers are judged: also tweedie(1.5)
    exposure: Floats = field(default_factory=_nothing)  # of the rows, if they have any
    lifetimes: Lifetimes | None = None  # if y counts events and the exposure is time, on its scale

    @property
    def truth(self) -> NDArray[Any]:
        """The class codes, or the numbers."""
        return np.asarray(self.y if self.codes is None else self.codes)

    @property
    def strata(self) -> NDArray[Any]:
        """What is divided evenly between parts of the rows: classes, and rows with an event."""
        if self.lifetimes is not None:
            return self.lifetimes.event.astype(np.intp)
        return np.zeros(len(self.weight)) if self.codes is None else self.codes

    @property
    def rates(self) -> NDArray[Any]:
        """The class codes, or the numbers by their exposure."""
        return self.truth / self.exposure if len(self.exposure) else self.truth

    @property
    def rate(self) -> float:
        """What was counted per unit of exposure, in all rows together."""
        used = self.weight > 0  # others would change how sums are rounded
        weight = self.weight[used]
        time = weight * self.exposure[used] if len(self.exposure) else weight
        return float((weight * self.truth[used]).sum() / time.sum())

    def core(self, rows: NDArray[np.bool_] | None = None) -> _core.Target:
        """Return the core's target, with weight on the given rows only."""
        weight = self.weight if rows is None else np.where(rows, self.weight, 0.0)
        n_classes = 0 if self.classes is None else len(self.classes)
        truth = np.maximum(self.truth, 0).astype(np.float64) if n_classes else self.truth
        scales = (self.class_scale, self.split_scale, self.cost.ravel())
        return _core.Target(n_classes, truth, weight, *scales, self.exposure)


@dataclass(frozen=True, eq=False)
class CodedClasses:
    """A target of classes that was put in order before: labels, and the place of each row's."""

    labels: NDArray[Any]  # sorted
    codes: NDArray[Any]

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, y: NDArray[Any]) -> "CodedClasses":
        """Return the labels of a target and the place of each row's.

        Small integers are counted, and of strings only the distinct ones sorted.
        """
        if _all_text(y):
            labels = sorted(set(y.tolist()))
            place = {label: code for code, label in enumerate(labels)}
            codes = np.fromiter(map(place.__getitem__, y.tolist()), np.intp, len(y))
            return cls(np.array(labels, dtype=object), codes)
        if y.dtype.kind in "iu" and len(y):
            low, high = int(y.min()), int(y.max())
            if high - low < _FEW_LABELS and abs(low) < 2**62:
                offsets = y.astype(np.intp) - low
                found = np.bincount(offsets) > 0
                return cls(
                    (np.flatnonzero(found) + low).astype(y.dtype), (found.cumsum() - 1)[offsets]
                )
        return cls(*np.unique(y, return_inverse=True))

    @classmethod
    def join(cls, parts: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> "CodedClasses":
        """Return the target of parts, each with labels of its own."""
        labels = np.unique(np.concatenate([own for own, _ in parts]))
        ends = np.cumsum([0, *(len(part) for _, part in parts)])
        codes = np.empty(ends[-1], np.int32)
        for begin, end, (own, part) in zip(ends[:-1], ends[1:], parts, strict=True):
            codes[begin:end] = np.searchsorted(labels, own)[part]
        return cls(labels, codes)


def class_target(
    y: Any,
    weight: Floats,
    *,
    estimator_name: str,
    class_weight: Any = None,
    priors: Any = None,
    cost_matrix: Any = None,
    cost_method: str = "gini",
    classes: NDArray[Any] | None = None,
) -> FitTarget:
    """Check and encode a target of classes; see `spinney.CARTClassifier` for the parameters.

    What can be checked of class_weight, priors and cost_matrix without y has been checked before.
    """
    if isinstance(y, CodedClasses):
        coded = y
        _check_labels(np.repeat(coded.labels, 3))  # once each, classes would look like numbers
    else:
        y = check_y(y, len(weight), estimator_name)
        _check_labels(y)
        coded = CodedClasses.of(y)
    classes, codes = _encode_classes(coded, weight > 0, classes)
    n_classes = len(classes)
    if n_classes > _MAX_CLASSES:
        raise ValueError(f"y holds {n_classes} classes, the limit is {_MAX_CLASSES}.")
    totals = np.bincount(codes[weight > 0], weight[weight > 0], minlength=n_classes).astype(float)
    absent = set(coded.labels.tolist()) - set(classes.tolist())
    scale = _class_scale(_without(class_weight, absent), priors, classes, totals)
    if scale.size and not scale.all():  # a class without weight is as if absent
        weight = np.where(scale[np.maximum(codes, 0)] == 0.0, 0.0, weight)
        if not weight.any():
            raise ValueError("class_weight leaves no row with a weight above 0.")
    cost = _cost(cost_matrix, classes, absent)
    split_scale = _nothing()
    if cost.size and cost_method == "altered_priors":
        split_scale = _altered(scale if scale.size else np.ones(n_classes), cost, totals)
    return FitTarget(
        weight,
        classes,
        codes,
        class_scale=scale,
        split_scale=split_scale,
        cost=cost,
        split_cost=cost if cost.size and cost_method == "gini" else None,
    )


def _check_labels(y: NDArray[Any]) -> None:
    """Refuse what cannot be classes."""
    if y.dtype.kind in "iubU" or _all_text(y):  # these are labels; others need a look
        return
    _refuse_mixed(y)
    _refuse_numbers_in_objects(y)
    check_classification_targets(y)


def _refuse_mixed(y: NDArray[Any]) -> None:
    """Refuse labels that cannot be sorted."""
    try:
        sorted(set(y.tolist()))
    except TypeError:
        kinds = sorted({type(label).__name__ for label in y.tolist()})
        raise TypeError(
            f"y holds labels of types {', '.join(kinds)}, which cannot be sorted. "
            "Give labels of one type, such as strings."
        ) from None


def _refuse_numbers_in_objects(y: NDArray[Any]) -> None:
    """Refuse numbers and booleans in an array of objects, which scorers of scikit-learn refuse."""
    kinds = {type(label) for label in y.tolist()} if y.dtype.kind == "O" else set()
    if len(kinds) == 1 and kinds <= {bool, int, float}:
        kind = kinds.pop().__name__
        raise ValueError(
            f"Unknown label type: y holds labels of type {kind} in an array of objects. Convert "
            f"it: y.astype({kind})."
        )


def _encode_classes(
    coded: CodedClasses, used: NDArray[np.bool_], known: NDArray[Any] | None
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    classes, codes = coded.labels, coded.codes
    if known is not None:
        place = {label: code for code, label in enumerate(known.tolist())}
        known_codes = np.array([place.get(label, -1) for label in classes.tolist()], np.intp)[codes]
        strange = classes[np.unique(codes[used & (known_codes < 0)])].tolist()
        if strange:
            raise ValueError(f"y holds classes that the model does not know: {strange[:5]}.")
        return known, known_codes
    if not used.all():  # rows of weight zero are as if absent
        present = np.zeros(len(classes), dtype=bool)
        present[codes[used]] = True
        new = np.where(present, np.cumsum(present) - 1, -1).astype(codes.dtype)
        return classes[present], new[codes]
    return classes, codes


def _class_scale(class_weight: Any, priors: Any, classes: NDArray[Any], totals: Floats) -> Floats:
    if priors is not None:
        shares = _per_class("priors", priors, classes, default=None)
        return np.asarray(shares / shares.sum() * totals.sum() / totals)
    if class_weight is None:
        return _nothing()
    if isinstance(class_weight, str):
        return np.asarray(totals.sum() / (len(classes) * totals))
    return _per_class("class_weight", class_weight, classes, default=1.0)


def _without(class_weight: Any, absent: set[Any]) -> Any:
    """Leave out classes that y holds, but only in rows of weight zero: as in a bootstrap."""
    if not absent or not isinstance(class_weight, Mapping):
        return class_weight
    return {label: weight for label, weight in class_weight.items() if label not in absent}


def _per_class(name: str, given: Any, classes: NDArray[Any], default: float | None) -> Floats:
    """Return one number per class from a mapping or a sequence."""
    labels = classes.tolist()
    if not isinstance(given, Mapping):
        numbers = np.asarray(given, dtype=np.float64)
        if numbers.shape != (len(labels),):
            raise ValueError(
                f"{name} must be a mapping of class to number, or {len(labels)} numbers in the "
                f"order of the classes {labels[:10]}, got shape {numbers.shape}."
            )
        return numbers
    strange = [label for label in given if label not in labels]
    if strange:
        raise ValueError(f"{name} names {strange[0]!r}, which is no class of y: {labels[:10]}.")
    lacking = [label for label in labels if label not in given]
    if lacking and default is None:
        raise ValueError(f"{name} lacks the class {lacking[0]!r}. Give every class of y.")
    return np.array([float(given.get(label, default)) for label in labels])


def _cost(cost_matrix: Any, classes: NDArray[Any], absent: set[Any]) -> Floats:
    if cost_matrix is None:
        return _nothing()
    labels = classes.tolist()
    n = len(labels)
    if isinstance(cost_matrix, Mapping):
        cost = 1.0 - np.eye(n)
        for pair, value in cost_matrix.items():
            if not absent.isdisjoint(pair):
                continue
            for label in pair:
                if label not in labels:
                    raise ValueError(
                        f"cost_matrix names {label!r}, which is no class of y: {labels[:10]}."
                    )
            cost[labels.index(pair[0]), labels.index(pair[1])] = value
    else:
        cost = np.array(cost_matrix, dtype=np.float64)
        if cost.shape != (n, n):
            raise ValueError(
                f"cost_matrix must have shape ({n}, {n}), rows true and columns predicted in the "
                f"order of the classes {labels[:10]}, got {cost.shape}."
            )
    return cost


def _altered(scale: Floats, cost: Floats, totals: Floats) -> Floats:
    """Altered priors (Breiman et al. 1984, section 4.4): a class weighs what its errors cost."""
    altered = scale * cost.sum(axis=1)
    if not (altered * totals).any():
        return scale  # no error costs anything
    return np.asarray(altered * ((scale * totals).sum() / (altered * totals).sum()))


def real_target(
    y: Any, weight: Floats, *, estimator_name: str, criterion: str = "squared_error"
) -> FitTarget:
    """Check a target of numbers, in units in which their losses stay in range.

    Tweedie deviance grows by a broken power of the units: it stays in range without others.
    """
    exposure = NO_EXPOSURE
    if isinstance(y, Exposed):
        y, exposure = y.y, check_exposure(y.exposure, weight, criterion)
    numbers = check_numbers(y, weight, estimator_name)
    if is_deviance(criterion):
        check_counts(numbers, weight, exposure, criterion)
    exponent = 0 if criterion.startswith("tweedie") else far_exponent(numbers)
    return FitTarget(
        weight,
        y=np.ldexp(numbers, -exponent) if exponent else numbers,
        exponent=exponent,
        loss_exponent=_core.loss_degree(criterion) * exponent,
        criterion=criterion,
        exposure=exposure,
    )


def lifetime_target(y: Any, weight: Floats, *, estimator_name: str, criterion: str) -> FitTarget:
    """Check a target of lifetimes, and turn it into events by time on the scale of the hazard."""
    lifetimes = read_lifetimes(y, weight, estimator_name)
    return FitTarget(
        weight,
        y=lifetimes.event.astype(np.float64),
        criterion=criterion,
        exposure=hazard_scale(lifetimes.event, lifetimes.time, weight),
        lifetimes=lifetimes,
    )


def far_exponent(y: Floats) -> int:
    """Return e such that y * 2**-e is near 1, or 0 if y is near enough already."""
    largest = float(np.abs(y).max(initial=0.0))
    exponent = int(np.frexp(largest)[1])
    return exponent if largest > 0.0 and abs(exponent) > _FAR else 0


def check_numbers(y: Any, weight: Floats, estimator_name: str) -> Floats:
    """Return a target of numbers unchanged."""
    y = check_y(y, len(weight), estimator_name)
    if y.dtype.kind == "O":
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError("y must hold numbers for regression, got text or objects.") from None
    if y.dtype.kind not in "fiub":
        raise ValueError(f"y must hold numbers for regression, got {y.dtype}.")
    numbers: Floats = np.require(y, np.float64, ["C", "ALIGNED"])
    if not np.isfinite(numbers).all():  # a longdouble or an object may have been too large
        raise ValueError("Input y contains infinity or a value too large for float64.")
    return numbers
