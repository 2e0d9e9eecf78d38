"""The common part of Internet schemes: user, password, host and port (RFC 1738 3.1).

Rule: the productions decide whether a scheme has a login, a port or an empty host; faults of a host are reported label
by label. In the prose: a host name is one of RFC 1034 3.5 and RFC 1123 2.1, a host number is an IP address, a port is a
TCP port.
"""

from __future__ import annotations

from anyurl.grammar.characters import examine_characters, name_of
from anyurl.grammar.examination import Examination
from anyurl.url.cut import numbers
from anyurl.url.host import parse_port

MAX_LABEL = 63
"""Octets of one label of a host name (RFC 1034 3.5)."""

MAX_HOST = 255
"""Characters of a host name that software should handle (RFC 1123 2.1)."""

RESERVED_PORTS = 1024
"""Ports below it are the reserved space (RFC 1738 6): 25 is mail."""


def has_login(ex: Examination) -> bool:
    """Whether the host of this scheme may have ``user:password@`` before it."""
    return ex.matcher(_production(ex)).stop(f"{ex.scheme}://u@a") == len(ex.scheme) + 6


def has_port(ex: Examination) -> bool:
    """Whether the host of this scheme may have ``:port`` after it."""
    return ex.matcher(_production(ex)).stop(f"{ex.scheme}://a:1") == len(ex.scheme) + 6


def may_be_empty(ex: Examination) -> bool:
    """Whether the host of this scheme may be empty; that of a file by the prose of both documents (3.10)."""
    return ex.scheme == "file" or ex.matcher(_production(ex)).accepts(f"{ex.scheme}:///")


def may_end(ex: Examination) -> bool:
    """Whether the ``/`` after the host may be left out."""
    return ex.matcher(_production(ex)).accepts(f"{ex.scheme}://a")


def _production(ex: Examination) -> str:
    return ex.grammar.scheme_production(ex.scheme) or "otherurl"


def examine_authority(ex: Examination, start: int, end: int) -> int:
    """Take the authority after ``//`` apart; returns where the rest of the URL begins."""
    stop = ex.text.find("/", start, end)
    stop = end if stop < 0 else stop
    login = has_login(ex)
    at = ex.text.rfind("@", start, stop if login else _first(ex.text, "?", start, stop))
    host_start = start if at < 0 else at + 1
    stop = _first(ex.text, "?", host_start, stop)
    if ex.scheme == "ftp":
        stop = _first(ex.text, ";type=", host_start, stop)
    if at >= 0:
        if login:
            _examine_login(ex, start, at)
        else:
            ex.add("userinfo", "login", start, at)
            section = ex.grammar.productions[_production(ex)].section
            message = f"{ex.kind} can't have a user name or password"
            ex.error("userinfo", (start, at + 1), _production(ex), message, "", section=section)
    _examine_hostport(ex, host_start, stop)
    if stop < end and ex.text[stop] != "/" and ex.scheme != "telnet":
        message = f'a "/" must stand between the host and a "{ex.text[stop]}"'
        ex.error("slash-missing", (stop, stop), _production(ex), message, "/")
    return stop


def _first(text: str, mark: str, start: int, end: int) -> int:
    found = text.find(mark, start, end)
    return end if found < 0 else found


def _examine_login(ex: Examination, start: int, at: int) -> None:
    colon = ex.text.find(":", start, at)
    user_end = at if colon < 0 else colon
    ex.add("user", "user", start, user_end)
    examine_characters(ex, "user", start, user_end, "a user name")
    if colon >= 0:
        ex.add("password", "password", colon + 1, at)
        examine_characters(ex, "password", colon + 1, at, "a password")
        if user_end == start:
            message = "the user name before the password is empty; a password can't be given without a user name"
            ex.warning("password-without-user", (start, at), "login", message, section="3.1")


def _examine_hostport(ex: Examination, start: int, end: int) -> None:
    bracket = ex.text.find("]", start, end) if ex.text.startswith("[", start, end) else -1
    colon = ex.text.find(":", start if bracket < 0 else bracket, end)
    host_end = end if colon < 0 else colon
    ex.add("host", "host", start, host_end)
    if start < host_end:
        examine_host(ex, start, host_end)
    elif colon >= 0 or not may_be_empty(ex):
        ex.error("host-empty", (start, start), "host", f"the host of {ex.kind} can't be empty")
    if colon < 0:
        return
    if has_port(ex):
        _examine_port(ex, colon, end)
    else:
        ex.error("port-forbidden", (colon, end), _production(ex), f"{ex.kind} can't have a port", "")


def _examine_port(ex: Examination, colon: int, end: int) -> None:
    text = ex.add("port", "port", colon + 1, end)
    span = (colon + 1, end)
    if not text:
        message = 'a port needs at least one digit; leave out the ":" where there is no port'
        ex.error("port-empty", (colon, end), "port", message, "")
    elif not ex.matcher("port").accepts(text):
        ex.error("port-digits", span, "port", "a port must be a decimal number")
    elif parse_port(text) is None:
        # Attack: five well-known clients take a port modulo 65,536, so that 65561 reaches 25, the mail server.
        # The draft's productions let any number pass, but there is no such port: no URL holds one.
        ex.error("port-large", span, "port", f"a port is a TCP port, at most {numbers.MAX_PORT}", section="3.1")


def examine_host(ex: Examination, start: int, end: int) -> None:
    """Report the faults of a host that is not empty."""
    host = ex.text[start:end]
    known = len(ex.diagnostics)
    fits = ex.matcher("host").accepts(host)
    if host.startswith("["):
        message = f"{ex.grammar.reference} has no addresses in brackets; RFC 2732 added them for IPv6"
        ex.error("host-bracket", (start, end), "host", message, section="3.1")
    elif not host.strip("0123456789."):
        _examine_number(ex, start, end, fits)
    elif "toplabel" in ex.grammar.productions:
        _examine_labels(ex, start, end)
    else:
        _examine_draft_name(ex, start, end, fits)
    if not fits and known == len(ex.diagnostics):
        ex.error("host", (start, end), "host", "this is neither a host name nor an IP address")


def _examine_number(ex: Examination, start: int, end: int, fits: bool) -> None:
    groups = ex.text[start:end].split(".")
    if not fits:
        count = sum(map(bool, groups))
        message = f"an IP address has four groups of digits, this one has {count}; a host name can't end in a number"
        ex.error("host-number", (start, end), "hostnumber", message)
        return
    position = start
    for group in groups:
        span = (position, position + len(group))
        value = group.lstrip("0")
        if len(value) > 3 or int(value or "0") > 255:
            ex.prose("host-number-large", span, "hostnumber", "a group of an IP address is at most 255", section="3.1")
        elif group != (value or "0"):
            message = "this group is decimal here, but octal to some programs: leave out its leading zeros"
            ex.warning("host-number-zero", span, "hostnumber", message, section="3.1")  # no fix: which is meant?
        position += len(group) + 1


def _examine_labels(ex: Examination, start: int, end: int) -> None:
    host = ex.text[start:end]
    labels = host.split(".")
    position = start
    for index, label in enumerate(labels):
        _examine_label(ex, position, label, first=index == 0, last=index == len(labels) - 1)
        position += len(label) + 1
    if len(host) > MAX_HOST:
        ex.prose("host-long", (start, end), "hostname", f"a host name has at most {MAX_HOST} characters", section="3.1")


def _examine_label(ex: Examination, start: int, label: str, *, first: bool, last: bool) -> None:
    end = start + len(label)
    rule = "toplabel" if last else "domainlabel"
    if not label:
        if last:
            message = "a host name can't end in a dot"
            ex.error("host-dot", (start - 1, start), "hostname", message, "")
        else:
            span = (start, start + 1)
            ex.error("host-label", span, rule, "a label of a host name can't be empty", "" if first else None)
        return
    allowed = ex.grammar.characters("toplabel")
    position = start
    while position < end:
        stop = position + 1
        if ex.text[position] not in allowed:
            while stop < end and ex.text[stop] not in allowed:
                stop += 1
            _host_character(ex, position, stop)
        position = stop
    if label[0] == "-":
        ex.error("host-hyphen", (start, start + 1), rule, "a label of a host name can't start with a hyphen")
    elif last and label[0] in "0123456789":
        message = "the last label of a host name can't start with a digit: that distinguishes names from addresses"
        ex.error("host-digit", (start, start + 1), rule, message)
    if label[-1] == "-" and len(label) > 1:
        ex.error("host-hyphen", (end - 1, end), rule, "a label of a host name can't end with a hyphen")
    if len(label) > MAX_LABEL:
        message = f"a label of a host name has at most {MAX_LABEL} characters (RFC 1034 3.5)"
        ex.prose("host-label-long", (start, end), rule, message, section="3.1")


def _host_character(ex: Examination, start: int, stop: int) -> None:
    run = ex.text[start:stop]
    if not run.isascii():
        message = (
            "a host name consists of US-ASCII letters, digits and hyphens; write names in other scripts as xn--..."
        )
        ex.error("host-not-ascii", (start, stop), "hostname", message)
    elif run[0] == "%":
        ex.error("host-escape", (start, stop), "hostname", "a host name can't be percent-encoded")
    else:
        message = f"{name_of(run[0])} is not allowed in a host name"
        ex.error("host-character", (start, stop), "hostname", message)


def _examine_draft_name(ex: Examination, start: int, end: int, fits: bool) -> None:
    """The draft's host name is a letter and then anything; its prose asks for a name of RFC 1034 3.5."""
    if ex.text[start] not in ex.grammar.characters("alpha"):
        ex.error("host-digit", (start, start + 1), "hostname", "a host name must start with a letter")
    known = len(ex.diagnostics)
    examine_characters(ex, "hostname", start, end, "a host name")
    if fits and known == len(ex.diagnostics):
        labels = ex.text[start:end].split(".")
        if not all(label.strip("-") == label != "" and label.replace("-", "").isalnum() for label in labels):
            message = "a host name consists of labels of letters, digits and hyphens, separated by dots (RFC 1034 3.5)"
            ex.warning("host-form", (start, end), "hostname", message, section="3.1")
