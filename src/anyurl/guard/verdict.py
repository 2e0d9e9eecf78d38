"""Verdicts of the guard: allowed, or refused with a code and one sentence.

Rule: the codes are a closed list, and each sentence says what would be allowed instead.
"""

from __future__ import annotations

from typing import Literal, get_args

from anyurl.errors import SAMPLE_LIMIT, escape
from anyurl.errors import Verdict as Verdict
from anyurl.values import Provenance, Scope, Value

CODES: dict[str, str] = {
    "allowed": "the policy allows it",
    "no-url": "the text is not a URL that can be followed: {subject}",
    "scheme-denied": "the scheme {subject} is on the policy's deny list",
    "scheme-not-allowed": "the scheme {subject} is not one that the policy {policy} allows ({detail}); "
    "{scheme} would allow it",
    "file": "the policy {policy} reads no files of this machine; {files} would allow it",
    "file-hop": "a file of this machine is opened only when it is requested directly: {detail} may not lead to "
    "{target}",
    "service": "the scheme {subject} opens an interactive session, which the policy {policy} does not allow; "
    "{services} would allow it",
    "service-hop": "an interactive session is opened only when it is requested directly: {detail} may not lead to "
    "{target}",
    "data-hop": "{detail} may not lead to {target}: its document could be mistaken for one from that server; "
    "requested directly it would be allowed",
    "redirect-scheme": "{detail} may not lead to {target}: the web may lead only to the web, and gemini "
    "only to gemini; requested directly it would be allowed",
    "clear-hop": "{detail} was reached over TLS and may not lead to {target}, which anyone on the network path can "
    "read and change; requested directly it would be allowed",
    "form-hop": "form answers are sent only when they are requested directly: {detail} may not lead to {target}",
    "content-hop": "what you send goes only to the URL that you gave: {detail} may not redirect it to {subject}",
    "form": "this sends lines to a server (CR and LF of a {subject} URL are an answered form, RFC 1738 3.4.9), and the "
    "policy {policy} answers no forms; {forms} would allow a form",
    "form-port": "an answered form (a URL with CR and LF) goes to {detail} only, since its lines could command another "
    "service at port {subject} (RFC 1738 section 6); {port} would allow a form",
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
    "public addresses only; {private}{also} would allow it",
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
    "address-never": "{detail}: not a host that can be connected to; {net}{also} would allow it",
    "address-link": "{detail}: the policy {policy} allows no link-local address and no cloud metadata service; "
    "{net}{also} would allow it",
    "address-private": "{detail}: the policy {policy} allows public addresses only; {private} or {net}{also} would "
    "allow it",
    "address-link-hop": "{detail}: link-local addresses and cloud metadata services are reached only when requested "
    "directly; {inward} would allow it",
    "address-hop": "{detail}: something {hop} may not lead there; requested directly it would be allowed, or with "
    "{inward}",
}
"""Every code that a verdict may have, and its sentence."""

UNJUDGED: dict[str, str] = {
    "octets": "a text holds what its protocol, or the program or gateway that it goes to, would take for something "
    "else: a line end, a delimiter, an option: it is never sent (RFC 1738 section 6)",
    "consent": "sending in your name needs a yes, which was not given",
    "login": "the login would be sent in the clear, or can't be sent in a way that anyurl supports",
    "peer": "the connection would lead to another place than the one that was allowed",
    "robots": "the server's robots.txt forbids it (RFC 9309)",
    "cursor": "the cursor of `anyurl mcp` leads to nothing that is kept",
    "write": "`anyurl mcp` writes no files",
    "file-write": "`anyurl mcp` writes files only in the folder of --allow-write",
    "refused": "a plug-in refused it, or a program",
}
"""Codes of refusals that no policy can change, and their meanings; the sentence is written where it is raised."""

CODES |= UNJUDGED

Reader = Literal["arguments", "options", "keys"]
"""Who reads a remedy: a program (arguments), or a person with the command (options) or a proxy's roles file (keys)."""

READERS: tuple[Reader, ...] = get_args(Reader)
"""In the order of the columns of `REMEDIES`."""

_KEPT = "the variable {} in config.toml"

REMEDIES: dict[str, tuple[str, str, str]] = {
    "scheme": ("allow_schemes=['{subject}']", "--allow-scheme {subject}", 'allow_schemes = ["{subject}"]'),
    "files": ("files=True", "--policy default", ""),
    "services": ("services=True", "--policy default", ""),
    "forms": ("allow_forms=True", "--policy default", 'policy = "default"'),
    "delivery": ("allow_delivery=True", "--policy default", ""),
    "disguise": ("allow_disguise=True", "--policy default", 'policy = "default"'),
    "port": ("allow_ports=[{subject}]", "--allow-port {subject}", "allow_ports = [{subject}]"),
    "private": ("allow_private=True", "--allow-private", "allow_private = true"),
    "net": ("allow_nets=['{net}']", "--allow-net {net}", 'allow_nets = ["{net}"]'),
    "proxy": ("allow_proxies=['{subject}']", "--allow-proxy {subject}", ""),
    "inward": ("allow_inward=True", "--policy open", "allow_inward = true"),
    "resolves": ("proxy_resolves=True", "--proxy-resolves", ""),
    "timeout": ("timeout=...", "--timeout", ""),
    "open-connections": ("limits={{'open_connections': ...}}", "", ""),
    "listing-entries": ("limits={{'listing_entries': ...}}", "--policy FILE, listing_entries below [limits]", ""),
    "max-bytes": ("max_bytes=...", "--max-bytes", ""),
    "no-proxy": ("no_proxy=['{subject}']", "--no-proxy {subject}", ""),
    "cert": ("cert='FILE'", "--cert FILE", ""),
    "mail-from": ("mail_from='ADDRESS'", f"--mail-from ADDRESS, {_KEPT.format('ANYURL_MAIL_FROM or mail-from')}", ""),
    "mail-server": (
        "mail_server='[USER@]HOST[:PORT]'",
        f"--mail-server [USER@]HOST[:PORT], {_KEPT.format('ANYURL_MAIL_SERVER or mail-server')}",
        "",
    ),
    "news-server": ("news_server='HOST'", f"--news-server HOST, {_KEPT.format('NNTPSERVER, news-server')}", ""),
    "identity": ("identity='EMAIL'", "--identity EMAIL", ""),
    "lenient": ("lenient=True", "--ftp-lenient", ""),
    "match": ("match=...", "--match", ""),
    "basic": ("auth={{ORIGIN: Login.basic(...)}}", "--basic", ""),
    "at-once": ("auth={{ORIGIN: Login.basic(...) or Login.bearer(...)}}", "--basic or --bearer-file", ""),
    "gateway": (
        "gateways={{'{subject}': 'https://gateway.example/{{url}}'}}",
        "--gateway '{subject}=https://gateway.example/{{url}}'",
        "",
    ),
    "plug-in": ("anyurl.load_plugins()", "--plugin", ""),
    "this plug-in": ("anyurl.load_plugins('{subject}')", "--plugin {subject}", ""),
    "trust": ("trust=['{subject}']", "--trust {subject}", ""),
    "force": ("force=True", "--force", ""),
    "resume": ("resume=True", "--resume", ""),
    "column": ("column=...", "--column", ""),
    "base": ("base=...", "--base https://... or --site", ""),
    "index": ("index=[...]", "--index", ""),
    "try-suffix": ("suffixes=['{subject}']", "--try-suffix {subject}", ""),
    "root": ("root='{subject}'", "--root {subject}", ""),
}
"""The remedy for each `Reader`: the argument of `Policy` or of a client, the option of the command, the key of a role
of `anyurl proxy`; empty if there is none."""

PEERS: dict[Scope, str] = {
    Scope.PUBLIC: "on the public Internet",
    Scope.PRIVATE: "on a private network",
    Scope.LINK: "on this link",
    Scope.LOCAL: "on this machine",
}
"""Where the peer that named a URL is, by the scope of its address."""


def option(remedy: str, reader: Reader) -> str:
    """The name of a client option for this reader; by default its argument.

    Args:
        remedy: Its name in `REMEDIES`.
    """
    return REMEDIES[remedy][READERS.index(reader)] or REMEDIES[remedy][0]


def aside(remedy: str, reader: Reader, subject: str = "", then: str = "") -> str:
    """A remedy in brackets, for the end of a sentence; empty without one for this reader.

    Args:
        remedy: Its name in `REMEDIES`.
        then: Text to follow it in the brackets.
    """
    shown = escape(subject)
    way = REMEDIES[remedy][READERS.index(reader)].format(subject=shown, net=shown)
    return f" ({way}{then})" if way else ""


def allowed(subject: str) -> Verdict:
    """A verdict that allows."""
    return Verdict(True, "allowed", CODES["allowed"], subject)


def refused(
    code: str,
    subject: str,
    *,
    policy: str,
    detail: str = "",
    hop: str = "",
    target: str = "",
    net: str = "",
    inward: bool = False,
    remedies: Reader = "arguments",
) -> Verdict:
    """A verdict that refuses, with the sentence of its code.

    Args:
        target: The masked URL that was judged.
        net: The entry of ``allow_nets`` that would allow it, if that is not the subject.
        inward: The hop leads to a less public place, which the remedy has to allow as well.
        remedies: The reader of the remedy.
    """
    shown, column = escape(subject), READERS.index(remedies)
    values = {"subject": shown, "policy": policy, "detail": escape(detail), "hop": hop, "net": escape(net) or shown}
    if target:
        values["target"] = escape(target[:SAMPLE_LIMIT]) + "..." * (len(target) > SAMPLE_LIMIT)
    first, mark, last = CODES[code].rpartition("; ")
    for name in _WAYS.get(code, ()):
        values[name] = way = REMEDIES[name][column].format_map(values)
        if not way:  # nothing that this reader can do
            return Verdict(False, code, first.format_map(values), shown)
    if mark:
        values["also"] = f", with {REMEDIES['inward'][column]}," if inward else ""
        last = last.format_map(values)
        return Verdict(False, code, f"{first.format_map(values)}; {last}", shown, last)
    return Verdict(False, code, last.format_map(values), shown)


_WAYS: dict[str, tuple[str, ...]] = {
    code: tuple(name for name in REMEDIES if f"{{{name}}}" in sentence) for code, sentence in CODES.items()
}
"""By code the remedies that its sentence names."""


class Decision(Value):
    """One answer of the guard, as the ``on_verdict`` of a client or an adapter gets it.

    Attributes:
        verdict: Whether it is allowed, and why not.
        url: The subject: a URL, masked, or a host and port.
        address: The address of the host that was judged, or None where it was the URL.
        origin: Who named the URL.
    """

    verdict: Verdict
    url: str
    address: str | None
    origin: Provenance
