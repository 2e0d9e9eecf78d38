"""Repairing a text that is almost a URL: removing, encoding and adding, each change with its place and reason.

Rule: nothing is guessed silently. A repair reports each change; a separate one reports whether it decides which host,
user or port is meant, in which case `fix`, which returns only the URL, raises. RFC 1738 2.2 (unsafe characters) and its
appendix (wrappers, white space).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from anyurl.errors import Diagnostic, RefusedError, URLSyntaxError
from anyurl.grammar.bared import addresses_bared
from anyurl.grammar.characters import name_of
from anyurl.grammar.current import current_errors
from anyurl.grammar.diagnosis import BLANKS
from anyurl.grammar.grammars import diagnose
from anyurl.grammar.mending import Mending
from anyurl.grammar.prefixes import find_prefix
from anyurl.grammar.readers import BREAK, PREFIX, SLASHED, read_every_way, unclear, unwrapped
from anyurl.grammar.remedies import leads_alike
from anyurl.grammar.splitting import split_unchecked
from anyurl.url import URL, syntax
from anyurl.url.arguments import checked
from anyurl.values import Value

MAX_MESSAGE = 400
"""Characters of a sentence about a path, which may quote it."""

MAX_ROUNDS = 16
"""Rounds of mending: mending an authority may reveal faults after it."""

_ENCODED = frozenset({"space", "control", "character", "bracket", "second-hash", "percent", "backslash"})
_DRIVE = re.compile(r"[A-Za-z]:\\")
_MARKS = re.compile(
    r"(?P<before>[\s<]*(?:url:\s*)?(?P<scheme>[a-z][a-z0-9+.-]*))(?!://)[:;][/|]{2}(?=[^/|])", re.IGNORECASE
)
"""A colon and two slashes as a printer's small type is misread: ``http;//``, ``http:||``."""
_SLASHES = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:([/\\]*)")


class Change(Value):
    """One change made by a repair.

    Attributes:
        code: ``wrapper``, ``white-space``, ``scheme``, ``slashes``, ``backslash``, ``misread``, ``encoded``, ``host``.
        span: The span in the original text.
        before: The original text of the span.
        after: Its replacement.
        message: One sentence for a person.
    """

    code: str
    span: tuple[int, int]
    before: str
    after: str
    message: str

    def __str__(self) -> str:
        return self.message


class Repair(Value):
    """A repaired URL, and the changes.

    Attributes:
        text: The original text.
        url: The repaired URL.
        changes: The changes in the order of the text; none if it was a URL.
    """

    text: str
    url: URL
    changes: tuple[Change, ...]

    @property
    def host_changed(self) -> bool:
        """Whether the repair decided which host, user or port is meant: other programs could read another one.

        The change with the code ``host`` names them.
        """
        return any(change.code == "host" for change in self.changes)

    def refusal(self) -> URLSyntaxError:
        """The change with the code ``host`` as an error: why the URL may not be what the text means.

        Raises:
            ValueError: There is no such change (`host_changed`).
        """
        change = next((one for one in self.changes if one.code == "host"), None)
        if change is None:
            raise ValueError("no change of this repair decided about the host: there is nothing to refuse")
        message = f"the text can't be repaired safely: {change.message}"
        diagnostic = Diagnostic("host-ambiguous", "error", change.span, "host", "RFC 3986 7.6", message)
        return URLSyntaxError(self.text, (diagnostic,))


@checked
def fix(text: str, guess_scheme: bool = False, grammar: str = "current") -> URL:
    """Repair a text that is almost a URL; `repair` also returns the changes.

    Args:
        guess_scheme: Put the scheme that a text without one implies before it, as `anyurl.guess` does: ``https://``
            before a host.
        grammar: The grammar of the URL; unless it is ``current``, the result is in normal form.

    Raises:
        URLSyntaxError: It can't be repaired, or the repair would decide which of several hosts, users or ports is
            meant; the message names them.

    >>> str(fix("URL:http://host.dom/a b"))
    'http://host.dom/a%20b'
    """
    repaired = repair(text, guess_scheme)
    if repaired.host_changed:
        raise repaired.refusal()
    return repaired.url if grammar == "current" else repaired.url.normalize(grammar)


@checked
def repair(text: str, guess_scheme: bool = False) -> Repair:
    """Repair a text that is almost a URL, and return each change.

    Removes wrappers and white space, replaces backslashes by slashes and marks misread on paper (``http;//``,
    ``http:||``), and encodes invalid characters.

    Args:
        guess_scheme: Put the scheme that a text without one implies before it, as `anyurl.guess` does: ``https://``
            before a host.

    Raises:
        URLSyntaxError: It can't be repaired; the diagnostics are those of the original text.
    """
    if not guess_scheme and _DRIVE.match(text.strip(BLANKS)):
        message = "this is a Windows path, not a URL; its file URL starts with file:///"
        raise URLSyntaxError(
            text, (Diagnostic("windows-path", "error", (0, len(text)), "URI", "RFC 8089 E.2", message),)
        )
    work = _Work(text)
    wrapped = work.unwrap()
    work.join_lines(wrapped)
    meant = text
    if work.marks():
        meant = _MARKS.sub(r"\g<before>://", text, count=1)
    if guess_scheme:
        inner = work.guess_scheme() + unwrapped(meant)[0]
        meant = f"<{inner}>" if wrapped else inner
    work.slashes()
    work.change_all("wrapper", addresses_bared(work.copy.text))
    work.encode()
    try:
        url = URL(work.copy.text)
    except URLSyntaxError as error:
        raise URLSyntaxError(text, _errors_first(text) or error.diagnostics) from None
    _check(text, url)
    work.judge(meant, url)
    return Repair(text, url, tuple(sorted(work.changes, key=lambda change: change.span)))


def _check(text: str, url: URL) -> None:
    """Refuse a URL that the verbs of the scheme would refuse: a repair must not lead to the next error.

    Raises:
        URLSyntaxError: The path is invalid for its scheme, or holds octets that the protocol can't carry.
    """
    try:
        syntax.check(url)
    except (URLSyntaxError, RefusedError) as error:
        first = error.diagnostics[0] if isinstance(error, URLSyntaxError) and error.diagnostics else None
        message = first.message if first is not None else str(error).removesuffix(".")
        if len(message) > MAX_MESSAGE:
            message = f"its path holds octets that the protocol of {url.scheme} URLs can't carry"
        rule, section = (first.rule, first.section) if first is not None else ("url-path", "RFC 1738 6")
        code = "bad-path" if first is None else first.code
        raise URLSyntaxError(text, (Diagnostic(code, "error", (0, len(text)), rule, section, message),)) from None


def _errors_first(text: str) -> tuple[Diagnostic, ...]:
    return tuple(sorted(diagnose(text, "current"), key=lambda one: one.severity != "error"))


class _Work:
    """A repair in progress."""

    def __init__(self, text: str) -> None:
        self.copy: Mending = Mending(text)
        self.changes: list[Change] = []

    def change(self, code: str, span: tuple[int, int], after: str, message: str) -> None:
        place, before = self.copy.place(span), self.copy.text[span[0] : span[1]]
        self.copy.replace(span, after)
        self.changes.append(Change(code, place, before, after, message))

    def change_all(self, code: str, edits: Sequence[tuple[tuple[int, int], str, str]]) -> None:
        """Make changes of one kind: spans, replacements and sentences, in the order of the text."""
        for span, after, message in edits:
            before = self.copy.text[span[0] : span[1]]
            self.changes.append(Change(code, self.copy.place(span), before, after, message))
        self.copy.replace_many([(span, after) for span, after, _ in edits])

    def unwrap(self) -> bool:
        """Remove white space, angle brackets and ``URL:``; returns whether there were brackets (RFC 1738, appendix)."""
        self._strip()
        text = self.copy.text
        wrapped = text.startswith("<") and text.endswith(">") and len(text) > 2
        if wrapped:
            message = "the angle brackets are a wrapper around the URL"
            self.change("wrapper", (len(text) - 1, len(text)), "", message)
            self.change("wrapper", (0, 1), "", message)
            self._strip()
        prefix = PREFIX.match(self.copy.text)
        if prefix is not None:
            self.change("wrapper", prefix.span(), "", '"URL:" is a wrapper around the URL')
            self._strip()
        return wrapped

    def _strip(self) -> None:
        text = self.copy.text
        end, start = len(text.rstrip(BLANKS)), len(text) - len(text.lstrip(BLANKS))
        message = "white space around a URL is not part of it"
        if end < len(text):
            self.change("white-space", (end, len(text)), "", message)
        if 0 < start < len(text):
            self.change("white-space", (0, start), "", message)

    def join_lines(self, wrapped: bool) -> None:
        """Remove white space in a wrapper; elsewhere only line ends and tabs, with adjacent spaces."""
        pattern = re.compile(f"[{BLANKS}]+") if wrapped else BREAK
        message = "white space that breaks a URL over lines is ignored"
        self.change_all("white-space", [(run.span(), "", message) for run in pattern.finditer(self.copy.text)])

    def marks(self) -> bool:
        """Replace a misspelt ``://`` of a scheme that has a host; returns whether there was one."""
        found = _MARKS.match(self.copy.text)
        if found is None or syntax.row(found["scheme"].lower()).authority == "forbidden":
            return False
        if found["scheme"].lower() not in syntax.ROWS:
            return False
        span = (found.end("before"), found.end())
        there = self.copy.text[slice(*span)]
        self.change("misread", span, "://", f'"{there}" was read as "://", which on paper looks like it')
        return True

    def guess_scheme(self) -> str:
        """Add the scheme that the form of the text implies; returns the added prefix."""
        prefix = find_prefix(self.copy.text)
        if prefix is None:
            return ""
        self.change("scheme", (0, 0), prefix.text, f"{prefix.text} was guessed: {prefix.reason}")
        return prefix.text

    def slashes(self) -> None:
        """Replace backslashes, and add the ``//`` of schemes that need it."""
        name = self.copy.text.partition(":")[0].lower()
        if name not in SLASHED:
            return
        text = self.copy.text
        end = min(place for place in (text.find("?"), text.find("#"), len(text)) if place >= 0)
        message = 'a backslash is not a slash and was replaced by "/"'
        runs = re.finditer(r"\\+", text[:end])
        self.change_all("backslash", [(run.span(), "/" * len(run[0]), message) for run in runs])
        written = _SLASHES.match(self.copy.text)
        if written is not None and name != "file" and written[1] != "//":
            message = f'{name} URLs start with "{name}://": what follows was taken for the host'
            self.change("slashes", written.span(1), "//", message)

    def encode(self) -> None:
        """Encode characters that are not allowed, except in a host."""
        for _ in range(MAX_ROUNDS):
            faults = [one for one in current_errors(self.copy.text) if one.code in _ENCODED and one.fix is not None]
            cut = split_unchecked(self.copy.text)
            host = (cut.host_start, cut.host_end) if cut.host is not None else (0, 0)
            faults = [one for one in faults if not (one.span[0] < host[1] and host[0] < one.span[1])]
            if not faults:
                break
            secret = cut.host_start
            self.change_all("encoded", [(one.span, one.fix or "", self._encoded(one.span, secret)) for one in faults])

    def _encoded(self, span: tuple[int, int], secret: int) -> str:
        """The sentence for an encoded span; characters before a host are not named, since they may be a password."""
        if span[0] < secret:
            return "a character of the user name or password was encoded"
        chars = set(self.copy.text[span[0] : span[1]])
        return f"{name_of(chars.pop())} was encoded" if len(chars) == 1 else "characters were encoded"

    def judge(self, meant: str, url: URL) -> None:
        """Report if other readings of the text lead elsewhere."""
        readings = read_every_way(meant)
        if not self.changes or leads_alike(meant, readings, url):
            return
        start = self.copy.text.find(url.raw_host or "")
        span = self.copy.place((start, start + len(url.raw_host or ""))) if start >= 0 else (0, len(self.copy.text))
        cut = split_unchecked(meant)
        message = unclear(readings) or "it is unclear which host is meant"
        self.changes.append(Change("host", span, cut.host or "", url.host or "", message))
