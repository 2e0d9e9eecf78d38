"""``--user`` and its companions: the login at the origin of the URL on the command line.

Rule: no password is on the command line, where the process list would show it: the user is prompted, or it is read from
.netrc, a file or an environment variable.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from anyurl.cli.arguments import Parameter, UsageError
from anyurl.url.syntax import WEB

if TYPE_CHECKING:
    from anyurl.dialogue import Secret
    from anyurl.dialogue.logins import Login, LoginKind
    from anyurl.url import URL

LOGIN_OPTIONS = (
    Parameter("--user", metavar="NAME", help="Log in to the http server of URL when it asks: with Digest, or Basic."),
    Parameter("--password-file", metavar="FILE", help="Read the password of --user from FILE."),
    Parameter(
        "--password-variable", metavar="NAME", help="Read the password of --user from this environment variable."
    ),
    Parameter(
        "--basic", is_flag=True, help="Send user and password immediately as Basic, without waiting for a challenge."
    ),
    Parameter("--digest", is_flag=True, help="Answer with Digest only: the password never leaves this machine."),
    Parameter("--bearer-file", metavar="FILE", help="Send the token in FILE to the http server of URL."),
    Parameter("--bearer-variable", metavar="NAME", help="Read the token from this environment variable."),
)


def logins(values: dict[str, Any], urls: Iterable[URL]) -> dict[str, Login] | None:
    """The login that the options describe, by the origin of these URLs; None without one.

    Args:
        values: The values of `LOGIN_OPTIONS` by parameter name.

    Raises:
        UsageError: They can't be combined, or do not fit the URLs.
        LocalFileError: A secret can't be read.
    """
    given = [option.names[0] for option in LOGIN_OPTIONS if values[option.dest]]
    if not given:
        return None
    urls = list(urls)
    origins = {url.origin for url in urls if url.scheme in WEB}
    if len(origins) != 1 or any(url.scheme not in WEB for url in urls):
        raise UsageError(
            f"{given[0]} is about the server of one http or https URL (or several of one server); for other schemes "
            "the user is part of the URL, as in ftp://user@host/x."
        )
    return {str(origins.pop()): _login(values, given)}


def _login(values: dict[str, Any], given: list[str]) -> Login:
    from anyurl.dialogue.logins import Login

    user = values["user"]
    bearer = [name for name in given if name.startswith("--bearer")]
    if bearer:
        if len(given) > 1:
            raise UsageError(
                f"{bearer[0]} is a complete login: {' and '.join(set(given) - {bearer[0]})} can't be combined with it."
            )
        token = _secret(values["bearer_file"], values["bearer_variable"])
        assert token is not None
        return Login.bearer(token)
    if not user:
        raise UsageError(f"{given[0]} belongs to a --user NAME.")
    if ":" in user:
        raise UsageError(
            "--user takes no password: the process list would show it. It is asked for, or read from .netrc, from "
            "--password-file FILE or from --password-variable NAME."
        )
    if (values["basic"] and values["digest"]) or (values["password_file"] and values["password_variable"]):
        raise UsageError("--basic and --digest exclude each other, and only one source of the password can be given.")
    kind: LoginKind = "basic" if values["basic"] else "digest" if values["digest"] else "any"
    return Login(user, _secret(values["password_file"], values["password_variable"]), kind=kind)


def _secret(file: str | None, variable: str | None) -> Secret | None:
    from anyurl.client.secrets import SecretFile, SecretVariable
    from anyurl.dialogue import Secret

    if file:
        return Secret(SecretFile(file).reveal())  # now, since it may be a pipe, which can be read only once
    return Secret(SecretVariable(variable).reveal()) if variable else None
