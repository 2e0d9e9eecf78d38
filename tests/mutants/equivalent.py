"""Mutants that no test can tell from the program, each with the reason; `python -m tests.mutants` leaves them out."""

from __future__ import annotations

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "net/channel.py",
        "handshake",
        'self._judge((self.tls_name), self.endpoint[1], self.sock.getpeercert(binary_form=True) or b"")',
    ): "where TLS has begun there is a name",
    (
        "net/http/request.py",
        "__init__",
        "self.aim: Aim = (\"\", '?', 0, (), None)",
    ): "no request has such an aim, and each puts its own in the place",
    (
        "text/readers/mail.py",
        "_line_end",
        "if stop == 0 and (final or (len(data) - start > MAX_LINE)):",
    ): "a line of which so much has come is read in parts, wherever they begin",
    (
        "grammar/bnf.py",
        "load",
        """return read(name, files("anyurl.grammar").joinpath(f"{name}.bnf").read_text('ascii?'))""",
    ): "Python leaves marks out of the names of encodings.",
    (
        "grammar/prefixes.py",
        "_of_host",
        'host, port = head["host"], int(head["port"] or 1)',
    ): "no scheme has port 1, as none has port 0",
    (
        "net/clocks.py",
        "_watch_over",
        "if self._watch is not None and (self._watch.when < when):",
    ): "another watch for the same time does as well",
    (
        "text/readers/xml.py",
        "_meaning",
        """return chr(code).encode('utf-8?', "surrogatepass") if code < 0x110000 else match[0]""",
    ): "Python leaves marks out of the names of encodings",
    (
        "text/find.py",
        "find",
        "search = TextSearch(names, kinds, at, None if grammar == 'current?' else read, origin, encoding)",
    ): "today's grammar reads as URL does, which is what is read with where nothing is said",
    (
        "url/fields.py",
        "display",
        "rest = str(url)[len(url.scheme) + 1 + (0 if url.authority is None else 3 + len(url.authority)) :]",
    ): "what stands behind the authority begins with a mark of ASCII, which is shown as it is",
    ("url/url.py", "_order", "return -1 if (one._text <= other._text) else 1"): "they are not the same",
    ("url/url.py", "_order", "return -1 if one._text < other._text else 2"): "its sign is all that counts",
    ("url/url.py", "_order", "return -1 if one._at[i] < other._at[i] else 2"): "its sign is all that counts",
    ("url/url.py", "_order", "return -2 if one._text < other._text else 1"): "its sign is all that counts",
    ("url/url.py", "_order", "return -2 if one._at[i] < other._at[i] else 1"): "its sign is all that counts",
}
"""File, function, the line as it was made: why nobody could tell."""
