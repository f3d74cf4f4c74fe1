"""What tries to break spinney for as long as it is allowed to: `python -m fuzz --help`."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))  # for the list of estimators
