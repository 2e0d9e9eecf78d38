"""The spellings of curl: lines copied from elsewhere run, or are told the word to use.

Rule: an option that is what anyurl does anyway is taken; one with an equivalent becomes it; every other one is refused,
and the sentence names what to use. None means something else than in curl: `--json` and `--parallel`, which do, say so
where a value follows that would be curl's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from anyurl.cli.arguments import Parameter, UsageError
from anyurl.cli.command_table import COMMANDS, load

READERS = ("get", "ls", "stat", "search", "mirror", "put", "append")
"""The commands that take them."""

DEFAULTS = {
    "-L": "--location", "-s": "--silent", "-S": "--show-error", "-f": "--fail", "-g": "--globoff", "-n": "--netrc",
    "-R": "--remote-time", "-#": "--progress-bar", "-q": "--disable", "-N": "--no-buffer",
    "": "--compressed --http2 --no-progress-meter --anyauth --netrc-optional --tcp-nodelay --tlsv1.2 "
        "--proto-redir --proxy-anyauth --styled-output --ssl-reqd --ftp-pasv --ftp-skip-pasv-ip --disable-epsv",
}  # fmt: skip
"""What anyurl does anyway: it follows redirects, fails on errors, shows no progress in a pipe ..."""

Mapped = Callable[[str], list[str]]

MAPPED: dict[str, Mapped] = {
    "-m --max-time": lambda value: ["--timeout", value],
    "-x --preproxy": lambda value: ["--proxy", value],
    "--noproxy": lambda value: ["--no-proxy", value],
    "--max-filesize": lambda value: ["--max-bytes", value],
    "-e --referer": lambda value: ["-H", f"Referer: {value}"],
    "-r --range": lambda value: ["-H", f"Range: bytes={value}"],
    "-z --time-cond": lambda value: ["-H", f"If-Modified-Since: {value}"],
    "--oauth2-bearer": lambda _: _refuse("--oauth2-bearer", "--bearer-file FILE or --bearer-variable NAME"),
    "--data-binary --data-ascii": lambda value: ["--data", value],
    "--data-raw": lambda value: _refuse("--data-raw", "--data") if value.startswith("@") else ["--data", value],
    "--url": lambda value: [value],
    "-u": lambda value: _user(value),
    "-b --cookie": lambda value: ["-H", f"Cookie: {value}"] if "=" in value else ["--cookie-jar", value],
    "-c": lambda value: ["--cookie-jar", value],
    "-C --continue-at": lambda value: ["--continue"] if value == "-" else _refuse("-C OFFSET", "--continue"),
    "--interface": lambda value: ["--zone", value] if value[:2] != "if" else _refuse("--interface", "--zone NAME"),
    "-T --upload-file": lambda _: _refuse("-T", "anyurl put URL FILE"),
}  # fmt: skip
"""Options with a value, and what they become."""

FLAGS_MAPPED = {"-a --append": "anyurl append URL FILE"}

REFUSED = {
    "-I --head": "anyurl stat URL",
    "-i --include": "-v, which shows the head", "-D --dump-header": "-v, which shows the head",
    "-k --insecure": "--cacert FILE for an authority of your own, or --pins FILE",
    "-G --get": "--query NAME=VALUE", "--data-urlencode": "--query NAME=VALUE, or -F NAME=VALUE",
    "-w --write-out": "--json, one object for each result",
    "--connect-timeout": "--timeout SECONDS, for all of it", "-y --speed-time": "--timeout SECONDS",
    "-Y --speed-limit": "--timeout SECONDS", "-K --config": "the settings file, see docs/cli.md",
    "-4 --ipv4": "an address in the URL; both are tried", "-6 --ipv6": "an address in the URL; both are tried",
    "-0 --http1.0": "no option (the server chooses)", "--http1.1": "no option (the server chooses)",
    "--unix-socket": "a proxy (--proxy)", "--abstract-unix-socket": "a proxy (--proxy)",
    "--max-redirs": "the policy's limit of redirects", "--location-trusted": "-H, for the URL that you name",
    "-l --list-only": "anyurl ls URL", "-Q --quote": "anyurl put or append",
    "-P --ftp-port": "no option (data connections are passive)",
    "-Z": "--parallel COUNT", "--fail-with-body": "--json, which has the answer", "--retry-all-errors": "--retry TIMES",
    "--retry-delay": "--retry TIMES, which waits as the server wishes", "--key": "--cert FILE, with the key in it",
    "-U --proxy-user": "--proxy http://USER@HOST", "-M --manual": "anyurl get --help",
}  # fmt: skip
"""Options that are not taken, and what to use."""

WITH_VALUE = frozenset((
    "-D", "-w", "-y", "-Y", "-K", "-Q", "-P", "-U", "--connect-timeout", "--max-redirs", "--data-urlencode", "--key",
))  # fmt: skip


def _refuse(name: str, use: str) -> list[str]:
    raise UsageError(f"Use {use} in place of curl's {name}, which is not taken.")


def _user(value: str) -> list[str]:
    if ":" in value:
        raise UsageError(
            "The password behind -u would be seen by others: use --user USER, which asks for it, --password-file, "
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
    try:
        return [words[0], *_replaced(words[1:], own)]
    except UsageError as error:
        error.command = words[0]
        raise


def _table(rows: dict[str, str]) -> dict[str, str]:
    return {name: use for names, use in rows.items() for name in names.split()}


def _replaced(words: Sequence[str], own: dict[str, Parameter]) -> Iterator[str]:
    taken = {*DEFAULTS, *" ".join(DEFAULTS.values()).split()} - {""}
    mapped = {name: become for names, become in MAPPED.items() for name in names.split()}
    refused = {**_table(REFUSED), **_table(FLAGS_MAPPED)}
    ahead = list(reversed(words))
    while ahead:
        word = ahead.pop()
        if word == "--":
            yield word
            yield from reversed(ahead)
            return
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
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
        elif name in mapped:
            yield from mapped[name](value if equals else _next(name, ahead))
        elif name in refused:
            _refuse(name, refused[name])
        elif word[:1] == "-" and word[1:2] not in ("-", "") and len(word) > 2:
            ahead += reversed(_apart(word, own, mapped))
        else:
            yield word


def _next(name: str, ahead: list[str]) -> str:
    if not ahead:
        raise UsageError(f"Option {name!r} requires an argument.")
    return ahead.pop()


def _apart(word: str, own: dict[str, Parameter], mapped: dict[str, Mapped]) -> list[str]:
    """The options of a cluster, ``-fsSLo``; the rest behind one that has a value is the value."""
    found = []
    for at, letter in enumerate(word[1:], 1):
        name = f"-{letter}"
        found.append(name)
        takes_value = name in mapped or name in WITH_VALUE or (name in own and not own[name].is_flag)
        if takes_value:
            return [*found, word[at + 1 :]] if word[at + 1 :] else found
    return found


def _check_meaning(name: str, following: str) -> None:
    """Refuse curl's use of the two options that mean something else here."""
    if name == "--json" and following[:1] in ("{", "[", '"', "@"):
        raise UsageError("JSON output is what --json selects here, without a value: --json-data JSON is curl's --json.")
    if name == "--parallel" and not following.isdigit():
        raise UsageError("A number must follow --parallel here: --parallel COUNT, the most transfers at the same time.")
