"""What a dialogue is answered with holds what it was given, and what is meant where nothing is said."""

from __future__ import annotations

import pytest

from anyurl.dialogue.values import Channel, Entry, Response
from anyurl.values import STRANGER

FIELDS = [("a", "1"), ("b", "2"), ("a", "3")]


@pytest.mark.parametrize("given", [FIELDS, tuple(FIELDS)])
def test_a_response_has_its_fields_in_a_list_and_by_name(given: list[tuple[str, str]]) -> None:
    body = Channel()
    response = Response(200, "1.1", given, body)
    assert (response.status, response.version, response.headers, response.body, response.may_be_coded) == (
        200, "1.1", FIELDS, body, True,
    )  # fmt: skip
    assert isinstance(response.headers, list)
    assert (response.headers is given) is isinstance(given, list)  # a long list is not copied for each response
    assert [response.header(name) for name in ("a", "b", "c")] == ["1", "2", None]
    assert [response.all(name) for name in ("a", "b", "c")] == [["1", "3"], ["2"], []]


def test_an_entry_has_nothing_that_nobody_said() -> None:
    entry = Entry("n", None)
    facts = (entry.url, entry.kind, entry.size, entry.modified, entry.title, entry.type, entry.score)
    assert (entry.name, {*facts}, entry.attributes, entry.origin) == ("n", {None}, {}, STRANGER)
    assert Entry("n", None, attributes={"a": 1}).attributes == {"a": 1}
