"""The options of every command that accesses a resource, and the policy and the client made from them.

Rule: an option is defined once, so that it means the same in every command: those of the client in
`anyurl.client.options`, the others here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anyurl.cli.arguments import Convert, Parameter, UsageError
from anyurl.cli.config import GATEWAYS
from anyurl.cli.login import LOGIN_OPTIONS, logins
from anyurl.cli.options import came_from_option, json_option, plugin_option, to_octets, to_seconds
from anyurl.client.options import OPTIONS, Option

if TYPE_CHECKING:
    from anyurl.access import Client
    from anyurl.cli.terminal.console import Console
    from anyurl.client.gateways import Gateways
    from anyurl.dialogue import Options
    from anyurl.guard.policy import Policy
    from anyurl.url import URL
    from anyurl.values import Provenance


class Settings:
    """The shared options of one command line.

    Args:
        values: The values of `access_options` by parameter name.
    """

    __slots__ = ("came_from", "explain", "verbose", "_given", "_policy", "_at_once")

    def __init__(self, values: dict[str, Any]) -> None:
        self.came_from: URL | None = values["came_from"]
        self.explain: bool = values["explain"]
        self.verbose: bool = values["verbose"]
        self._at_once = 0
        self._given = {name: values[option.dest] for name, option in _CLIENT_OPTIONS.items()}
        self._given["auth"] = logins(values, values["urls"])
        self._policy = {
            "policy": values["policy"],
            "allow_ports": values["allow_port"],
            "allow_private": values["allow_private"],
            "allow_nets": values["allow_net"],
            "allow_schemes": values["allow_scheme"],
            "allow_proxies": values["allow_proxy"],
            "proxy_resolves": values["proxy_resolves"],
            **{name: self._given.pop(name) for name in ("timeout", "max_bytes")},
        }

    @property
    def allow_private(self) -> bool:
        """Whether --allow-private was given."""
        return bool(self._policy["allow_private"])

    @property
    def retries(self) -> int:
        """How often a transfer may be retried."""
        return int(self._given["retries"] or 0)

    @property
    def archives(self) -> bool:
        """Whether what comes is recorded in an archive: then every transfer begins at the beginning."""
        return self._given["warc"] is not None

    def archive_in(self, path: str) -> None:
        """Record what comes in this archive."""
        self._given["warc"] = path

    def be_patient(self, seconds: float) -> None:
        """Set the time limit of each transfer, unless the command line does."""
        if self._policy["timeout"] is None:
            self._policy["timeout"] = seconds

    def transfer_at_once(self, count: int) -> None:
        """Let the client have so many connections open, if its policy allows fewer."""
        self._at_once = count

    def policy(self) -> Policy:
        """The policy. Raises UsageError for an invalid network or port."""
        policy = _policy(**self._policy)
        if self._at_once <= policy.limits.open_connections:
            return policy
        return policy.replace(limits={"open_connections": self._at_once})

    def client(self, console: Console, *, yes: bool = False, **more: Any) -> Client:
        """A client that asks the person at this console for passwords, and before a message is sent.

        Args:
            yes: The person has already consented: the command line says what is sent, and where.
            more: Further arguments of the client.
        """
        from anyurl.access import Client, consent_to_all

        try:
            return Client(
                ask_consent=consent_to_all if yes else functools.partial(_consent, console),
                ask_secret=console.ask_secret,
                trace=console.aside if self.verbose else None,
                **{**self.arguments(), **more},
            )
        except ValueError as error:  # an invalid user agent
            raise UsageError(f"These options can't be used: {error}.") from None

    def arguments(self) -> dict[str, Any]:
        """The arguments of a client without its callbacks. Raises UsageError."""
        return {**self._given, "pins": self._given["pins"] or self._usual_pins(), "policy": self.policy()}

    @staticmethod
    def _usual_pins() -> str:
        import os

        from anyurl.files.folders import state_folder

        return os.path.join(state_folder(), "pins")

    @property
    def origin(self) -> Provenance:
        """Who named the URL: the user, or the value of ``--came-from``."""
        from anyurl.values import USER

        if self.came_from is None:
            return USER
        from anyurl.guard.hops import named_in

        return named_in(self.came_from)

    def gateways(self) -> Gateways:
        """The configured gateways."""
        from anyurl.client.gateways import Gateways

        return Gateways(self._given["gateways"])

    def options(self, **more: Any) -> Options:
        """The options as a dialogue takes them."""
        from anyurl.dialogue import Options

        given = {name: value for name, value in self._given.items() if hasattr(Options, name)}
        return Options(**given, logins=self._given["auth"], reader="options", **more)


def _policy(**options: Any) -> Policy:
    from anyurl.guard.options import from_options

    try:
        return from_options(**options)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _to_server(what: str) -> Convert:
    def convert(console: Console, text: str | None) -> str | None:
        from anyurl.errors import URLSyntaxError
        from anyurl.url.endpoint import read_endpoint

        if text is not None:
            try:
                read_endpoint(text, 0, what)
            except URLSyntaxError as error:
                raise UsageError(error.diagnostics[0].message) from None
        return text

    return convert


def _to_address(console: Console, text: str | None) -> str | None:
    if text is not None:
        from anyurl.errors import LocalProtocolError
        from anyurl.schemes.mailto.wire.address import read_address, reason

        try:
            read_address(text)
        except LocalProtocolError as error:
            raise UsageError(f"{text!r} is not a mail address: {reason(error)}.") from None
    return text


def _consent(console: Console, question: str) -> bool:
    answer = console.ask_consent(question)
    if answer is None:
        raise UsageError("This is sent in your name, and there is no terminal to confirm it; --yes confirms it.")
    return answer


def _to_gateways(console: Console, value: tuple[str, ...]) -> dict[str, str]:
    """Templates by scheme: from the settings file, overridden by the command line."""
    templates: dict[str, str] = dict(console.settings.get(GATEWAYS, {}))
    for text in value:
        scheme, equals, template = text.partition("=")
        if not equals:
            raise UsageError(f"{text!r} is not a gateway; doi=https://doi.org/{{path}} would be.")
        templates[scheme] = template
    if templates:
        from anyurl.client.gateways import Gateways

        try:
            Gateways(templates)
        except ValueError as error:
            raise UsageError(f"{error}") from None
    return templates


def _to_proxy(console: Console, value: tuple[str, ...]) -> str | dict[str, str] | None:
    """The proxy for all schemes, or proxies by scheme."""
    found: dict[str, str] = {}
    for text in value:
        scheme, equals, proxy = text.partition("=")
        named = bool(equals) and ":" not in scheme
        found[scheme if named else "*"] = proxy if named else text
    if found:
        _check_proxies(console, found, ())
    return found or None


def _to_places(console: Console, value: tuple[str, ...]) -> tuple[str, ...]:
    """The hosts and networks that are reached without a proxy."""
    if value:
        _check_proxies(console, None, value)
    return value


def _to_addresses(console: Console, value: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses of hosts that are not looked up."""
    if value:
        from anyurl.net.wire.resolver import read_addresses

        try:
            read_addresses(value)
        except ValueError as error:
            raise UsageError(f"{error}.") from None
    return value


def _to_fingerprints(console: Console, value: tuple[str, ...]) -> tuple[str, ...]:
    """Certificates that are trusted in place of earlier ones."""
    if value:
        from anyurl.net.wire.pins import read_fingerprints

        try:
            read_fingerprints(value)
        except ValueError as error:
            raise UsageError(f"{error}.") from None
    return value


def _check_proxies(console: Console, proxy: dict[str, str] | None, places: tuple[str, ...]) -> None:
    """Raises UsageError for an invalid proxy or place."""
    import os

    from anyurl.errors import URLSyntaxError
    from anyurl.net.wire.proxies.table import Exceptions, read_proxies

    try:
        Exceptions(places)
        table = read_proxies(proxy, (), os.environ)
    except URLSyntaxError as error:
        raise UsageError(error.diagnostics[0].message) from None
    except ValueError as error:
        raise UsageError(f"{error}") from None
    for entry in () if table is None else table.left_out:
        console.say(f"note: {entry!r} in NO_PROXY is not a host or network, and is ignored")


MOST = 1_000_000
"""The largest count on a command line."""

_IN_WORDS = {"seconds": " In seconds.", "octets": " In octets: 500, 64k, 10M, 2G.", "": ""}


_SEVERAL = {
    "gateways": _to_gateways,
    "proxy": _to_proxy,
    "no_proxy": _to_places,
    "resolve": _to_addresses,
    "trust": _to_fingerprints,
}
"""Conversions for options that may be given several times."""

_CONVERTED: dict[str, Convert] = {
    **_SEVERAL, "news_server": _to_server("news server"), "mail_server": _to_server("mail server"),
    "mail_from": _to_address,
}  # fmt: skip
"""Conversions for the values of options; the error for an invalid value names the option."""


def _parameter(option: Option) -> Parameter:
    """The command-line option that sets an option of the client."""
    several = option.name in _SEVERAL
    notes = _IN_WORDS[option.unit] + (" Repeatable." if several else "")
    if option.variable is not None:
        notes += f" Also from {option.variable}."
    return Parameter(
        *option.aliases,
        option.command,
        metavar=option.metavar,
        help=option.meaning + notes,
        convert=_CONVERTED.get(option.name) or {"seconds": to_seconds, "octets": to_octets}.get(option.unit),
        choices=option.choices or None,
        is_flag=option.default is False,
        multiple=several,
        between=None if option.least is None else (option.least, MOST),
        default=str(option.default)
        if option.choices or (option.least is not None and option.default is not None)
        else None,
        envvar=option.variable,
    )


_CLIENT_OPTIONS = {option.name: _parameter(option) for option in OPTIONS if option.command and option.name != "policy"}
"""The options by their names as client arguments; the policy is set by several options."""

gateway_option = _CLIENT_OPTIONS["gateways"]

_POLICIES = "POLICY|FILE"


def _to_policy(console: Console, text: str | None) -> str | None:
    """The name of a preset or of a file, which is read with the other options."""
    from anyurl.guard.options import is_file
    from anyurl.guard.policy_file import PRESETS

    if text is not None and text not in PRESETS and not is_file(text):
        raise UsageError(f"{text!r} is not one of {', '.join(PRESETS)}, nor a file with a policy (policy.toml).")
    return text


_ALLOW_OPTIONS = (
    Parameter(
        "--allow-port",
        between=(1, 65535),
        metavar="PORT",
        multiple=True,
        help="Also connect to this port, although it belongs to another service. Repeatable.",
    ),
    Parameter("--allow-private", is_flag=True, help="Also reach private addresses and this machine."),
    Parameter("--allow-net", metavar="CIDR", multiple=True, help="Also reach this network. Repeatable."),
    Parameter("--allow-scheme", metavar="SCHEME", multiple=True, help="Also open URLs of this scheme. Repeatable."),
)

_PROXY_OPTIONS = (
    Parameter("--allow-proxy", metavar="HOST", multiple=True, help="Also go through this proxy. Repeatable."),
    Parameter("--proxy-resolves", is_flag=True, help="Let a proxy look up names, whose addresses are then not judged."),
)


_ONE_URL_OPTIONS = (
    came_from_option,
    Parameter("-v", "--verbose", is_flag=True, help="Show what is sent and received; passwords are masked."),
    Parameter("--explain", is_flag=True, help="Show what would be sent, without connecting."),
)

_ACCESS_OPTIONS = (
    *_ONE_URL_OPTIONS,
    Parameter(
        "--policy",
        metavar=_POLICIES,
        convert=_to_policy,
        default="default",
        help="The policy for URLs: `default` is for your own, `untrusted` for foreign ones, `open` for tests; or "
        "the file of a policy (TOML).",
    ),
    *_ALLOW_OPTIONS,
    *_PROXY_OPTIONS,
    *LOGIN_OPTIONS,
    *_CLIENT_OPTIONS.values(),
)


def access_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add all options of a command that accesses a resource, which it gets as one argument, `settings`."""
    return _with_settings(command, _ACCESS_OPTIONS)


def browsing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a command that follows links: without the options for a single URL."""
    about_one = (*_ONE_URL_OPTIONS, *LOGIN_OPTIONS)
    return _with_settings(command, tuple(option for option in _ACCESS_OPTIONS if option not in about_one))


def _with_settings(command: Callable[..., Any], options: tuple[Parameter, ...]) -> Callable[..., Any]:
    @functools.wraps(command)
    def with_settings(console: Console, **values: Any) -> Any:
        url = values.get("url")
        urls = values.get("urls") or (() if url is None else (url,))
        given = {option.dest: values.pop(option.dest, _nothing(option)) for option in _ACCESS_OPTIONS}
        return command(console, settings=Settings({**given, "urls": urls}), **values)

    wrapped: Callable[..., Any] = with_settings
    for option in reversed(options):
        wrapped = option(wrapped)
    return json_option(plugin_option(wrapped))


def _nothing(option: Parameter) -> Any:
    """The value of an option that is not given."""
    return () if option.multiple else False if option.is_flag else None


def verdict_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--policy`` and its companions to a command that only shows the verdict; it gets `policy`, or None."""

    @functools.wraps(command)
    def with_policy(
        console: Console,
        policy: str | None,
        allow_port: tuple[int, ...],
        allow_private: bool,
        allow_net: tuple[str, ...],
        allow_scheme: tuple[str, ...],
        **values: Any,
    ) -> Any:
        if policy is None and (allow_port or allow_private or allow_net or allow_scheme):
            raise UsageError("--allow-port, --allow-private, --allow-net and --allow-scheme belong to a --policy.")
        judge = policy and _policy(
            policy=policy, allow_ports=allow_port, allow_private=allow_private, allow_nets=allow_net,
            allow_schemes=allow_scheme,
        )  # fmt: skip
        return command(console, policy=judge, **values)

    wrapped: Callable[..., Any] = with_policy
    text = "Also show the verdict of this policy (`default`, `untrusted`, `open`, or a file); nothing is looked up."
    for option in reversed((Parameter("--policy", metavar=_POLICIES, convert=_to_policy, help=text), *_ALLOW_OPTIONS)):
        wrapped = option(wrapped)
    return wrapped


_HOST_OPTION = Parameter(
    "--allow-host", metavar="HOST", multiple=True, help="Reach only these hosts, as in *.example.org. Repeatable."
)


def policy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--policy`` and its companions to a command that acts for strangers; it gets `policy`."""

    @functools.wraps(command)
    def once(console: Console, make_policy: Callable[[], Policy], **values: Any) -> Any:
        return command(console, policy=make_policy(), **values)

    return fresh_policy_options(once)


def fresh_policy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a command that reads the file of its policy anew; it gets `make_policy`."""

    @functools.wraps(command)
    def with_policy(
        console: Console,
        policy: str,
        allow_host: tuple[str, ...],
        allow_port: tuple[int, ...],
        allow_private: bool,
        allow_net: tuple[str, ...],
        allow_scheme: tuple[str, ...],
        **values: Any,
    ) -> Any:
        make = functools.partial(
            _policy, policy=policy, allow_hosts=allow_host, allow_ports=allow_port, allow_private=allow_private,
            allow_nets=allow_net, allow_schemes=allow_scheme,
        )  # fmt: skip
        return command(console, make_policy=make, **values)

    wrapped: Callable[..., Any] = with_policy
    text = "The policy for URLs: `untrusted` is public addresses only; or the file of a policy (TOML)."
    policies = Parameter("--policy", metavar=_POLICIES, convert=_to_policy, default="untrusted", help=text)
    for option in reversed((policies, _HOST_OPTION, *_ALLOW_OPTIONS)):
        wrapped = option(wrapped)
    return wrapped
