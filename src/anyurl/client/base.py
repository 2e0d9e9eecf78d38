"""BaseClient: the options of `Client` and `AsyncClient`, and the handling of a call's arguments.

Rule: an invalid argument is reported at once; nothing is connected to. Rarely used parts are imported on use.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anyurl.client.logins import read_logins
from anyurl.client.named import to_urls
from anyurl.client.options import Content, RequestOptions, check_counts
from anyurl.client.source import UploadSource
from anyurl.dialogue import Login, Options, Resume, Secret, Verb, WaisForm
from anyurl.dialogue.http import HttpOptions
from anyurl.errors import UnsupportedError
from anyurl.errors.reasons import exhaustion_translated
from anyurl.guard.decisions import Decisions
from anyurl.guard.policy import Policy
from anyurl.guard.verdict import Decision
from anyurl.net.http.request_lines import USER_AGENT
from anyurl.net.loop.connection_limit import ConnectionLimit
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.provenance import configured_servers
from anyurl.net.loop.rests import Rests
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.loop.task import AskForConsent, AskForSecret, Source
from anyurl.net.wire.connector import Network
from anyurl.net.wire.proxies.table import Proxies, read_proxies
from anyurl.net.wire.resolver import read_addresses
from anyurl.net.wire.tls import TLSConfig
from anyurl.schemes.registry import find_scheme
from anyurl.url import URL
from anyurl.url.arguments import checked
from anyurl.values import shown

if TYPE_CHECKING:
    from anyurl.client.cookies import CookieJar
    from anyurl.client.gateways import Gateways
    from anyurl.warc.file import WarcFile


def _limited(policy: Policy, timeout: float | None, max_bytes: int | None) -> Policy:
    """The policy of a client, with the limits that the caller gave separately."""
    told = {"total": timeout, "max_bytes": max_bytes}
    changed: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    return policy.replace(limits=policy.limits.replace(**changed)) if changed else policy


def _checked_agent(text: str | None) -> str:
    if text is None:
        return USER_AGENT
    if not (text.isprintable() and text.isascii()):
        raise ValueError("a user agent is printable ASCII, as NAME/VERSION (contact)")
    return text


def _jar(cookies: CookieJar | bool, file: str | os.PathLike[str] | None) -> CookieJar | None:
    """The given jar, or a new one. Raises MissingExtraError, LocalFileError, ValueError."""
    if cookies is False and file is None:
        return None
    from anyurl.client.cookies import CookieJar

    if cookies is True or cookies is False:
        return CookieJar(file)
    if file is not None:
        raise ValueError("cookies are kept in a jar of yours or in a file: CookieJar(file) is both")
    return cookies


def _archive(warc: str | os.PathLike[str] | None, cdxj: bool) -> WarcFile | None:
    """The WARC file. Raises LocalFileError if it can't be written, ValueError for an index of none."""
    if warc is None:
        if cdxj:
            raise ValueError("an index (cdxj) is that of a web archive (warc), and none is given")
        return None
    from anyurl.warc.file import warc_file

    file = warc_file(warc)
    file.is_indexed = file.is_indexed or cdxj
    return file


def _network(network: Network | None, resolve: Iterable[str]) -> Network | None:
    """The network with the addresses that the caller names. Raises ValueError if both are given."""
    addresses = read_addresses(resolve)
    if not addresses:
        return network
    if network is not None:
        raise ValueError("a network has its own addresses: Network(addresses=...) names some, and not resolve")
    return Network(addresses=addresses)


def _read_gateways(templates: Mapping[str, str] | None) -> Gateways | None:
    if not templates:
        return None
    from anyurl.client.gateways import Gateways

    return Gateways(templates)


def request_options(verb: Verb, request: RequestOptions, content: bool = False) -> HttpOptions:
    """The options of a verb's request. Raises as `anyurl.client.requests.http_options`."""
    from anyurl.client.requests import METHODS, http_options

    return http_options(METHODS.get(verb, "GET"), request, content=content)


@exhaustion_translated()
def prepared(
    method: str, url: URL, content: Content, request: RequestOptions, type: str | None
) -> tuple[URL, HttpOptions, Source | None]:
    """The URL, the options and the content of a request. Raises as `anyurl.client.requests.request`."""
    from anyurl.client import requests

    return requests.request(method, url, content, request, type)


class BaseClient:
    """The common base of both clients: their options (`anyurl.client.options` describes each) and the objects built
    from them.

    Attributes:
        policy: The policy for every URL and address.
    """

    def __repr__(self) -> str:
        return shown(self, "policy.name")

    @exhaustion_translated()
    @checked
    def __init__(
        self,
        policy: Policy | None = None,
        *,
        timeout: float | None = None,
        max_bytes: int | None = None,
        gateways: Mapping[str, str] | None = None,
        lenient: bool = False,
        ftp_text: bool = False,
        ftp_create_dirs: bool = False,
        wais_form: WaisForm = "libwww",
        identity: str | None = None,
        news_server: str | None = None,
        mail_server: str | None = None,
        mail_from: str | None = None,
        auth: Mapping[str, Login] | None = None,
        ask_consent: AskForConsent | None = None,
        ask_secret: AskForSecret | None = None,
        cookies: CookieJar | bool = False,
        cookie_jar: str | os.PathLike[str] | None = None,
        ca_file: str | os.PathLike[str] | None = None,
        cert: str | os.PathLike[str] | None = None,
        pins: str | os.PathLike[str] | None = None,
        trust: Iterable[str] = (),
        http3: bool = False,
        user_agent: str | None = None,
        trace: Callable[[str], None] | None = None,
        on_verdict: Callable[[Decision], object] | None = None,
        retries: int = 0,
        per_host: int | None = None,
        delay: float = 0.0,
        rests: Rests | None = None,
        proxy: str | Mapping[str, str] | None = None,
        no_proxy: Iterable[str] = (),
        resolve: Iterable[str] = (),
        zone: str | None = None,
        warc: str | os.PathLike[str] | None = None,
        cdxj: bool = False,
        network: Network | None = None,
    ) -> None:
        """Raises URLSyntaxError for an invalid server or proxy, ValueError for other invalid values."""
        check_counts(retries=retries, per_host=per_host, delay=delay)
        self.policy: Policy = _limited(policy or Policy.default(), timeout, max_bytes)
        self._options = Options(
            identity=identity, news_server=news_server, mail_server=mail_server, mail_from=mail_from, lenient=lenient,
            ftp_text=ftp_text, ftp_create_dirs=ftp_create_dirs, wais_form=wais_form, patience=self.policy.limits.idle,
            trace=trace, logins=read_logins(auth), jar=_jar(cookies, cookie_jar),
            archive=_archive(warc, cdxj), reader=self.policy.remedies,
        )  # fmt: skip
        self._configured, self._user_agent = configured_servers(news_server, mail_server), _checked_agent(user_agent)
        self._ask_consent, self._ask_secret, self._decisions = ask_consent, ask_secret, Decisions(on_verdict)
        self._tls_config = TLSConfig(ca_file, cert, pins, http3=http3, trust=trust, reader=self.policy.remedies)
        self._set_ways(gateways, proxy, no_proxy, network, resolve)
        self._retries, self._per_host, self._delay, self._rests = retries, per_host, delay, rests
        self._zone = zone

    def _set_ways(
        self,
        gateways: Mapping[str, str] | None,
        proxy: str | Mapping[str, str] | None,
        no_proxy: Iterable[str],
        network: Network | None,
        resolve: Iterable[str],
    ) -> None:
        """By which gateways and proxies, and at which addresses servers are reached."""
        self._gateways = _read_gateways(gateways)
        self._proxies: Proxies | None = None if proxy is None else read_proxies(proxy, no_proxy, os.environ)
        self._network = _network(network, resolve)
        self._set_up()

    def _set_up(self) -> None:
        """Sets up the attributes of the subclass."""

    def _save_cookies(self) -> None:
        """Raises LocalFileError when their file can't be written."""
        if self._options.jar is not None:
            self._options.jar.save()

    def _index_archive(self) -> None:
        """Raises LocalFileError when the index can't be written."""
        archive: WarcFile | None = self._options.archive
        if archive is not None and archive.is_indexed:
            archive.write_index()

    def _secret(
        self, host: str, user: str, kind: str, kept: bool = True, by_person: bool = True
    ) -> Secret | Awaitable[Secret | None] | None:
        """A password from netrc (where the policy reads it), then from the caller; None if neither has one.

        Args:
            kept: Whether netrc may be used: not for a URL that another party named.
            by_person: Whether the caller's callback may be used.
        """
        if kept and self.policy.netrc:
            from anyurl.client.secrets import netrc_secret

            secret = netrc_secret(host, user)
            if secret is not None:
                return secret
        return self._ask_secret(host, user, kind) if self._ask_secret is not None and by_person else None

    @property
    def _archive_path(self) -> str | None:
        archive: WarcFile | None = self._options.archive
        return None if archive is None else archive.path

    @exhaustion_translated()
    @checked
    def _options_of_call(
        self,
        upload: UploadSource | None,
        resume: Resume | None,
        words: str,
        upload_type: str | None,
        view: str | None,
        answers: Sequence[str],
        like: Sequence[URL | str] | URL | str,
        limit: int | None,
        match: str | None,
        verb: Verb,
        request: RequestOptions,
    ) -> Options:
        """The client's own options, and those of one call: most calls add none, and no time is spent on them.

        Raises:
            TypeError: An argument has the wrong type.
        """
        changed: dict[str, Any] = {}
        if request:
            changed["http"] = request_options(verb, request, content=upload is not None)
        if resume is not None:
            changed["resume"] = resume
        if upload is not None or words or upload_type is not None or view is not None or answers or like != ():
            changed.update(
                words=words, upload_type=upload_type, upload_size=None if upload is None else upload.size,
                view=view, answers=answers, like=to_urls(like),
            )  # fmt: skip
        if limit is not None or match is not None:
            changed.update(limit=limit, match=match)
        return self._options.replace(**changed) if changed else self._options

    @checked
    def _options_of_upload(
        self, url: URL, source: UploadSource, type: str | None, verb: Verb, mtime: float | None, go_on: bool,
        request: RequestOptions,
    ) -> Options:  # fmt: skip
        """The options of a put or an append.

        Raises:
            UnsupportedError: It is to be resumed, which the scheme does not support.
        """
        options = self._options_of_call(source, None, "", type, None, (), (), None, None, verb, request)
        if go_on and not find_scheme(url.scheme).resumes_uploads:
            raise UnsupportedError(
                f"An upload to {url.scheme} can't be continued: it is sent as a whole.", scheme=url.scheme, verb=verb
            )
        return options.replace(upload_mtime=mtime, resumes_upload=go_on)

    @exhaustion_translated()
    @checked
    def _options_of_map(self, verb: Verb, request: RequestOptions) -> Options:
        return self._options.replace(http=request_options(verb, request)) if request else self._options

    @exhaustion_translated()
    def _new_scheduler(self, connections: ConnectionLimit | None = None) -> Scheduler:
        """A scheduler for the calling thread; the count is shared with those of other threads."""
        return Scheduler(
            self.policy, handlers, network=self._network, tls_config=self._tls_config, configured=self._configured,
            ask_consent=self._ask_consent, user_agent=self._user_agent, per_host=self._per_host,
            delay=self._delay, rests=self._rests, proxies=self._proxies, zone=self._zone, connections=connections,
            decisions=self._decisions,
        )  # fmt: skip


@exhaustion_translated()
def added(url: URL, request: RequestOptions) -> URL:
    """The URL with the additions of the request to its search part."""
    if "query" not in request:
        return url
    from anyurl.client.requests import add_query

    return add_query(url, request)
