"""All faults of a text by the grammar ``current``, and the differences from RFC 1738.

Rule: `anyurl.URL` alone decides. Each fault that it finds is recorded and mended in a copy, which is tried again until
it has no fault; places are those in the original text. RFC 3986 and the RFC of each scheme.
"""

from __future__ import annotations

from anyurl.errors import Diagnostic, SchemeError, Severity, URLSyntaxError
from anyurl.grammar.diagnosis import examine, in_order
from anyurl.grammar.examination import encoded
from anyurl.grammar.mending import Mending
from anyurl.grammar.prefixes import HOST_AND_PORT, WINDOWS, find_prefix, is_known
from anyurl.grammar.readers import SLASHED
from anyurl.grammar.requirements import PASSWORD
from anyurl.grammar.splitting import split_unchecked
from anyurl.url import URL, syntax
from anyurl.url.lookalike import find_lookalike

MAX_ROUNDS = 256
"""Faults that are mended in sequence: a safeguard, more than there are kinds of characters and rules."""

EVERYWHERE = {
    **dict.fromkeys(
        ("space", "control", "backslash", "character", "bracket", "second-hash", "surrogate", "percent"), ""
    ),
    **dict.fromkeys(("host-character", "host-percent", "two-at"), "/?#"),
    "scheme-character": ":",
}
"""Faults of one character that recur wherever it does, up to one of these delimiters or the end.

They are recorded and mended together, so that the time is linear in the text.
"""

_MASK = "g"
"""Their replacement: a letter, which is allowed anywhere and is not a digit that would complete an escape."""

_STAND_INS = {
    "authority": "", "after-bracket": "", "port": "", "port-not-digits": "", "port-too-large": "", "no-scheme": "x:",
    "scheme-start": "x",
}  # fmt: skip
"""Replacements of spans without a fix, so that the rest can be parsed; otherwise the letter a."""

_ENCODED = frozenset({"space", "control", "backslash", "character", "bracket", "second-hash", "two-at", "not-ascii"})
ADVICE = {
    "backslash": "separate segments with '/', or encode the octet as %5C",
    "bracket": "elsewhere, encode them as %5B and %5D",
    "character": "encode them as %XX",
    "control": "encode its octets as %XX",
    "not-ascii": "encode their UTF-8 octets as %XX",
    "percent": "encode the character itself as %25",
    "second-hash": "encode the character as %23",
    "space": "encode it as %20",
    "two-at": "in a user name or password, encode it as %40",
}
"""Remedies in words, by the code of the fault: they follow its sentence, and are judged like fixes."""

_GAPS = {"no-authority": "//", "relative-path": "/", "question-mark": "/"}
_HOPELESS = frozenset({"empty", "too-long"})


def diagnose_current(text: str, *, octets: bool = False) -> tuple[Diagnostic, ...]:
    """All diagnostics of a text by the grammar ``current``.

    Args:
        octets: The text was given as octets, of which surrogates (``surrogateescape``) stand for invalid UTF-8.
    """
    errors = current_errors(text, octets=octets)
    meant = _meant_without_scheme(text)
    history = examine(text, "rfc1738")
    told = [one for one in history.diagnostics if one.severity == "warning" and one.section == "RFC 1738 6"]
    told += [one for one in history.diagnostics if one.code == "fragment"]
    if errors:
        spans = [error.span for error in errors]
        told = [one for one in told if not any(_overlap(one.span, span) for span in spans)]
        return tuple(in_order(errors + told + meant))
    url = URL(_entered(text, octets))
    doubts = _doubts(url, text)
    for fault in history.diagnostics:
        if fault.code in STILL:
            told.append(
                Diagnostic(fault.code, "warning", fault.span, fault.rule, STILL[fault.code], fault.message, fault.fix)
            )
            continue
        changed = fault.severity == "error" or fault.code in CHANGES
        if fault.code == "wrapper":  # RFC 3986 reads it as a scheme, but it is never meant as one
            told.append(_moved(fault, fault.span, fault.fix, "warning"))
        elif changed and not any(_overlap(fault.span, one.span) for one in doubts):
            told.append(remark_change(fault, url.scheme))
    if url.raw_password and not any(one.code == "password" for one in told):
        told.append(_password(text))
    return tuple(in_order(told + doubts + meant + _lookalike(url, text)))


def _meant_without_scheme(text: str) -> list[Diagnostic]:
    """A remark on text that the grammar reads as a scheme, but that is not meant so, with the missing prefix."""
    if WINDOWS.match(text):
        span, code, section = (0, 2), "drive-letter", "RFC 8089 E.2"
        message = "one letter and a colon are a Windows drive rather than a scheme; its file URL begins with file:///"
    elif (head := HOST_AND_PORT.match(text)) and not is_known(head[1].lower()):
        span, code, section = (0, head.end()), "host-and-port", "RFC 3986 3.1"
        message = "this is read as a scheme and a path; a host and a port need a scheme and two slashes before them"
    else:
        return []
    prefix = find_prefix(text)
    fix = None if prefix is None else prefix.text + text[span[0] : span[1]]
    return [Diagnostic(code, "remark", span, "scheme", section, message, fix)]


def _password(text: str) -> Diagnostic:
    """The warning of RFC 1738 6 for a scheme that had no passwords then."""
    start = text.index("//") + 2
    stop = min(place for place in (*(text.find(mark, start) for mark in "/?#"), len(text)) if place >= 0)
    span = (text.index(":", start) + 1, text.rindex("@", start, stop))
    return Diagnostic("password", "warning", span, "password", "RFC 1738 6", PASSWORD)


def _lookalike(url: URL, text: str) -> list[Diagnostic]:
    """A remark on a host that may be mistaken for another one."""
    reason = find_lookalike(url.host or "")
    if reason is None:
        return []
    host = split_unchecked(text)
    message = f"the host may be mistaken for another one: {reason}"
    return [Diagnostic("look-alike", "remark", (host.host_start, host.host_end), "host", "UTS 39 5", message)]


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two spans share a character, or one of them is a gap at or in the other."""
    gap = one[0] == one[1] or other[0] == other[1]
    return one[0] < other[1] + gap and other[0] < one[1] + gap


def _entered(text: str, octets: bool) -> str | bytes:
    return text.encode("utf-8", "surrogateescape") if octets else text


def current_errors(text: str, *, octets: bool = False) -> list[Diagnostic]:
    """All faults of a text by `anyurl.URL`; none if and only if it is a URL."""
    found: list[Diagnostic] = []
    copy = Mending(text)
    for _ in range(MAX_ROUNDS):
        try:
            URL(_entered(copy.text, octets))
        except URLSyntaxError as error:
            fault = _with_remedy(error.diagnostics[0], copy.text)
            if fault.code in _HOPELESS and found:
                break
            found += _note(copy, fault)
            if fault.code in _HOPELESS:
                break
        else:
            break
    return _merged(found)


def _with_remedy(fault: Diagnostic, text: str) -> Diagnostic:
    """The fault with a fix, if there is an obvious one; it is not yet judged."""
    there = text[slice(*fault.span)]
    fix = _GAPS.get(fault.code)
    if fault.code in _ENCODED and len(there) == 1:
        fix = encoded(there)
    elif fault.code == "no-scheme":
        prefix = find_prefix(text)
        fix = None if prefix is None else prefix.text
    advice = ADVICE.get(fault.code)
    message = fault.message if advice is None else f"{fault.message}; {advice}"
    return Diagnostic(fault.code, fault.severity, fault.span, fault.rule, fault.section, message, fix)


def _note(copy: Mending, fault: Diagnostic) -> list[Diagnostic]:
    """The fault and later ones like it, at their places in the text; they are mended in the copy."""
    start, end = fault.span
    if fault.code in EVERYWHERE and end > start:
        return _note_everywhere(copy, fault)
    diagnostic = _moved(fault, copy.place(fault.span), fault.fix)
    if fault.code == "userinfo":
        end += copy.text[end : end + 1] == "@"
        copy.replace((start, end), "")
    else:
        copy.replace(fault.span, fault.fix if fault.fix is not None else _STAND_INS.get(fault.code, "a"))
    return [diagnostic]


def _note_everywhere(copy: Mending, fault: Diagnostic) -> list[Diagnostic]:
    start, text = fault.span[0], copy.text
    char = text[start]
    end = _first_of(text, EVERYWHERE[fault.code], start)
    if fault.code == "two-at":  # the last one is the delimiter
        start, end = text.index("@", text.index("//")), text.rindex("@", 0, end)
    is_slashed = text.partition(":")[0].lower() in SLASHED or WINDOWS.match(text) is not None
    slashes = _first_of(text, "?#") if is_slashed else 0
    notes, position = [], start
    while 0 <= position < end:
        if char != "%":
            fix = encoded(char) if fault.fix is not None else None
            if char == "\\" and position < slashes:
                fix = "/"
            notes.append(_moved(fault, copy.place((position, position + 1)), fix))
        elif fault.code == "host-percent" or not _is_escape(text, position):
            place, stop = copy.place((position, _behind_digits(text, position, end)))
            fix = None
            if fault.code == "percent":
                stop = _behind_digits(copy.original, place, stop)  # in the copy, a mask may replace a digit
                fix = "%25" + copy.original[place + 1 : stop]
            notes.append(_moved(fault, (place, stop), fix))
        position = text.find(char, position + 1)
    copy.replace_all((start, end), char, "%25" if fault.code == "percent" else _MASK)
    return notes


def _first_of(text: str, marks: str, start: int = 0) -> int:
    """The position of the first of these delimiters, or the end."""
    return min((place for mark in marks if (place := text.find(mark, start)) >= 0), default=len(text))


def _behind_digits(text: str, position: int, end: int) -> int:
    """The position after a percent sign and its two digits or other characters."""
    stop = position + 1
    while stop < min(position + 3, end) and text[stop].isalnum() and text[stop].isascii():
        stop += 1
    return stop


def _is_escape(text: str, position: int) -> bool:
    digits = text[position + 1 : position + 3]
    return len(digits) == 2 and all(digit in "0123456789ABCDEFabcdef" for digit in digits)


def _moved(fault: Diagnostic, span: tuple[int, int], fix: str | None, severity: Severity | None = None) -> Diagnostic:
    return Diagnostic(fault.code, severity or fault.severity, span, fault.rule, fault.section, fault.message, fix)


def _merged(found: list[Diagnostic]) -> list[Diagnostic]:
    """Merge adjacent equal faults."""
    runs: list[list[Diagnostic]] = []
    for one in in_order(found):
        last = runs[-1][-1] if runs else None
        joined = last is not None and last.code == one.code and last.span[1] == one.span[0] < one.span[1]
        if last is not None and joined and last.message == one.message:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [run[0] if len(run) == 1 else _joined(run) for run in runs]


def _joined(run: list[Diagnostic]) -> Diagnostic:
    fixes = [one.fix for one in run if one.fix is not None]
    return _moved(run[-1], (run[0].span[0], run[-1].span[1]), "".join(fixes) if len(fixes) == len(run) else None)


def _doubts(url: URL, text: str) -> list[Diagnostic]:
    """Warnings of the scheme's reader about a path that is invalid for the scheme."""
    try:
        url.parts  # noqa: B018 - reading it is the check
    except URLSyntaxError as error:
        same = error.text == text  # otherwise its places are those of another text
        return [
            Diagnostic(one.code, "warning", one.span if same else (0, len(text)), one.rule, one.section, one.message)
            for one in error.diagnostics
        ]
    except SchemeError:
        return []
    return []


CHANGES: dict[str, tuple[str, str]] = {
    "address": ("RFC 2368 2", "header fields and several addresses are allowed"),
    "address-missing": ("RFC 2368 2", "a mailto URL may have header fields alone"),
    "field": ("RFC 3986 3.3", "treated as any other parameter"),
    "host-bracket": ("RFC 2732 2", "an IPv6 address in brackets is allowed"),
    "host-character": ("RFC 3986 3.2.2", "a name outside the DNS is allowed"),
    "host-digit": ("RFC 3986 3.2.2", "allowed"),
    "host-dot": ("RFC 2396 3.2.2", "the dot of the DNS root is allowed"),
    "host-empty": ("RFC 3986 3.2.2", "a host may be empty"),
    "host-hyphen": ("RFC 3986 3.2.2", "allowed"),
    "host-label": ("RFC 3986 3.2.2", "allowed"),
    "host-label-long": ("RFC 3986 3.2.2", "allowed"),
    "host-long": ("RFC 3986 3.2.2", "allowed"),
    "host-not-ascii": ("RFC 3490 4", "an internationalised name is read in its ASCII form"),
    "mailto-question": ("RFC 2368 2", "header fields may follow the address"),
    "news-server": ("RFC 5538 2.2", "a news URL may name a server"),
    "not-ascii": ("RFC 3987 3.1", "read as the %XX of its UTF-8 octets"),
    "password-character": ("RFC 3986 3.2.1", "allowed"),
    "path-missing": ("RFC 3986 3.3", "the path after a host may be empty"),
    "port-empty": ("RFC 2396 3.2.2", "a port may be empty"),
    "reserved": ("RFC 2396 3.3", "allowed"),
    "slash-missing": ("RFC 2396 3", 'a "?" may follow the host'),
    "slashes": ("RFC 8089 2", "a file URL may omit the host"),
    "typecode": ("RFC 3986 3.3", "treated as any other parameter"),
    "typecode-case": ("RFC 3986 3.3", "treated as any other parameter"),
    "unsafe": ("RFC 2396 2.3", "unreserved"),
    "userinfo": ("RFC 2396 3.2.2", "allowed (and deprecated by RFC 9110 4.2.4)"),
}
"""Faults in RFC 1738 that today's RFCs accept, by code: the clause that changed it, and the present rule. Faults
without a row are allowed by today's RFC of the scheme.
"""

STILL = {"selector-octet": "RFC 4266 2.1"}
"""Clauses of today's RFCs that still agree with RFC 1738, although the generic syntax is wider, by the code."""

_QUERY = ("RFC 2396 3.4", "allowed in a query")


def remark_change(fault: Diagnostic, scheme: str) -> Diagnostic:
    """The remark on a fault of ``rfc1738`` in a text that ``current`` accepts: which clause changed the rule."""
    known = CHANGES.get(fault.code)
    if fault.code == "reserved" and fault.rule == "search":
        known = None if scheme == "gopher" else _QUERY
    since, told = syntax.row(scheme).reference, ""
    if known is None:
        told = f"allowed by {since}"
    else:
        since, word = known
        told = f"{word} since {since}"
    message = f"{told}; {fault.section}: {fault.message}"
    return Diagnostic("changed", "remark", fault.span, fault.rule, since, message)
