"""The names without ``//``: each has a shape, each shape a name, and the rows of the schemes agree."""

from __future__ import annotations

from anyurl.text.scan import rows
from anyurl.text.shapes import SHAPES, known_names
from anyurl.url import syntax


def test_every_registered_scheme_is_known() -> None:
    names = known_names()
    assert {name.encode() for name in syntax.ROWS} <= set(names)
    assert all(name == name.lower() for name in names)


def test_a_scheme_that_needs_a_host_is_not_found_without() -> None:
    required = {name for name, row in syntax.ROWS.items() if row.authority == "required"}
    assert required & set(SHAPES) == set()
    names = known_names()
    assert {names[name.encode()] for name in required} == {rows.SHAPE_AUTHORITY}


def test_every_shape_is_used() -> None:
    shapes = {value for name, value in vars(rows).items() if name.startswith("SHAPE_") and name != "SHAPE_REACH"}
    assert shapes - {rows.SHAPE_ANY} == set(known_names().values())


def test_no_shipped_scheme_is_found_whatever_follows_it() -> None:
    """``ni:f()``, ``afs:1``: of a name alone nobody knows that a URL is meant."""
    without = {name for name, row in syntax.ROWS.items() if row.authority != "required" and name not in SHAPES}
    assert without == set()
    assert rows.SHAPE_ANY not in known_names().values()
