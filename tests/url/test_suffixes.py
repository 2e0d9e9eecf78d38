"""Which domain somebody has registered."""

from __future__ import annotations

import subprocess
import sys

from anyurl.url.suffixes import registered_domain
from tests.rows import each_row


@each_row(
    ("host", "domain"),
    [
        ("www.bbc.co.uk", "bbc.co.uk"), ("co.uk", None), ("example.com.", "example.com"), ("github.io", None),
        ("a.github.io", "a.github.io"), ("localhost", None), ("a.b.unknown", "b.unknown"), ("10.0.0.1", None),
        ("::1", None), ("", None), ("a.xn--55qx5d.cn", "a.xn--55qx5d.cn"),
    ],
)  # fmt: skip
def test_the_registered_domain(host: str, domain: str | None) -> None:
    assert registered_domain(host, extra="batch", what="They") == domain


def test_who_lacks_the_list_is_told_what_brings_it() -> None:
    program = (
        "import sys; sys.modules['publicsuffixlist'] = None\n"
        "from anyurl import Client, MissingExtraError\n"
        "try: Client(cookies=True)\n"
        "except MissingExtraError as error: print(error.extra, error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout == "cookies Cookies need publicsuffixlist: in a clone of anyurl, pip install '.[cookies]'.\n"
