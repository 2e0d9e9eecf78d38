"""Gateways: URLs that are reached indirectly, through an http or https locator (RFC 1738 section 4).

Rule: the user chooses a gateway's server; no URL that goes through it can change it. A gateway is a hop like any other:
the URL is judged before it, the locator after it. A password is never put into a locator, and URLs that a gateway
returns have the origin of the requested URL, not that of the gateway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from anyurl.client.patterns import URLPattern
from anyurl.dialogue import Dialogue, Options, Verb
from anyurl.errors import LimitError, RefusedError, SchemeError, UnsupportedError, URLSyntaxError
from anyurl.errors.reasons import reason_of
from anyurl.guard.decisions import LOG, Decisions
from anyurl.guard.policy import Policy
from anyurl.schemes import registry
from anyurl.url import URL
from anyurl.url.cut import percent_decode, percent_encode
from anyurl.url.syntax import WEB
from anyurl.values import CONFIGURATION, USER, Provenance, Struct, Value

READING: tuple[Verb, ...] = ("get", "stat")
"""The default verbs of a gateway: those that every web server supports and that change nothing there."""

VERBS: tuple[Verb, ...] = ("get", "stat", "list", "search", "put")
"""The verbs that a gateway may declare: ``get list https://host/{path}``."""

PROXY = "proxy"
"""The word before an address that accepts the URL itself as the request target (RFC 9112 3.2.2)."""

FIELDS = ("url", "scheme", "user", "host", "port", "path", "url_path", "query", "fragment")
"""The fields of a template, in braces. ``path`` is the url-path as RFC 1738 defines it (3.1: without the ``/`` after
the host), without the query if the template has a ``query`` field; ``url_path`` always includes it. No field is a
password."""

_DIRECT = (*WEB, "file")
# Strings, which `re` compiles at their first use: few clients have a gateway.
_FIELD = "{([^{}]*)}"
_NOT_IN_A_PATH = "[?#]"
_NOT_IN_A_QUERY = "[&;]"
_ENDS_IN_PATH = r"(.*)\{(?:url_)?path\}(?:\?\{query\})?"
_PATHS = ("path", "url_path")
_PLACES = frozenset(("scheme", "user", "host", "port"))


class Gateway(Value):
    """A gateway for the URLs of one pattern.

    Attributes:
        pattern: The pattern: ``doi``, ``urn:ietf``, ``ftp://*.example.org/pub``, ``*://host.example.org``.
        verbs: The verbs that it supports.
        template: An http or https URL with fields: ``https://doi.org/{path}``; for a proxy, its address.
        is_proxy: Whether it takes the URL itself as the request target.
    """

    pattern: URLPattern
    verbs: tuple[Verb, ...]
    template: str
    is_proxy: bool
    _place: str
    _query: str

    def __init__(self, pattern: str, text: str) -> None:
        """Raises ValueError for a pattern of URLs that need no gateway, and for a malformed text."""
        *words, template = text.split(" ")
        place, mark, query = template.partition("?")
        try:
            read = URLPattern(pattern)
        except ValueError as error:
            raise ValueError(f"no gateway for {pattern!r}: {reason_of(error)}") from None
        verbs = tuple(verb for verb in VERBS if verb in words) or READING
        self._set(
            pattern=read, verbs=verbs, template=template, is_proxy=PROXY in words, _place=place, _query=mark + query
        )
        if fault := self._fault(words):
            example = "an http or https URL with {path}, or ?...={url}, would be one"
            raise ValueError(f"no gateway for {pattern!r}: {fault}; {example}")

    def _fault(self, words: list[str]) -> str:
        """Its fault, or ``""``."""
        fields = re.findall(_FIELD, self.template)
        if unknown := [word for word in words if word not in (*VERBS, PROXY)]:
            return f"{unknown[0]!r} is not one of {', '.join((*VERBS, PROXY))}"
        if self.pattern.scheme == "file" or (self.pattern.scheme in _DIRECT and not self.pattern.host):
            return f"{self.pattern.scheme} URLs are reached directly"
        if unknown := [field for field in fields if field not in FIELDS]:
            return f"{{{unknown[0]}}} is not one of {', '.join(f'{{{field}}}' for field in FIELDS)}"
        if not self.is_proxy and not {"url", "path", "url_path"} & set(fields):
            return "its template has no field for the requested URL"
        try:
            sample = self.sample
        except URLSyntaxError as error:
            return str(error)
        # Fields, which come from URLs, must not choose the server.
        if sample.scheme not in WEB or not self.template.startswith(f"{sample.scheme}://{sample.authority}"):
            return "its template is not a place of its own on a server"
        if sample.raw_user is not None or sample.fragment is not None:
            return "its template holds a user name or a fragment"
        if self.is_proxy and (fields or sample.path not in ("", "/") or sample.query is not None):
            return "a proxy is a server and its port, without a path"
        return "its template holds a segment '.' or '..'" if _leads_out(sample.path) else ""

    @property
    def sample(self) -> URL:
        """A sample locator. Raises URLSyntaxError if the template does not yield a URL."""
        return URL(re.sub(_FIELD, "x", self.template))

    def locator(self, url: URL) -> URL:
        """The locator of this URL.

        Raises:
            RefusedError: It would lead out of the gateway's folder.
            URLSyntaxError: The URL can't be expressed in today's grammar, which the gateway uses to read it.
        """
        if self.is_proxy:
            return self.sample
        values = _values(url)
        if "{query}" in self.template and "?" in values["path"]:
            values["path"] = values["path"].removesuffix(f"?{values['query']}")

        def whole(match: re.Match[str]) -> str:
            return _whole(values[match[1]])

        # Path and query are encoded for their own components already; their delimiters are encoded in addition.
        def in_path(match: re.Match[str]) -> str:
            return re.sub(_NOT_IN_A_PATH, _encoded, values[match[1]]) if match[1] in _PATHS else whole(match)

        def in_query(match: re.Match[str]) -> str:
            return re.sub(_NOT_IN_A_QUERY, _encoded, values["query"]) if match[1] == "query" else whole(match)

        found = URL(re.sub(_FIELD, in_path, self._place) + re.sub(_FIELD, in_query, self._query))
        # Attack: the gateway's server could resolve "..", in some encoding, and leave the template's folder.
        if _leads_out(found.path):
            raise RefusedError(
                f"{url.masked} is not sent through the gateway for {self.pattern}: a segment '.' or '..' would lead "
                "elsewhere there.",
                code="octets",
                subject=url.scheme,
            )
        return found

    def original(self, locator: URL, like: URL) -> URL | None:
        """The URL that has this locator, if the template allows to tell; else None.

        Args:
            like: A URL that goes through the gateway; the result differs in path and query only.
        """
        ends = re.fullmatch(_ENDS_IN_PATH, self.template)
        if ends is None or self.is_proxy or not _PLACES.issuperset(re.findall(_FIELD, ends[1])):
            return None
        values = _values(like)
        start, there = re.sub(_FIELD, lambda match: _whole(values[match[1]]), ends[1]), locator.without_fragment()
        if not str(there).startswith(start):
            return None
        head = values["url"].removesuffix(values["url_path"])
        if like.authority is not None and not head.endswith("/"):
            head += "/"
        try:
            found = URL(head + str(there)[len(start) :])
            return found if self.pattern.matches(found) is not None and self.locator(found) == there else None
        except (URLSyntaxError, RefusedError):
            return None


def _values(url: URL) -> dict[str, str]:
    """The value of each field; octets are Latin-1 characters."""
    bare = _elsewhere(url)
    return {
        "url": str(bare),
        "scheme": bare.scheme,
        "user": _decoded(bare.raw_user),
        "host": bare.raw_host or "",
        "port": "" if bare.port is None else str(bare.port),
        "path": bare.url_path,
        "url_path": bare.url_path,
        "query": bare.query or "",
        "fragment": _decoded(url.fragment),
    }


def _decoded(text: str | None) -> str:
    return percent_decode(text or "").decode("latin-1")


def _whole(text: str) -> str:
    return percent_encode(text.encode("latin-1"))


def _encoded(mark: re.Match[str]) -> str:
    return f"%{ord(mark[0]):02X}"


def _elsewhere(url: URL) -> URL:
    """The URL as passed to other servers: without password, in today's grammar. Raises URLSyntaxError."""
    bare = _as_read_today(url.without_fragment())
    return bare if bare.password is None else bare.replace(password=None)


def _as_read_today(url: URL) -> URL:
    """An equivalent URL for programs that do not know which grammar was used to read this one."""
    try:
        if URL(str(url)) == url:
            return url
    except URLSyntaxError:
        pass
    return url.normalize("current")


def _leads_out(path: str) -> bool:
    """Whether some server may read a segment as ``.`` or ``..``: decoded twice, after a backslash, before a ``;``."""
    once = percent_decode(path)
    for octets in (once, percent_decode(once.decode("latin-1"))):
        for segment in octets.replace(b"\\", b"/").split(b"/"):
            if segment.partition(b";")[0] in (b".", b".."):
                return True
    return False


class Lead(Struct):
    """The route of one URL through one or more gateways.

    Attributes:
        url: The final locator.
        steps: Each gateway, with the URL that goes through it.
        came_from: Who named the first URL.
        own: Whether the user named it, or the gateway redirected from one that the user named: only then are the user's
            credentials for the gateway sent. Attack: a stranger's link acts as the user at a gateway with a login.
    """

    url: URL
    steps: Sequence[tuple[Gateway, URL]]
    came_from: Provenance
    own: bool

    @property
    def original(self) -> URL:
        """The URL that was requested."""
        return self.steps[0][1]

    @property
    def is_proxied(self) -> bool:
        """Whether the last gateway takes the URL itself."""
        return self.steps[-1][0].is_proxy

    def onward(self, locator: URL, came_from: Provenance) -> Lead | None:
        """The route to another locator of the same gateways; None if it belongs to no known URL.

        Args:
            came_from: Who named the locator.
        """
        there = locator.without_fragment()
        steps: list[tuple[Gateway, URL]] = []
        found = there
        for gateway, url in reversed(self.steps):
            original = gateway.original(found, url)
            if original is None:
                return None
            steps.insert(0, (gateway, original))
            found = original
        return Lead(there, steps, came_from, own=self.own)

    def judge(self, policy: Policy, decisions: Decisions) -> None:
        """Judge each URL of the route except the final locator. Raises RefusedError."""
        for number, (_, url) in enumerate(self.steps):
            _judge(url, policy, CONFIGURATION if number else self.came_from, decisions)

    def begin(self, verb: Verb, options: Options) -> Dialogue:
        """The dialogue of this verb through the gateway. Raises as `registry.verb`."""
        begin = registry.verb(self.url, verb, options.reader)
        if not self.is_proxied:
            dialogue = begin(self.url, options)
            if verb != "list":
                return dialogue
            from anyurl.client.gateway_interceptors import Renamed

            return Renamed(self._original_of).over(dialogue)
        asked = _elsewhere(self.steps[-1][1])
        # The dialogue treats the response as that of the URL, whose user is not a login for the proxy.
        bare = asked.replace(user=None) if asked.raw_user is not None else asked
        from anyurl.client.gateway_interceptors import AbsoluteForm

        return AbsoluteForm(self.url, asked).over(begin(bare, options.replace(login=None)))

    def _original_of(self, locator: URL) -> URL | None:
        found = self.onward(locator, self.came_from)
        return None if found is None else found.original


class Gateways:
    """The gateways of a client, each with its URL pattern."""

    __slots__ = ("_gateways",)

    def __init__(self, templates: Mapping[str, str] | None = None) -> None:
        """Raises ValueError as `Gateway`, and for a gateway that leads back to itself."""
        found = [Gateway(pattern, text) for pattern, text in (templates or {}).items()]
        self._gateways = {str(gateway.pattern): gateway for gateway in found}
        for gateway in found:
            past, there = [gateway], None if gateway.is_proxy else self._for(gateway.sample)
            while there is not None:
                if there in past:
                    raise ValueError(
                        f"no gateway for {str(gateway.pattern)!r}: it leads back to that for {there.pattern}"
                    )
                past.append(there)
                there = None if there.is_proxy else self._for(there.sample)

    def __iter__(self) -> Iterator[Gateway]:
        return iter(self._gateways.values())

    def _for(self, url: URL) -> Gateway | None:
        """The gateway with the most specific pattern that matches this URL."""
        found = [(exact, gateway) for gateway in self if (exact := gateway.pattern.matches(url)) is not None]
        return max(found, key=lambda pair: pair[0])[1] if found else None

    def lead(
        self,
        url: URL,
        verb: Verb,
        policy: Policy,
        came_from: Provenance = USER,
        options: Options | None = None,
        decisions: Decisions = LOG,
    ) -> Lead | None:
        """The route of a URL that has a gateway, else None.

        The policy judges the URL itself, too: a refused URL is not fetched through a gateway either. A scheme with a
        gateway need not be on the list of allowed schemes, but a denied scheme stays denied.

        Raises:
            RefusedError: The policy refuses the URL, or it can't go through the gateway.
            UnsupportedError: The gateway does not support this verb.
            LimitError: The gateways form a circle.
        """
        steps: list[tuple[Gateway, URL]] = []
        there = url
        origin = came_from
        while (gateway := self._for(there)) is not None and not (steps and steps[-1][0].is_proxy):
            if any(gateway is past for past, _ in steps):
                raise LimitError(f"The gateways of {url.masked} form a loop: it would never end.", limit="redirects")
            if not steps and verb == "search":
                there = _with_words(there, options or Options())
            _check(gateway, there, verb, options)
            _judge(there, policy, origin, decisions)
            steps.append((gateway, there))
            there, origin = gateway.locator(there), CONFIGURATION
        return Lead(there, steps, came_from, own=came_from.own) if steps else None


def _check(gateway: Gateway, url: URL, verb: Verb, options: Options | None) -> None:
    """Raises UnsupportedError if the gateway does not support this."""
    http = None if options is None else options.http
    wanted = "put" if http is not None and http.acts else verb
    if wanted not in gateway.verbs:
        raise UnsupportedError(
            f"{url.scheme} is reached through a gateway, which has no {wanted!r}; it has {', '.join(gateway.verbs)}.",
            scheme=url.scheme,
            verb=verb,
        )


def _with_words(url: URL, options: Options) -> URL:
    """The URL of a search: the words are its query, as in http and wais (RFC 1738 3.3, 3.9)."""
    if options.like or options.match:
        raise UnsupportedError(
            f"{url.scheme} is searched through a gateway, which accepts only words.", scheme=url.scheme, verb="search"
        )
    return url.replace(query=percent_encode(options.words.encode("utf-8", "surrogateescape")))


def _judge(url: URL, policy: Policy, came_from: Provenance, decisions: Decisions) -> None:
    """Judge a URL that is to go through a gateway. Raises RefusedError."""
    if policy.allow_schemes is not None and url.scheme not in policy.allow_schemes:
        policy = policy.replace(allow_schemes=(*policy.allow_schemes, url.scheme))
    decisions.keep(policy.judge_url(url, came_from), url, origin=came_from)
    try:
        check = registry.find_scheme(url.scheme).check
    except SchemeError:
        check = None
    if check is not None:  # the gateway decodes the URL, so the protocol's delimiters matter there as well
        check(url)
