from __future__ import annotations

import pytest

from anyurl.errors import UnsupportedError, URLSyntaxError
from anyurl.url import URL, parse
from anyurl.url.grammars import GRAMMARS, find_grammar, unknown_grammar


def test_current_is_the_url_itself() -> None:
    assert GRAMMARS["current"].read is URL
    with pytest.raises(URLSyntaxError):
        parse("http://h/a b")


def test_an_unknown_grammar_names_those_that_are_known() -> None:
    with pytest.raises(UnsupportedError, match=r"There is no grammar 'rfc9999' here; there are .*current"):
        parse("http://h/", "rfc9999")
    assert str(unknown_grammar("x", ("a", "b"))) == "There is no grammar 'x' here; there are a, b."


def test_a_name_is_a_str() -> None:
    with pytest.raises(TypeError, match="named by a str, not int"):
        find_grammar(3)  # type: ignore[arg-type]
