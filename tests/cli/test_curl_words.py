"""The spellings of curl: each is taken, becomes an option of anyurl, or is refused with the word to use."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from anyurl.cli.arguments import UsageError
from anyurl.cli.command_table import load
from anyurl.cli.curl_words import DEFAULTS, MAPPED, ONLY_TLS, REFUSED, translated
from anyurl.world import World
from tests.cli.runner import run
from tests.rows import each_row

URL = "http://h/x"


def names(rows: dict[str, object]) -> list[str]:
    return [name for key in rows for name in key.split()]


@each_row("name", sorted({*DEFAULTS, *" ".join(DEFAULTS.values()).split()} - {""}))
def test_what_is_our_default_is_taken(name: str) -> None:
    assert translated(["get", name, URL]) == ["get", URL]


@each_row(
    ("words", "ours"),
    [
        ("-m 3", "--timeout 3"), ("--max-time 3", "--timeout 3"), ("--max-time=3", "--timeout 3"),
        ("-x http://p:1", "--proxy http://p:1"), ("-u me", "--user me"), ("-C -", "--continue"),
        ("--continue-at -", "--continue"), ("-b a=b", "-H Cookie: a=b"), ("-b jar", "--cookie-jar jar"),
        ("-c jar", "--cookie-jar jar"), ("-e http://r/", "-H Referer: http://r/"), ("-r 0-9", "-H Range: bytes=0-9"),
        ("--data-binary @f", "--data @f"), ("--data-raw x", "--data x"), ("--max-filesize 9", "--max-bytes 9"),
        ("--noproxy h", "--no-proxy h"), ("-fsSL", ""), ("-sSLo f", "-o f"), ("-sSLof", "-o f"), ("-LO", "-O"),
        ("-fsSLm3", "--timeout 3"), ("-X POST", "-X POST"), ("-o -", "-o -"), ("-H A:-k", "-H A:-k"),
    ],
)  # fmt: skip
def test_what_has_an_equivalent_becomes_it(words: str, ours: str) -> None:
    found = translated(["get", *words.split(), URL])
    assert " ".join(found) == " ".join(["get", *ours.split(), URL])


@each_row("name", names(dict(REFUSED)))
def test_what_has_none_is_refused_with_the_word_to_use(name: str) -> None:
    with pytest.raises(UsageError, match=r"The option .* of curl is not taken: [a-z-].*[^.]\.$") as caught:
        translated(["get", name, "x", URL])
    assert f"The option {name} of curl is not taken" in str(caught.value)


@pytest.mark.parametrize("written", ["2020-01-31", "20200131", "Fri, 31 Jan 2020 00:00:00 GMT", "FILE"])
def test_a_condition_by_time_is_a_date_of_http(tmp_path: Path, written: str) -> None:
    (tmp_path / "FILE").touch()
    os.utime(tmp_path / "FILE", (1_580_428_800, 1_580_428_800))
    value = str(tmp_path / "FILE") if written == "FILE" else written
    assert translated(["get", "-z", value, URL]) == [
        "get", "-H", "If-Modified-Since: Fri, 31 Jan 2020 00:00:00 GMT", URL,
    ]  # fmt: skip


@each_row(
    ("words", "told"),
    [
        (["-u", "me:sesame"], "would be visible to others"),
        (["-C", "7"], "The option -C OFFSET of curl is not taken: use --continue."),
        (["--data-raw", "@x"], "The option --data-raw of curl is not taken: use --data."),
        (["-T", "f"], "The option -T of curl is not taken: use anyurl put URL FILE."),
        (["--json", '{"a": 1}'], "--json-data JSON is curl's --json"),
        (["--parallel", URL], "--parallel COUNT"),
        (["-kL"], "--cacert FILE"),
        (["--remove-on-error", "--continue"], "--continue keeps what has come"),
        (["--oauth2-bearer", "t0ken"], "--bearer-file"),
        (["--ssl-reqd"], "write ftps://"),
        (["--proto", "=https"], "no redirect leads from https to http"),
        (["--interface", "eth1"], "the system's routes choose"),
        (["-m"], "requires an argument"),
        (["-z", "yesterday"], "-z takes a date or the name of a file"),
    ],
)
def test_no_spelling_means_something_else(words: list[str], told: str) -> None:
    after = [] if words == ["-m"] else [URL]
    result = run("get", *words, *after)
    assert result.exit_code == 2
    assert told in result.stderr.replace("\n", " ")
    assert "sesame" not in result.stderr
    assert "t0ken" not in result.stderr


def test_words_behind_two_hyphens_and_values_are_left_alone() -> None:
    assert translated(["get", "-o", "-L", "--", "-k"]) == ["get", "-o", "-L", "--", "-k"]
    assert translated(["parse", "-k"]) == ["parse", "-k"]
    assert translated(["get", "--nonsense", "-"]) == ["get", "--nonsense", "-"]


def own() -> dict[str, bool]:
    """The options of `anyurl get`, and whether a value follows each."""
    return {name: not each.is_flag for each in load("get").parameters for name in each.names}


def test_no_spelling_of_ours_is_replaced() -> None:
    assert own().keys() & {*names(dict(MAPPED)), *names(dict(REFUSED))} == set()


@pytest.mark.parametrize("name", ["--proto", "--proto-redir"])
def test_only_https_is_the_default_of_a_url_of_https(name: str) -> None:
    secure = "https://h/x"
    for words in ([name, "=https", secure], [f"{name}==https", secure], [secure, name, "=https"]):
        assert translated(["get", *words]) == ["get", secure]
    for words in ([name, "=https", URL], [name, "=http", secure], [name, "=https", secure, URL], [name, "=https", "h"]):
        with pytest.raises(UsageError, match="leave it out, and write https://"):
            translated(["get", *words])


SECURE = "https://h/x"


@each_row(
    "words",
    [
        ["get", SECURE, "ftp.b.example/x"], ["get", SECURE, "b.example:80/x"], ["get", SECURE, "localhost/x"],
        ["get", SECURE, "127.0.0.1/x"], ["get", SECURE, "http:/b.example"], ["get", SECURE, "--", "ftp.b.example"],
        ["get", "-e", SECURE, "localhost/y"], ["get", "--from", "urls.txt", "--referer", SECURE],
        ["get", "--from=urls.txt", SECURE], ["get", SECURE, "-"], ["get", "-o", SECURE], ["get"],
        ["get", "--url", "h/x", SECURE], ["get", "--url=h/x", SECURE], ["get", "--proxy", SECURE, "h"],
        ["put", "h/x", SECURE], ["search", "h/x", SECURE],
    ],
    ids=" ".join,
)  # fmt: skip
def test_only_https_is_refused_if_one_url_may_be_another(words: list[str]) -> None:
    for place in (1, len(words) if "--" not in words else 1):
        with pytest.raises(UsageError, match="leave it out, and write https://"):
            translated([*words[:place], "--proto", "=https", *words[place:]])


@each_row(
    "words",
    [
        ["get", "--proxy", "http://p:3128", SECURE], ["get", "-H", "Referer: http://r/", SECURE],
        ["get", "-d", "url=http://h/", SECURE], ["get", "-o", "http://h/", SECURE], ["get", "--", SECURE],
        ["put", SECURE, "file"], ["mirror", SECURE, "folder"], ["search", SECURE, "http://h/", "words"],
        ["get", "--policy", "untrusted", "HTTPS://h/x", SECURE], ["get", "-so", "x", SECURE],
    ],
    ids=" ".join,
)  # fmt: skip
def test_only_https_is_about_the_urls_alone(words: list[str]) -> None:
    ours = translated(words)
    assert ours == (["get", "-o", "x", SECURE] if "-so" in words else words)
    assert translated([words[0], "--proto", "=https", *words[1:]]) == ours
    for url in (["--url", SECURE], [f"--url={SECURE}"]):
        assert translated(["get", "--proto", "=https", "-x", "http://p:1", *url]) == [
            "get", "--proxy", "http://p:1", SECURE,
        ]  # fmt: skip


def test_only_https_is_refused_where_the_policy_lets_a_redirect_lead_to_http(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for policy in (["--policy", "open"], ["--policy=open"], ["--policy", "untrusted", "--policy", "mine.toml"]):
        with pytest.raises(UsageError, match="a redirect may lead from https to http"):
            translated(["get", "--proto", "=https", *policy, SECURE])
    settings = tmp_path / "config.toml"
    settings.write_text('policy = "open"\n')
    settings.chmod(0o600)
    monkeypatch.setenv("ANYURL_CONFIG", str(settings))
    with pytest.raises(UsageError, match="a redirect may lead from https to http"):
        translated(["get", "--proto", "=https", SECURE])
    words = ["get", "--policy", "default", SECURE]
    assert translated([*words, "--proto", "=https"]) == words


def test_a_number_among_words_is_no_option_of_curl() -> None:
    for number in ("-0", "-1", "-4", "-12"):
        words = ["search", "gopher://h/7/x", "a", number]
        assert translated(words) == words
        assert run(*words).exit_code == 2  # as without the spellings of curl: it is neither dropped nor searched
        assert translated([*words[:-1], "--", number]) == [*words[:-1], "--", number]
    assert translated(["get", "-1", URL]) == ["get", URL]


LISTED = re.compile(r" (?:(?P<short>-\S), | {4})(?P<long>--[\w.-]+)(?P<value> [<\[])?")
OTHERWISE = {"--json", "--parallel", "-n"}
"""Ours have another meaning; `_check_meaning` tells them apart."""


@pytest.mark.needs("curl")
def test_the_tables_are_about_the_options_that_curl_has() -> None:
    printed = subprocess.run(["curl", "--help", "all"], capture_output=True, text=True, check=True).stdout
    curl = {name: bool(found["value"]) for line in printed.splitlines() if (found := LISTED.match(line))
            for name in (found["short"], found["long"]) if name}  # fmt: skip
    assert len(curl) > 200
    defaults = {*DEFAULTS, *" ".join(DEFAULTS.values()).split()} - {""}
    mapped, refused = {*names(dict(MAPPED)), *ONLY_TLS}, set(names(dict(REFUSED)))
    assert defaults | mapped | refused <= curl.keys()
    assert [name for name in defaults if curl[name]] == []  # or the value would be taken for a URL
    assert [name for name in mapped if not curl[name]] == []
    assert {name for name, has_value in own().items() if curl.get(name, has_value) != has_value} == OTHERWISE
    for line in printed.splitlines():
        if (found := LISTED.match(line)) and found["short"]:  # both spellings are known, or none
            known = [name in own() or name in defaults | mapped | refused for name in found.group("short", "long")]
            assert known[0] == known[1], line
    for name in curl.keys() - own().keys() - defaults - mapped - refused:
        assert translated(["get", name, URL])[1:] == [name, URL]
        assert run("get", name, URL).exit_code == (0 if name in ("-h", "--help") else 2), name


def test_the_most_copied_line_of_the_web_runs(world: World, tmp_path: Path) -> None:
    result = run("get", "-fsSLo", str(tmp_path / "x"), f"{world.roots['http']}motd.txt")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "x").stat().st_size > 0
