"""Sessions that anyurl does not speak, tn3270 and rlogin: described, and handed to a program that the user names.

Rule: the user names the program, the URL never does. Without one it says what the URL designates, and how to name one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.cli import exits
from anyurl.cli.arguments import UsageError
from anyurl.cli.config import PROGRAMS
from anyurl.cli.console import Console
from anyurl.errors import ConnectionLost, UnsupportedError
from anyurl.reasons import reason_of

if TYPE_CHECKING:
    from anyurl.cli.settings import Settings
    from anyurl.net.programs import Program
    from anyurl.url import URL

EXAMPLES = {"tn3270": "x3270 {host}:{port}", "rlogin": "rlogin -p {port} {host}"}
"""For each scheme a program that speaks it."""


def is_handed_over(settings: Settings, url: URL) -> bool:
    """Whether a program has to do it: anyurl does not speak the scheme, and no gateway is there to do it instead."""
    return url.scheme in EXAMPLES and settings.gateways().lead(url, "get", settings.policy()) is None


def get(console: Console, settings: Settings, url: URL, line: str | None) -> int:
    """Hand the URL to the program.

    Args:
        line: The program and its arguments, as `--program` has them, or None: the file of settings names it then.

    Raises:
        UnsupportedError: No program is named.
        RefusedError: The policy refuses the service.
        LocalFileError: The program can't be run.
        ConnectionLost: It ended with another code than 0.
    """
    settings.policy().judge_url(url, settings.origin).check()
    line = line or console.settings.get(PROGRAMS, {}).get(url.scheme)
    if not line:
        from anyurl.schemes.known import MEANINGS

        example = EXAMPLES[url.scheme]
        raise UnsupportedError(
            f"{url.masked} designates a service ({MEANINGS[url.scheme]}) that anyurl does not speak; --program "
            f"'{example}' hands it to a program, and so does the table [{PROGRAMS}] of the file of settings.",
            scheme=url.scheme,
            verb="get",
        )
    import shlex

    from anyurl.net import programs

    program = _program(line)

    if settings.explain:
        console.line("look up the host, and judge every address of it")
        console.line("run " + shlex.join(program.arguments(url, "192.0.2.1")))
        return exits.OK
    advice = " and ".join((["a user"] if url.user else []) + (["a password"] if url.password else []))
    if advice:
        console.say(f"note: {url.masked} advises {advice}: it is yours to type")
    from anyurl.access.client import scheduler_of

    with settings.client(console) as client:
        code = programs.run(scheduler_of(client), url, program)
    if code:
        raise ConnectionLost(f"The program for {url.masked} ended with code {code}.", stage="transfer")
    return exits.OK


def _program(line: str) -> Program:
    import shlex

    from anyurl.net.programs import Program

    try:
        words = shlex.split(line)
    except ValueError:
        raise UsageError("--program: a quote is not closed, or nothing stands behind the last backslash.") from None
    try:
        return Program(words)
    except ValueError as error:
        raise UsageError(f"--program: {reason_of(error)}.") from None
