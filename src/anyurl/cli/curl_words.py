"""The spellings of curl: copied command lines run, or fail with the word to use.

Rule: an option for anyurl's default behaviour is accepted; one with an equivalent is translated; every other one is
refused, and the message names an alternative. None means something else than in curl: `--json` and `--parallel`, which
do, say so where a value follows that would be curl's.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence

from anyurl.cli.arguments import Parameter, Subcommand, UsageError, split
from anyurl.cli.command_table import COMMANDS, load

READERS = ("get", "ls", "stat", "search", "mirror", "put", "append")
"""The commands that take them."""

DEFAULTS = {
    "-L": "--location", "-s": "--silent", "-S": "--show-error", "-f": "--fail", "-g": "--globoff", "-n": "--netrc",
    "-R": "--remote-time", "-#": "--progress-bar", "-q": "--disable", "-N": "--no-buffer", "-1": "--tlsv1",
    "": "--compressed --http2 --no-progress-meter --anyauth --netrc-optional --tcp-nodelay --tlsv1.0 --tlsv1.1 "
        "--tlsv1.2 --proxy-anyauth --styled-output --ftp-pasv --ftp-skip-pasv-ip --disable-epsv --path-as-is "
        "--remove-on-error --retry-connrefused",
}  # fmt: skip
"""Options for what anyurl does anyway: it follows redirects, fails on errors, shows no progress in a pipe ..."""

Mapped = Callable[[str], list[str]]

MAPPED: dict[str, Mapped] = {
    "-m --max-time": lambda value: ["--timeout", value],
    "-x": lambda value: ["--proxy", value],
    "--noproxy": lambda value: ["--no-proxy", value],
    "--max-filesize": lambda value: ["--max-bytes", value],
    "-e --referer": lambda value: ["-H", f"Referer: {value}"],
    "-r --range": lambda value: ["-H", f"Range: bytes={value}"],
    "-z --time-cond": lambda value: _since(value),
    "--oauth2-bearer": lambda _: _refuse("--oauth2-bearer", "use --bearer-file FILE or --bearer-variable NAME"),
    "--data-binary --data-ascii": lambda value: ["--data", value],
    "--data-raw": lambda value: _refuse("--data-raw", "use --data") if value.startswith("@") else ["--data", value],
    "--url": lambda value: [value],
    "-u": lambda value: _user(value),
    "-b --cookie": lambda value: ["-H", f"Cookie: {value}"] if "=" in value else ["--cookie-jar", value],
    "-c": lambda value: ["--cookie-jar", value],
    "-C --continue-at": lambda value: ["--continue"] if value == "-" else _refuse("-C OFFSET", "use --continue"),
    "-T --upload-file": lambda _: _refuse("-T", "use anyurl put URL FILE"),
}  # fmt: skip
"""Options with a value, and their equivalents."""

REFUSED = {
    "-a --append": "use anyurl append URL FILE",
    "-I --head": "use anyurl stat URL",
    "-i --include": "use -v, which shows the head", "-D --dump-header": "use -v, which shows the head",
    "-k --insecure": "use --cacert FILE for an authority of your own, or --pins FILE",
    "-G --get": "use --query NAME=VALUE", "--data-urlencode": "use --query NAME=VALUE, or -F NAME=VALUE",
    "-w --write-out": "use --json, which writes one object for each result",
    "--connect-timeout": "use --timeout SECONDS, for all of it", "-y --speed-time": "use --timeout SECONDS",
    "-Y --speed-limit": "use --timeout SECONDS", "-K --config": "use the settings file (docs/cli.md)",
    "-4 --ipv4": "both families are tried; --resolve HOST:PORT:ADDRESS chooses",
    "-6 --ipv6": "both families are tried; --resolve HOST:PORT:ADDRESS chooses",
    "-0 --http1.0": "the server chooses the version", "--http1.1": "the server chooses the version",
    "--unix-socket": "use a proxy (--proxy)", "--abstract-unix-socket": "use a proxy (--proxy)",
    "--max-redirs": "the policy limits the redirects",
    "--location-trusted": "use -H, for the URL that you name",
    "-l --list-only": "use anyurl ls URL", "-Q --quote": "use anyurl put or append",
    "-P --ftp-port": "data connections are always passive",
    "-Z": "use --parallel COUNT", "--fail-with-body": "use --json, which has the answer",
    "--retry-all-errors": "use --retry TIMES",
    "--retry-max-time": "use --timeout SECONDS, for all of it",
    "--retry-delay": "use --retry TIMES, which waits as the server wishes",
    "--key": "use --cert FILE, with the key in it",
    "--tlsv1.3": "leave it out: TLS 1.3 is used with each server that has it, and 1.2 with others",
    "--capath": "use --cacert FILE", "--parallel-max": "use --parallel COUNT",
    "-: --next": "use one command for each request", "--stderr": "use 2> FILE",
    "--trace --trace-ascii": "use -v", "--form-string": "use -F NAME=VALUE",
    "--socks4 --socks4a": "use --proxy socks5://HOST", "-p --proxytunnel": "leave it out: https goes through a tunnel",
    "--doh-url --dns-servers": "use --resolve HOST:PORT:ADDRESS; the system looks names up",
    "--ntlm --negotiate": "leave it out: Basic and Digest are used, as the server asks",
    "--ssl": "write ftps:// or https:// into the URL",
    "--ssl-reqd": "write ftps:// or https:// into the URL", "--pinnedpubkey": "use --pins FILE",
    "--interface": "the system's routes choose; use --zone NAME for link-local addresses",
    "--preproxy": "one proxy is used (--proxy)", "--socks5": "use --proxy socks5://HOST",
    "--socks5-hostname": "use --proxy socks5h://HOST", "--connect-to": "use --resolve HOST:PORT:ADDRESS",
    "--remote-name-all": "use --output-dir FOLDER", "--netrc-file": "use --password-file FILE",
    "-B --use-ascii": "write ;type=a at the end of an ftp URL",
    "-U --proxy-user": "use --proxy http://USER@HOST", "-M --manual": "use anyurl get --help",
}  # fmt: skip
"""Options that are not taken, and what to use, or why there is nothing to use, as a clause."""

REMOVES = "--remove-on-error"
"""The default, but for ``--continue``; curl 8, too, takes one of the two."""

ONLY_TLS = "--proto", "--proto-redir"
"""Options for the schemes that are allowed. ``=https`` is the default for a URL of https: no redirect leads from it to
a connection without TLS, unless the policy allows that."""

NEVER_CLEAR = "default", "untrusted"
"""The policies by which no hop leads from TLS to a connection without."""


def _refuse(name: str, use: str) -> list[str]:
    raise UsageError(f"The option {name} of curl is not taken: {use}.")


def _since(value: str) -> list[str]:
    """The condition of curl's ``-z``: a date in one of two forms, or that of a file."""
    from anyurl.dates import parse_date, timestamp
    from anyurl.schemes.http.fields import format_date

    seconds = parse_date(value)
    if seconds is None and (day := _DAY.fullmatch(value)):
        seconds = timestamp(*map(int, day.groups()))
    if seconds is None:
        with contextlib.suppress(OSError, ValueError):
            seconds = os.stat(value).st_mtime
    date = None if seconds is None else format_date(seconds)
    if date is None:
        raise UsageError(
            f"-z takes a date or the name of a file here: {value!r} is neither; 2026-01-31 would be a date."
        )
    return ["-H", f"If-Modified-Since: {date}"]


_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)")


def _user(value: str) -> list[str]:
    if ":" in value:
        raise UsageError(
            "A password after -u would be visible to others: use --user USER, which asks for it, --password-file, "
            "--password-variable or .netrc."
        )
    return ["--user", value]


def translated(words: Sequence[str]) -> Sequence[str]:
    """The words of a command line with those of curl replaced.

    Raises:
        UsageError: An option of curl is not taken; the sentence names what to use.
    """
    if not words or words[0] not in COMMANDS or words[0] not in READERS:
        return words
    command = load(words[0])
    own = {name: parameter for parameter in command.parameters for name in parameter.names}
    arguments = [parameter for parameter in command.parameters if not parameter.names]
    only_tls: list[str] = []
    try:
        ours = list(_replaced(words[1:], own, has_words=arguments[-1].dest == "words", only_tls=only_tls))
        if only_tls:
            _check_tls(only_tls[0], command, ours, arguments[0])
        if REMOVES in words and words[0] == "get" and "--continue" in ours:
            _refuse(REMOVES, "--continue keeps what has come, to resume it; leave one of them out")
        return [words[0], *ours]
    except UsageError as error:
        error.command = words[0]
        raise


def _table(rows: dict[str, str]) -> dict[str, str]:
    return {name: use for names, use in rows.items() for name in names.split()}


def _replaced(
    words: Sequence[str], own: dict[str, Parameter], *, has_words: bool, only_tls: list[str]
) -> Iterator[str]:
    """The words in the spelling of anyurl.

    Args:
        has_words: The command takes words, so a number after a hyphen is not the option that it is to curl.
        only_tls: The options of `ONLY_TLS` that are found are added to it.
    """
    taken = {*DEFAULTS, *" ".join(DEFAULTS.values()).split()} - {""}
    mapped = {name: become for names, become in MAPPED.items() for name in names.split()}
    refused = _table(REFUSED)
    ahead = list(reversed(words))
    while ahead:
        word = ahead.pop()
        if word == "--":
            yield word
            yield from reversed(ahead)
            return
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if has_words and word[:1] == "-" and word[1:].isdigit():
            yield word
            continue
        if name == "-n" and name in own and not (ahead and ahead[-1].isdigit()):
            continue  # curl's --netrc, which is read anyway
        if name in own:
            yield word
            following = ahead[-1] if ahead else ""
            _check_meaning(name, following)
            if not own[name].is_flag and not equals and ahead:
                yield ahead.pop()
        elif name in taken:
            continue
        elif name in ONLY_TLS:
            if (value if equals else _next(name, ahead)) != "=https":
                _refuse(name, _USE_HTTPS)
            only_tls.append(name)
        elif name in mapped:
            yield from mapped[name](value if equals else _next(name, ahead))
        elif name in refused:
            _refuse(name, refused[name])
        elif word[:1] == "-" and word[1:2] not in ("-", "") and len(word) > 2:
            ahead += reversed(_apart(word, own, mapped))
        else:
            yield word


_USE_HTTPS = "leave it out, and write https:// into the URL; no redirect leads from https to http"


def _check_tls(name: str, command: Subcommand, translation: Sequence[str], argument: Parameter) -> None:
    """Refuse the choice of https, unless each URL has it, and no hop leads elsewhere.

    Args:
        translation: The words after the command's name, in the spelling of anyurl.
        argument: The argument that is the URL, or all of them.
    """
    from anyurl.cli.config import as_defaults, read_config

    given = split(command, translation) or {}
    urls = given.get(argument.dest)
    if given.get("source") or not urls or not all(url.lower().startswith("https://") for url in urls):
        _refuse(name, _USE_HTTPS)
    policy = given.get("policy", [as_defaults(read_config()).get("policy", NEVER_CLEAR[0])])[-1]
    if policy not in NEVER_CLEAR:
        _refuse(name, f"with the policy {policy!r} a redirect may lead from https to http")


def _next(name: str, ahead: list[str]) -> str:
    if not ahead:
        raise UsageError(f"Option {name!r} requires an argument.")
    return ahead.pop()


def _apart(word: str, own: dict[str, Parameter], mapped: dict[str, Mapped]) -> list[str]:
    """The options of a cluster, ``-fsSLo``; the rest after one that has a value is the value."""
    found = []
    for at, letter in enumerate(word[1:], 1):
        name = f"-{letter}"
        found.append(name)
        takes_value = name in mapped or (name in own and not own[name].is_flag)
        if takes_value:
            return [*found, word[at + 1 :]] if word[at + 1 :] else found
    return found


def _check_meaning(name: str, following: str) -> None:
    """Refuse curl's use of the two options that mean something else here."""
    if name == "--json" and following[:1] in ("{", "[", '"', "@"):
        raise UsageError("JSON output is what --json selects here, without a value: --json-data JSON is curl's --json.")
    if name == "--parallel" and not following.isdigit():
        raise UsageError("A number must follow --parallel here: --parallel COUNT, the most transfers at the same time.")
