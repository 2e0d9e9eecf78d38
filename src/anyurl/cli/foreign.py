"""Schemes with a host that anyurl does not speak (tn3270, nfs, z39.50r ...): described, and handed to a program.

Rule: the user names the program, the URL never does. Without one it says what the URL designates, and how to name one.
"""

from __future__ import annotations

from anyurl._typing import TYPE_CHECKING
from anyurl.cli import exits
from anyurl.cli.arguments import UsageError
from anyurl.cli.config import PROGRAMS
from anyurl.cli.console import Console
from anyurl.errors import ConnectionLost, UnsupportedError
from anyurl.reasons import reason_of
from anyurl.schemes import registry

if TYPE_CHECKING:
    from anyurl.cli.settings import Settings
    from anyurl.net.programs import Program
    from anyurl.url import URL

EXAMPLES = {
    "tn3270": "x3270 {host}:{port}",
    "rlogin": "rlogin -p {port} {host}",
    "nfs": "nfs-cat nfs://{host}/{path}",  # of libnfs
    "z39.50r": "yaz-client {host}:{port}/{path}",  # of YAZ
    "z39.50s": "yaz-client {host}:{port}/{path}",
}
"""For some schemes a program that speaks it; it may be any that has a host."""


def program_for(console: Console, settings: Settings, url: URL, line: str | None) -> str | None:
    """The program that has to do it; "" for one that is not named, and None where none has to.

    None has to where anyurl speaks the scheme, a gateway does it instead, or there is no host to lead a program to.

    Args:
        line: The program and its arguments, as `--program` has them, or None: the file of settings names it then.
    """
    if url.scheme in registry.spoken() or not url.host or url.port is None:
        return None
    if settings.gateways().lead(url, "get", settings.policy()) is not None:
        return None
    line = line or console.settings.get(PROGRAMS, {}).get(url.scheme)
    return line or ("" if url.scheme in EXAMPLES else None)


def get(console: Console, settings: Settings, url: URL, line: str) -> int:
    """Hand the URL to the program.

    Args:
        line: The program and its arguments, or "".

    Raises:
        UnsupportedError: No program is named.
        RefusedError: The policy refuses the service.
        LocalFileError: The program can't be run.
        ConnectionLost: It ended with another code than 0.
    """
    settings.policy().judge_url(url, settings.origin).check()
    if not line:
        from anyurl.schemes.known import MEANINGS

        example = EXAMPLES[url.scheme]
        raise UnsupportedError(
            f"{url.masked} is a URL of {MEANINGS[url.scheme]}, which anyurl does not speak; --program "
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
        raise UsageError("--program: a quote is not closed, or nothing follows the last backslash.") from None
    try:
        return Program(words)
    except ValueError as error:
        raise UsageError(f"--program: {reason_of(error)}.") from None
