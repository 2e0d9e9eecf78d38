"""http, https: documents of the World-Wide Web (RFC 1738 3.3, RFC 9110 4.2).

Rule: only the server knows the meaning of path and search part: they are sent octet for octet as in the URL, never
decoded. Each dialogue ends with the document or with `Follow`, which the policy judges again. Userinfo is used as a
login for this origin only; userinfo that a server writes into a redirect is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.dialogue import (
    Close,
    Describe,
    Dialogue,
    Note,
    Options,
    Receive,
    Request,
    Response,
    Resume,
    Rewind,
    Steps,
    Verb,
)
from anyurl.dialogue.http import HttpOptions
from anyurl.dialogue.secret import Field
from anyurl.errors import LocalProtocolError, Truncated
from anyurl.schemes.http.answers import attributes, description, response_error, target
from anyurl.schemes.http.fields import ContentRange, content_range, is_archive, is_coded, is_packed
from anyurl.schemes.http.outcome import REDIRECTIONS, check_whole, follow, relay, settle
from anyurl.schemes.kit.scheme import (
    DialogueFunction,
    Parts,
    Scheme,
    canonical,
    octets,
    part_error,
    refuse_octets,
    split_decode,
)
from anyurl.url import URL, syntax
from anyurl.url.cut import percent_encode

_PATH_SAFE = b"!$&'()*+,;=:@/%"
"""RFC 3986 3.3; ``%`` because the text is already encoded."""

_SEARCH_SAFE = _PATH_SAFE + b"?"

_HEX = frozenset("0123456789abcdefABCDEF")

TITLE_OCTETS = 8 * 1024
"""Octets of a page in which its title is looked for."""

NO_HEAD = (400, 403, 405, 406, 500, 501)
"""Status codes of scripts that do not support HEAD, which is mandatory (RFC 9110 9.1), or that fail at it.

404 is not among them: a second request for every missing document would cost more than it finds.
"""


class HttpParts(Parts):
    """The path and query of an http URL, left encoded: only the server knows their meaning.

    Attributes:
        path: The path without the ``/`` that separates it from the host (RFC 1738 3.3). Characters that a path can't
            contain are encoded by the constructor; ``%XX`` is left as it is.
        search: What follows the ``?``, or None when there is no ``?``.

    Raises:
        URLSyntaxError: A ``%`` is not followed by two hexadecimal digits.
    """

    path: str
    search: str | None

    def __init__(self, path: str = "", search: str | None = None) -> None:
        self._set(
            path=_encoded(path, _PATH_SAFE, "hpath"),
            search=None if search is None else _encoded(search, _SEARCH_SAFE, "search"),
        )

    def url_path(self) -> str:
        """The path, and the search part after ``?``."""
        return self.path if self.search is None else f"{self.path}?{self.search}"

    @property
    def segments(self) -> tuple[str, ...]:
        """The path split at its slashes, each segment decoded: ``('a', '')`` for ``a/``."""
        return split_decode(self.path)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The search part read as form data: ``name=value`` pairs joined by ``&``, decoded, ``+`` for a space."""
        from anyurl.url.fields import form_decoded

        return form_decoded(self.search or "")


def _encoded(text: str, safe: bytes, rule: str) -> str:
    for piece in canonical(text).split("%")[1:]:
        if len(piece) < 2 or not _HEX.issuperset(piece[:2]):
            raise part_error(
                text,
                "a '%' must be followed by two hexadecimal digits",
                "RFC 1738 2.2",
                rule=rule,
            )
    return percent_encode(octets(text, rule=rule), safe)


def read(url: URL) -> HttpParts:
    """Read the parts of an http or https URL."""
    return HttpParts(url.path if url.authority is None else url.path.removeprefix("/"), url.query)


def check(url: URL) -> None:
    """Refuse line ends and NUL in a login, which no field of http can hold; everything else is sent encoded.

    Raises:
        RefusedError: Nothing was opened or sent.
    """
    if url.raw_user is not None:
        refuse_octets(url, syntax.row(url.scheme), syntax.CR_LF_NUL, user=url.user, password=url.password)


# --- the request ---------------------------------------------------------------------------------------------------


def _fetch(
    method: str,
    url: URL,
    headers: Sequence[Field],
    options: Options,
    *,
    upload: bool = False,
    decode: bool = True,
) -> Steps[Response]:
    """Send a request, and repeat it with a login if required: see `anyurl.schemes.http.login.fetch`."""
    login = options.login
    if login is not None or url.raw_user is not None:
        check(url)
        from anyurl.schemes.http.login import fetch

        return (yield from fetch(method, url, headers, login, options.reader, upload=upload, decode=decode))
    response: Response = yield Request(method, url, target(url), headers=headers, upload=upload, decode=decode)
    if response.status != 401:
        return response
    from anyurl.schemes.http.login import OneRequest, answer_challenge

    asked = OneRequest(method, url, headers, upload, decode, options.reader)
    return (yield from answer_challenge(asked, response, None))


# --- get and stat --------------------------------------------------------------------------------------------------


def get(url: URL, options: Options) -> Dialogue:
    """Get the document (RFC 9110 9.3.1); with ``options.resume`` the rest of it, if it is unchanged; with
    ``options.http`` the response to that request.

    Raises:
        ReplyError: The response is an error; NotFoundError, DeniedError or AuthRequiredError if its status says so.
        RemoteProtocolError: The response is a part that was not requested, or a redirect to an invalid URL.
        Truncated: The document is incomplete.
    """
    resume, http = options.resume, options.http
    if resume is None or resume.start <= 0:
        # A resumable download must not have a content coding: ranges count the coded octets (RFC 9110 14.2).
        plain = resume is not None
        return _get_whole(url, options, plain=plain) if http is None else _request(url, http, options, plain=plain)
    from anyurl.schemes.http import resuming

    validator = None if resume.compares else resuming.validator(resume)
    if validator is None and not resume.compares:
        return _get_anew(url, http, options)
    return _get_rest(url, resume, validator, http, options)


def _request(url: URL, http: HttpOptions, options: Options, *, plain: bool = False) -> Dialogue:
    if url.raw_user is not None and http.has("authorization"):
        raise LocalProtocolError(
            f"{url.masked} names a user, and an Authorization field is given: leave out one of them."
        )
    # A caller that sets Accept-Encoding or Range gets the octets as sent: ranges count the coded ones (RFC 9110 14.2).
    decode = not (plain or http.has("accept-encoding") or http.has("range") or is_archive(url.path))
    response = yield from _fetch(http.method, url, http.fields, options, upload=http.content, decode=decode)
    if response.status == 417 and http.method == "PUT" and http.content and (yield from Rewind()):
        # The server or a proxy does not support Expect: retry without it (RFC 9110 10.1.1). A POST is sent without
        # Expect, so its 417 is a real response.
        yield from Close(response.body)  # the unfinished upload reads from the same source
        yield from Rewind()
        fields = (*http.fields, ("Expect", ""))
        response = yield from _fetch(http.method, url, fields, options, upload=True, decode=decode)
    if decode and http.method == "GET" and is_coded(response) and is_packed(url.path, response):
        yield from Close(response.body)
        response = yield from _fetch("GET", url, http.fields, options, decode=False)
    return (yield from settle(url, response, http))


def _get_anew(url: URL, http: HttpOptions | None, options: Options) -> Dialogue:
    yield from Note("there is no proof that the document is unchanged: it is downloaded from the beginning")
    return (yield from (_get_whole(url, options) if http is None else _request(url, http, options)))


def _get_whole(url: URL, options: Options, *, plain: bool = False) -> Dialogue:
    archive = is_archive(url.path)
    decode = not (archive or plain)
    if url.raw_user is None and options.login is None:
        response: Response = yield Request("GET", url, target(url), decode=decode)
        if response.status == 401:
            from anyurl.schemes.http.login import OneRequest, answer_challenge

            asked = OneRequest("GET", url, (), False, decode, options.reader)
            response = yield from answer_challenge(asked, response, None)
    else:
        response = yield from _fetch("GET", url, (), options, decode=decode)
    if not archive and response.may_be_coded and is_coded(response):
        archive = is_packed(url.path, response)
        if plain is not archive:
            # The coding is the format of the file, and must not be undone; or it was not requested, and must be undone,
            # so that the download can't be resumed.
            yield from Close(response.body)
            return (yield from _get_whole(url, options, plain=archive))
    status = response.status
    if status in REDIRECTIONS:
        return (yield from follow(url, response))
    if not 200 <= status < 300:
        raise response_error(url, response)
    if status == 206:
        check_whole(response)
    described = description(response, as_sent=archive)
    yield described
    yield from relay(response, described.size)
    return None


def stat(url: URL, options: Options) -> Dialogue:
    """The attributes of the document, without the document (RFC 9110 9.3.2).

    Raises:
        ReplyError: As `get`.
    """
    http = options.http or HttpOptions()
    response = yield from _fetch("HEAD", url, http.fields, options, decode=False)
    if response.status in NO_HEAD:
        yield from Note(f"the server answered HEAD with {response.status}: its answer to GET is described")
        response = yield from _fetch("GET", url, http.fields, options, decode=False)
    if response.status in REDIRECTIONS:
        return (yield from follow(url, response))
    if options.http is not None:
        return (yield from settle(url, response, http.without_content("HEAD")))
    if not 200 <= response.status < 300:
        raise response_error(url, response)
    yield from description(response, as_sent=is_archive(url.path))
    return None


# --- the rest of a document ----------------------------------------------------------------------------------------


def _get_rest(url: URL, resume: Resume, validator: str | None, http: HttpOptions | None, options: Options) -> Dialogue:
    from anyurl.schemes.http import resuming

    # Without a content coding: the caller has decoded octets, but a range counts encoded ones (RFC 9110 14.2).
    fields = () if http is None else http.fields
    headers = [*fields, ("Range", f"bytes={resume.start}-")]
    headers += [("If-Range", validator)] if validator is not None else []
    response = yield from _fetch("GET", url, headers, options, decode=False)
    status = response.status
    archive = is_packed(url.path, response)
    changed = False
    if status in REDIRECTIONS:
        return (yield from follow(url, response))
    if status == 416:
        span = content_range(response.header("content-range"))
        changed = span is not None and span.size not in (None, resume.size)
        # apache2 and lighttpd do not say the size here; it is that of the document whose validator held (If-Range).
        size = resume.size if span is None else span.size
        if size == resume.start and resuming.is_same(resume, response):
            yield from _describe_complete(resume, response)
            return None
        reason = "the server has no octets there (416)"
    elif status in resuming.REFUSALS_OF_RANGES:
        reason = f"the server refuses to send a part ({status})"
    elif not 200 <= status < 300:
        raise response_error(url, response)
    elif status == 206 or response.header("content-range") is not None:
        part = resuming.usable_part(resume, response, as_sent=archive)
        if not isinstance(part, str):
            yield from _relay_part(resume, response, part)
            return None
        reason = part
    elif is_coded(response) and not archive:
        reason = "the server sends the rest in a content coding"
    else:
        yield from _relay_whole(resume, response, archive)
        return None
    yield from Note(f"{reason}: the whole document is requested")
    yield from Close(response.body)
    decode = is_coded(response) and not archive
    response = yield from _fetch("GET", url, fields, options, decode=decode)
    if is_coded(response) and not (archive or decode):
        yield from Close(response.body)
        response = yield from _fetch("GET", url, fields, options, decode=True)
    if response.status in REDIRECTIONS:
        return (yield from follow(url, response))
    if not 200 <= response.status < 300:
        raise response_error(url, response)
    check_whole(response)
    yield from _relay_whole(resume, response, archive, again=True, changed=changed)
    return None


def _describe_complete(resume: Resume, response: Response) -> Steps[None]:
    """The caller has the whole document already."""
    yield from Describe(
        "document",
        size=resume.start,
        start=resume.start,
        etag=resume.etag,
        modified=resume.modified,
        attributes=attributes(response),
    )


def _relay_part(resume: Resume, response: Response, part: ContentRange) -> Steps[None]:
    """Deliver the octets of a part that the caller lacks; caches of blocks send it from an earlier octet on."""
    first, last = part.first or 0, part.last or 0
    yield description(response, size=part.size, start=resume.start)
    known = resume.start - first
    while known:
        piece: bytes = yield Receive(response.body, known)
        if not piece:
            raise Truncated("The document broke off before the first octet that was missing.", received=0)
        known -= len(piece)
    # To the end of the document, if its size is known: a part that ends earlier is incomplete.
    expected = None if part.size is None else part.size - resume.start
    yield from relay(response, expected, at_most=last + 1 - resume.start, before=resume.start)


def _relay_whole(
    resume: Resume, response: Response, archive: bool, *, again: bool = False, changed: bool = False
) -> Steps[None]:
    """Deliver a whole document in place of its rest, unless it might not be that document (see `resuming`).

    Args:
        again: It was requested after an unusable response.
        changed: The server has said before that the document has another size.
    """
    from anyurl.schemes.http import resuming
    from anyurl.schemes.kit.whole import judge_whole

    told = description(response, as_sent=archive)
    verdict = judge_whole(resume, told)
    if resume.compares and verdict != "another":
        verdict = "same"  # all of it is compared
    proven = verdict == "another" or (verdict == "unproven" and changed)
    if not (proven or verdict == "same" or resume.anew):
        raise resuming.unproven(resume, told, (yield from _title(response, told)), verdict)
    expected = told.size
    if proven:
        yield from Note("the document has changed: it is downloaded from the beginning")
    elif resume.anew:
        yield from Note("the whole document is sent: it is downloaded from the beginning")
    else:
        compared = "the whole document is sent, and the partial file is compared with it"
        yield from Note(compared if again else f"the server sends no parts: {compared}")
        # Without a length, the tail alone of a document that repeats itself would pass for the whole.
        expected = resume.size if expected is None and not changed else expected
    yield told
    yield from relay(response, expected)


def _title(response: Response, told: Describe) -> Steps[str]:
    """The title of a page received instead of the document, or ``""``."""
    from anyurl.text.readers.registry import of_type

    if told.type is None or of_type(told.type) != "html":
        return ""
    import re

    start = yield from Receive(response.body, TITLE_OCTETS)
    found = re.search(r"(?is)<title[^>]*>([^<]*)", start.decode("utf-8", "replace"))
    return "" if found is None else " ".join(found[1].split())


# --- put -----------------------------------------------------------------------------------------------------------


def put(url: URL, options: Options) -> Dialogue:
    """Replace the document with the caller's source (RFC 9110 9.3.4); the body of the response is delivered.

    Raises:
        ReplyError: The response is an error, or a redirect to another origin: an upload is sent only to the origin that
            the caller named.
    """
    given = options.http or HttpOptions()
    fields = given.fields
    if options.upload_type is not None and not given.has("content-type"):
        fields = (("Content-Type", options.upload_type), *fields)
    return _request(url, HttpOptions("PUT", fields, content=True, check=given.check), options)


def list_links(url: URL, options: Options) -> Dialogue:
    """The links of a page, which a server shows for a directory. Raises as `anyurl.schemes.http.listing`."""
    from anyurl.schemes.http.listing import links_of  # imported here: only this verb parses pages

    fields = () if options.http is None else options.http.fields
    response = yield from _fetch("GET", url, fields, options)
    return (yield from links_of(url, response))


_SUMMARY = "A document, or whatever a web server answers with."
_VERBS: dict[Verb, DialogueFunction] = {"get": get, "list": list_links, "stat": stat, "put": put}

SCHEMES = (
    Scheme("http", reference="RFC 9110 4.2.1", summary=_SUMMARY, read=read, verbs=_VERBS, check=check),
    Scheme(
        "https", reference="RFC 9110 4.2.2", summary=f"{_SUMMARY[:-1]}; over TLS.", read=read, verbs=_VERBS, check=check
    ),
)
