"""What is to be filled in: a part in brackets, a variable, an escape; and what only looks like one."""

from __future__ import annotations

import pytest

from anyurl.text import find


def found(text: str) -> list[tuple[str, str]]:
    """The text of each URL and template, and which of the two it is."""
    return [(one.raw, one.kind) for one in find(text, templates=True)]


@pytest.mark.parametrize("brackets", ["()", "{}", "[]", "<>"])
def test_a_percent_sign_before_brackets_names_what_is_filled_in(brackets: str) -> None:
    """Only with a name in them: what closes later, with nothing between the brackets, is not theirs."""
    opened, closed = brackets
    for name in ("a", "name", "a_b", "a9"):
        assert [str(url) for url in find(f"http://host/%{opened}{name}{closed}")] == []
        assert opened == "(" or [kind for _, kind in found(f"http://host/%{opened}{name}{closed}")] == ["template"]
    if opened != "(":  # a group may close behind another one
        assert found(f"http://host/%{opened}{closed}a{closed} x") == [("http://host/", "url")]
    assert found(f"http://host/%{opened}") == [("http://host/", "url")]
