"""Digest: a login that does not send the password (RFC 7616; RFC 2617 and 2069 for older servers).

Rule: MD5, SHA-256 and SHA-512-256, with and without -sess, over the method and the target exactly as sent. Not
auth-int, which would have to read the content twice. Values from the server are quoted when they are sent back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from anyurl.dialogue.challenges import Challenge

_ALGORITHMS: Final = {
    "md5": ("md5", False),
    "md5-sess": ("md5", True),
    "sha-256": ("sha256", False),
    "sha-256-sess": ("sha256", True),
    "sha-512-256": ("sha512_256", False),
    "sha-512-256-sess": ("sha512_256", True),
}
"""The hash, and whether the nonces of the session are part of the key (RFC 7616 3.4.2)."""


_BY_STRENGTH = ("md5", "sha256", "sha512_256")


class DigestChallenge:
    """A Digest challenge of a server.

    Attributes:
        realm: The realm.
        nonce: The server's nonce, which the response uses.
        opaque: Sent back unchanged, or None.
        algorithm: As the server wrote it; None means MD5.
        qop: Whether the response has a count and a client nonce (``auth``); servers of RFC 2069 know neither.
        stale: Only the nonce of the last response was too old; the password was right.
        userhash: The user name is sent as a hash.
        utf8: The server declares that it reads UTF-8.
        domain: The URI prefixes of the protection space; empty for the whole server.
    """

    __slots__ = (
        "realm",
        "nonce",
        "opaque",
        "algorithm",
        "qop",
        "stale",
        "userhash",
        "utf8",
        "domain",
        "_hash",
        "_session",
        "_first",
    )

    def __init__(self, parameters: dict[str, str], hash_name: str, session: bool) -> None:
        self.realm: str = parameters["realm"]
        self.nonce: str = parameters["nonce"]
        self.opaque: str | None = parameters.get("opaque")
        self.algorithm: str | None = parameters.get("algorithm")
        self.qop: bool = bool(_options(parameters))
        self.stale: bool = parameters.get("stale", "").lower() == "true"
        self.userhash: bool = parameters.get("userhash", "").lower() == "true"
        self.utf8: bool = parameters.get("charset", "").lower() == "utf-8"
        self.domain: tuple[str, ...] = tuple(parameters.get("domain", "").split())
        self._hash = hash_name
        self._session = session
        self._first = ""

    def renewed(self, nonce: str) -> DigestChallenge:
        """A copy with the next nonce of the server (RFC 7616 3.5)."""
        new = DigestChallenge.__new__(DigestChallenge)
        for name in self.__slots__:
            setattr(new, name, getattr(self, name))
        new.nonce, new._first = nonce, ""
        return new

    @property
    def strength(self) -> int:
        """Larger is stronger: the longer hash, and then a response with a client nonce before one without."""
        return 2 * _BY_STRENGTH.index(self._hash) + self.qop

    def covers(self, origin: str, target: str) -> bool:
        """Whether a target at this origin is in the protection space (RFC 7616 3.3)."""
        return not self.domain or any(
            target.startswith(each) or f"{origin}{target}".startswith(each) for each in self.domain
        )

    def respond(self, user: str, password: str, method: str, target: str, cnonce: str, number: int = 1) -> str:
        """The value after ``Authorization: Digest``.

        Args:
            user: The user name; in all arguments, octets that are not UTF-8 are surrogates.
            method: The method of the request.
            target: The target in the request line, octet for octet.
            cnonce: Unpredictable letters and digits; used for this request only, or with -sess for all.
            number: The number of this response to the challenge, from 1.
        """
        digest = _hasher(self._hash)
        key = digest(f"{user}:{self.realm}:{password}")
        if self._session:
            # RFC 7616 3.4.2: the key is made once, from the nonces of the first response; later ones reuse it.
            cnonce = self._first = self._first or cnonce
            key = digest(f"{key}:{self.nonce}:{cnonce}")
        act = digest(f"{method}:{target}")
        count = f"{number:08x}"
        middle = f"{self.nonce}:{count}:{cnonce}:auth" if self.qop else self.nonce
        name = digest(f"{user}:{self.realm}") if self.userhash else user
        fields = [
            _named(name, self.utf8),
            f"realm={_quoted(self.realm)}",
            f"nonce={_quoted(self.nonce)}",
            f"uri={_quoted(target)}",
            f'response="{digest(f"{key}:{middle}:{act}")}"',
        ]
        if self.algorithm is not None:
            fields.append(f"algorithm={self.algorithm}")
        if self.opaque is not None:
            fields.append(f"opaque={_quoted(self.opaque)}")
        if self.qop or self._session:
            fields.append(f'cnonce="{cnonce}"')
        if self.qop:
            fields += ["qop=auth", f"nc={count}"]
        if self.userhash:
            fields.append("userhash=true")
        return ", ".join(fields)


def read_digest(challenge: Challenge) -> DigestChallenge | None:
    """The Digest challenge, or None if it is of another scheme or cannot be answered here."""
    parameters = dict(challenge.parameters)
    if challenge.scheme != "digest" or "realm" not in parameters or "nonce" not in parameters:
        return None
    algorithm = _ALGORITHMS.get(parameters.get("algorithm", "MD5").lower())
    if algorithm is None or not _has(algorithm[0]):
        return None
    if (options := _options(parameters)) and "auth" not in options:
        return None
    return DigestChallenge(parameters, *algorithm)


def _options(parameters: dict[str, str]) -> list[str]:
    """The qop-options; an empty list counts as absent, as in curl and wget."""
    return parameters.get("qop", "").lower().replace(",", " ").split()


def next_nonce(fields: Sequence[str]) -> str | None:
    """The nextnonce of an Authentication-Info field, to be used in the next response (RFC 7616 3.5), or None."""
    for field in fields:
        found = re.search(r'(?i)(?:^|[\s,])nextnonce[ \t]*=[ \t]*"([^"\\\x00-\x1f\x7f]+)"', field)
        if found is not None:
            return found[1]
    return None


def strongest_digest(challenges: Sequence[Challenge]) -> DigestChallenge | None:
    """The strongest Digest challenge that can be answered here, or None."""
    digests = [found for found in map(read_digest, challenges) if found is not None]
    return max(digests, key=lambda found: found.strength, default=None)


def _hasher(name: str) -> Callable[[str], str]:
    import hashlib  # loads OpenSSL

    def digest(text: str) -> str:
        return hashlib.new(name, text.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()

    return digest


def _has(name: str) -> bool:
    """Whether this Python has the hash: hashlib gets SHA-512/256 from OpenSSL, and other libraries lack it."""
    if name != "sha512_256":
        return True
    import hashlib

    return name in hashlib.algorithms_available


def _named(user: str, utf8: bool) -> str:
    """The user field; RFC 7616 3.4: a name that is not ASCII is encoded by RFC 8187 if the server reads UTF-8."""
    if user.isascii() or not utf8:
        return f"username={_quoted(user)}"
    from anyurl.url.cut import percent_encode

    return f"username*=UTF-8''{percent_encode(user.encode('utf-8', 'surrogateescape'), b'!#$&+^`|')}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
