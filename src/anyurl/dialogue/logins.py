"""Login: the caller's login at a web server, and Authorization: the credentials of one request.

Rule: values only. Credentials are sent without a challenge only if the caller chose so; otherwise they wait for a
challenge (RFC 9110 11).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Literal

from anyurl.dialogue.secret import Secret
from anyurl.values import Value, shown

LoginKind = Literal["any", "basic", "digest", "bearer"]


class ProtectionSpace:
    """The last challenge of a server to a login, which can be answered repeatedly (RFC 7616 3.3 and 3.6).

    Threads may share it: each response gets its own count.
    """

    __slots__ = ("_known",)

    def __repr__(self) -> str:
        return shown(
            self,
        )

    def __init__(self) -> None:
        self._known: tuple[Any, Iterator[int]] | None = None

    def keep(self, challenge: Any, first: int = 2) -> None:
        """Remember a challenge that can be answered repeatedly.

        Args:
            first: The number of the next response: 2 if one was accepted already, 1 for a nonce that is new.
        """
        self._known = challenge, count(first)

    def forget(self) -> None:
        """Forget the challenge: the server wants another one."""
        self._known = None

    def next(self) -> tuple[Any, int] | None:
        """The challenge and the number of the next response to it; None if there is no challenge."""
        known = self._known
        return None if known is None else (known[0], next(known[1]))


class Login(Value):
    """A login for an origin: ``Client(auth={"https://api.example.org": Login.bearer("...")})``.

    ``Login(user, password)`` waits for a challenge and answers with Digest or, if that is not offered, Basic.

    Attributes:
        kind: ``any``, ``basic``, ``digest`` or ``bearer``.
        user: The user name; empty for a bearer.
        secret: The password or the token; None to take the password from netrc or ask a person.
    """

    kind: LoginKind
    user: str
    secret: Secret | None
    _space: ProtectionSpace

    def __init__(self, user: str, password: str | Secret | None = None, *, kind: LoginKind = "any") -> None:
        """Raises TypeError for arguments of another type."""
        given: tuple[object, ...] = user, kind, password
        for value in given[:2] if isinstance(given[2], str | Secret | None) else given[2:]:
            if not isinstance(value, str):
                raise TypeError(f"a login has str values (a Secret for the password), not {type(value).__name__}")
        secret = Secret(password) if isinstance(password, str) else password
        self._set(kind=kind, user=user, secret=secret, _space=ProtectionSpace())

    @property
    def space(self) -> ProtectionSpace:
        """The challenge that the server has sent for it."""
        return self._space

    @classmethod
    def basic(cls, user: str, password: str | Secret | None = None) -> Login:
        """A login that is sent at once, as Basic (RFC 7617)."""
        return cls(user, password, kind="basic")

    @classmethod
    def digest(cls, user: str, password: str | Secret | None = None) -> Login:
        """A login that answers only Digest challenges (RFC 7616): the password never leaves this machine."""
        return cls(user, password, kind="digest")

    @classmethod
    def bearer(cls, token: str | Secret) -> Login:
        """A token that is sent at once (RFC 6750)."""
        if token is None:
            raise TypeError("a bearer's token is a str or a Secret")
        return cls("", token, kind="bearer")

    def __copy__(self) -> Login:
        return self  # the challenges that it has met are known to both

    def __deepcopy__(self, _known: object) -> Login:
        return self

    def revealed(self) -> Login:
        """A copy with the current secret: a secret that is stored elsewhere (in a file) is read here."""
        if self.secret is None:
            return self
        login = Login(self.user, Secret(self.secret.reveal()), kind=self.kind)
        login._set(_space=self._space)
        return login


class Authorization(Value):
    """The value of ``Authorization:``.

    Attributes:
        scheme: ``Basic``, ``Digest`` or ``Bearer``.
        credentials: The part after the scheme.
        login: Identifies the login, password included: only requests of the same login share a connection.
    """

    scheme: str
    credentials: Secret
    login: Secret
