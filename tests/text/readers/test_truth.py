"""Readers against the libraries that everybody reads such texts with: each link of theirs is found."""

from __future__ import annotations

import pytest

from tests.text.readers.truth import OWN, missed


@pytest.mark.parametrize("kind", OWN)
def test_every_link_of_this_projects_pages_is_found(kind: str) -> None:
    read, pages = OWN[kind]
    count = 0
    for path, data in pages():
        wanted, got = read(data)
        assert missed(wanted, got) == [], path
        count += len(wanted)
    assert count > (0 if kind == "xml" else 20)
