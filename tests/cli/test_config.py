"""The file of settings: what it sets, who wins, and what is no such file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyurl.cli.arguments import UsageError
from anyurl.cli.config import SETTINGS, as_defaults, config_path, read_config, understood
from anyurl.errors import LocalFileError
from tests.cli.runner import records, run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.touch(mode=0o600)
    return path


def settings(path: Path, text: str) -> dict[str, str]:
    path.write_text(text, encoding="utf-8")
    return {"ANYURL_CONFIG": str(path)}


def test_every_setting_is_an_option(file: Path) -> None:
    text = "".join(f'{name} = "x"\n' for name in SETTINGS if name != "timeout")
    settings(file, text + "timeout = 2.5\n")
    found = read_config(str(file))
    assert sorted(found) == sorted(SETTINGS)
    assert as_defaults(found)["mail_from"] == "x"
    assert as_defaults(found)["timeout"] == "2.5"


def test_the_file_the_environment_and_the_command_line_in_this_order(file: Path) -> None:
    env = settings(file, 'policy = "untrusted"\nidentity = "file@x"\n')
    assert run("get", "--explain", "file:///etc/hostname", env=env).exit_code == 5
    assert run("get", "--explain", "file:///etc/hostname", "--policy", "default", env=env).exit_code == 0
    url = "ftp://host.example/x"
    assert "file@x" in run("get", "--explain", url, env=env).stdout
    assert "env@x" in run("get", "--explain", url, env={**env, "ANYURL_IDENTITY": "env@x"}).stdout
    assert "line@x" in run("get", "--explain", url, "--identity", "line@x", env=env).stdout


def test_explain_judges_by_a_policy_only_when_it_is_asked_to(file: Path) -> None:
    env = settings(file, 'policy = "untrusted"\n')
    assert records(run("explain", "--json", "http://10.0.0.1/", env=env))[0]["verdict"] is None


def test_gateways_of_the_file_and_of_the_command_line(file: Path) -> None:
    env = settings(file, '[gateways]\ndoi = "https://doi.org/{path}"\nark = "https://n2t.net/{url}"\n')
    rows = {row["scheme"]: row for row in records(run("schemes", "--json", env=env))}
    assert (rows["doi"]["gateway"], rows["doi"]["verbs"]) == ("https://doi.org/{path}", ["get", "stat"])
    assert rows["ark"]["gateway"] == "https://n2t.net/{url}"
    assert rows["ftp"]["gateway"] is None
    assert "through https://doi.org/{path}" in run("schemes", env=env).stdout
    mine = ("--gateway", "doi=https://dx.example/{path}")
    rows = {row["scheme"]: row for row in records(run("schemes", "--json", *mine, env=env))}
    assert rows["doi"]["gateway"] == "https://dx.example/{path}"
    steps = [row["step"] for row in records(run("get", "--explain", "--json", *mine, "doi:10.1/a", env=env))]
    assert steps[0] == "go on at https://dx.example/10.1/a (gateway)"
    assert run("get", "--explain", "--policy", "untrusted", "doi:10.1/a", env=env).exit_code == 0


@pytest.mark.parametrize(
    "gateway", ["doi", "doi=", "doi=ftp://h/{path}", "http=https://h/{path}", "=https://h/{url}x y"]
)
def test_what_is_no_gateway_is_an_error_of_usage(gateway: str) -> None:
    result = run("schemes", "--gateway", gateway)
    assert result.exit_code == 2
    assert "gateway" in result.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no toml", "not a settings file"),
        ("a" * 100 + " = 1", "there is no setting"),
        ('"\\u001b[31m" = 1', "there is no setting '\\x1b[31m'"),
        ("explain = true", "there is no setting 'explain'"),  # what a command does is not to be changed by a file
        ("policy = true", "policy must be a text or a number."),
        ("policy = [1]", "policy must be a text or a number."),
        ("gateways = 1", "gateways must be a table"),
        ("[programs]\ntn3270 = ['x3270']", "programs must be a table of command lines"),
        ("[gateways]\ndoi = 1", "gateways must be a table"),
        ("[gateways.doi]\nx = 'y'", "gateways must be a table"),
        ('[gateways]\ndoi = "ftp://h/{path}"', "no gateway for 'doi'"),
        ('policy = "none"', "'none' is not one of"),
        ('timeout = "x"', "not a time to wait"),
        ("x = " + "[" * 10_000, "not a settings file"),
    ],
)
def test_what_is_no_file_of_settings(file: Path, text: str, says: str) -> None:
    result = run("get", "--explain", "http://h/", env=settings(file, text))
    assert result.exit_code == 2, result.stderr
    assert says in result.stderr.splitlines()[0]


def test_help_needs_no_settings(file: Path) -> None:
    env = settings(file, "no toml")
    for asked in (["get", "--help"], ["find", "-h"]):
        assert run(*asked, env=env).stdout == run(*asked).stdout != ""
    assert run("get", "file:///etc/hostname", "--", "--help", env=env).exit_code == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('policy = "x"', "Invalid value for '--policy': 'x' is not one of"),
        ("timeout = -1", "Invalid value for '--timeout': '-1' is not a time to wait"),
        ('[gateways]\ndoi = "x"', "Invalid value for '--gateway': no gateway for 'doi'"),
        ('mail-server = "a b"', "Invalid value for '--mail-server': 'a b' is not a mail server"),
        ("news-server = 1.5", "Invalid value for '--news-server': '1.5' is not a news server"),
        ('mail-from = "me"', "Invalid value for '--mail-from': 'me' is not a mail address"),
    ],
)
def test_a_wrong_value_is_told_where_it_stands(file: Path, text: str, says: str) -> None:
    env = settings(file, text)
    result = run("get", "file:///etc/hostname", env=env)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"anyurl: {file}: {says}")
    typed = run("get", "--policy", "y", "file:///etc/hostname", env=env)
    assert typed.stderr.startswith("anyurl: Invalid value for '--policy': 'y'")


def test_a_wrong_value_of_a_variable_is_told_with_its_name() -> None:
    done = run("stat", "data:,x", env={"ANYURL_MAIL_SERVER": "a b"})
    assert (done.exit_code, done.stderr.startswith("anyurl: ANYURL_MAIL_SERVER: Invalid value")) == (2, True)
    assert run("get", env={"ANYURL_CONFIG": ""}).stderr.startswith("anyurl: Missing argument 'URL'.")


def test_a_file_that_others_may_write_or_that_is_no_file_is_refused(file: Path, tmp_path: Path) -> None:
    env = settings(file, 'policy = "open"\n')
    file.chmod(0o664)
    result = run("schemes", env=env)
    assert (result.exit_code, "others may write to it" in result.stderr) == (9, True)
    file.chmod(0o644)
    assert run("schemes", env=env).exit_code == 0
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo", tmp_path / "none", tmp_path / "config.toml" / "x"):
        assert run("schemes", env={"ANYURL_CONFIG": str(path)}).exit_code == 9, path
    with open(file, "wb") as large:
        large.truncate(2_000_000)
    with pytest.raises(LocalFileError, match="at most"):
        read_config(str(file))


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ANYURL_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_path() is None
    (tmp_path / "anyurl").mkdir()
    (tmp_path / "anyurl" / "config.toml").touch()
    assert config_path() == str(tmp_path / "anyurl" / "config.toml")
    monkeypatch.setenv("ANYURL_CONFIG", "")
    assert config_path() is None
    monkeypatch.delenv("ANYURL_CONFIG")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config_path() is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a." * 40_000, "line 1 has a key of more than 16 dots."),  # 19 seconds once
        ("'a'." * 40_000, "line 1 has a key of more than 16 dots."),
        ("timeout = 1\n[" + "a." * 20 + "a]\n", "line 2 has a key of more than 16 dots"),
        ("timeout = " + "9" * 5_000, "a number in it has too many digits"),  # more digits than Python reads
        ("timeout = 0x" + "f" * 5_000, "timeout is too large a number."),  # and than it writes
    ],
)
def test_keys_and_numbers_without_end_are_errors(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        understood(text.encode(), "config.toml")


def test_dots_in_texts_and_comments_are_no_keys() -> None:
    url = "https://a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.example/{path}"
    found = understood(f"[gateways]  # {'.' * 99}\nx = '{url}'\ny = \"{url}\"".encode(), "config.toml")
    assert found == {"gateways": {"x": url, "y": url}}
