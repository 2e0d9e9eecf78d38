"""The tables of the strict kernel are those of the productions (RFC 1738 5)."""

from __future__ import annotations

import string

import pytest

from anyurl.grammar import bnf, classes

PRODUCTIONS = {"scheme": "scheme", "fpath": "ppath", "hpath": "hpath", "fieldname": "fieldvalue", "user": "password"}
"""Classes that stand for a second production, too."""


@pytest.mark.parametrize("name", classes.CLASSES)
def test_a_class_is_its_production(name: str) -> None:
    """Letters of a scheme's name in either case (RFC 1738 2.1); else exactly what the data has."""
    for production in {name, PRODUCTIONS.get(name, name)}:
        expected = bnf.load("rfc1738").characters(production)
        if name == "scheme":
            expected |= {char.upper() for char in expected}
        if name == "article":  # its "@" and its host are separate pieces
            expected -= {"@"}
        assert {chr(octet) for octet in classes.CLASSES[name]} == expected, production


def test_the_planes_are_the_classes_one_behind_the_other() -> None:
    for number, chars in enumerate(classes.CLASSES.values()):
        plane = classes.PLANES[number * 128 : (number + 1) * 128]
        assert {code for code in range(128) if plane[code]} == set(chars)
    assert len(classes.PLANES) == 128 * len(classes.CLASSES)


def test_some_classes_as_the_rfc_writes_them() -> None:
    """RFC 1738 5: safe, extra, reserved."""
    unreserved = set(string.ascii_letters + string.digits + "$-_.+" + "!*'(),")
    assert {chr(octet) for octet in classes.CLASSES["uchar"]} == unreserved
    assert {chr(octet) for octet in classes.CLASSES["xchar"]} == unreserved | set(";/?:@&=")
    assert set(classes.CLASSES["hex"]) == set(string.hexdigits.encode())
    assert all(len(chars) == len(set(chars)) for chars in classes.CLASSES.values())


def test_a_plane_holds_zeros_and_ones() -> None:
    assert set(classes.PLANES) == {0, 1}
