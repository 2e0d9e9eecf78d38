"""What is secret in a dialogue, and replaced in what is told of it or kept: passwords, tokens, cookies.

Rule (RFC 1738 section 6): what is sent loses each secret that is known, however short, and whatever stands where a
login command has its password. What is received keeps its length: an echo becomes asterisks, octet for octet.
"""

from __future__ import annotations

import re
from base64 import b64encode

from anyurl.dialogue import Secret
from anyurl.kernel import percent_encode
from anyurl.url import URL
from anyurl.url.masking import MASK, mask

SHORTEST = 4
"""Octets of a secret that is looked for in what is received: a shorter one would stand in the midst of words."""

_LOGIN = re.compile(rb"(?im)^((?:AUTHINFO )?PASS |AUTHINFO SASL \S+ |AUTH \S+ |ACCT )\S[^\r\n]*")
"""The commands that bring a password along (RFC 959 4.1.1, RFC 4643 2.3, RFC 4954 4)."""

_MASK = MASK.encode("ascii")


class KnownSecrets:
    """What may not be kept of one dialogue.

    Attributes:
        replaced: What has been replaced, in words that can be shown.
    """

    def __init__(self) -> None:
        self.replaced: dict[str, None] = {}
        self._known: set[bytes] = set()
        self._sent: tuple[bytes, ...] = ()
        self._received: tuple[bytes, ...] = ()

    def know(self, *texts: str | Secret | None) -> None:
        """These are secret, as they are, encoded as in a URL, and in base64."""
        for text in texts:
            octets = (text.reveal() if isinstance(text, Secret) else text or "").encode("utf-8", "surrogateescape")
            if octets and octets not in self._known:
                self._known |= {octets, percent_encode(octets).encode("ascii"), b64encode(octets)}
                self._sent = tuple(sorted(self._known, key=len, reverse=True))
                self._received = tuple(word for word in self._sent if len(word) >= SHORTEST)

    def know_login(self, url: URL) -> None:
        """The password of a URL, as it stands there and decoded."""
        self.know(url.password, url.raw_password)

    def __bool__(self) -> bool:
        return bool(self._known)

    def say(self, what: str) -> None:
        """This was replaced."""
        self.replaced[what] = None

    def sent(self, data: bytes) -> bytes:
        """What was sent, without them."""
        hidden = _LOGIN.sub(rb"\1" + _MASK, data)
        for word in self._sent:
            hidden = hidden.replace(word, _MASK)
        if hidden != data:
            self.say("password")
        return hidden

    def field(self, value: str) -> str:
        """The value of a header field, without them and without the passwords of URLs."""
        shown = self.sent(mask(" " + value)[1:].encode("utf-8", "surrogateescape"))
        hidden = shown.decode("utf-8", "surrogateescape")
        if hidden != value:
            self.say("password")
        return hidden

    @property
    def words(self) -> tuple[bytes, ...]:
        """What is looked for in what is received, the longest first."""
        return self._received


class Hider:
    """Replaces secrets in what comes piece by piece; what may be the start of one waits for the next piece."""

    def __init__(self, secrets: KnownSecrets) -> None:
        self._secrets = secrets
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """The octets that are settled now."""
        words = self._secrets.words
        data = self._hidden(self._held + data, words)
        longest = len(words[0]) - 1 if words else 0
        end = len(data) - longest
        if longest and end > 0:
            self._held = data[end:]
            return data[:end]
        self._held = data if longest else b""
        return b"" if longest else data

    def rest(self) -> bytes:
        """The octets that waited: no more come."""
        held, self._held = self._held, b""
        return held

    def _hidden(self, data: bytes, words: tuple[bytes, ...]) -> bytes:
        for word in words:
            if word in data:
                data = data.replace(word, b"*" * len(word))
                self._secrets.say("secret in what was received")
        return data
