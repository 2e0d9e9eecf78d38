"""Gateways: schemes that are reached indirectly, through an http or https locator (RFC 1738 section 4).

Rule: a gateway is where the user said, and no part of that place comes from a URL that goes through it. It is a hop
like any other: the URL is judged before it, the locator after it. A password is never put into a locator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from anyurl.dialogue import Verb
from anyurl.errors import RefusedError, SchemeError, UnsupportedError, URLSyntaxError
from anyurl.guard.policy import Policy
from anyurl.kernel import percent_decode, percent_encode
from anyurl.schemes import registry
from anyurl.url import URL
from anyurl.values import USER, Provenance, Value

GATEWAY = "gateway"
"""The reason of a hop that leads through one."""

READING: tuple[Verb, ...] = ("get", "stat")
"""What goes through a gateway: what http has, but no put, which would change the gateway and not what the URL names."""

FIELDS = ("url", "host", "port", "path", "query")
"""What a template may hold in braces: the URL as a whole, or its host, its effective port, its path as RFC 1738 cuts it
(3.1: without the ``/`` behind the host; a query is a part of it, unless the template has a place for the query)."""

_DIRECT = ("http", "https", "file")
# Texts, which `re` compiles at their first use: few clients have a gateway.
_FIELD = "{([^{}]*)}"
_NOT_IN_A_PATH = "[?#]"


class Gateway(Value):
    """Where one scheme is reached.

    Attributes:
        scheme: Its name, in lower case.
        template: An http or https URL with fields: ``https://doi.org/{path}``.
    """

    scheme: str
    template: str
    _place: str
    _query: str

    def __init__(self, scheme: str, template: str) -> None:
        """Raises ValueError for a scheme that needs no gateway and for a template that is none."""
        place, mark, query = template.partition("?")
        self._set(scheme=scheme.lower(), template=template, _place=place, _query=mark + query)
        fault = self._fault()
        if fault:
            raise ValueError(
                f"no gateway for {scheme!r}: {fault}; an http or https URL with {{path}}, or ?...={{url}}, would be one"
            )

    def _fault(self) -> str:
        """What is wrong with it, or ``""``."""
        fields = re.findall(_FIELD, self.template)
        if self.scheme in _DIRECT:
            return f"{self.scheme} URLs are reached directly"
        if unknown := [field for field in fields if field not in FIELDS]:
            return f"{{{unknown[0]}}} is none of {', '.join(f'{{{field}}}' for field in FIELDS)}"
        if not {"url", "path"} & set(fields):
            return "its template does not say what is wanted"
        try:
            sample = URL(re.sub(_FIELD, "x", self.template))
        except URLSyntaxError as error:
            return str(error)
        # What follows from a URL must not choose the server that is asked.
        if sample.scheme not in ("http", "https") or not self.template.startswith(
            f"{sample.scheme}://{sample.authority}"
        ):
            return "its template is not a place of its own on a server"
        if sample.raw_user is not None or sample.fragment is not None:
            return "its template holds a user name or a fragment"
        return ""

    def locator(self, url: URL) -> URL:
        """Where this URL is reached.

        Raises:
            RefusedError: Its path would lead to another place of the gateway.
            URLSyntaxError: Today's grammar, by which the gateway reads it, has no text that means the same.
        """
        bare = _as_read_today(url.without_fragment())
        if bare.password is not None:
            bare = bare.replace(password=None)
        values = {
            "url": str(bare),
            "host": bare.raw_host or "",
            "port": "" if bare.port is None else str(bare.port),
            "path": bare.url_path,
            "query": bare.query or "",
        }
        if "{query}" in self.template:
            values["path"] = values["path"].partition("?")[0] if bare.query is not None else values["path"]
        # Attack: the server of the gateway would take "..", however it is encoded, for the way out of its own folder.
        if "{path}" in self._place and _leads_out(values["path"]):
            raise RefusedError(
                f"{url.masked} is not sent through the gateway for {self.scheme}: a segment '.' or '..' would lead to "
                "another place there."
            )

        def whole(match: re.Match[str]) -> str:
            return percent_encode(values[match[1]].encode("ascii"))

        # Path and query are encoded for their own places already; what would end them there is encoded as well.
        def in_path(match: re.Match[str]) -> str:
            if match[1] == "path":
                return re.sub(_NOT_IN_A_PATH, lambda mark: f"%{ord(mark[0]):02X}", values["path"])
            return whole(match)

        def in_query(match: re.Match[str]) -> str:
            return values["query"].replace("&", "%26") if match[1] == "query" else whole(match)

        return URL(re.sub(_FIELD, in_path, self._place) + re.sub(_FIELD, in_query, self._query))


def _as_read_today(url: URL) -> URL:
    """A URL that a program elsewhere, which does not know the grammar that read it, reads alike."""
    try:
        if URL(str(url)) == url:
            return url
    except URLSyntaxError:
        pass
    return url.normalize("current")


def _leads_out(path: str) -> bool:
    """Whether some server takes a segment for ``.`` or ``..``: decoded twice, behind a backslash, before a ``;``."""
    once = percent_decode(path)
    for octets in (once, percent_decode(once.decode("latin-1"))):
        for segment in octets.replace(b"\\", b"/").split(b"/"):
            if segment.partition(b";")[0] in (b".", b".."):
                return True
    return False


class Gateways:
    """The gateways of a client, by scheme."""

    __slots__ = ("_gateways",)

    def __init__(self, templates: Mapping[str, str] | None = None) -> None:
        """Raises ValueError as `Gateway`."""
        found = [Gateway(scheme, template) for scheme, template in (templates or {}).items()]
        self._gateways = {gateway.scheme: gateway for gateway in found}

    def __iter__(self) -> Iterator[Gateway]:
        return iter(self._gateways.values())

    def lead(self, url: URL, verb: Verb, policy: Policy, came_from: Provenance = USER) -> URL | None:
        """The locator of a URL whose scheme has a gateway, else None.

        The policy judges the URL itself, too: what it refuses is not fetched by somebody else. A scheme that has a
        gateway need not be on its list of allowed ones; one that is on its list of denied ones stays denied.

        Raises:
            RefusedError: The policy refuses the URL, or it can't go through the gateway.
            UnsupportedError: The verb is none that reads.
        """
        gateway = self._gateways.get(url.scheme)
        if gateway is None:
            return None
        if verb not in READING:
            raise UnsupportedError(
                f"{url.scheme} is reached through a gateway, which has no {verb!r}; it has {', '.join(READING)}",
                scheme=url.scheme,
                verb=verb,
            )
        if policy.allow_schemes is not None and url.scheme not in policy.allow_schemes:
            policy = policy.replace(allow_schemes=(*policy.allow_schemes, url.scheme))
        policy.judge_url(url, came_from).check()
        try:
            check = registry.find_scheme(url.scheme).check
        except SchemeError:
            check = None
        if check is not None:  # it delimits the protocol for the gateway as well, which decodes it
            check(url)
        return gateway.locator(url)


NO_GATEWAYS = Gateways()
