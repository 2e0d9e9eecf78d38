"""The scheme that a text implies by its form."""

from __future__ import annotations

import pytest

from anyurl.grammar import diagnose
from anyurl.grammar.prefixes import find_prefix, is_file_name, is_local, split_copy
from tests.rows import each_row


@each_row(
    ("text", "prefix"),
    [
        ("example.com/a", "https://"),
        ("example.xn--p1ai/a", "https://"),
        ("//example.com/a", "https:"),
        ("localhost:8080", "http://"),
        ("ftp.x.org", "ftp://"),
        ("/etc/hosts", "file://"),
        ("C:\\x", "file:///"),
        ("\\\\server\\x", "file:"),
        (":8080/", "http://localhost"),
        (":8080", "http://localhost"),
        (":65535?a", "http://localhost"),
        (":8080x", None),  # no port
        (":808080", None),
        ("bob@x.org", "mailto:"),
        ("comp.lang.c", "news:"),
        ("10.1000/182", "doi:"),
        ("http://x.org", None),  # it has one
        ("news:x", None),
        ("foo:bar", None),
        ("/a?b", None),  # what a "?" is in a path is not for a prefix to say
        ("a/b", None),
        ("word", None),
        ("", None),
    ],
)
def test_a_prefix(text: str, prefix: str | None) -> None:
    found = find_prefix(text)
    assert (found and found.text) == prefix


@each_row(
    ("host", "local"),
    [
        ("localhost", True), ("a.localhost", True), ("printer.local", True), ("10.0.0.1", True), ("8.8.8.8", True),
        ("[::1]", True), ("nas", True), ("example.com", False), ("x.example", False), ("notlocal", True),
        ("my.notlocal", False), ("a.test.", True), ("１２７.０.０.１", True),
    ],
)  # fmt: skip
def test_hosts_without_certificates(host: str, local: bool) -> None:
    assert is_local(host) == local


def test_copies_and_files() -> None:
    assert split_copy("git@github.com:a/b.git") == ("git@github.com", "a/b.git")
    assert split_copy("git@github.com:22/b.git") is None
    assert split_copy("git@[::1]:a]b:c") == ("git@[::1]", "a]b:c")
    assert split_copy("git@h:a]") == ("git@h", "a]")
    assert [split_copy(text) for text in ("git@[::1]", "git@[::1]:", "git@[a:b", "git@a]:b", "git@h")] == [None] * 5
    assert is_file_name("a.tar.gz")
    assert not is_file_name("a.com")
    assert not is_file_name("a b.txt")


@each_row(
    ("text", "code", "fixes"),
    [
        ("C:/data/me", "drive-letter", ["file:///C:"]),
        ("C:\\data\\me", "drive-letter", ["file:///C:", "/", "/"]),
        ("host.dom:80", "host-and-port", ["http://host.dom:80"]),
        ("localhost:8080/x", "host-and-port", ["http://localhost:8080"]),
        ("example.com", "no-scheme", ["https://"]),
        ("/etc/hosts", "no-scheme", ["file://"]),
        ("user@host", "no-scheme", ["mailto:"]),
        ("hello", "no-scheme", []),
        ("good.example\\@evil.example/", "no-scheme", []),  # two hosts: no remedy
        ("faß.example/", "no-scheme", []),
    ],
)
def test_a_diagnosis_says_what_is_missing(text: str, code: str, fixes: list[str]) -> None:
    diagnostics = diagnose(text)
    assert code in [one.code for one in diagnostics]
    assert [one.fix for one in diagnostics if one.fix is not None] == fixes


@pytest.mark.parametrize("text", ["tel:5551234", "news:119", "foo:bar", "x-a:80", "zork://h:80/"])
def test_what_is_no_host_and_port_is_not_remarked_on(text: str) -> None:
    assert not {"drive-letter", "host-and-port"} & {one.code for one in diagnose(text)}
