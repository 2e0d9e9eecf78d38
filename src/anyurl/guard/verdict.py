"""Verdicts of the guard: allowed, or refused with a code and one sentence.

Rule: the codes are a closed list, and each sentence says what would be allowed instead.
"""

from __future__ import annotations

from anyurl.errors import RefusedError, escape
from anyurl.values import Scope

CODES: dict[str, str] = {
    "allowed": "the policy allows it",
    "no-url": "the text is not a URL that can be followed: {subject}",
    "scheme-denied": "the scheme {subject} is on the policy's deny list",
    "scheme-not-allowed": "the scheme {subject} is not one that the policy {policy} allows ({detail}); "
    "{scheme} would allow it",
    "file": "the policy {policy} reads no files of this machine; {files} would allow it",
    "file-hop": "a file of this machine is opened only when it is requested directly: {detail} may not lead to it",
    "service": "the scheme {subject} opens an interactive session, which the policy {policy} does not allow; "
    "{services} would allow it",
    "service-hop": "an interactive session is opened only when it is requested directly: {detail} may not lead to a "
    "{subject} URL",
    "data-hop": "{detail} may not lead to a {subject} URL: its document could be mistaken for one from that server; "
    "requested directly it would be allowed",
    "redirect-scheme": "{detail} may not lead to the scheme {subject}: the web may lead only to the web, and gemini "
    "only to gemini; requested directly it would be allowed",
    "clear-hop": "{detail} was reached over TLS and may not lead to the scheme {subject}, which anyone on the network "
    "path can read and change; requested directly it would be allowed",
    "form-hop": "form answers are sent only when they are requested directly: {detail} may not lead to them in a "
    "{subject} URL",
    "content-hop": "what you send goes only to the URL that you gave: {detail} may not redirect it to {subject}",
    "form": "this sends lines to a server (CR and LF of a {subject} URL are an answered form, RFC 1738 3.4.9), and the "
    "policy {policy} answers no forms; {forms} would allow a form",
    "form-port": "an answered form, and no other URL of its scheme has CR and LF, goes to {detail} only, since its "
    "lines could command another service at port {subject} (RFC 1738 section 6); {port} would allow a form",
    "octets-port": "a URL that holds line ends, which this scheme sends as they are, goes to {detail} only, since its "
    "lines could command another service at port {subject} (RFC 1738 section 6); {port} would allow it",
    "delivery": "this sends a message in your name, and the policy {policy} delivers none ({subject}); "
    "{delivery} would allow it",
    "delivery-hop": "a message is sent only when you gave its URL directly: no other URL may lead to {subject}",
    "user-disguised": "the user name or password before {subject} contains URL delimiters, so another program may "
    "take a part of it for the host; {disguise} would allow it",
    "host-denied": "the host {subject} is on the policy's deny list (entry {detail})",
    "host-not-allowed": "the host {subject} is not on the policy's allow list",
    "host-unclear": "the host {subject} is neither a name nor an address that all programs read the same way; "
    "a name, four plain decimals or an IPv6 address would be",
    "host-local": "the name {subject} is this machine by definition (RFC 6761 6.3), and the policy {policy} allows "
    "public addresses only; {private} would allow it",
    "host-local-hop": "something {detail} may not lead to {subject}, which is this machine by definition "
    "(RFC 6761 6.3); requested directly it would be allowed",
    "port-invalid": "port {subject} is not a usable port; 1 to 65535 would be",
    "port-service": "port {subject} belongs to another service ({detail}), which a URL must not be able to command "
    "(RFC 1738 section 6); {port} would allow it",
    "data-port": "port {subject} is not allowed for FTP data: it is below 1024; {port} would allow it",
    "proxy": "the policy {policy} uses only proxies that it names, and {subject} is not one of them; {proxy} "
    "would allow it",
    "proxy-resolves": "a proxy would look {subject} up, and the address that it connects to could not be judged; "
    "{resolves} would allow it",
    "proxy-resolves-hop": "a proxy looks names up, so the address of {subject} cannot be judged, and you did not give "
    "this URL yourself; requested directly it would be allowed",
    "address-malformed": "{subject} is not an address",
    "address-denied": "{detail}: it is on the policy's deny list",
    "address-never": "{detail}: not a host that can be connected to; {net} would allow it",
    "address-link": "{detail}: the policy {policy} allows no link-local address and no cloud metadata service; "
    "{net} would allow it",
    "address-private": "{detail}: the policy {policy} allows public addresses only; {private} or {net} would allow it",
    "address-link-hop": "{detail}: link-local addresses and cloud metadata services are reached only when requested "
    "directly; {net} would allow it",
    "address-hop": "{detail}: something {hop} may not lead there; requested directly it would be allowed, or with "
    "{net}",
}
"""Every code that a verdict may have, and its sentence."""

REMEDIES: dict[str, tuple[str, str]] = {
    "scheme": ("allow_schemes=['{subject}']", "--allow-scheme {subject}"),
    "files": ("files=True", "--policy default"),
    "services": ("services=True", "--policy default"),
    "forms": ("allow_forms=True", "--policy default"),
    "delivery": ("allow_delivery=True", "--policy default"),
    "disguise": ("allow_disguise=True", "--policy default"),
    "port": ("allow_ports=[{subject}]", "--allow-port {subject}"),
    "private": ("allow_private=True", "--allow-private"),
    "net": ("allow_nets=['{subject}']", "--allow-net {subject}"),
    "proxy": ("allow_proxies=['{subject}']", "--allow-proxy {subject}"),
    "resolves": ("proxy_resolves=True", "--proxy-resolves"),
}
"""What would allow it: the argument of `Policy`, and the option of the command."""

PEERS: dict[Scope, str] = {
    Scope.PUBLIC: "on the public Internet",
    Scope.PRIVATE: "on a private network",
    Scope.LINK: "on this link",
    Scope.LOCAL: "on this machine",
}
"""Where the peer that named a URL is, by the scope of its address."""


class Verdict:
    """The answer of a policy, with the reason.

    Attributes:
        allowed: Whether it may be done.
        code: A key of `CODES`.
        message: One sentence for a person, which also says what would be allowed.
        subject: What was judged: a scheme, host, port or address.
        remedy: The clause of the sentence that says what would allow it; empty if nothing would.
    """

    __slots__ = ("allowed", "code", "message", "subject", "remedy")

    def __init__(self, allowed: bool, code: str, message: str, subject: str, remedy: str = "") -> None:
        self.allowed: bool = allowed
        self.code: str = code
        self.message: str = message
        self.subject: str = subject
        self.remedy: str = remedy

    def check(self) -> None:
        """Raises RefusedError when it is not allowed."""
        if not self.allowed:
            raise RefusedError(f"Refused: {self.message}.", verdict=self)

    def __bool__(self) -> bool:
        return self.allowed

    def __repr__(self) -> str:
        return f"Verdict({self.allowed}, {self.code!r}, {self.subject!r})"


def allowed(subject: str) -> Verdict:
    """A verdict that allows."""
    return Verdict(True, "allowed", CODES["allowed"], subject)


def refused(
    code: str, subject: str, *, policy: str, detail: str = "", hop: str = "", in_options: bool = False
) -> Verdict:
    """A verdict that refuses, with the sentence of its code.

    Args:
        in_options: Name the command's options that would allow it, not the arguments of a `Policy`.
    """
    shown = escape(subject)
    values = {"subject": shown, "policy": policy, "detail": escape(detail), "hop": hop}
    values |= {name: words[in_options].format(subject=shown) for name, words in REMEDIES.items()}
    _, mark, remedy = CODES[code].rpartition("; ")
    return Verdict(False, code, CODES[code].format(**values), shown, remedy.format(**values) if mark else "")
