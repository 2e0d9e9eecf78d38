"""The user's file of settings: settings, or an error of usage; through a gateway no URL chooses the server."""

from __future__ import annotations

from anyurl.cli.arguments import UsageError
from anyurl.cli.config import GATEWAYS, SETTINGS, TABLES, as_defaults, understood
from anyurl.client.gateways import Gateway
from anyurl.errors import AnyURLError
from anyurl.url import URL
from fuzz import kit

_URLS = [
    URL(text)
    for text in ("doi:10.1/a?b#c", "doi://u:s3cr3t@evil.example:9/../a", "doi:a%0d%0ab", "doi://evil.example//x@y/?z")
]


def fuzz(data: bytes) -> None:
    """The file; its text is a template, too."""
    try:
        found = understood(data, "config.toml")
    except UsageError as error:
        kit.same(str(error).isprintable(), True, f"the message would reach a terminal: {str(error)!r}")
    else:
        kit.same(set(found) <= {*TABLES, *SETTINGS}, True, f"{found!r} has other settings")
        as_defaults(found)
        for template in found.get(GATEWAYS, {}).values():
            _check_template(template)
    _check_template(data.decode("utf-8", "replace"))


def _check_template(template: str) -> None:
    try:
        gateway = Gateway("doi", template)
    except ValueError:
        return
    places = set()
    for url in _URLS:
        try:
            locator = gateway.locator(url)
        except AnyURLError:
            continue
        kit.same("s3cr3t" in str(locator), False, "a password is in the locator")
        places.add(locator.origin)
    kit.same(len(places) <= 1, True, f"{template!r} leads to {places}")
