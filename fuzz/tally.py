"""What comes of many trials, added up."""

from dataclasses import fields
from typing import Any


class Sums:
    """Base of dataclasses whose fields are counts and lists that can be added."""

    def add(self, other: Any) -> None:
        """Add what came of other trials."""
        for field in fields(self):  # type: ignore[arg-type]
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
