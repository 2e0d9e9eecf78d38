"""The secrets of a dialogue (passwords, tokens, cookies), replaced in traces and archives.

Rule (RFC 1738 section 6): in data sent, every known secret is masked, however short, and so is the argument of each
login command. Data received keeps its length: an echoed secret becomes as many asterisks.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator

from anyurl.dialogue import Request, Secret
from anyurl.dialogue.http import is_credential
from anyurl.url import URL
from anyurl.url.cut import percent_decode, percent_encode
from anyurl.url.echoes import SHORTEST, echoing, hide, number_of
from anyurl.url.masking import MASK, mask

_LOGIN_TEXT = re.compile(r"(?aim)^((?:AUTHINFO )?PASS |AUTHINFO SASL \S+ |AUTH \S+ |ACCT )\S[^\r\n]*")
_LOGIN = re.compile(_LOGIN_TEXT.pattern.encode("ascii"))
"""The commands that send a password (RFC 959 4.1.1, RFC 4643 2.3, RFC 4954 4)."""

_MASK = MASK.encode("ascii")


class KnownSecrets:
    """The secrets of one dialogue.

    Attributes:
        replaced: The kinds of secrets that were replaced, as descriptions.
    """

    def __init__(self) -> None:
        self.replaced: dict[str, None] = {}
        self._known: set[bytes] = set()
        self._octets: set[bytes] = set()
        self._number: int | None = None
        self._sent: tuple[bytes, ...] = ()
        self._received: tuple[bytes, ...] = ()

    def know(self, *texts: str | Secret | None) -> None:
        """Add secrets: each is masked as it is, percent-encoded, and in base64."""
        for text in texts:
            octets = (text.reveal() if isinstance(text, Secret) else text or "").encode("utf-8", "surrogateescape")
            if octets and octets not in self._octets:
                self._octets.add(octets)
                self._number = None
                self._known |= {octets, percent_encode(octets).encode("ascii"), b64encode(octets)}
                self._sent = tuple(sorted(self._known, key=len, reverse=True))
                self._received = tuple(word for word in self._sent if len(word) >= SHORTEST)

    def know_login(self, url: URL) -> None:
        """Add the password of a URL, encoded and decoded."""
        self.know(url.password, url.raw_password)

    def know_fields(self, fields: Iterable[tuple[str, str | Secret]]) -> None:
        """Add the header fields with credentials, and the parts that a server may repeat."""
        for name, value in fields:
            if isinstance(value, Secret) or is_credential(name):
                text = value.reveal() if isinstance(value, Secret) else value
                self.know(text, *_parts_of(name.lower(), text))

    def know_request(self, ask: Request) -> None:
        """Add the secrets of a request: the password of its URL, its fields with credentials, and its login."""
        self.know_login(ask.url)
        self.know_fields(ask.headers)
        if ask.authorization is not None:
            self.know(ask.authorization.credentials)

    def __bool__(self) -> bool:
        return bool(self._known)

    def say(self, what: str) -> None:
        """Note that a secret of this kind was replaced."""
        self.replaced[what] = None

    def sent(self, data: bytes) -> bytes:
        """Data sent, with secrets masked."""
        hidden = _LOGIN.sub(rb"\1" + _MASK, data)
        for word in self._sent:
            hidden = hidden.replace(word, _MASK)
        if hidden != data:
            self.say("password")
        return hidden

    def field(self, value: str) -> str:
        """The value of a header field, or a sentence, with secrets and the passwords of URLs masked."""
        hidden = mask(" " + value)[1:]
        if self._long:
            hidden = hide(self._secrets_number, hidden)
        if self._sent or _LOGIN_TEXT.search(hidden) is not None:
            hidden = self.sent(hidden.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
        if hidden != value:
            self.say("password")
        return hidden

    def echoing(self, url: URL) -> URL:
        """A URL that a server named, which masks the secrets that the server wrote into it."""
        return echoing(url, self._secrets_number) if self._long else url

    @property
    def _long(self) -> bool:
        return any(len(octets) >= SHORTEST for octets in self._octets)

    @property
    def _secrets_number(self) -> int:
        if self._number is None:
            self._number = number_of(self._octets)
        return self._number

    @property
    def words(self) -> tuple[bytes, ...]:
        """The secrets to find in data received, the longest first."""
        return self._received


def _parts_of(name: str, value: str) -> Iterator[str]:
    """The parts of a field's value that a server may repeat: each cookie's value, a login without its scheme."""
    if name == "cookie":
        for pair in value.split(";"):
            text = pair.partition("=")[2].strip()
            yield text
            yield percent_decode(text).decode("utf-8", "surrogateescape")
    elif name in ("authorization", "proxy-authorization"):
        scheme, _, login = value.partition(" ")
        yield login
        if scheme.lower() == "basic":
            try:
                yield b64decode(login, validate=True).partition(b":")[2].decode("utf-8", "surrogateescape")
            except ValueError:  # a login that no server will understand
                pass


class Hider:
    """Masks secrets in data received piece by piece; the possible start of a secret waits for the next piece."""

    def __init__(self, secrets: KnownSecrets) -> None:
        self._secrets = secrets
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Add a piece; returns the octets that are final."""
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
        """The octets that still waited, at the end of the data."""
        held, self._held = self._held, b""
        return held

    def _hidden(self, data: bytes, words: tuple[bytes, ...]) -> bytes:
        for word in words:
            if word in data:
                data = data.replace(word, b"*" * len(word))
                self._secrets.say("secret in what was received")
        return data
