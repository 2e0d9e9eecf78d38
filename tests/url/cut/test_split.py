"""The numbers of the kernel, and that its classes of octets are the characters of RFC 3986.

What the cut does, with `names` and `letters`, is tested through `URL`, in ``tests/url``: compiled, nothing else can
call them.
"""

from __future__ import annotations

from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.cut import numbers
from tests.rows import each_row

UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
SUB_DELIMS = frozenset("!$&'()*+,;=")
ALPHA = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
DIGIT = frozenset("0123456789")
CHARACTERS = [chr(code) for code in range(128)]


def accepted(before: str, behind: str) -> set[str]:
    """The ASCII characters that can stand between two texts, and are then part of the component they stand in."""
    found = set()
    for char in CHARACTERS:
        try:
            URL(before + char + behind)
        except URLSyntaxError:
            continue
        found.add(char)
    return found


@each_row(
    ("before", "behind", "characters"),
    [
        # RFC 3986 appendix A. Beside its own characters a component shows the delimiters that end it.
        ("", ":x", ALPHA),
        ("a", ":x", ALPHA | DIGIT | set("+-.:")),
        ("foo://u", "@h/", UNRESERVED | SUB_DELIMS | set(":/?#")),
        ("foo://h", "/", UNRESERVED | SUB_DELIMS | set(":/?#@")),
        ("http://a", "b/", UNRESERVED | set("/?#@")),
        ("http://h:8", "/", DIGIT | set("/?#@")),
        ("http://h/a", "b", UNRESERVED | SUB_DELIMS | set(":@/?#")),
        ("http://h/?a", "b", UNRESERVED | SUB_DELIMS | set(":@/?#")),
        ("http://h/#a", "b", UNRESERVED | SUB_DELIMS | set(":@/?")),
        ("http://h/%a", "", set("0123456789abcdefABCDEF")),
        ("http://h/%", "a", set("0123456789abcdefABCDEF")),
    ],
)
def test_a_component_has_the_characters_of_rfc_3986(before: str, behind: str, characters: set[str]) -> None:
    # An '@' moves the host to behind it, so what it is asked of is another component.
    assert accepted(before, behind) - {"@"} == characters - {"@"}


def test_every_fault_has_a_number_of_its_own() -> None:
    faults = {name: value for name, value in vars(numbers).items() if name.startswith("FAULT_")}
    assert sorted(faults.values()) == list(range(1, len(faults) + 1))


def test_every_offset_has_a_place_of_its_own() -> None:
    names = ("SCHEME_END", "USER_END", "HOST_START", "HOST_END", "PORT", "PATH_START", "QUERY_START", "FRAGMENT_START")
    assert [getattr(numbers, name) for name in names] == list(range(8))


def test_every_flag_is_a_bit_of_its_own() -> None:
    names = (
        "NO_AUTHORITY", "NEED_AUTHORITY", "NEED_SLASH", "NO_USERINFO", "NO_PORT", "NO_QUERY", "EMPTY_HOST", "DNS_HOST",
    )  # fmt: skip
    assert [getattr(numbers, name) for name in names] == [1 << bit for bit in range(8)]
