"""Logging in at an origin (RFC 9110 11, RFC 7617, RFC 7616, RFC 6750).

Rule: no credentials are sent before a challenge unless the caller requires it. A challenge is answered once, and a
second time only if the server says that just its nonce was stale. If Digest is offered, no password is sent in clear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from anyurl.dialogue import AskSecret, Close, Random, Request, Response, Rewind, Secret, Steps
from anyurl.dialogue.challenges import is_basic_all, read_challenges
from anyurl.dialogue.digest import DigestChallenge, next_nonce, strongest_digest
from anyurl.dialogue.logins import Authorization, Login
from anyurl.dialogue.secret import Field
from anyurl.errors import LocalProtocolError
from anyurl.guard.verdict import Reader, aside
from anyurl.schemes.http.answers import RefusedLogin, target
from anyurl.url import URL
from anyurl.values import Struct

NONCE_OCTETS = 16
"""Octets of the client's nonce: 128 bits, as in libcurl."""

Offer: TypeAlias = DigestChallenge | str
"""The challenge to answer: a Digest challenge, or ``Basic``."""


class OneRequest(Struct):
    """A request that can be repeated with a login."""

    method: str
    url: URL
    headers: Sequence[Field]
    upload: bool
    decode: bool
    reader: Reader = "arguments"

    def with_(self, authorization: Authorization | None) -> Request:
        """The request with this Authorization, or without one."""
        return Request(
            self.method, self.url, target(self.url), headers=self.headers, upload=self.upload,
            authorization=authorization, decode=self.decode,
        )  # fmt: skip


def fetch(
    method: str,
    url: URL,
    headers: Sequence[Field],
    login: Login | None,
    reader: Reader = "arguments",
    *,
    upload: bool = False,
    decode: bool = True,
) -> Steps[Response]:
    """Send a request, and repeat it with a login if the server requires one and it is available.

    Args:
        login: The caller's login for this origin; it takes precedence over the user in the URL.
        reader: Who reads how else to log in.

    Asks:
        Request, AskSecret, Rewind, Random.
    """
    asked = OneRequest(method, url, headers, upload, decode, reader)
    if _says_it(headers):
        response = yield from asked.with_(None)
        return response if response.status != 401 else (yield from answer_challenge(asked, response, None))
    if login is None and url.raw_user is not None:
        login = Login(url.user or "", url.password)
    if login is not None and login.kind in ("basic", "bearer"):
        return (yield from _at_once(asked, login))
    known = None if login is None else login.space.next()
    if login is not None and known is not None and known[0].covers(url.origin or "", target(url)):
        response = yield from _again(asked, login, *known)
        return response if response.status != 401 else (yield from answer_challenge(asked, response, login))
    unread = False
    if upload and login is not None and not (yield from Rewind()):
        # A source that can be read only once must not be sent in vain: HEAD fetches the challenge first.
        response = yield from Request("HEAD", url, target(url))
        unread = response.status == 401
        if not unread:
            response = yield from asked.with_(None)
    else:
        response = yield from asked.with_(None)
    return response if response.status != 401 else (yield from answer_challenge(asked, response, login, unread))


def _says_it(headers: Sequence[Field]) -> bool:
    return any(name.lower() == "authorization" for name, _ in headers)


def _again(asked: OneRequest, login: Login, challenge: DigestChallenge, number: int) -> Steps[Response]:
    """Answer the challenge of an earlier request in advance (RFC 7616 3.6), which saves a round trip."""
    secret = login.secret
    if secret is None:
        secret = yield from AskSecret(asked.url.host or "", login.user, f"{asked.url.scheme} password")
        if secret is None:
            return (yield from asked.with_(None))
    cnonce = (yield from Random(NONCE_OCTETS)).hex()
    response = yield from asked.with_(_digest(asked, challenge, login.user, secret, cnonce, number))
    if response.status == 401:
        login.space.forget()
    else:
        _renew(login, challenge, response)
    return response


def _renew(login: Login, challenge: DigestChallenge, response: Response) -> None:
    """Keep the nonce that the server announces for the next request, if it does."""
    nonce = next_nonce(response.all("authentication-info"))
    if nonce is not None:
        login.space.keep(challenge.renewed(nonce), first=1)


def _at_once(asked: OneRequest, login: Login) -> Steps[Response]:
    secret = login.secret
    if secret is None:
        secret = yield from AskSecret(asked.url.host or "", login.user, f"{asked.url.scheme} password")
        if secret is None:
            return (yield from asked.with_(None))
    if login.kind == "bearer":
        authorization = Authorization("Bearer", secret, secret)
    else:
        authorization = _basic(asked.url, login.user, secret)
    response = yield from asked.with_(authorization)
    return response if response.status != 401 else RefusedLogin(response, _NOT_ACCEPTED, _told(authorization, secret))


def answer_challenge(
    asked: OneRequest, response: Response, login: Login | None, unread: bool = False
) -> Steps[Response]:
    """Answer the challenges of a 401 if a login is available.

    Args:
        unread: Nothing has been read from the caller's source yet.
    """
    url = asked.url
    if _says_it(asked.headers):
        return RefusedLogin(response, "the Authorization field is not accepted")
    offer = _offer(url, response, login)
    if offer is None:
        return RefusedLogin(response, _no_offer(url, response, login, asked.reader))
    user, secret = ("", None) if login is None else (login.user, login.secret)
    if secret is None:
        secret = yield from AskSecret(url.host or "", user, f"{url.scheme} password", by_person=login is not None)
        user = user or (secret.user if secret is not None else "")
    if secret is None or (login is None and not user):
        return RefusedLogin(response, _no_password(url, user, offer))
    authorization: Authorization | None = None
    for _ in range(2):
        if asked.upload:
            # The response may come before the upload is complete: close it, as it still reads from the same source.
            yield from Close(response.body)
        if asked.upload and not unread and not (yield from Rewind()):
            way = aside("basic", asked.reader)
            return RefusedLogin(response, f"the content can't be read again from its start: log in at once{way}")
        if isinstance(offer, str):
            authorization = _basic(url, user, secret)
        else:
            cnonce = (yield from Random(NONCE_OCTETS)).hex()
            authorization = _digest(asked, offer, user, secret, cnonce)
        response = yield from asked.with_(authorization)
        if response.status != 401:
            if login is not None and isinstance(offer, DigestChallenge) and offer.qop:
                login.space.keep(offer)
                _renew(login, offer, response)
            return response
        unread = False
        again = None if isinstance(offer, str) else _offer(url, response, login)
        if not isinstance(again, DigestChallenge) or not again.stale:
            break
        offer = again
    assert authorization is not None
    return RefusedLogin(response, _NOT_ACCEPTED, _told(authorization, secret))


def _offer(url: URL, response: Response, login: Login | None) -> Offer | None:
    """The best challenge of the server that can be answered with this login."""
    fields = response.all("www-authenticate")
    challenges = read_challenges(fields)
    digest = strongest_digest(challenges)
    if digest is not None:
        return digest
    if login is not None and login.kind == "digest":
        return None
    if url.scheme == "https":
        return "Basic" if any(challenge.scheme == "basic" for challenge in challenges) else None
    return "Basic" if login is not None and is_basic_all(fields) else None


def _no_offer(url: URL, response: Response, login: Login | None, reader: Reader) -> str:
    fields = response.all("www-authenticate")
    schemes = {challenge.scheme for challenge in read_challenges(fields)}
    if login is not None and login.kind == "digest":
        return "it offers no Digest that is known here, and no other login is given"
    if "basic" not in schemes:
        offered = "it offers no login that is known here (Basic, Digest)" if schemes else "it names no way to log in"
        return f"{offered}; its login can be sent at once{aside('at-once', reader)}"
    if "digest" in schemes:
        return "it offers no Digest that is known here, and a password in clear is not sent where Digest was offered"
    if url.scheme != "https" and not is_basic_all(fields):
        return (
            "besides Basic it offers a login that is unknown here or can't be read, so no cleartext password is sent; "
            f"it can be sent at once{aside('basic', reader)}"
        )
    return _no_password(url, "", "Basic")


def _no_password(url: URL, user: str, offer: Offer) -> str:
    if user:
        return f"no password was given: an entry for {url.host} in .netrc, or the prompt of a terminal, would have one"
    clear = " (it would go in clear)" if url.scheme == "http" and offer == "Basic" else ""
    return f"write the user into the URL{clear}: user@host; the password is asked for, or .netrc has it"


_NOT_ACCEPTED = "user and password are not accepted"


def _basic(url: URL, user: str, secret: Secret) -> Authorization:
    password = secret.reveal()
    # RFC 7617 2: the first colon ends the user name, so "a:b" would log in as "a" with another password.
    if ":" in user or _has_control(user + password):
        raise LocalProtocolError(
            f"The user or password of {url.masked} can't be sent: Basic authentication has no colon in a user and no "
            "control characters (RFC 7617 2)."
        )
    from binascii import b2a_base64

    login = f"{user}:{password}"
    encoded = b2a_base64(login.encode("utf-8", "surrogateescape"), newline=False).decode("ascii")
    return Authorization("Basic", Secret(encoded), Secret(login))


def _digest(
    asked: OneRequest, offer: DigestChallenge, user: str, secret: Secret, cnonce: str, number: int = 1
) -> Authorization:
    if ":" in user or _has_control(user):
        raise LocalProtocolError(
            f"The user of {asked.url.masked} can't be sent: no login has a colon or control characters in a user "
            "(RFC 7616 3.4)."
        )
    password = secret.reveal()
    credentials = offer.respond(user, password, asked.method, target(asked.url), cnonce, number)
    return Authorization("Digest", Secret(credentials), Secret(f"{user}:{password}"))


def _has_control(text: str) -> bool:
    return any(char < " " or char == "\x7f" for char in text)


def _told(authorization: Authorization, secret: Secret) -> tuple[str, ...]:
    """The credentials that were sent, which the server might repeat."""
    return authorization.credentials.reveal(), secret.reveal()
