"""How HTML is told; what is found in it: test_hypertext.py."""

from __future__ import annotations

import pytest

from anyurl.text import find


@pytest.mark.parametrize(
    "head", ["<!DOCTYPE html>", "\n<html lang=en>", "<!-- a --> <!-- b -->\n<HTML>", "\ufeff<!doctype HTML>"]
)
def test_a_page_is_told_by_its_beginning(head: str) -> None:
    text = f'{head}<a href="?a&amp;b">'
    assert [str(item) for item in find(text, format="auto", base="http://h/")] == ["http://h/?a&b"]


def test_a_text_about_html_is_none() -> None:
    assert list(find('see <html> <a href="?a">', format="auto", base="http://h/")) == []
