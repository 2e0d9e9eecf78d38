"""What a search is asked for beside URLs, as the kernel is told it."""

from __future__ import annotations

import pytest

from anyurl.text.kinds import URLS_ALONE, Kinds, kind_of
from anyurl.text.scan import rows


@pytest.mark.parametrize(
    ("kinds", "flags", "every"),
    [
        (URLS_ALONE, 0, False),
        (Kinds(emails=True), rows.FIND_EMAILS, True),
        (Kinds(www=True, domains=True), rows.FIND_WWW | rows.FIND_DOMAINS, True),
        (Kinds(templates=True), rows.FIND_TEMPLATES, False),  # each has a colon
        (Kinds(defanged=True), rows.FIND_TEMPLATES, False),
    ],
)
def test_the_kernel_is_told_what_is_wanted(kinds: Kinds, flags: int, every: bool) -> None:
    assert (kinds.flags, kinds.every) == (flags, every)


def test_a_row_says_its_kind() -> None:
    kinds = [0, rows.UNSAFE, rows.EMAIL, rows.WWW, rows.DOMAIN]
    assert [kind_of(kind) for kind in kinds] == ["url", "url", "email", "www", "bare-domain"]
