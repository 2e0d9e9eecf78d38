"""Manual pages: escapes of roff."""

from __future__ import annotations

import pytest

from anyurl.text.readers.registry import tell
from tests.text.readers.contract import Contract


class TestMan(Contract):
    format = "man"
    samples = [
        (  # a word in italics in a URL is to be filled in
            rb"\fIhttp://h/a\fR http://\fIhost\fP/x \fIname\fR\fB://\fR\fIhost-name\fR \fIhttp://i/\fR",
            [("http://h/a", "http://h/a", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (
            rb""".UR http://h/a\-b\(dqx
see \fIhttp://i/\fP.""",
            [("http://h/a-b", r"http://h/a\-b", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (rb"\%http://h/\:a\&b\[ti]c", [("http://h/ab~c", r"http://h/\:a\&b\[ti]c", "bare")]),
        (rb"\f[B]http://h/\f[]\s-1a\s0\(xxb", [("http://h/a", r"http://h/\f[]\s-1a", "bare")]),
        (  # \*(Aq is an apostrophe: what it encloses is whole, and the name of a namespace is no link
            rb"\*(Aqhttp://h/a!\*(Aq <a xmlns=\*(Aqhttp://h/b\*(Aq> http://h/\*(xxc",
            [("http://h/a!", "http://h/a!", "bare"), ("http://h/", "http://h/", "bare")],
        ),
        (  # the string that pod2man writes for two hyphens
            rb"http://h/a\*(--b\-c, http://h/a\*(--",
            [("http://h/a--b-c", r"http://h/a\*(--b\-c", "bare"), ("http://h/a--", r"http://h/a\*(--", "bare")],
        ),
        (rb"http://h/\[char126]a", [("http://h/~a", r"http://h/\[char126]a", "bare")]),
        (  # italics as pandoc writes them are a placeholder, too
            rb"http://h/\f[I]a\f[R]/b http://h/\f(CIa\fR \f[I]http://h/c\f[R]",
            [("http://h/c", "http://h/c", "bare")],
        ),
        (rb".Lk http://h/\[u00E9] x\q", [("http://h/%C3%A9", r"http://h/\[u00E9]", "bare")]),
        (rb"http://h/\[u1F600] x", [("http://h/%F0%9F%98%80", r"http://h/\[u1F600]", "bare")]),
        (  # no character has this number, and of a name that is not written so none is known
            rb"http://h/a\[u110000]b http://i/a\[u00e9]b http://j/a\[u041]b http://k/a\[u1234567]b",
            [(f"http://{host}/a", f"http://{host}/a", "bare") for host in "hijk"],
        ),
    ]
    pieces = (
        b"\\fIa\\fR",
        b"\\",
        b"\\-",
        b"\\&",
        b"\\fB",
        b"\\(en",
        b"\\[ti]",
        b"\\s",
        b"\n",
        b".UR ",
        b"[",
        b"]",
        b"(",
        b"-",
        b"\\[u0041]",
    )
    hostile = (b"\\", b"\\[", b"\\-http:", b"\\f[a]", b"\\(")


@pytest.mark.parametrize("head", [b'.\\" x', b"'\\\" t", b".TH X 1", b".Dd $Mdoc"])
def test_a_page_is_told_by_its_beginning(head: bytes) -> None:
    assert tell("page.1", head) == "man"
