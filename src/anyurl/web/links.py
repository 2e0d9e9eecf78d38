"""Links between our pages: the URL, its origin, and a proof that this server wrote both.

Rule: the origin of a URL is stored here, and never taken from the browser. A link that this server did not write, or
whose origin it has forgotten, is a stranger's. A URL is parsed again by its own grammar.
"""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import blake2b

from anyurl.errors import LocalProtocolError
from anyurl.url import URL
from anyurl.url.cut import percent_encode
from anyurl.url.stored import from_stored, is_echo, to_stored
from anyurl.values import STRANGER, USER, Provenance
from anyurl.web.tokens import TokenStore

MAX_ORIGINS = 4096
"""Origins that are remembered: each visited page has one. Older links count as a stranger's."""

PROOF_OCTETS = 16

MAX_ECHOES = 4096
"""URLs with a server's echo of a password that are remembered: each visited page has some."""

_KEPT = "kept "
"""Before the token of a URL that no link may show; no grammar has this name (`to_stored`)."""

_SAFE = b"/:@!$'()*,;"
"""Characters that are not encoded in a field of a query (RFC 3986 3.4): not those that end or join fields."""


class Links:
    """Writes and reads the links of one server.

    Args:
        base: The path above all pages, with a slash at both ends.
    """

    def __init__(self, base: str) -> None:
        self.base: str = base
        self._keyed = blake2b(key=secrets.token_bytes(32), digest_size=PROOF_OCTETS)
        self._numbers: OrderedDict[Provenance, int] = OrderedDict()
        self._origins: dict[int, Provenance] = {}
        self._last = 0
        self._echoes: TokenStore[URL] = TokenStore(MAX_ECHOES)
        self._latest = USER, 0

    def to(self, page: str, url: URL, origin: Provenance, **more: str) -> str:
        """A link to one of our pages about a URL.

        Args:
            page: The page: ``view``, ``octets`` ...
            more: Further fields; empty ones are left out.
        """
        text, number, proof = self._proven(url, origin)
        link = f"{self.base}{page}?u={field(text)}&o={number}&s={proof}"
        for name, value in more.items():
            link += f"&{name}={field(value)}" if value else ""
        return link

    def fields(self, url: URL, origin: Provenance) -> dict[str, str]:
        """The same link as the fields of a form."""
        text, number, proof = self._proven(url, origin)
        return {"u": text, "o": str(number), "s": proof}

    def index(self, url: URL, origin: Provenance) -> str:
        """The same link as a path: a browser appends a ``?`` and the words of ``ISINDEX``."""
        text, number, proof = self._proven(url, origin)
        # A browser would resolve the ".." of the URL's path.
        return f"{self.base}index/{number}/{proof}/{field(text).replace('/', '%2F')}"

    def read(self, fields: Mapping[str, str]) -> tuple[URL, Provenance]:
        """The URL of a link, and who named it.

        Raises:
            URLSyntaxError: The field of the URL is missing or invalid.
            UnsupportedError: It names an unknown grammar.
            LocalProtocolError: It is the link of an earlier gateway, or an old one, to a URL that has a password.
        """
        text, number = fields.get("u", ""), fields.get("o", "")
        origin: Provenance | None = None
        if number.isascii() and number.isdigit() and len(number) < 16:
            proof = self._proof(int(number), text)
            if hmac.compare_digest(proof.encode(), fields.get("s", "").encode("utf-8", "replace")):
                origin = USER if number == "0" else self._origins.get(int(number))
        return self._url_of(text), STRANGER if origin is None else origin

    def _proven(self, url: URL, origin: Provenance) -> tuple[str, int, str]:
        """The fields of a link: the URL's stored form without a password, the number of its origin, and the proof."""
        bare = url if url.raw_password is None else url.replace(password=None)
        text = f"{_KEPT}{self._echoes.keep(bare)}" if is_echo(bare) else to_stored(bare)
        # The entries of a listing share their origin: the latest one is known without a comparison.
        latest, number = self._latest
        if origin is not latest:
            number = self._number(origin)
            self._latest = origin, number
        return text, number, self._proof(number, text)

    def _url_of(self, text: str) -> URL:
        if not text.startswith(_KEPT):
            return from_stored(text)
        url = self._echoes.get(text.removeprefix(_KEPT))
        if url is None:
            raise LocalProtocolError("This link is no longer valid: go back to the page that led here.")
        return url

    def _number(self, origin: Provenance) -> int:
        if origin.own:
            return 0
        number = self._numbers.get(origin)
        if number is None:
            self._last += 1
            number = self._numbers[origin] = self._last
            self._origins[number] = origin
            while len(self._numbers) > MAX_ORIGINS:
                _, old = self._numbers.popitem(last=False)
                del self._origins[old]
        else:
            self._numbers.move_to_end(origin)
        return number

    def _proof(self, number: int, text: str) -> str:
        proof = self._keyed.copy()
        proof.update(f"{number} {text}".encode("utf-8", "surrogatepass"))
        return proof.hexdigest()


def field(text: str) -> str:
    """A text encoded as the value of a field in a query."""
    return percent_encode(text.encode("utf-8", "surrogateescape"), _SAFE)
