"""Login: who the caller is at a server of the web, and Authorization: what one request is sent with.

Rule: values only. What goes out unasked is what the caller says should; the rest waits for a challenge (RFC 9110 11).
"""

from __future__ import annotations

from typing import Literal

from anyurl.dialogue.secret import Secret
from anyurl.values import Value

LoginKind = Literal["any", "basic", "digest", "bearer"]


class Login(Value):
    """Who logs in at an origin: ``Client(auth={"https://api.example.org": Login.bearer("...")})``.

    ``Login(user, password)`` waits until the server asks, and answers with Digest or, if there is none, Basic.

    Attributes:
        kind: ``any``, ``basic``, ``digest`` or ``bearer``.
        user: Who it is; empty for a bearer.
        secret: The password or the token; None for a password that netrc has, or a person.
    """

    kind: LoginKind
    user: str
    secret: Secret | None

    def __init__(self, user: str, password: str | Secret | None = None, *, kind: LoginKind = "any") -> None:
        """Raises TypeError for what is no text."""
        given: tuple[object, object] = user, password
        if not isinstance(given[0], str) or not isinstance(given[1], str | Secret | None):
            raise TypeError("a login is a user and a password, both str (or a Secret for the password)")
        self._set(kind=kind, user=user, secret=Secret(password) if isinstance(password, str) else password)

    @classmethod
    def basic(cls, user: str, password: str | Secret | None = None) -> Login:
        """A login that goes out at once, as Basic (RFC 7617)."""
        return cls(user, password, kind="basic")

    @classmethod
    def digest(cls, user: str, password: str | Secret | None = None) -> Login:
        """A login that answers a Digest challenge and no other (RFC 7616): the password never leaves this machine."""
        return cls(user, password, kind="digest")

    @classmethod
    def bearer(cls, token: str | Secret) -> Login:
        """A token that goes out at once (RFC 6750)."""
        if token is None:
            raise TypeError("a bearer's token is a str or a Secret")
        return cls("", token, kind="bearer")

    def revealed(self) -> Login:
        """The same with the secret as it is now: one that is kept elsewhere (a file) is read here."""
        return self if self.secret is None else Login(self.user, Secret(self.secret.reveal()), kind=self.kind)


class Authorization(Value):
    """What stands behind ``Authorization:``.

    Attributes:
        scheme: ``Basic``, ``Digest`` or ``Bearer``.
        credentials: What follows it.
        login: Whose it is, password included: connections are shared among requests of the same login only.
    """

    scheme: str
    credentials: Secret
    login: Secret
