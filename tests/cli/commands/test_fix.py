"""``anyurl fix``: the URL on standard output, what was changed on standard error; nothing where a host is unclear."""

from __future__ import annotations

import pytest

from tests.cli.runner import records, run

KEYS = ["text", "url", "changes", "diagnostics"]


def test_the_url_is_the_result_and_the_changes_are_said() -> None:
    result = run("fix", " <URL:http://host.dom/{a}>")
    assert (result.exit_code, result.stdout) == (0, "http://host.dom/%7Ba%7D\n")
    assert result.stderr.splitlines() == [
        "At character 1: white space around a URL is not part of it.",
        "At character 2: the angle brackets are a wrapper around the URL.",
        'At character 3: "URL:" is a wrapper around the URL.',
        'At character 23: "{" was encoded.',
        'At character 25: "}" was encoded.',
        "At character 26: the angle brackets are a wrapper around the URL.",
    ]


def test_a_url_is_left_alone() -> None:
    result = run("fix", "http://host.dom/%7e")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "http://host.dom/%7e\n", "")


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("http://good.example\\@evil.example/", "evil.example", "good.example"),
        ("http://a b/", "ab", "a"),
        ("http://good.example @evil.example/", "evil.example", "good.example"),
    ],
)
def test_where_the_host_is_unclear_both_are_named_and_nothing_is_written(text: str, one: str, other: str) -> None:
    result = run("fix", text)
    assert (result.exit_code, result.stdout) == (3, "")
    assert f'it is unclear which host is meant: "{one}" or "{other}"' in result.stderr
    (record,) = records(run("fix", "--json", text))
    assert list(record) == KEYS
    assert (record["url"], record["changes"]) == (None, [])
    assert record["diagnostics"][0]["fix"] is None


@pytest.mark.parametrize("command", ["parse", "get", "explain"])
def test_no_command_advises_what_would_make_another_host(command: str) -> None:
    result = run(command, "http://good.example\\@evil.example/")
    said = result.stdout + result.stderr
    assert "good.example" in said
    assert "%5C" not in said.partition("current")[2].partition("rfc1738")[0] + (said if command != "explain" else "")


def test_texts_are_read_from_standard_input_and_one_that_is_refused_stops_none() -> None:
    result = run("fix", "-", input=b"http://a b/\n\nhttp://h/x y\r\nftp.h\n")
    assert (result.exit_code, result.stdout) == (1, "http://h/x%20y\n")
    result = run("fix", "--guess-scheme", "-", "http://h/", input=b"ftp.h/a b\n")
    assert (result.exit_code, result.stdout) == (0, "ftp://ftp.h/a%20b\nhttp://h/\n")


def test_a_record_tells_each_change_with_its_place() -> None:
    (record,) = records(run("fix", "--json", "http://host.dom\\x y"))
    assert record["url"] == "http://host.dom/x%20y"
    assert [(one["code"], one["start"], one["before"], one["after"]) for one in record["changes"]] == [
        ("backslash", 15, "\\", "/"),
        ("encoded", 17, " ", "%20"),
    ]


def test_a_password_is_shown_only_when_asked() -> None:
    text = "ftp://u:hunt{er@host.dom/{"
    for args in ((text,), ("--json", text)):
        result = run("fix", *args)
        assert result.exit_code == 0
        assert "hunt" not in result.stdout + result.stderr
        assert "%7Ber" not in result.stdout + result.stderr
    assert run("fix", "--reveal", text).stdout == "ftp://u:hunt%7Ber@host.dom/%7B\n"


def test_a_url_is_written_to_the_letter_of_a_grammar() -> None:
    assert run("fix", "--grammar", "rfc1738", "http://h.dom/~a b").stdout == "http://h.dom/%7Ea%20b\n"
    assert run("fix", "--grammar", "rfc1738", "http://u@h.dom/").exit_code == 3  # an http URL has no user there


@pytest.mark.parametrize("reveal", [False, True])
def test_a_password_in_what_nothing_mends_is_shown_only_when_asked(reveal: bool) -> None:
    text = "ftp://u:s3cr3t@h:99999/"
    done = run("fix", "--json", *["--reveal"] * reveal, text)
    (told,) = records(done)
    assert told["text"] == (text if reveal else "ftp://u:***@h:99999/")
    assert ("s3cr3t" in done.stdout, "s3cr3t" in done.stderr) == (reveal, False)
