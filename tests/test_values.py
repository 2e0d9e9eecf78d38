"""The base of values, and Provenance: a value that is cheap for the user's own URLs, and can only lose trust."""

from __future__ import annotations

import copy
import json
import pickle
from inspect import signature
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.values import CONFIGURATION, STRANGER, USER, Provenance, Scope, Value
from tests.rows import each_row

LISTING = Provenance("listing", scope=Scope.PRIVATE, scheme="ftps", host="a.example", port=990, user="alice", tls=True)
STRANGERS = st.builds(
    Provenance, st.sampled_from(["document", "listing", "search", "redirect", "reply"]),
    scope=st.sampled_from([None, *Scope]), scheme=st.sampled_from(["http", "https", None]),
    host=st.sampled_from(["a.example", "b.example", None]), port=st.sampled_from([80, 443, None]),
    user=st.sampled_from(["alice", "bob", None]), tls=st.booleans(),
)  # fmt: skip
ANY = st.one_of(STRANGERS, st.sampled_from([USER, CONFIGURATION]))


class Point(Value):
    x: int
    y: int = 0
    unit: ClassVar[str] = "m"

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("x is below 0")


class Place(Point):
    name: str = ""


class Named(Value, kw_only=True):
    name: str
    size: int | None = None


class Nothing(Value):
    pass


def test_fields_make_a_value() -> None:
    assert (Point(1).x, Point(1, 2).y, Point(x=1, y=2), Point.unit) == (1, 2, Point(1, 2), "m")
    assert (Place(1, 2, "a"), Place.__match_args__) == (Place(1, name="a", y=2), ("x", "y", "name"))
    assert (Named(name="a").size, Nothing()) == (None, Nothing())
    assert repr(Place(1, name="a")) == "Place(x=1, y=0, name='a')"
    assert str(signature(Point)) == str(signature(Point.__init__)).replace("self, ", "")
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)


@pytest.mark.parametrize("value", [Point(1), Place(1, 2, "a"), Named(name="a"), Nothing(), LISTING, USER])
def test_a_value_is_compared_hashed_and_copied_by_its_fields(value: Value) -> None:
    for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert (again, hash(again), type(again)) == (value, hash(value), type(value))
    assert not hasattr(value, "__dict__")
    assert value != value._fields()


def test_values_of_two_classes_differ() -> None:
    assert Point(1) != Place(1)
    assert len({Point(1), Point(1, 0), Point(2), Place(1)}) == 3


@pytest.mark.parametrize(
    ("kind", "values", "fields"),
    [(Point, (), {}), (Point, (1, 2, 3), {}), (Point, (1,), {"z": 1}), (Named, ("a",), {}), (Nothing, (1,), {})],
)
def test_a_value_takes_its_fields_and_nothing_else(kind: Any, values: Any, fields: Any) -> None:
    with pytest.raises(TypeError, match="argument"):
        kind(*values, **fields)


def test_what_is_checked_is_checked_of_every_value() -> None:
    for kind in (Point, Place):
        with pytest.raises(ValueError, match="below 0"):
            kind(-1)
    with pytest.raises(AttributeError, match="Point is immutable: make another one"):
        Point(1).x = 2  # type: ignore[misc]


class OwnConstructor(Value):
    """A class whose arguments are not its fields."""

    size: int

    def __init__(self, text: str = "") -> None:
        self._set(size=len(text))


class Inherits(OwnConstructor):
    """Adds no field."""


def test_a_subclass_without_fields_is_made_as_its_base() -> None:
    assert (Inherits("abc").size, Inherits().size) == (3, 0)


def test_it_is_a_value() -> None:
    again = eval(repr(LISTING), {"Provenance": Provenance, "Scope": Scope}) if "<" not in repr(LISTING) else LISTING
    assert pickle.loads(pickle.dumps(LISTING)) == LISTING == again
    assert {LISTING: 1}[pickle.loads(pickle.dumps(LISTING))] == 1
    with pytest.raises(AttributeError, match="immutable"):
        LISTING.own = True
    with pytest.raises(AttributeError, match="immutable"):
        del LISTING.who


@pytest.mark.parametrize(
    ("field", "other"),
    [("who", "search"), ("scope", Scope.PUBLIC), ("scheme", "ftp"), ("host", "b.example"), ("port", 21),
     ("user", "bob"), ("tls", False)],
)  # fmt: skip
def test_each_field_is_in_the_key(field: str, other: Any) -> None:
    changed = Provenance(**{**LISTING._fields(), field: other})
    assert changed.key != LISTING.key
    assert changed != LISTING


def test_the_users_own_is_one_key() -> None:
    assert USER.key is CONFIGURATION.key is None
    assert (USER.own, CONFIGURATION.own, STRANGER.own) == (True, True, False)
    assert USER != CONFIGURATION
    assert all(Provenance(who).key is not None for who in ("document", "listing", "search", "redirect", "reply"))


def test_what_a_server_names_by_itself_nobody_chose() -> None:
    assert [who for who in ("document", "listing", "search", "redirect", "reply") if Provenance(who).unasked] == [
        "redirect", "reply",
    ]  # fmt: skip


@pytest.mark.parametrize("scope", [None, Scope.NEVER])
def test_where_nobody_knows_is_public(scope: Scope | None) -> None:
    assert Provenance("document", scope=scope).scope is Scope.PUBLIC


@pytest.mark.parametrize(
    "fields",
    [
        {"who": "friend"}, {"who": "user", "scope": Scope.LOCAL}, {"who": "user", "host": "a.example"},
        {"who": "configuration", "tls": True},
    ],
)  # fmt: skip
def test_what_is_no_provenance(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"is not one of|has no source"):
        Provenance(**fields)


@given(ANY)
def test_json_holds_all_of_it(origin: Provenance) -> None:
    assert Provenance.from_dict(json.loads(json.dumps(origin.as_dict()))) == origin


@each_row(
    "fields",
    [
        {}, {"who": None}, {"who": ["listing"]}, {"who": "listing", "scope": "inner"},
        {"who": "listing", "scope": ["local"]}, {"who": "listing", "host": 1}, {"who": "listing", "port": "70"},
        {"who": "listing", "port": True}, {"who": "listing", "user": {}}, {"who": "user", "host": "a.example"},
    ],
)  # fmt: skip
def test_json_that_is_none(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"not the scope|not a provenance record|is not one of|has no source"):
        Provenance.from_dict(fields)


@given(ANY, ANY)
def test_trust_can_only_be_lost(one: Provenance, other: Provenance) -> None:
    lower = one.lowered(other)
    for origin in (one, other):
        assert lower.own <= origin.own
        assert lower.unasked >= origin.unasked
        assert lower.tls >= origin.tls
        if origin.scope is not None:
            assert lower.scope is not None
            assert lower.scope <= origin.scope
            assert lower.user in (None, origin.user)
            assert (lower.scheme, lower.host, lower.port) in (
                (None, None, None), (origin.scheme, origin.host, origin.port),
            )  # fmt: skip
    assert lower.lowered(other) == lower


def test_a_module_may_read_its_annotations_at_once() -> None:
    """As those of plug-ins do; since Python 3.14 a function of the class makes them (PEP 649)."""
    source = "class Pair(Value):\n    one: str\n    other: int = 2\n"
    space: dict[str, Any] = {"Value": Value, "__name__": __name__}
    exec(compile(source, "a plug-in", "exec", dont_inherit=True), space)
    pair = space["Pair"]("a")
    assert (pair.one, pair.other, space["Pair"].__match_args__) == ("a", 2, ("one", "other"))
