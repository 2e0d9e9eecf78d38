"""The documented path `anyurl.access`: the same things as where they are made."""

from __future__ import annotations

from importlib import import_module

import pytest

import anyurl.access
import anyurl.access.article
import anyurl.client.article
from tests.rows import each_row


@each_row(("home", "name"), [(home, name) for home, names in anyurl.access._HOMES.items() for name in names])
def test_a_documented_name_is_the_thing_itself(home: str, name: str) -> None:
    assert getattr(anyurl.access, name) is getattr(import_module(f"anyurl.{home}"), name)


def test_another_name_is_an_attribute_error_as_of_any_module() -> None:
    with pytest.raises(AttributeError, match=r"module 'anyurl\.access' has no attribute 'nothing'"):
        anyurl.access.nothing  # noqa: B018


def test_the_reader_of_articles_is_there() -> None:
    assert anyurl.access.article.read_article is anyurl.client.article.read_article
