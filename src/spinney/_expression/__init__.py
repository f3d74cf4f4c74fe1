"""Typed expressions over columns, as tests of evolved and oblique trees.

`tokens` is their form, `parse` reads text, `evaluate` runs them on rows, `simplify` shortens them,
and `expression_test` is the test of a node.
"""
