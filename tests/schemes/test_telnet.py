from __future__ import annotations

import pytest

from anyurl.errors import RefusedError, URLSyntaxError
from anyurl.schemes.telnet import TelnetParts, check
from anyurl.url import URL


@pytest.mark.parametrize("url", ["telnet://h", "telnet://h/", "telnet://u:p@h:2323/"])
def test_a_telnet_url_ends_with_its_host(url: str) -> None:
    assert URL(url).parts == TelnetParts()
    assert URL(url).parts.url_path() == ""
    check(URL(url))


@pytest.mark.parametrize("url", ["telnet://h/x", "telnet://h//", "telnet://h/?x"])
def test_nothing_follows_the_host(url: str) -> None:
    with pytest.raises(URLSyntaxError, match="a telnet URL ends with its host: nothing but one '/' may follow"):
        URL(url).parts  # noqa: B018


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("telnet://u%0D%0Arm@h", "the user of telnet://u%0D%0Arm@h holds CR (%0D)"),
        ("telnet://u:p%0Aq@h", "the password of telnet://u:***@h holds LF (%0A)"),
        ("telnet://h/%00", "the url path of telnet://h/%00 holds NUL (%00)"),
    ],
)
def test_line_ends_would_be_typed_and_are_refused(url: str, message: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check(URL(url))
    assert str(caught.value).startswith(message)
