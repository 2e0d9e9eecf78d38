"""Challenges: the parser of WWW-Authenticate and Proxy-Authenticate (RFC 9110 11.6.1).

Rule: one field may hold several challenges, and there may be several fields; a comma separates both challenges and
parameters, so only what follows the next word shows which of the two it is. A malformed value (``realm='a b'``) is read
to the next comma, unless it may hide another challenge. In a field that is malformed otherwise, the current challenge
and the rest of the field are not answered; complete challenges before them count. An unreadable challenge is still an
offer: like every offer stronger than Basic, it forbids a cleartext password (`is_basic_all`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

MAX_CHALLENGES = 16
"""Most challenges of one response; browsers know four of the schemes in the IANA registry."""

MAX_PARAMETERS = 32
"""Most parameters of one challenge; Digest has the most, nine (RFC 7616 3.3)."""

MAX_CHARACTERS = 16 * 1024
"""Most characters of all fields together: twice what a web server accepts in one line (nginx: 8 KiB)."""

NO_STRONGER = frozenset({"basic", "bearer"})
"""Basic is not a downgrade from these schemes. Any other scheme, known or not, may be offered to protect the
password."""

# Possessive quantifiers and atomic groups: no backtracking.
_TOKEN = r"(?>[!#$%&'*+\-.^_`|~0-9A-Za-z]+)"
_WORD = re.compile(_TOKEN)
_GAP = re.compile(r"[ \t,]*+")
_SPACES = re.compile(r"[ \t]*+")
_PARAMETER = re.compile(
    rf'({_TOKEN})[ \t]*+=[ \t]*+(?:({_TOKEN})|"((?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[^\x00-\x08\x0a-\x1f\x7f])*+)")'
    rf"(?=[ \t]*+(?:,|\Z)|(?>[ \t]+){_TOKEN}=)"
)
_LOOSE = re.compile(rf"({_TOKEN})[ \t]*+=[ \t]*+(?!=)((?>[^,\x00-\x08\x0a-\x1f\x7f]+))(?=,|\Z)")
_STRONGER = re.compile(
    r"(?i)(?<![0-9a-z])(?:bearer|concealed|digest|dpop|gnap|hoba|kerberos|mutual|negotiate|ntlm|oauth|privatetoken"
    r"|scram|spnego|vapid)(?![a-z])"
)
_TEXT = r'\A"(?:[^"\\]|\\.)*+"'
_HIDES = re.compile(
    rf"(?<![0-9A-Za-z]){_TOKEN}(?>[ \t]+){_TOKEN}[ \t]*+=|[;|][ \t]*+{_TOKEN}(?![ \t]*+=)"
    rf'|{_TEXT}(?>[ \t;]+){_TOKEN}(?![ \t]*+=)|{_TEXT}[ \t;]*+[^ \t;"][^"]*+\Z'
)
"""Possible further challenges within a malformed value: a scheme and its parameter, a word after a semicolon or after a
text. Attack: it is overlooked, and a password is sent in clear."""
_NAMES = frozenset((
    "realm", "charset", "type", "nonce", "opaque", "algorithm", "qop", "stale", "domain", "userhash",
    "scope", "error", "error_description", "error_uri",
))  # fmt: skip
"""Parameters of Basic, Digest and Bearer; with a malformed value another name may be a scheme (``Digestrealm=a b``)."""
_TOKEN68 = re.compile(r"((?>[0-9A-Za-z\-._~+/]+)=*+)(?=[ \t]*+(?:,|\Z))")
_PAIR = re.compile(r"\\(.)", re.DOTALL)


class Challenge:
    """One challenge.

    Attributes:
        scheme: The authentication scheme, in lower case: ``basic``, ``digest``.
        token: The token68 used instead of parameters, or None.
        parameters: By name in lower case, unquoted.
    """

    __slots__ = ("scheme", "token", "parameters")

    def __init__(self, scheme: str, token: str | None = None, parameters: Mapping[str, str] | None = None) -> None:
        self.scheme: str = scheme
        self.token: str | None = token
        self.parameters: Mapping[str, str] = parameters or {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Challenge) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self.scheme)

    def _key(self) -> tuple[object, ...]:
        return self.scheme, self.token, dict(self.parameters)

    def __repr__(self) -> str:
        return f"Challenge({self.scheme!r}, {self.token!r}, {dict(self.parameters)!r})"


def read_challenges(fields: Sequence[str]) -> list[Challenge]:
    """The challenges of a response, in order.

    Args:
        fields: The values of all WWW-Authenticate (or Proxy-Authenticate) fields, in order.
    """
    return _read_all(fields)[0]


def is_basic_all(fields: Sequence[str]) -> bool:
    """Whether Basic is all that a server offers to a password, so that it may be sent in clear.

    Attack: a challenge that is stronger, but malformed, unknown, or beyond a limit, is overlooked, and the password
    goes over the network in clear although the server would not have needed that.

    Args:
        fields: As `read_challenges` takes them.
    """
    found, whole = _read_all(fields)
    schemes = {challenge.scheme for challenge in found}
    return whole and "basic" in schemes and schemes <= NO_STRONGER


def _read_all(fields: Sequence[str]) -> tuple[list[Challenge], bool]:
    """The challenges, and whether nothing was left unread."""
    found: list[Challenge] = []
    left, whole = MAX_CHARACTERS, True
    for text in fields:
        if len(text) > left:
            return found, False
        left -= len(text)
        whole = _read(text, found) and whole
    return found, whole


def _read(text: str, found: list[Challenge]) -> bool:
    """Add the challenges of one field; returns whether all of it was read."""
    at = _skip(_GAP, text, 0)
    while at < len(text) and len(found) < MAX_CHALLENGES:
        word = _WORD.match(text, at)
        if word is None:
            return False
        scheme, at = word[0].lower(), word.end()
        token: str | None = None
        parameters: dict[str, str] = {}
        begin = _skip(_SPACES, text, at)
        if begin > at:
            lone = None if _PARAMETER.match(text, begin) else _TOKEN68.match(text, begin)  # `abc==` is not a parameter
            if lone is not None:
                token, begin = lone[1], lone.end()
            else:
                begin, parameters = _parameters(text, begin)
        at = _skip(_SPACES, text, begin)
        if "" in parameters or text[at : at + 1] not in ("", ","):
            return False
        at = _skip(_GAP, text, at)
        found.append(Challenge(scheme, token, parameters))
    return at == len(text)


def _parameters(text: str, at: int) -> tuple[int, dict[str, str]]:
    """The end of the parameters of a challenge, and the parameters; the key "" means that they are malformed."""
    parameters: dict[str, str] = {}
    end, loose = at, False
    while True:
        before = loose
        parameter = _PARAMETER.match(text, at)
        if parameter is not None:
            plain, quoted = parameter[2], parameter[3]
            value = plain if quoted is None else _PAIR.sub(r"\1", quoted)
            loose = text[(after := _skip(_SPACES, text, parameter.end())) : after + 1] not in ("", ",")
            hides = loose and quoted is None and _STRONGER.search(plain)  # `Basic realm=Digest nonce="n"`
        else:
            parameter = _LOOSE.match(text, at)
            if parameter is None:
                break
            loose, hides = True, _HIDES.search(parameter[2]) or _STRONGER.search(parameter[2])
            value = parameter[2].strip(" \t")
            if value[:1] == '"':  # a text without its end
                value = _PAIR.sub(r"\1", value[1:]).removesuffix("\\")
        name = parameter[1].lower()
        if hides or ((loose or before) and name not in _NAMES):
            break
        # RFC 9110 11.2: each name at most once. Of two realms, two parsers might take different ones.
        if parameters.get(name, value) != value or len(parameters) >= MAX_PARAMETERS:
            return end, {"": ""}
        parameters[name] = value
        end = parameter.end()
        at = _skip(_GAP, text, end)
    return end, parameters


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()
