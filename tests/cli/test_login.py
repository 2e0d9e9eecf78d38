"""``--user`` and its companions: what they mean together, and what is no login."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyurl import URL, Login
from anyurl.cli.arguments import UsageError
from anyurl.cli.login import LOGIN_OPTIONS, logins
from anyurl.errors import LocalFileError

ONE = [URL("https://h.test/x")]


def told(**values: Any) -> dict[str, Any]:
    return {option.dest: None for option in LOGIN_OPTIONS} | values


@pytest.fixture
def word(tmp_path: Path) -> str:
    (tmp_path / "word").write_text("s3cret\n")
    return str(tmp_path / "word")


def test_each_login(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_WORD", "other")
    rows: list[tuple[dict[str, Any], Login | None]] = [
        ({}, None),
        ({"user": "joe"}, Login("joe")),
        ({"user": "joe", "password_file": word}, Login("joe", "s3cret")),
        ({"user": "joe", "password_variable": "MY_WORD"}, Login("joe", "other")),
        ({"user": "joe", "basic": True, "password_file": word}, Login.basic("joe", "s3cret")),
        ({"user": "joe", "digest": True}, Login.digest("joe")),
        ({"bearer_file": word}, Login.bearer("s3cret")),
        ({"bearer_variable": "MY_WORD"}, Login.bearer("other")),
    ]
    for values, login in rows:
        assert logins(told(**values), ONE) == (None if login is None else {"https://h.test": login})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"user": "joe:s3cret"}, "--user takes no password"),
        ({"password_file": "x"}, "--password-file belongs to a --user NAME"),
        ({"basic": True}, "--basic belongs to a --user NAME"),
        ({"user": "joe", "basic": True, "digest": True}, "--basic and --digest exclude each other"),
        ({"user": "joe", "password_file": "x", "password_variable": "y"}, "only one source of the password"),
        ({"user": "joe", "bearer_file": "x"}, "--bearer-file is a complete login: --user can't be combined with it"),
        ({"bearer_variable": "X", "bearer_file": "x"}, "can't be combined with it"),
    ],
)
def test_what_is_no_login(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        logins(told(**values), ONE)
    assert message in str(caught.value)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("urls", "allowed"),
    [
        (["https://h.test/x"], True),
        (["https://h.test/x", "https://h.test/y?z"], True),
        (["https://h.test/", "https://i.test/"], False),
        (["https://h.test/", "http://h.test/"], False),
        (["ftp://h.test/"], False),
        (["https://h.test/", "ftp://h.test/"], False),
        ([], False),
    ],
)
def test_a_login_is_for_one_server(urls: list[str], allowed: bool) -> None:
    given = told(user="joe")
    if allowed:
        assert logins(given, map(URL, urls)) == {"https://h.test": Login("joe")}
        return
    with pytest.raises(UsageError, match="--user is about the server of one http or https URL"):
        logins(given, map(URL, urls))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(LocalFileError, match="Reading /nowhere/word"):
        logins(told(user="joe", password_file="/nowhere/word"), ONE)
