"""``anyurl explain``: readings, carets, the anatomy, the loud difference, JSON and SVG, and no passwords."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pexpect
import pytest

from tests.cli.runner import CLEAN, PROGRAM, records, run
from tests.rows import each_row
from tests.servers import WAIT_SECONDS

KEYS = ["text", "host_differs", "readings", "unchecked", "differences", "pieces", "verdict"]
COMPONENTS = ["scheme", "user", "password", "host", "port", "path", "query", "fragment"]


def test_the_example_of_several_faults() -> None:
    result = run("explain", "http://user:pw@example.com/a b#c")
    assert result.exit_code == 1
    sections = result.stdout.split("\n\n")
    assert sections[0].splitlines()[0] == "http://user:***@example.com/a b#c"
    assert sections[1] == (
        "current, rfc1738, rfc1738-draft07: not a URL\n"
        "    http://user:***@example.com/a b#c\n"
        "           ^^^^^^^^^ RFC 1738 3.3: an http URL can't have a user name or password (rfc1738, rfc1738-draft07)\n"
        "                                 ^ RFC 3986 2: a URL can't contain a space; encode it as %20 (current)\n"
        "                                 ^ RFC 1738 2.2: a space must be encoded (rfc1738, rfc1738-draft07)\n"
        '                                   ^ remark, RFC 1738 2.2: "#" starts a fragment, which is not part of the URL'
    )
    assert sections[2].splitlines()[:2] == [
        "browser: http://user:***@example.com/a%20b#c",
        "    host example.com, user user, password ***, port 80, path /a%20b, fragment c",
    ]


def test_a_plain_url() -> None:
    result = run("explain", "ftp://host.dom/a;type=i")
    assert result.exit_code == 0
    assert result.stdout == (
        "ftp://host.dom/a;type=i\n"
        "─┬─   ───┬──── ┬      ┬\n"
        " │       │     │      └ typecode\n"
        " │       │     └ path\n"
        " │       └ host\n"
        " └ scheme\n"
        "\n"
        "current, rfc1738, rfc1738-draft07, browser: ftp://host.dom/a;type=i\n"
        "    host host.dom, port 21, path /a;type=i\n"
    )


def test_two_hosts_are_loud() -> None:
    result = run("explain", "http://good.dom\\@evil.dom/")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == (
        "!!! the host is read differently, so that one program may check another host than a second one connects to: "
        "browser: 'good.dom'; a program that checks nothing: 'evil.dom'"
    )
    assert run("explain", "x-y://a?@b/").exit_code == 1, "a URL, but two hosts"


def test_json_has_its_keys() -> None:
    (good, bad) = records(run("explain", "--json", "http://u:secret@h/~", "http://h/ x"))
    for record in (good, bad):
        assert list(record) == KEYS
        assert [reading["grammar"] for reading in record["readings"]] == [
            "current",
            "rfc1738",
            "rfc1738-draft07",
            "browser",
        ]
    current, strict, _, browser = good["readings"]
    assert list(current) == ["grammar", "accepted", "url", *COMPONENTS, "diagnostics"]
    assert list(strict) == ["grammar", "accepted", "url", "diagnostics"]
    assert (current["accepted"], current["url"], current["password"]) == (True, "http://u:***@h/~", "***")
    assert (strict["accepted"], strict["url"]) == (False, None)
    assert browser["host"] == "h"
    assert good["text"] == "http://u:***@h/~"
    assert [piece["name"] for piece in good["pieces"]] == ["scheme", "userinfo", "host", "path"]
    assert list(bad["readings"][0]["diagnostics"][0]) == [
        "code", "severity", "start", "end", "rule", "section", "message", "fix",
    ]  # fmt: skip


SECRETS = [
    "http://u:hunter2@h/", "ftp://u:hunter2@h/a b", "http://u:hun/ter2@h/", "foo://u:hun/ter2@h/", "foo://u:hun?ter2@h/",
    "http://u:hun\\ter2@h/", "http://u:hunter2 x@h/", "x:http://u:hunter2@h", "mailto://u:hunter2@h",
]  # fmt: skip


@each_row("text", SECRETS)
@each_row("option", [[], ["--json"], ["--svg"]])
def test_a_password_is_not_shown(text: str, option: list[str]) -> None:
    shown = run("explain", *option, text).stdout
    if option == ["--svg"]:
        shown = "".join(ElementTree.fromstring(shown).itertext()) + ElementTree.fromstring(shown).attrib["aria-label"]
    letters = shown.replace("\n", "")
    assert "hun" not in letters
    assert "ter2" not in letters


def test_a_password_is_shown_when_asked_for() -> None:
    assert "hunter2" in run("explain", "--reveal", "ftp://u:hunter2@h/").stdout
    (record,) = records(run("explain", "--json", "--reveal", "ftp://u:hunter2@h/"))
    assert record["readings"][0]["password"] == "hunter2"


def test_svg_is_one_picture(tmp_path: Path) -> None:
    result = run("explain", "--svg", "ftp://host.dom/a;type=i")
    assert result.exit_code == 0
    root = ElementTree.fromstring(result.stdout)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert run("explain", "--svg", "a:b", "c:d").exit_code == 2


def test_what_a_terminal_would_obey_is_escaped() -> None:
    result = run("explain", "http://h/\x1b[31m\u202e")
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    assert "\\x1b[31m\\u202e" in result.stdout


def test_many_faults_are_counted_not_listed() -> None:
    shown = run("explain", "http://h/" + "x".join(map(chr, range(0xE0, 0x100)))).stdout
    assert "    and 12 more" in shown.splitlines()


def test_what_is_said_of_many_places_is_said_once() -> None:
    document = (
        "243/1=127.0.0.1%3A44649;2=world;3=0%20243%20notes.txt;4=127.0.0.1%3A44649;5=world;6=0%20243%20notes.txt;7=%00;"
    )
    shown = run("explain", f"wais://host.dom:210/db/TEXT/{document}").stdout.splitlines()
    assert len(shown) <= 24
    assert sum("must be encoded in the path of a WAIS document: %3D (rfc1738)" in line for line in shown) == 1
    assert any(line.endswith("; the same in 6 more places") for line in shown)


@pytest.mark.needs("terminal")
@pytest.mark.parametrize(
    ("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colours_are_for_a_terminal(environment: dict[str, str], coloured: bool) -> None:
    child = pexpect.spawn(
        PROGRAM[0],
        [*PROGRAM[1:], "explain", "http://h/ x"],
        env={**CLEAN, "TERM": "xterm", **environment},
        timeout=WAIT_SECONDS,
    )
    child.expect(pexpect.EOF)
    shown = child.before.decode()
    assert bool(re.search(r"\x1b\[31m.*a space must be encoded", shown)) is coloured
    assert ("\x1b[" in shown) is coloured


VERDICTS = [
    # policy and its companions, URL, exit code, code of the verdict, whether its addresses are known, cautions
    (["untrusted"], "http://10.0.0.1/", 5, "address-private", None, []),
    (["untrusted", "--allow-net", "10.0.0.0/8"], "http://10.0.0.1/", 0, "allowed", True, []),
    (["untrusted"], "dict://h/", 5, "scheme-not-allowed", None, []),
    (["untrusted", "--allow-scheme", "DICT"], "dict://h/", 0, "allowed", False, []),
    (["untrusted", "--allow-scheme", "telnet"], "telnet://h/", 5, "service", None, []),
    (["default"], "http://10.0.0.1/", 0, "allowed", True, []),
    (["untrusted"], "http://host.example/", 0, "allowed", False, []),  # the name is not looked up: it has no address
    (["untrusted"], "file:///etc/passwd", 5, "file", None, []),
    (["default"], "file:///etc/passwd", 0, "allowed", True, []),
    (["default"], "file:///etc%2Fpasswd", 5, "octets", None, ["delimiters"]),
    (["untrusted"], "telnet://host.example/", 5, "service", None, []),
    (["default"], "gopher://h:25/0x", 5, "port-service", None, ["other-service"]),
    (["default", "--allow-port", "25"], "gopher://h:25/0x", 0, "allowed", False, ["other-service"]),
    (["default"], "http://h:8123/", 0, "allowed", False, ["other-port"]),
    (["default"], "ftp://u:pw@h/", 0, "allowed", False, ["password"]),
    (["default"], "ftp://u:@h/", 0, "allowed", False, ["password"]),  # an empty one says something, too
    (["default"], "ftp://h/a%0D%0ADELE%20b", 5, "octets", None, ["delimiters"]),
    (["open"], "ftp://h/a%0D%0ADELE%20b", 5, "octets", None, ["delimiters"]),  # no policy allows these
    (["default"], "x-unknown:a", 0, "allowed", True, []),
    (["default"], "http://h/#a", 0, "allowed", False, []),
    (["untrusted"], "ftp://h/a;type=a%0D%0ADELE", 5, "no-url", None, ["delimiters"]),  # no URL to its scheme
    (["untrusted"], "nntp://h/g/1%2F2", 5, "no-url", None, []),
    (["untrusted"], "http://[v1.example]/", 5, "host-unclear", None, []),
    (["untrusted"], "http://0x7f.1/", 1, "no-url", None, []),  # not a URL of today: nothing that could be judged
]


@each_row(("policy", "text", "exit_code", "code", "known", "beware"), VERDICTS)
def test_the_verdict_of_a_policy(
    policy: list[str], text: str, exit_code: int, code: str, known: bool | None, beware: list[str]
) -> None:
    result = run("explain", "--json", text, "--policy", *policy)
    verdict = records(result)[0]["verdict"]
    assert (verdict["code"], verdict["looked_up"]) == (code, known)
    assert [caution["code"] for caution in verdict["cautions"]] == beware
    assert verdict["allowed"] is (None if code == "no-url" else code == "allowed")
    assert result.exit_code == max(exit_code, int(records(result)[0]["host_differs"]))


def test_a_verdict_for_a_person() -> None:
    result = run("explain", "--policy", "untrusted", "ftp://user:s3cr3t@10.0.0.1:6379/")
    assert result.exit_code == 5
    assert result.stdout.split("\n\n")[-1] == (
        "policy untrusted: refused (address-private)\n"
        "    10.0.0.1 is in 10.0.0.0/8, Private-Use (RFC 1918): the policy untrusted allows public addresses only; "
        "--allow-private or --allow-net 10.0.0.1 would allow it\n"
        "    RFC 1738 6: it contains a password, which everyone who sees the URL knows: using such URLs for what "
        "should be secret is clearly unwise (password)\n"
        "    RFC 1738 6: port 6379 is another service's (redis): a harmless request may be a damaging command there "
        "(other-service)\n"
    )
    assert "s3cr3t" not in result.stdout


def test_a_name_is_not_looked_up_and_the_verdict_says_so() -> None:
    lines = run("explain", "--policy", "untrusted", "http://host.example/").stdout.splitlines()[-2:]
    assert lines == [
        "policy untrusted: allowed, as far as its text goes",
        "    every address of host.example is judged as well, when it is looked up",
    ]


def test_without_a_policy_there_is_no_verdict() -> None:
    assert records(run("explain", "--json", "http://h/"))[0]["verdict"] is None
    assert "policy" not in run("explain", "http://h/").stdout
    assert run("explain", "--allow-private", "http://h/").exit_code == 2
    assert run("explain", "--policy", "untrusted", "--allow-net", "10.0.0.0/99", "http://h/").exit_code == 2
    assert run("explain", "--policy", "default", "--allow-scheme", "a b", "http://h/").exit_code == 2
    assert run("explain", "--allow-scheme", "dict", "http://h/").exit_code == 2


def test_a_component_that_is_read_differently_is_shown_where_each_grammar_sees_the_password() -> None:
    (told,) = records(run("explain", "--json", "http://u:pw@h/a/../b"))
    (difference,) = told["differences"]
    assert (difference["component"], difference["values"]) == ("path", {"current": "/a/../b", "browser": "/b"})
    assert "pw" not in str(told)
