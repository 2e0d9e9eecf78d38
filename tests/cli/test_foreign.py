"""URLs of schemes that anyurl does not speak: the program that the user names, and what is said without one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from anyurl.cli.foreign import EXAMPLES
from anyurl.schemes import registry
from anyurl.schemes.known import MEANINGS
from tests.cli.runner import call, run
from tests.rows import each_row


@each_row(
    ("args", "code", "says"),
    [
        (["tn3270://joe:sekret@h/"], 4, "does not support; --program 'x3270 {host}:{port}' passes it to a program"),
        (["tn3270://joe:sekret@h/"], 4, "tn3270://joe:***@h/ is a URL of interactive 3270 emulation sessions, which"),
        (["rlogin://h/"], 4, "sessions by remote login, which anyurl does not support; --program 'rlogin -p"),
        (["nfs://h/a"], 4, "of Network File System file names, which anyurl does not support; --program 'nfs-cat nfs://"),
        (["z39.50s://h/db"], 4, "--program 'yaz-client {host}:{port}/{path}' passes it to a program"),
        (["ssh://h/"], 4, "A gateway would reach it by http (--gateway 'ssh=https://gateway.example/{url}')"),
        (["afs://cell/x"], 4, "Andrew File System global file names; reserved by RFC 1738 4"),
        (["--policy", "untrusted", "tn3270://h/"], 5, "the scheme tn3270 is not one that the policy untrusted allows"),
        (["--program", "x", "tn3270://h/"], 2, "one argument needs {host}"),
        (["--program", "x '", "tn3270://h/"], 2, "--program: a quote is not closed"),
        (["--program", "/no/such {host}", "rlogin://127.0.0.1/"], 9, "The program '/no/such' can't be run"),
        (["--program", "false {host}", "rlogin://127.0.0.1/"], 7, "rlogin://127.0.0.1/ ended with code 1"),
        (["--program", "true {host} {user}", "rlogin://-x@127.0.0.1/"], 5, "would be an option to a program"),
        (["--program", "true {host} {path}", "nfs://127.0.0.1/-x"], 5, "would be an option to a program"),
        (["--program", "x {host}", "telnet://h/"], 2, "that anyurl does not support, not for telnet"),
        (["--program", "x {host}", "mailserver:x"], 2, "a scheme with a host that anyurl does not support"),
    ],
)  # fmt: skip
def test_sessions_of_other_kinds(args: list[str], code: int, says: str) -> None:
    result = run("get", *args)
    assert result.exit_code == code
    assert says in result.stderr
    assert "sekret" not in result.stderr


def test_a_program_is_told_the_approved_address(tmp_path: Path) -> None:
    code = "import sys; open(sys.argv[1], 'w').write(repr(sys.argv[2:]))"
    program = f'{sys.executable} -c "{code}" {tmp_path / "told"} {{host}} {{port}} {{user}} $(id) ";"'
    done = call("get", "--program", program, "rlogin://joe:sekret@127.0.0.1:5130/")
    assert (done.returncode, done.stderr) == (
        0, b"anyurl: note: rlogin://joe:***@127.0.0.1:5130/ advises a user and a password: it is yours to type\n",
    )  # fmt: skip
    assert (tmp_path / "told").read_text() == "['127.0.0.1', '5130', 'joe', '$(id)', ';']"


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("nfs://127.0.0.1/pub/a%20b?c", b"127.0.0.1 2049 pub/a%20b?c\n"),
        ("z39.50r://127.0.0.1:2100/db+other?doc;esn=F", b"127.0.0.1 2100 db+other?doc;esn=F\n"),
        ("z39.50s://127.0.0.1/db", b"127.0.0.1 210 db\n"),
        ("ssh://127.0.0.1/", b"127.0.0.1 22 \n"),
    ],
)
def test_what_else_is_handed_to_a_program(url: str, wanted: bytes) -> None:
    assert call("get", "--program", "echo {host} {port} {path}", url).stdout == wanted


def test_the_file_of_settings_names_programs(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[programs]\ntn3270 = "echo {host}:{port}"\n')
    env = {"ANYURL_CONFIG": str(config)}
    assert call("get", "tn3270://127.0.0.1/", env=env).stdout == b"127.0.0.1:23\n"
    assert run("get", "--explain", "tn3270://127.0.0.1/", env=env).stdout.splitlines() == [
        "look up the host, and judge each of its addresses", "run echo 192.0.2.1:23",
    ]  # fmt: skip


def test_each_example_is_a_program_for_a_scheme_that_is_known_and_not_spoken(tmp_path: Path) -> None:
    for scheme, line in EXAMPLES.items():
        assert scheme not in registry.spoken()
        result = run("get", f"{scheme}://h/x")
        assert result.exit_code == 4
        words = " ".join(result.stderr.split())
        assert f"is a URL of {MEANINGS[scheme]}, which anyurl does not support" in words
        assert f"--program '{line}' passes it to a program, and so does the table [programs]" in words
        result = run("get", "--explain", "--program", line, f"{scheme}://h:99/x")
        assert (result.exit_code, len(result.stdout.splitlines())) == (0, 2), result.output
        assert result.stdout.splitlines()[1].startswith(f"run {line.split()[0]} ")
        assert "192.0.2.1" in result.stdout


def test_the_command_line_goes_before_the_settings_and_a_gateway_before_both(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[programs]\ntn3270 = "echo settings {host}"\nssh = "echo ssh {host}"\n')
    env = {"ANYURL_CONFIG": str(config)}
    explained = run("get", "--explain", "--program", "echo own {host}", "tn3270://127.0.0.1/", env=env)
    assert explained.stdout.splitlines()[1] == "run echo own 192.0.2.1"
    assert run("get", "--explain", "ssh://h/", env=env).stdout.splitlines()[1] == "run echo ssh 192.0.2.1"
    led = run("get", "--explain", "--gateway", "ssh=https://gateway.example/{url}", "ssh://h/", env=env)
    assert led.exit_code == 0
    assert led.stdout.startswith("go on at https://gateway.example/")


@pytest.mark.parametrize(
    ("line", "words"),
    [("x \\", "a quote is not closed, or nothing follows the last backslash"), ('x "{host}', "a quote is not closed")],
)
def test_command_lines_that_are_none(line: str, words: str) -> None:
    result = run("get", "--program", line, "tn3270://h/")
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
