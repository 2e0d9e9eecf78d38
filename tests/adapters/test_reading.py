"""How frameworks of types read a URL."""

from __future__ import annotations

import pytest

from anyurl import URL, Policy
from anyurl.adapters.reading import URLReader


def test_a_text_and_a_url_are_read() -> None:
    read = URLReader()
    assert read("ftp://h/a") == URL("ftp://h/a")
    url = URL("ftp://h/a")
    assert read(url) is url


@pytest.mark.parametrize(
    ("value", "reader", "said"),
    [
        ("http://h:65536/", URLReader(), "65535"),
        (7, URLReader(), "not int"),
        (None, URLReader(), "not NoneType"),
        ("http://10.0.0.1/", URLReader(policy=Policy.untrusted()), r"Private-Use .* would allow it\.$"),
        (URL("file:///etc/passwd"), URLReader(policy=Policy.untrusted()), r"^Refused: .*\.$"),
        ("http://h/~x", URLReader(grammar="rfc1738"), "~"),
    ],
)
def test_what_is_no_url_or_not_allowed_is_a_value_error(value: object, reader: URLReader, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        reader(value)


def test_no_password_is_told() -> None:
    for text in ("http://joe:s3cr3t@h:99999/", "http://joe:s3cr3t@10.0.0.1/", "http://joe:s3cr3t@h\\x/"):
        with pytest.raises(ValueError) as caught:
            URLReader(policy=Policy.untrusted())(text)
        assert "s3cr3t" not in str(caught.value)
        assert caught.value.__cause__ is None
