"""Types of values in evolved expressions: what may be compared, added, or is true or false."""

from collections.abc import Hashable
from dataclasses import dataclass

__all__ = ["Bool", "Nominal", "Numeric", "Ordered", "Type"]


@dataclass(frozen=True)
class Type:
    """A type of value. Make one for values that no other function shall take.

    Parameters
    ----------
    name : str
        How messages call it.
    domain : hashable or None, default=None
        For categories, the set that they belong to: columns of one domain can be compared.
    """

    name: str
    domain: Hashable = None

    def __call__(self, domain: Hashable) -> "Type":
        """Return the same type for the categories of one domain."""
        if self not in (Nominal, Ordered):
            raise TypeError(f"{self.name} has no domains; Nominal and Ordered have.")
        return Type(self.name, domain)

    def __repr__(self) -> str:
        return self.name if self.domain is None else f"{self.name}({self.domain!r})"


Bool = Type("Bool")
Numeric = Type("Numeric")
# In a function these stand for any domain, the same for all arguments.
Nominal = Type("Nominal")
Ordered = Type("Ordered")
