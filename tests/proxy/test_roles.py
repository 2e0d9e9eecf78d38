"""Roles: who is in which, what a file may say, and that a wrong one says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl.errors import LocalFileError
from anyurl.guard import Policy
from anyurl.proxy.roles import everybody, read_roles

TOKEN = "0123456789abcdef"
FILE = """
[[role]]
name = "crawler"
token = "0123456789abcdef"
allow_hosts = ["*.example.org"]
connect_ports = [1, 443, 65535]
connections = 5
idle = 7
max_bytes = 1000

[[role]]
name = "office"
sources = ["10.0.0.0/8", "2001:db8::/32"]
policy = "default"
report_only = true
allow_nets = ["10.1.2.3"]
"""


def read(tmp_path: Path, text: str, **environment: str) -> object:
    path = tmp_path / "roles.toml"
    path.write_text(text, encoding="utf-8")
    return read_roles(str(path), environment)


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "roles.toml").write_text(FILE, encoding="utf-8")
    roles = read_roles(str(tmp_path / "roles.toml"))
    crawler, office = roles.roles
    assert (crawler.name, crawler.connections, crawler.idle, crawler.max_bytes) == ("crawler", 5, 7.0, 1000)
    assert crawler.policy == Policy.untrusted().replace(allow_hosts=["*.example.org"], remedies="keys")
    assert (crawler.connect_ports, office.connect_ports) == ((1, 443, 65535), (443,))
    assert (crawler.report_only, crawler.sources, office.tokens) == (False, (), ())
    assert (office.name, office.connections, office.idle, office.max_bytes) == ("office", 1000, 60.0, None)
    assert (office.report_only, office.policy.allow_private, office.policy.files) == (True, True, False)
    assert (
        roles.find("10.1.1.1", None) == roles.find("::ffff:10.1.1.1", None) == roles.find("2001:db8::1", None) == office
    )
    assert roles.find("192.0.2.1", TOKEN.encode()) == roles.find("10.1.1.1", TOKEN.encode()) == crawler
    assert roles.find("192.0.2.1", None) is roles.find("192.0.2.1", b"another") is roles.find("", None) is None


def test_an_address_that_carries_one_proves_nothing(tmp_path: Path) -> None:
    """2002:0a01:0101:: is 6to4 for 10.1.1.1, and anybody may send from it."""
    (tmp_path / "roles.toml").write_text(FILE, encoding="utf-8")
    assert read_roles(str(tmp_path / "roles.toml")).find("2002:a01:101::", None) is None


def test_without_a_file_everybody_is_untrusted() -> None:
    role = everybody().find("192.0.2.1", None)
    assert role is not None
    assert role == everybody().find("2001:db8::1", None)
    assert role.name == "untrusted"  # in the log and the figures
    assert (role.policy, role.connect_ports, role.report_only) == (Policy.untrusted(), (443,), False)


def test_no_role_reads_files_opens_sessions_or_sends(tmp_path: Path) -> None:
    (tmp_path / "roles.toml").write_text('[[role]]\nsources = ["::/0"]\npolicy = "open"\n', encoding="utf-8")
    policy = read_roles(str(tmp_path / "roles.toml")).roles[0].policy
    assert (policy.files, policy.services, policy.allow_delivery, policy.netrc) == (False, False, False, False)


def test_a_token_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n", encoding="utf-8")
    roles = read(tmp_path, f'[[role]]\ntoken_file = "{tmp_path}/token"\ntoken_env = "T"', T="another token here")
    for token in (TOKEN.encode(), b"another token here"):
        assert roles.find("192.0.2.1", token) is not None  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has tables [[role]], at least one, and nothing else"),
        ("x = 1\n[[role]]\nsources = ['::/0']", "has tables [[role]], at least one, and nothing else"),
        ("x = 1", "has tables [[role]], at least one, and nothing else"),
        ("[[role]]\n" + "a." * 99 + "a = 1", "can't be used: line 2 has a key of more than 16 dots"),
        ("[[role", "can't be used: its end is missing, or it is not TOML"),
        (
            "[[role]]\nname = 'a'",
            "role 1: no client can have it; it needs a token, a token_env, a token_file or sources",
        ),
        ("[[role]]\nsources = ['10.0.0.1/8']", "role 1: '10.0.0.1/8' is not a network"),
        (
            "[[role]]\nsources = ['::/0']\nallow_host = []",
            "role 1: there is no 'allow_host'; there are allow_downgrade",
        ),
        ("[[role]]\nsources = ['::/0']\npolicy = 'all'", "role 1: there is no policy 'all'; there are untrusted"),
        ("[[role]]\nsources = ['::/0']\nallow_private = 'no'", "role 1: allow_private is true or false"),
        ("[[role]]\nsources = ['::/0']\nconnect_ports = [0]", "role 1: connect_ports is a list of ports"),
        ("[[role]]\nsources = ['::/0']\nconnect_ports = [65536]", "role 1: connect_ports is a list of ports"),
        ("[[role]]\nsources = ['::/0']\nconnect_ports = [true]", "role 1: connect_ports is a list of ports"),
        ("[[role]]\nsources = ['::/0']\nconnections = 0", "role 1: connections is 1 or more"),
        ("role = [1]", "role 1: a role is a table"),
        ("[[role]]\nsources = [1]", "role 1: sources is a list of texts"),
        ("[[role]]\ntoken = 'short'", "role 1: a token has 16 characters or more"),
        ("[[role]]\ntoken_env = 'NONE_OF_THESE'", "role 1: the variable NONE_OF_THESE is not set"),
        ("[[role]]\ntoken_file = '/none'", "role 1: the file /none can't be read"),
        ("[[role]]\nname='a'\nsources=['::/0']\n[[role]]\nname='a'\nsources=['::/0']", "gives two roles one name"),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        read(tmp_path, text)
    assert sentence in str(caught.value)
    assert "0123456789abcdef" not in str(caught.value)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(LocalFileError, match=r"/none.toml can't be read: no such file or directory\."):
        read_roles("/none.toml")
