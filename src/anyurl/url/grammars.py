"""The registry of grammars, through which derived URLs are read by the grammar of the original.

Rule: a URL is parsed once. URLs derived from it are parsed by the same grammar, through the reader registered here, or
are an error; no module below the URL knows its class. ``current`` is `URL` itself; the package registers the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anyurl.errors import UnsupportedError

if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    class Locator(Protocol):
        """The attributes of a URL that the modules of this package use."""

        @property
        def grammar(self) -> str: ...
        @property
        def scheme(self) -> str: ...
        @property
        def authority(self) -> str | None: ...
        @property
        def raw_user(self) -> str | None: ...
        @property
        def raw_password(self) -> str | None: ...
        @property
        def user(self) -> str | None: ...
        @property
        def password(self) -> str | None: ...
        @property
        def raw_host(self) -> str | None: ...
        @property
        def host(self) -> str | None: ...
        @property
        def explicit_port(self) -> int | None: ...
        @property
        def port(self) -> int | None: ...
        @property
        def path(self) -> str: ...
        @property
        def query(self) -> str | None: ...
        @property
        def fragment(self) -> str | None: ...
        @property
        def parts(self) -> Any: ...

    L = TypeVar("L", bound=Locator)
    """The class of a URL, which these modules must not import."""


NAMES = ("current", "rfc1738", "rfc1738-draft07", "browser")
"""All grammars; a URL stores the index of its own."""

DOCUMENTS = NAMES[1:3]
"""The grammars that follow a document to the letter."""


_USER = b"!$&'()*+,;="
_PATH = b"!$&'()*+,;=:@/"
SAFE = {
    "user": _USER, "password": _USER + b":", "path": _PATH, "rest": _PATH + b"?", "query": _PATH + b"?",
    "fragment": _PATH + b"?",
}  # fmt: skip
"""The characters that are not encoded in a component (RFC 3986 3); ``rest`` is a path that may contain a ``?``."""


def safe_today(scheme: str, component: str) -> bytes:
    """`Grammar.safe` of ``current``."""
    return SAFE[component]


class Grammar:
    """One way to read a URL.

    Attributes:
        read: Parses a text or octets as a URL of this grammar; raises URLSyntaxError.
        safe: Returns, for a scheme and a component, the octets that are not encoded, besides the unreserved ones and
            ``%``; a component is a name of `SAFE`.
        resolve: Resolves a reference against a base of this grammar, if that differs from RFC 3986 5.
    """

    __slots__ = ("read", "safe", "resolve")

    def __init__(
        self,
        read: Callable[[str | bytes], Any],
        safe: Callable[[str, str], bytes] = safe_today,
        resolve: Callable[[str, str], Any] | None = None,
    ) -> None:
        self.read: Callable[[str | bytes], Any] = read
        self.safe: Callable[[str, str], bytes] = safe
        self.resolve: Callable[[str, str], Any] | None = resolve

    def parse(self, text: str | bytes) -> Any:
        """Parse a text that a caller gave. Raises as `read`; TypeError for a URL, which was read already."""
        if type(text) is not str:
            from anyurl.url.to_ascii import check_text

            check_text(text)
        return self.read(text)


GRAMMARS: dict[str, Grammar] = {}
"""The grammars by name; `anyurl` registers all of `NAMES`."""


def find_grammar(name: str) -> Grammar:
    """The grammar of that name.

    Raises:
        UnsupportedError: There is none.
    """
    if not isinstance(name, str):
        raise TypeError(f"a grammar is named by a str, not {type(name).__name__}")
    found = GRAMMARS.get(name)
    if found is None:
        raise unknown_grammar(name, tuple(GRAMMARS))
    return found


def unknown_grammar(grammar: str, known: tuple[str, ...]) -> UnsupportedError:
    """The error for an unknown grammar. Raises TypeError if it is not a str."""
    if not isinstance(grammar, str):
        raise TypeError(f"a grammar is named by a str, not {type(grammar).__name__}")
    return UnsupportedError(f"There is no grammar {grammar!r} here; there are {', '.join(known)}.")
