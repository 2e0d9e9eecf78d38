"""The options of every command that reaches for a resource, and what is made of them: a policy, a client.

Rule: an option is defined once, here, so that it means the same in every command.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from anyurl.cli.console import Console
from anyurl.cli.options import json_option, to_octets, to_seconds

if TYPE_CHECKING:
    from anyurl.access import Client
    from anyurl.dialogue import Options
    from anyurl.net.policy import Policy


class Settings:
    """What the shared options of one command line say.

    Args:
        values: By parameter name, those of `access_options`.
    """

    __slots__ = ("explain", "identity", "lenient", "news_server", "_policy")

    def __init__(self, values: dict[str, Any]) -> None:
        self.explain: bool = values["explain"]
        self.lenient: bool = values["ftp_lenient"]
        self.identity: str | None = values["identity"]
        self.news_server: str | None = values["news_server"]
        self._policy = {
            "policy": values["policy"],
            "allow_ports": values["allow_port"],
            "allow_private": values["allow_private"],
            "allow_nets": values["allow_net"],
            "timeout": values["timeout"],
            "max_bytes": values["max_bytes"],
        }

    def policy(self) -> Policy:
        """The policy; what is no network or port is an error of usage."""
        from anyurl.net.policy import from_options

        try:
            return from_options(**self._policy)
        except ValueError as error:
            raise click.UsageError(str(error)) from None

    def client(self, console: Console) -> Client:
        """A client that asks the person at this console for passwords."""
        from anyurl.access import Client

        return Client(
            self.policy(),
            identity=self.identity,
            news_server=self.news_server,
            lenient=self.lenient,
            ask_secret=console.ask_secret,
        )

    def options(self, **more: Any) -> Options:
        """The same, as a scheme's dialogue wants them."""
        from anyurl.dialogue import Options

        return Options(identity=self.identity, news_server=self.news_server, lenient=self.lenient, **more)


_ACCESS_OPTIONS = (
    click.option("--explain", is_flag=True, help="Show what would be sent, without connecting."),
    click.option(
        "--policy",
        type=click.Choice(["default", "untrusted", "open"]),
        default="default",
        show_default=True,
        help="What may be reached: `default` is for your own URLs, `untrusted` for a stranger's, `open` for tests.",
    ),
    click.option(
        "--allow-port",
        type=click.IntRange(1, 65535),
        metavar="PORT",
        multiple=True,
        help="Also speak to this port, although it is another service's. Repeatable.",
    ),
    click.option("--allow-private", is_flag=True, help="Also reach private addresses and this machine."),
    click.option("--allow-net", metavar="CIDR", multiple=True, help="Also reach this network. Repeatable."),
    click.option("--timeout", callback=to_seconds, metavar="SECONDS", help="The longest that it may take in all."),
    click.option("--max-bytes", callback=to_octets, metavar="BYTES", help="The most that may come: 500, 64k, 10M, 2G."),
    click.option("--ftp-lenient", is_flag=True, help="Skip an empty CWD, which some FTP servers refuse."),
    click.option(
        "--identity",
        metavar="EMAIL",
        envvar="ANYURL_IDENTITY",
        help="The password of an anonymous login; also from ANYURL_IDENTITY.",
    ),
    click.option(
        "--news-server",
        metavar="HOST[:PORT]",
        envvar="NNTPSERVER",
        help="Where news URLs are looked up; also from NNTPSERVER.",
    ),
)

_ACCESS_NAMES = (
    "explain", "policy", "allow_port", "allow_private", "allow_net", "timeout", "max_bytes", "ftp_lenient", "identity",
    "news_server",
)  # fmt: skip


def access_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All options of a command that reaches for a resource; it gets them as one argument, `settings`."""

    @functools.wraps(command)
    def with_settings(**values: Any) -> Any:
        settings = Settings({name: values.pop(name) for name in _ACCESS_NAMES})
        return command(settings=settings, **values)

    wrapped: Callable[..., Any] = with_settings
    for option in reversed(_ACCESS_OPTIONS):
        wrapped = option(wrapped)
    return json_option(wrapped)
