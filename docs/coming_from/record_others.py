"""Record what LightGBM and YDF print: `python docs/coming_from/record_others.py [FOLDER]`.

The files here come from LightGBM 4.7.0 and YDF 0.16.1.
"""

import sys
from pathlib import Path

import lightgbm
import ydf

from spinney.datasets import load_german_credit

RECORDED = Path(__file__).parent / "recorded"
COLUMNS = ["node_index", "split_feature", "threshold", "missing_direction", "value", "count"]


def main(out: Path) -> None:
    """Write one small tree of each."""
    credit = load_german_credit()
    frame = credit.X.apply(lambda c: c if c.dtype.kind in "if" else c.astype("category"))
    one = lightgbm.LGBMClassifier(n_estimators=1, num_leaves=4, min_child_samples=20, verbose=-1)
    shown = one.fit(frame, credit.y).booster_.trees_to_dataframe()[COLUMNS].to_string(index=False)
    _write(out / "lightgbm_tree.txt", shown)
    learner = ydf.CartLearner(label="label", max_depth=3, min_examples=20, validation_ratio=0.0)
    model = learner.train(credit.X.assign(label=credit.y), verbose=0)
    _write(out / "ydf_tree.txt", model.get_tree(0).pretty(model.data_spec()))


def _write(path: Path, text: str) -> None:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else RECORDED)
