"""What a dialogue leaves has the name of its URL, and nothing that is secret in it."""

from __future__ import annotations

import pytest

from anyurl.url import URL
from anyurl.warc.capture import one_type, target_of


def test_a_target_has_no_login_of_the_web_and_no_password() -> None:
    assert target_of(URL("https://token@h/a#b")) == "https://h/a"
    assert target_of(URL("ftp://bob:word@h/a")) == "ftp://bob@h/a"
    assert target_of(URL("http://h/?u=http://bob:word@g/")) == "http://h/?u=http://bob:***@g/"


@pytest.mark.parametrize(
    ("type", "written"), [("text/plain", "text/plain"), (None, None), ("a\r\nb", None), ("\xe4", None)]
)
def test_a_type_that_stands_in_a_field(type: str | None, written: str | None) -> None:
    assert one_type(type) == (written or "application/octet-stream")
