"""Where the prose of RFC 1738 requires more than its productions, and the warnings of its section 6.

Rule: each function is one sentence of the RFC and cites it. In the RFC's own grammar these are errors (except section
6, always a warning); in the draft, whose prose says "should", they are warnings.
"""

from __future__ import annotations

import re

from anyurl.grammar.examination import Examination
from anyurl.grammar.hosts import RESERVED_PORTS
from anyurl.url import syntax
from anyurl.url.cut import percent_decode
from anyurl.url.host import parse_port

SPECIALS = frozenset(b'()<>@,;:\\".[]')
"""RFC 822 3.3: characters that an atom may not hold, besides space and control characters."""

SERVICES = {
    7: "echo", 9: "discard", 19: "chargen", 21: "ftp", 22: "ssh", 23: "telnet", 25: "mail (SMTP)", 43: "whois",
    53: "dns", 70: "gopher", 79: "finger", 80: "http", 110: "mail (POP3)", 111: "portmapper", 119: "news",
    143: "mail (IMAP)", 210: "wais", 389: "ldap", 443: "https", 445: "file shares (SMB)", 465: "mail (SMTP)",
    513: "rlogin", 514: "rsh", 515: "printers", 543: "klogin", 563: "news", 587: "mail (SMTP)",
    993: "mail (IMAP)", 995: "mail (POP3)",
}  # fmt: skip
"""Services that usually listen on reserved ports (the IANA registry of service names)."""

DELIMITERS = {"%00": "a NUL", "%0A": "a line feed", "%0D": "a carriage return"}
"""Octets that end a line or a string in most protocols (RFC 1738 6)."""

_EMPTY_PART = re.compile(r"\.+")
_LINE_ENDS = re.compile("%0([AaDd])")
_DELIMITER = re.compile("%0[0AaDd]")

PASSWORD = "a password in a URL does not stay secret"


def examine_selector(ex: Examination, start: int, end: int) -> None:
    """RFC 1738 3.4.1: a selector may contain any octets except 09, 0A and 0D."""
    for found in _LINE_ENDS.finditer(ex.text, start, end):
        message = f"a gopher selector can't contain a {'line feed' if found[1] in 'aA' else 'carriage return'}"
        ex.prose("selector-octet", found.span(), "selector", message, section="3.4.1")


def examine_group(ex: Examination, start: int, end: int) -> None:
    """RFC 1738 3.6: a newsgroup name is a period-delimited hierarchical name."""
    message = "the parts of a newsgroup's name, between its dots, can't be empty"
    for dots in _EMPTY_PART.finditer(ex.text, start, end):
        if len(dots[0]) > 1 or dots.start() == start or dots.end() == end:
            ex.warning("group-part", dots.span(), "group", message, section="3.6")


def examine_address(ex: Examination, start: int, end: int) -> None:
    """RFC 1738 3.5: a mailto URL is the encoding of an addr-spec of RFC 822."""
    octets = percent_decode(ex.text[start:end])
    fault = address_fault(octets)
    if fault is None:
        mark = ex.text.find("?", start, end)
        if mark >= 0:
            message = 'this "?" is part of the address, not the start of header fields'
            ex.warning("mailto-question", (mark, mark + 1), "encoded822addr", message, section="3.5")
        return
    place, message = fault
    position = _text_place(ex.text, start, end, place)
    stop = min(end, position + (3 if ex.escapes(position, end) else 1))
    ex.prose("address", (position, stop), "encoded822addr", f"{message} (RFC 822 6.1)", section="3.5")


def _text_place(text: str, start: int, end: int, octet: int) -> int:
    """The position of an octet in the encoded text."""
    position = start
    while octet > 0 and position < end:
        position += 3 if text[position] == "%" else 1
        octet -= 1
    return position


def address_fault(address: bytes) -> tuple[int, str] | None:
    """Why octets are not an addr-spec of RFC 822 (6.1: ``local-part "@" domain``), with the place; None when they are.

    Comments and white space between the tokens, which RFC 822 3.1.4 allows in a header, are not part of an address.
    """
    place = 0
    while True:
        place, message = _word(address, place)
        if message:
            return place, message
        if address[place : place + 1] != b".":
            break
        place += 1
    if address[place : place + 1] != b"@":
        ended = place == len(address)
        return place, 'an address consists of a name, one "@" and a domain' if ended else _misplaced(address[place])
    while True:
        place, message = _subdomain(address, place + 1)
        if message:
            return place, message
        if place == len(address):
            return None
        if address[place] != 0x2E:
            return place, _misplaced(address[place])


def _misplaced(octet: int) -> str:
    if octet == 0x2C:
        return "a mailto URL has one address: a comma between two is not allowed"
    if octet > 0x7F:
        return "an address must be US-ASCII"
    shown = "a space" if octet == 0x20 else f'"{chr(octet)}"' if 0x20 < octet < 0x7F else f"the octet {octet:02X}"
    return f"{shown} is not allowed here in an address"


def _word(address: bytes, place: int) -> tuple[int, str]:
    """The end of an atom or a quoted string, and its fault."""
    if address[place : place + 1] == b'"':
        return _enclosed(address, place, b'"', "quoted string")
    return _atom(address, place, "the name of an address")


def _subdomain(address: bytes, place: int) -> tuple[int, str]:
    """The end of an atom or a domain literal, and its fault."""
    if address[place : place + 1] == b"[":
        return _enclosed(address, place, b"]", "domain literal")
    return _atom(address, place, "a label of the domain of an address")


def _atom(address: bytes, place: int, what: str) -> tuple[int, str]:
    start = place
    while place < len(address) and 0x20 < address[place] < 0x7F and address[place] not in SPECIALS:
        place += 1
    if place > start:
        return place, ""
    if place < len(address) and address[place] not in b".@":
        return place, _misplaced(address[place])
    return place, f"{what} may not be empty"


def _enclosed(address: bytes, place: int, close: bytes, what: str) -> tuple[int, str]:
    """Behind a quoted string or a domain literal: ASCII but the delimiters, ``\\`` before anything, folded lines."""
    place += 1
    while place < len(address):
        octet = address[place]
        if octet == close[0]:
            return place + 1, ""
        if octet > 0x7F:
            return place, "an address must be US-ASCII"
        if octet == 0x5C:
            if place + 1 == len(address) or address[place + 1] > 0x7F:
                return place, "a backslash must be followed by a US-ASCII character"
            place += 2
        elif octet == 0x0D:
            if address[place + 1 : place + 3] not in (b"\n ", b"\n\t"):
                return place, f"a carriage return is allowed in a {what} only where it folds a line"
            place += 3
        elif octet == 0x5B and close == b"]":
            return place, _misplaced(octet)
        else:
            place += 1
    return place, f"the {what} is not closed"


def warn_of_port(ex: Examination) -> None:
    """RFC 1738 6: caution with a port other than the scheme's own, especially one in the reserved space."""
    piece, own = ex.piece("port"), syntax.row(ex.scheme).port
    if piece is None or own is None:
        return
    port, span = parse_port(ex.text[piece.start : piece.end]), (piece.start, piece.end)
    if port is None or port == own:
        return
    if port == 0:
        ex.warning("port-zero", span, "port", "nothing listens on port 0", str(own), section="6")
    elif port < RESERVED_PORTS:
        service = f", where {SERVICES[port]} listens," if port in SERVICES else ""
        message = f"port {port}{service} is in the reserved space and is not the port of {ex.scheme} ({own}): beware"
        ex.warning("port-reserved", span, "port", message, str(own), section="6")
    else:
        message = f"port {port} is not the port of {ex.scheme} ({own}): something else may listen there"
        ex.warning("port-other", span, "port", message, str(own), section="6")


def warn_of_password(ex: Examination) -> None:
    """RFC 1738 6: URLs with passwords that should be secret are clearly unwise."""
    piece = ex.piece("password")
    if piece is not None and piece.start < piece.end:
        ex.warning("password", (piece.start, piece.end), "password", PASSWORD, section="6")


def warn_of_delimiters(ex: Examination, start: int, end: int) -> None:
    """RFC 1738 6: embedded encoded delimiters of a protocol can make one request two.

    Those of a gopher selector are errors already; in a Gopher+ string they are how a form is sent (3.4.9).
    """
    form = ex.piece("gopher+")
    stop = end if form is None else form.start
    told = {diagnostic.span for diagnostic in ex.diagnostics}
    for found in _DELIMITER.finditer(ex.text, start, stop):
        if found.span() not in told:
            message = f"this encodes {DELIMITERS[found[0].upper()]}, which may end a line or a string in the protocol"
            ex.warning("delimiter", found.span(), "escape", message, section="6")
