"""URLs of unsupported schemes with a host (tn3270, nfs, z39.50r ...), which are passed to a program.

Rule: only the user names the program, never the URL. Without a program the error names the kind of resource, and how to
configure one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.cli import exits
from anyurl.cli.arguments import UsageError
from anyurl.cli.config import PROGRAMS
from anyurl.cli.terminal.console import Console
from anyurl.errors import ConnectionLost, UnsupportedError
from anyurl.errors.reasons import reason_of
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
"""Example programs for some schemes; any scheme with a host may have a program."""


def program_for(console: Console, settings: Settings, url: URL, line: str | None) -> str | None:
    """The command line of the program for a URL; "" if none is configured, and None if none is needed or known.

    None is needed if anyurl supports the scheme, a gateway is configured for it, or the URL has no host.

    Args:
        line: The value of `--program`, or None for that of the settings file.
    """
    if url.scheme in registry.spoken() or not url.host or url.port is None:
        return None
    if settings.gateways().lead(url, "get", settings.policy()) is not None:
        return None
    line = line or console.settings.get(PROGRAMS, {}).get(url.scheme)
    return line or ("" if url.scheme in EXAMPLES else None)


def get(console: Console, settings: Settings, url: URL, line: str) -> int:
    """Pass a URL to its program.

    Args:
        line: The program and its arguments, or "".

    Raises:
        UnsupportedError: No program is configured.
        RefusedError: The policy refuses the service.
        LocalFileError: The program can't be run.
        ConnectionLost: The program ended with a code other than 0.
    """
    settings.policy().judge_url(url, settings.origin).check()
    if not line:
        from anyurl.schemes.known import MEANINGS

        example = EXAMPLES[url.scheme]
        raise UnsupportedError(
            f"{url.masked} is a URL of {MEANINGS[url.scheme]}, which anyurl does not support; --program "
            f"'{example}' passes it to a program, and so does the table [{PROGRAMS}] of the settings file.",
            scheme=url.scheme,
            verb="get",
        )
    import shlex

    from anyurl.net import programs

    program = _program(line)

    if settings.explain:
        console.line("look up the host, and judge each of its addresses")
        console.line("run " + shlex.join(program.arguments(url, "192.0.2.1")))
        return exits.OK
    advice = " and ".join((["a user"] if url.user else []) + (["a password"] if url.password else []))
    if advice:
        console.say(f"note: {url.masked} advises {advice}: it is yours to type")
    from anyurl.client.client import scheduler_of

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
