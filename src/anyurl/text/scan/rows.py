"""Constants of the search for URLs: the columns of a row, its kinds and contexts, flags, shapes and limits.

Rule: numbers only, each with its meaning; `anyurl.text.scan.scan` declares them again as C numbers, by these names.
"""

from __future__ import annotations

START, END, COLON, HASH, KIND, CONTEXT, CUT = range(7)
"""Columns of a row. COLON ends the scheme, HASH begins the fragment, CUT is another place where the URL may
end, or -1."""
COLUMNS = 7
MAX_ROWS = 256
"""Rows of one call: enough to make the call cheap, few enough to stay in the processor's nearest cache."""

FOLDED = 1
"""Kind: it contains white space that is not part of the URL."""
UNSAFE = 2
"""Kind: it contains brackets or bars that a URL must encode (RFC 1738 2.2)."""
EMAIL = 4
"""Kind: an address without ``mailto:``."""
WWW = 8
"""Kind: a name without ``http://``."""
SPACED = 16
"""Kind: it contains white space that is part of the URL: a Markdown destination between angle brackets."""
SHORTER = 32
"""Kind: of the two readings, the one that ends at CUT is preferred."""
GLUED = 64
"""Kind: letters directly before the name would make it a different one: ``mhttp://``."""
TEMPLATE = 128
"""Kind: not a URL: it has a placeholder (``<id>``, ``[:port]``) or was deliberately disabled (``[.]``)."""
BROKEN = 256
"""Kind: it contains a percent sign that encodes nothing."""
DOMAIN = 512
"""Kind: a name with dots, without ``http://``."""
SLASHED = 1024
"""Kind: its slashes are written ``\\/``, as in a string of JSON or JavaScript, or its colon ``\\:``."""
JOINED = 2048
"""Kind: it contains invisible characters that are not part of the URL."""
LABELLED = 4096
"""Kind: CUT is where it would end in another reading: after the words that follow it in its brackets, at the line
end that a typesetter has hyphenated, or in the next line."""

BARE, ANGLE, URL_PREFIX, MARKDOWN, RST, HTML_ATTRIBUTE = range(6)
"""Contexts, told by the octets around a candidate."""

FIND_EMAILS = 1
FIND_WWW = 2
NO_WRAPPERS = 4
FIND_TEMPLATES = 8
"""Flag: a candidate with a placeholder, or one deliberately disabled, is written whole."""
FIND_DOMAINS = 16
REFERENCES = 32
"""Flag: the text is HTML, in which any character may be written as a reference."""

(
    SHAPE_AUTHORITY, SHAPE_ANY, SHAPE_ADDRESS, SHAPE_GROUP, SHAPE_SLASH, SHAPE_NUMBER, SHAPE_COMMA, SHAPE_PAIR,
    SHAPE_QUERY, SHAPE_PATH, SHAPE_TOKEN, SHAPE_CALL, SHAPE_PAGE, SHAPE_HOST, SHAPE_DOI,
) = range(15)  # fmt: skip
"""Required text after the colon of a known scheme in prose when it is not ``//``; SHAPE_AUTHORITY: nothing else."""

MAX_URL = 65_536
"""Octets of a candidate: a longer one is not a URL (`anyurl.url.cut.split.MAX_LENGTH`)."""
MAX_WRAPPED = 2 * MAX_URL
"""Octets between the brackets: white space may double a URL; more of it is not a folded line."""
MAX_NAME = 64
"""Octets of a scheme name: the longest that IANA lists has 36."""
MAX_SLASHES = 4
"""Slashes after ``name://`` that begin a path: more of them are a rule drawn in a comment."""
MAX_GAPS = 2
"""Gaps without a line break in ``<...>`` without ``URL:``: with more of them, it is a sentence."""
SHAPE_REACH = 320
"""Octets within which a scheme's shape must show: an e-mail address has at most 64 + 1 + 255 (RFC 5321 4.5.3.1)."""
MAX_DOMAIN = 253
"""Octets of a name (RFC 1035 2.3.4, without the last dot)."""
MAX_ADDRESS = 64
"""Octets of a local part and of a label (RFC 5321 4.5.3.1.1, RFC 1034 3.1)."""
MIN_TOKEN = 20
"""Letters and digits of a token: longer than words."""
TEMPLATE_REACH = 72
"""Octets within which a placeholder must end: a name, or an expression of one line."""
LINE_REACH = 128
"""Octets before a candidate in which its line must begin; a line of mail should have 78 at most (RFC 5322 2.1.1)."""
TERMINAL = 79
"""Octets of a line that a terminal has filled: nearly all have 80 columns or more, of which some leave the last."""
LOOK_BACK = 512
"""Octets that a caller keeps before the place to resume: the name, the prefix of its line, its attribute."""
