"""Mixin with the export methods shared by trees and rule sets."""

from typing import Any


class AsCode:
    """A tree, or a set of rules, in other languages; see `spinney.export`."""

    def to_sql(self, table: str = "data", **options: Any) -> str:
        """Return a SQL query; see `spinney.export.to_sql` for the options."""
        from spinney.export import to_sql

        return to_sql(self, table, **options)

    def to_c(self, prefix: str = "model") -> str:
        """Return a C header; see `spinney.export.to_c`."""
        from spinney.export import to_c

        return to_c(self, prefix)

    def to_python(self) -> str:
        """Return a Python module without imports; see `spinney.export.to_python`."""
        from spinney.export import to_python

        return to_python(self)

    def to_json(self, **options: Any) -> str:
        """Return JSON; see `spinney.export.to_json` for the options."""
        from spinney.export import to_json

        return to_json(self, **options)
