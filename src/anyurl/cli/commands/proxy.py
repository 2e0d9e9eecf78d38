"""``anyurl proxy``: the guard as an egress proxy, of one program or of many (RFC 9110 3.7)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.commands.serve import tell_place
from anyurl.cli.options import json_option, plugin_option, to_seconds
from anyurl.cli.settings import fresh_policy_options
from anyurl.cli.terminal.console import Console
from anyurl.errors import LocalFileError, quoted
from anyurl.errors.reasons import reason_of
from anyurl.values import Scope

if TYPE_CHECKING:
    from anyurl.guard.policy import Policy
    from anyurl.proxy import EgressProxy, Roles
    from anyurl.proxy.journal import Journal, LogFile

NEAR = "127.0.0.1:0"

TOKEN_OCTETS = 16
"""Of the token of one program, which lives as long as it."""


@as_command("proxy")
@Parameter("--listen", metavar="HOST:PORT", default=NEAR, help="The address to listen on; port 0 is any free port.")
@Parameter("--roles", metavar="FILE", help="The file of roles (TOML); without it every client has the same policy.")
@Parameter("--everybody", is_flag=True, help="Serve other machines, too, without roles: anyone who can connect.")
@Parameter("--metrics", metavar="HOST:PORT", help="The address for /metrics (Prometheus) and /healthz.")
@Parameter("--log", metavar="FILE", help="The file for the line of each decision; the default is standard error.")
@Parameter("--log-required", is_flag=True, help="End when a line can't be written to --log; the exit code is 9.")
@Parameter("--report-only", is_flag=True, help="Refuse nothing, but log what would be refused; without --roles.")
@Parameter("--confine", is_flag=True, help="Cut COMMAND off from every network but this proxy (Linux).")
@Parameter(
    "--grace",
    metavar="SECONDS",
    default="10",
    convert=to_seconds,
    help="The time for open connections to finish when it is stopped.",
)
@fresh_policy_options
@plugin_option
@json_option
@Parameter("words", many=True, metavar="[-- COMMAND]...")
def command(
    console: Console,
    /,
    make_policy: Callable[[], Policy],
    listen: str,
    roles: str | None,
    everybody: bool,
    metrics: str | None,
    log: str | None,
    log_required: bool,
    report_only: bool,
    confine: bool,
    grace: float,
    words: tuple[str, ...],
) -> int:
    """Run the guard as a proxy for other programs.

    An HTTP proxy (CONNECT to port 443, http, and the other schemes served over http) and a SOCKS 5 proxy on one port,
    on this machine only by default. The target of each request is judged; a refusal is answered with 403 and the
    reason. Each decision is a line of JSON. SIGHUP reloads the roles and reopens the log; SIGTERM and Ctrl-C stop it.

    With COMMAND it serves this one program: with proxy variables and a token of its own, as long as it runs. Refusals
    are summarized at the end, and the exit code is the program's. With --confine the program reaches no IP address in
    any other way; its files, Unix sockets and processes are not confined.
    """
    options = _Egress(console, make_policy, roles, everybody, report_only, log, log_required)
    if words:
        if roles is not None or metrics is not None:
            raise UsageError("One program has one policy and no figures: COMMAND excludes --roles and --metrics.")
        return _run(options, words, _place(listen), confine)
    if confine:
        raise UsageError("--confine confines a program: it needs a COMMAND after --.")
    return _serve(options, [_place(one) for one in (listen, *([metrics] if metrics is not None else []))], grace)


class _Egress:
    """The configuration of the proxy, and the log that it writes.

    Attributes:
        code: The exit code.
    """

    def __init__(
        self,
        console: Console,
        make_policy: Callable[[], Policy],
        path: str | None,
        everybody: bool,
        report_only: bool,
        log: str | None,
        log_required: bool,
    ) -> None:
        if path is not None and report_only:
            raise UsageError("With --roles, report_only is set in the role.")
        if path is not None and make_policy() != _usual():
            raise UsageError("With --roles, a client has the policy of its role: no --policy, and no --allow-...")
        if log_required and log is None:
            raise UsageError("--log-required needs a --log FILE.")
        self.console = console
        self._make_policy = make_policy
        self.path = path
        self.everybody = everybody
        self.report_only = report_only
        self.code = exits.OK
        self._log_required = log_required
        self._name = log
        self._file: LogFile | None = None
        self._is_complained = False
        self._proxy: EgressProxy | None = None

    def check_place(self, address: str) -> None:
        """Raises UsageError if others than this machine would be served without a word that they may."""
        if self.path is None and not self.everybody and not _is_near(address):
            raise UsageError(
                f"At {address} other machines can connect, and without --roles all of them are served. "
                "--everybody allows that."
            )

    def roles(self, **of_everybody: Any) -> Roles:
        """The roles, read anew. Raises UsageError, LocalFileError.

        Args:
            of_everybody: Further arguments for the role without a file.
        """
        from anyurl.proxy.roles import everybody, read_roles

        if self.path is None:
            return everybody(self._make_policy(), report_only=self.report_only, **of_everybody)
        try:
            return read_roles(self.path)
        except ValueError as error:
            raise UsageError(reason_of(error)) from None

    def proxy(self, roles: Roles, *, quiet: bool = False) -> EgressProxy:
        """The proxy. Raises LocalFileError if its log can't be written.

        Args:
            quiet: Without a file, log nothing.
        """
        from anyurl.proxy import EgressProxy

        self._proxy = EgressProxy(roles, self._journal(quiet))
        return self._proxy

    def _journal(self, quiet: bool) -> Journal:
        from anyurl.proxy.journal import Journal, LogFile

        if self._name is None:
            return Journal((lambda line: None) if quiet else self.console.aside)
        try:
            self._file = LogFile(self._name)
        except OSError as error:
            raise LocalFileError(f"{self._name} can't be written: {reason_of(error)}.") from None
        return Journal(self._file.write, self._lose)

    def _lose(self, error: OSError) -> None:
        if self._is_complained:
            return
        self._is_complained = True
        what = "The proxy ends" if self._log_required else "Decisions are not logged until it can be"
        self.console.say(f"{self._name} can't be written: {reason_of(error)}. {what}.")
        if self._log_required and self._proxy is not None:
            self.code = exits.LOCAL_FILE
            self._proxy.end()

    def reload(self) -> None:
        """Reopen the log, and reload the roles or the policy; the current ones are kept if the file is invalid."""
        if self._file is not None:
            try:
                self._file.reopen()
                self._is_complained = False
            except OSError as error:
                self.console.say(f"{self._name} can't be opened again: {reason_of(error)}. The old file is used.")
        if self._proxy is not None:
            try:
                self._proxy.reload(self.roles())
            except (UsageError, LocalFileError) as error:
                self.console.say(f"The roles stay as they were. {error}")

    def close(self) -> None:
        """Close the log."""
        if self._file is not None:
            self._file.close()


def _usual() -> Policy:
    from anyurl.guard.options import from_options

    return from_options("untrusted")


def _serve(options: _Egress, places: list[tuple[str, int]], grace: float) -> int:
    """Serve everybody until a signal."""
    from anyurl.proxy import serve

    console = options.console

    def tell(at: list[tuple[str, int]]) -> None:
        options.check_place(at[0][0])
        shown: dict[str, str] = dict(zip(("proxy", "metrics"), map(_shown, at), strict=False))
        tell_place(console, shown)

    proxy = options.proxy(options.roles())
    try:
        serve(proxy, places, tell, options.reload, grace)
    except OSError as error:
        raise LocalFileError(f"Listening (--listen) failed: {reason_of(error)}.") from None
    finally:
        options.close()
    return options.code


def _run(options: _Egress, words: tuple[str, ...], place: tuple[str, int], confine: bool) -> int:
    """Serve one program until it ends."""
    import secrets

    from anyurl.proxy import child as children
    from anyurl.proxy.server import serve_child

    children.check(confine)
    # In the namespace of the program no other program can reach the listener, and not every program can log in to a
    # proxy.
    token = None if confine else secrets.token_urlsafe(TOKEN_OCTETS)
    proxy = options.proxy(options.roles(name="program", token=token), quiet=True)
    try:
        child = children.start(words, place, token, confined=confine)
        code = serve_child(proxy, child, confined=confine)
    except LocalFileError as error:
        if not error.errno:
            raise
        options.console.say(str(error))
        return children.exit_code(error)
    finally:
        options.close()
    _summarize(options.console, proxy.state.journal, report_only=options.report_only)
    return options.code or code


def _summarize(console: Console, journal: Journal, *, report_only: bool) -> None:
    """Print the refusals on standard error: standard output is the program's."""
    if console.json:
        for (method, url, code), times in journal.refused.most_common():
            record = {"method": method, "url": url, "code": code, "count": times, "refused": not report_only}
            console.aside(json.dumps(record, ensure_ascii=False))
        return
    count = sum(journal.refused.values())
    if not count:
        return
    requests = "request" if count == 1 else "requests"
    console.say(f"{count:,} {requests} {'would be' if report_only else 'were' if count > 1 else 'was'} refused:")
    for (method, url, code), times in journal.refused.most_common():
        console.aside(f"  {method} {url}: {code}{f', {times:,} times' if times > 1 else ''}")


def _is_near(address: str) -> bool:
    """Whether only this machine can connect to an address."""
    from anyurl.guard.addresses import forms

    return all(form.row.scope == Scope.LOCAL for form in forms(address)) and address not in ("0.0.0.0", "::")


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
