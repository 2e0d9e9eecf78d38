"""The numbers that the cut of a URL uses: places of the offsets, flags of a scheme's syntax, faults.

Rule: numbers only, each with its meaning here or, for faults, its sentence in `anyurl.url.faults`. The compiled modules
declare them again as C numbers, by these names.
"""

from __future__ import annotations

# Places of the eight offsets.
SCHEME_END = 0
USER_END = 1
HOST_START = 2
HOST_END = 3
PORT = 4
PATH_START = 5
QUERY_START = 6
FRAGMENT_START = 7

NO_AUTHORITY = 1
"""Flag: ``//`` never follows the colon."""
NEED_AUTHORITY = 2
"""Flag: ``//`` must follow the colon."""
NEED_SLASH = 4
"""Flag: a path without an authority begins with ``/``."""
NO_USERINFO = 8
"""Flag: no user or password is allowed before the host."""
NO_PORT = 16
"""Flag: no port is allowed after the host."""
NO_QUERY = 32
"""Flag: ``?`` is a character of the path."""
EMPTY_HOST = 64
"""Flag: the host after ``//`` may be empty."""
DNS_HOST = 128
"""Flag: the host is a domain name or an address: no sub-delims."""

# Faults: why a text is not a URL. A fault and its place are packed in one number, ``fault << 32 | place``; 0: no fault.
FAULT_EMPTY = 1
FAULT_TOO_LONG = 2
FAULT_SCHEME_START = 3
FAULT_SCHEME_CHAR = 4
FAULT_NO_SCHEME = 5
FAULT_CONTROL = 6
FAULT_SPACE = 7
FAULT_BACKSLASH = 8
FAULT_CHAR = 9
FAULT_BRACKET = 10
FAULT_ESCAPE = 11
FAULT_SECOND_HASH = 12
FAULT_NO_AUTHORITY = 13
FAULT_AUTHORITY = 14
FAULT_SLASH = 15
FAULT_TWO_AT = 16
FAULT_USERINFO = 17
FAULT_EMPTY_HOST = 18
FAULT_HOST_ESCAPE = 19
FAULT_HOST_CHAR = 20
FAULT_HOST_COLON = 21
FAULT_NUMERIC_HOST = 22
FAULT_OPEN_BRACKET = 23
FAULT_PORT = 24
FAULT_AFTER_BRACKET = 25
FAULT_PORT_DIGITS = 26
FAULT_PORT_LARGE = 27
FAULT_PATH_QUESTION = 28
FAULT_NOT_ASCII = 29
FAULT_ADDRESS = 30
FAULT_ZONE = 31
FAULT_SURROGATE = 32
FAULT_IDNA = 33
FAULT_MAPPED_NUMERIC = 34
FAULT_EMPTY_LABEL = 35

MAX_LENGTH = 65_536
"""Octets of one URL: curl's limit for its parts is 65,535; RFC 9110 4.1 recommends at least 8,000."""

MAX_PORT = 65_535
"""RFC 9293 3.1: a port has sixteen bits. Five well-known clients read 65561 as 25, the port of mail servers."""
