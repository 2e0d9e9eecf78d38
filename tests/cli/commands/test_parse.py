"""``anyurl parse``: components, parts, faults with carets, JSON with exactly the contract's keys, and no passwords."""

from __future__ import annotations

import pytest

from tests.cli.runner import records, run
from tests.rows import each_row

KEYS = [
    "text", "valid", "scheme", "user", "password", "host", "port", "explicit_port", "path", "query", "fragment",
    "parts", "diagnostics",
]  # fmt: skip

FTP = "ftp://myname@host.dom/%2Fetc/motd;type=a"


def test_a_url_is_taken_apart() -> None:
    result = run("parse", FTP)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == (
        "ftp://myname@host.dom/%2Fetc/motd;type=a\n"
        "  scheme  ftp\n"
        "  user    myname\n"
        "  host    host.dom\n"
        "  port    21 (of ftp)\n"
        "  path    /%2Fetc/motd;type=a\n"
        "  parts   directories = ['/etc']\n"
        "          name = 'motd'\n"
        "          typecode = 'a'\n"
    )


def test_a_fault_is_pointed_at() -> None:
    result = run("parse", "http://example.com/a b")
    assert result.exit_code == 1
    text, pointer = result.stdout.splitlines()
    assert text == "http://example.com/a b"
    assert pointer.startswith(" " * 20 + "^ RFC 3986 2: a URL can't contain a space")


@pytest.mark.parametrize(
    ("text", "shown", "pointer"),
    [
        ("nntp://g/g/g", "nntp://g/g/g", " " * 9 + "^ RFC 5538 3: "),  # not under the host, which reads alike
        ("telnet://u:s3cr3t@h/x", "telnet://u:***@h/x", " " * 17 + "^ RFC 4248 2: "),
    ],
)
def test_a_fault_of_a_part_is_pointed_at_in_the_whole_text(text: str, shown: str, pointer: str) -> None:
    result = run("parse", text)
    assert result.stdout.startswith(f"{shown}\n{pointer}")
    result = run("get", text)
    assert result.exit_code == 3
    assert result.stderr.startswith(f"anyurl: {shown}\n        {pointer}")


def test_several_are_separated_by_a_line_and_one_fault_is_enough() -> None:
    result = run("parse", "mailto:a@b", "http://h:99999/")
    assert result.exit_code == 1
    first, second = result.stdout.split("\n\n")
    assert first.startswith("mailto:a@b\n")
    assert second.startswith("http://h:99999/\n         ^^^^^ RFC 9293 3.1: ")


def test_json_has_exactly_the_keys_of_the_contract() -> None:
    good, bad = records(run("parse", "--json", FTP, "http://h:99999/"))
    assert list(good) == KEYS
    assert list(bad) == KEYS
    assert good == {
        "text": FTP, "valid": True, "scheme": "ftp", "user": "myname", "password": None, "host": "host.dom",
        "port": 21, "explicit_port": None, "path": "/%2Fetc/motd;type=a", "query": None, "fragment": None,
        "parts": {"directories": ["/etc"], "name": "motd", "typecode": "a"}, "diagnostics": [],
    }  # fmt: skip
    assert (bad["valid"], bad["scheme"], bad["parts"]) == (False, None, None)
    (fault,) = bad["diagnostics"]
    assert list(fault) == ["code", "severity", "start", "end", "rule", "section", "message", "fix"]
    assert (fault["code"], fault["severity"], fault["start"], fault["end"]) == ("port-too-large", "error", 9, 14)


@each_row(
    "text",
    [
        "ftp://u:s3cret@h/",
        "ftp://u:s3cret@h/ ",
        "ftp://u:s3cret%zz@h/",  # a fault in the password: its repair would show a piece of it
        "ftp://u:s3cret x@h/",
        "ftp://u:s3cret/x@h/",  # not encoded: no URL, and a secret all the same
        "http://u:s3cret@h:99999/",
    ],
)
@each_row("json", [(), ("--json",)], ids=["text", "json"])
def test_a_password_is_shown_only_when_asked_for(text: str, json: tuple[str, ...]) -> None:
    result = run("parse", *json, text)
    assert "s3cret" not in result.output
    assert "zz" not in result.output
    assert "***" in result.stdout


def test_reveal_shows_it() -> None:
    (record,) = records(run("parse", "--json", "--reveal", "ftp://u:s%33cret@h/"))
    assert (record["text"], record["password"]) == ("ftp://u:s%33cret@h/", "s3cret")
    assert "password  s3cret\n" in run("parse", "--reveal", "ftp://u:s%33cret@h/").stdout


def test_no_empty_and_missing_are_different() -> None:
    rows = records(run("parse", "--json", "ftp://h/", "ftp://@h/", "ftp://u@h/", "ftp://u:@h/"))
    assert [(row["user"], row["password"]) for row in rows] == [(None, None), ("", None), ("u", None), ("u", "")]
    assert "user    (empty)\n" in run("parse", "ftp://@h/").stdout


def test_a_fault_of_the_schemes_own_syntax_is_a_fault() -> None:
    result = run("parse", "--json", "ftp://h/x;type=z")
    assert result.exit_code == 1
    (record,) = records(result)
    assert (record["valid"], record["host"], record["parts"]) == (False, "h", None)
    (fault,) = record["diagnostics"]
    assert fault["section"] == "RFC 1738 3.2.2"


@pytest.mark.parametrize("text", ["x-foo:bar", "afs://cell/x", "foo://h:1/x?q#f"])
def test_a_scheme_that_is_not_read_is_parsed_by_the_generic_syntax(text: str) -> None:
    result = run("parse", "--json", text)
    assert result.exit_code == 0
    (record,) = records(result)
    assert (record["valid"], record["parts"]) == (True, None)


def test_octets_that_are_not_utf_8_survive_in_json() -> None:
    (record,) = records(run("parse", "--json", "ftp://h/%FFx"))
    assert record["parts"]["name"] == "\udcffx"
    assert "name = '\\xffx'" in run("parse", "ftp://h/%FFx").stdout


def test_controls_in_a_decoded_component_are_escaped() -> None:
    assert "\x1b" not in run("parse", "http://h/%1B%5B31m?%1B").output


def test_other_grammars_are_not_there() -> None:
    result = run("parse", "--grammar", "whatever", FTP)
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "anyurl: Invalid value for '--grammar': There is no grammar 'whatever'; there are cu"
    )
    assert run("parse", "--grammar", "current", FTP).exit_code == 0
