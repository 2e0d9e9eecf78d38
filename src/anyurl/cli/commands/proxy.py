"""``anyurl proxy``: the guard as an egress proxy for any program (RFC 9110 3.7)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.commands.serve import tell_place
from anyurl.cli.options import json_option, plugin_option, to_seconds
from anyurl.cli.terminal.console import Console
from anyurl.errors import LocalFileError, quoted
from anyurl.errors.reasons import reason_of

if TYPE_CHECKING:
    from anyurl.proxy import Roles


@as_command("proxy")
@Parameter(
    "--listen", metavar="HOST:PORT", default="127.0.0.1:0", help="The address to listen on; port 0 is any free port."
)
@Parameter("--roles", metavar="FILE", help="The file of roles (TOML); without it every client is untrusted.")
@Parameter("--metrics", metavar="HOST:PORT", help="The address for /metrics (Prometheus) and /healthz.")
@Parameter("--log", metavar="FILE", help="The file for the line of each decision; the default is standard error.")
@Parameter("--report-only", is_flag=True, help="Refuse nothing, but log what would be refused; without --roles.")
@Parameter(
    "--grace",
    metavar="SECONDS",
    default="10",
    convert=to_seconds,
    help="The time for open connections to finish when it is stopped.",
)
@plugin_option
@json_option
def command(
    console: Console,
    /,
    listen: str,
    roles: str | None,
    metrics: str | None,
    log: str | None,
    report_only: bool,
    grace: float,
) -> int:
    """Run the guard as a proxy for other programs.

    An HTTP proxy (CONNECT to port 443, http, and the other schemes served over http) and a SOCKS 5 proxy on one port,
    on this machine only by default. The target of each request is judged; a refusal is answered with 403 and the
    reason. Each decision is a line of JSON. SIGHUP reloads the roles; SIGTERM and Ctrl-C stop it.
    """
    from anyurl.proxy import EgressProxy, serve
    from anyurl.proxy.journal import Journal
    from anyurl.proxy.roles import everybody

    if report_only and roles is not None:
        raise UsageError("With --roles, report_only is set in the role.")
    known = everybody(report_only) if roles is None else _read(roles)
    places = [_place(one) for one in (listen, *([metrics] if metrics is not None else []))]
    try:
        out = None if log is None else open(log, "a", encoding="utf-8")  # noqa: SIM115  closed below
    except OSError as error:
        raise LocalFileError(f"{log} can't be written: {reason_of(error)}.") from None

    def note(line: str) -> None:
        if out is None:
            console.aside(line)
        else:
            with suppress(OSError):
                print(line, file=out, flush=True)

    def tell(at: list[tuple[str, int]]) -> None:
        shown: dict[str, str] = dict(zip(("proxy", "metrics"), map(_shown, at), strict=False))
        tell_place(console, shown)

    def reload() -> None:
        """Reload the roles; the current ones are kept if the file is invalid."""
        try:
            proxy.reload(_read(roles or ""))
        except (UsageError, LocalFileError) as error:
            console.say(f"The roles stay as they were. {error}")

    proxy = EgressProxy(known, Journal(note))
    try:
        serve(proxy, places, tell, None if roles is None else reload, grace)
    except OSError as error:
        raise LocalFileError(f"Listening (--listen) failed: {reason_of(error)}.") from None
    finally:
        if out is not None:
            out.close()
    return 0


def _read(path: str) -> Roles:
    from anyurl.proxy import read_roles

    try:
        return read_roles(path)
    except ValueError as error:
        raise UsageError(f"{reason_of(error)}.") from None


def _place(text: str) -> tuple[str, int]:
    from anyurl.url.host import parse_port

    host, _, digits = text.rpartition(":")
    port = parse_port(digits)
    if not host or port is None:
        raise UsageError(f"{quoted(text)} is not an address to listen on; 127.0.0.1:8080 or [::1]:0 would be.")
    return host.removeprefix("[").removesuffix("]"), port


def _shown(at: tuple[str, int]) -> str:
    host = f"[{at[0]}]" if ":" in at[0] else at[0]
    return f"http://{host}:{at[1]}"
