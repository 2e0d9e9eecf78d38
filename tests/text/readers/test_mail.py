"""Mail: parts, codings, character sets, encoded words, mailboxes."""

from __future__ import annotations

import base64

from anyurl.text import find
from anyurl.text.readers.mail import is_mail
from tests.rows import each_row
from tests.text.readers.contract import Contract

MESSAGE = (
    b"From me@x.org Mon Jan  1\nSubject: =?utf-8?q?see_http=3A//s/=C3=A9?= now\nMIME-Version: 1.0\n"
    b"Message-ID: <abc@host.org>\n"
    b'Content-Type: multipart/mixed; boundary="=_b"\n\npreamble http://no/\n--=_b\n'
    b"Content-Type: text/plain; charset=koi8-r; format=flowed; delsp=yes\n\n"
    b"> \xd0\xd2\xc9 http://flowed/ \n> path/\xc1 end\n--=_b\n"
    b"Content-Type: text/html; charset=latin-1\nContent-Transfer-Encoding: Quoted-Printable\n\n"
    b'<a href=3D"http://h/=\n=E9?a=3D1&amp;b=3D2">x</a>\n--=_b\n'
    b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n"
    + base64.encodebytes(b"http://picture/ " * 9)
    + b"--=_b\nContent-Type: message/rfc822\n\nSubject: http://inner/\nContent-Type: application/json\n\n"
    b'{"a": "http:\\/\\/json\\/"}\n--=_b\n'
    b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    + base64.encodebytes("é http://base64/é.\n".encode() * 9)
    + b"--=_b--\nepilogue http://after/\n\nFrom you@y.org Tue Jan  2\nX-URL: http://second/\n\nhttp://body/\n"
)


class TestMail(Contract):
    format = "mail"
    samples = [
        (
            MESSAGE,
            [
                ("http://s/%C3%A9", "http=3A//s/=C3=A9", "mail-header"),
                ("http://flowed/path/%D0%B0", "http://flowed/ \n> path/\udcc1", "bare"),
                ("http://h/%C3%A9?a=1&b=2", "http://h/=\n=E9?a=3D1&amp;b=3D2", "html-attribute"),
                ("http://inner/", "http://inner/", "mail-header"),
                ("http://json/", "http:\\/\\/json\\/", "bare"),
                ("http://base64/%C3%A9", "*", "bare"),
                ("http://base64/%C3%A9", "*", "bare"),
                ("http://base64/%C3%A9", "*", "bare"),
                ("http://base64/%C3%A9", "*", "bare"),
                ("http://base64/%C3%A9", "*", "bare"),
                ("http://base64/%C3%A9", "*", "bare"),
                ("http://base64/%C3%A9", "*", "bare"),
                ("http://base64/%C3%A9", "*", "bare"),
                ("http://base64/%C3%A9", "*", "bare"),
                ("http://second/", "http://second/", "mail-header"),
                ("http://body/", "http://body/", "bare"),
            ],
        ),
        (
            b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\nhttp://h/=C3=A9=3Da=2Eb=\n/c http://i/",
            [("http://h/%C3%A9=a.b/c", "http://h/=C3=A9=3Da=2Eb=\n/c", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (
            b"Subject: =?iso-8859-1?b?aHR0cDovL2gv?= \n =?utf-8?Q?=C3=A9?= x\n\n",
            [("http://h/%C3%A9", "aHR0cDovL2gv?= \n =?utf-8?Q?=C3=A9", "mail-header")],
        ),
        (
            b"A: b\nContent-Type: text/plain; charset=gb2312\n\nhttp://h/\xd6\xd0 http://i/",
            [("http://h/%E4%B8%AD", "http://h/\udcd6\udcd0", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (  # octets that an escape sequence does not end, of which Python's decoder holds but eight
            (
                b"A: =?utf-16?q?a?= =?iso-2022-jp?q?=1B((((((((((?=\nContent-Type: text/plain; charset=iso-2022-jp\n\n"
                b"\x1b(((((((((( http://h/ \x1b$B\xff"
            ),
            [("http://h/", "http://h/", "bare")],
        ),
        (  # without a mark
            (
                b"A: b\nContent-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\n"
                b"aAB0AHQAcAA6AC8ALwBoAC8AIAA=\n"
            ),
            [("http://h/", "aAB0AHQAcAA6AC8ALwBoAC8A", "bare")],
        ),
        (  # RFC 2231 4: charset'language'value
            b"A: b\nContent-Type: text/plain; charset*=us-ascii'en'gb2312\n\nhttp://h/\xd6\xd0 http://i/",
            [("http://h/%E4%B8%AD", "http://h/\udcd6\udcd0", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (  # without them
            b"A: b\nContent-Type: text/plain; charset*=gb2312\n\nhttp://h/\xd6\xd0 http://i/",
            [("http://h/%E4%B8%AD", "http://h/\udcd6\udcd0", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (
            b"A: b\nContent-Type: multipart/digest; boundary=x\n\n--x\n\nSubject: http://h/\n\nhttp://i/\n--x--\n",
            [("http://h/", "http://h/", "mail-header"), ("http://i/", "http://i/", "bare")],
        ),
        (  # reports and headers without a body
            (
                b"A: b\nContent-Type: multipart/report; boundary=x\n\n--x\nContent-Type: message/delivery-status\n\n"
                b"Diagnostic-Code: smtp; see\n http://h/\n\n--x\nContent-Type: text/rfc822-headers\n\n"
                b"List-Archive: <http://i/>\nMessage-ID: <http://no/>\n--x\n"
                b"Content-Type: message/rfc822-headers\n\nSubject: =?utf-8?q?http=3A//j/?=\n--x--\n"
            ),
            [
                ("http://h/", "http://h/", "bare"),
                ("http://i/", "http://i/", "mail-header"),
                ("http://j/", "http=3A//j/", "mail-header"),
            ],
        ),
        (  # base64 without padding ends with its part
            (
                b"A: b\nContent-Type: multipart/mixed; boundary=x\n\n"
                b"--x\nContent-Transfer-Encoding: base64\n\naHR0cDovL2gvYQ\n"
                b"--x\nContent-Transfer-Encoding: base64\n\naHR0cDovL2kvYWI\n--x--\n"
            ),
            [("http://h/a", "aHR0cDovL2gvYQ", "bare"), ("http://i/ab", "aHR0cDovL2kvYWI", "bare")],
        ),
        (b"A: b\nContent-Transfer-Encoding: base64\n\naHR0cDovL2gvYQ", [("http://h/a", "aHR0cDovL2gvYQ", "bare")]),
        (  # only behind an empty line does a From line begin a message, whatever ends the lines
            (
                b"From a\r\nSubject: x\r\nTo: y\r\n\r\nhttp://h/a\r\ntwo\r\nFrom here http://i/\r\nSubject: http://j/\r\n"
                b"\r\nFrom b http://k/\r\nSubject: http://l/\r\nTo: y\r\n\r\n"
            ),
            [
                ("http://h/a", "http://h/a", "bare"),
                ("http://i/", "http://i/", "bare"),
                ("http://j/", "http://j/", "bare"),
                ("http://k/", "http://k/", "mail-header"),
                ("http://l/", "http://l/", "mail-header"),
            ],
        ),
    ]
    pieces = (
        b"\n\n",
        b"\n",
        b"\r\n",
        b"--x\n",
        b"--x--\n",
        b"From me\n",
        b"Subject: ",
        b"=?utf-8?q?",
        b"?=",
        b"=\n",
        b"=3D",
        b"=C3",
        b"=A9",
        b"Content-Type: text/plain; charset=latin-1\n",
        b"Content-Type: multipart/mixed; boundary=x\n\n",
        b"Content-Transfer-Encoding: quoted-printable\n",
        b"Content-Transfer-Encoding: base64\n",
        b"aHR0cDovL2gv",
        b"Content-Type: text/html\n",
        b"Content-Type: text/plain; charset=shift_jis; format=flowed; delsp=yes\n",
        b" \n",
        b"> ",
        b"\x83\\",
        b"Message-ID: ",
        b"Content-Type: message/rfc822\n\n",
        b"a",
    )
    hostile = (
        b"Subject: x\n",
        b"=?utf-8?q?=41",
        b"\n\nFrom \n",
        b"A: b\nContent-Type: text/html\n\n\n\nFrom x\n",
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\n",
        b"Content-Type: message/rfc822\n\n",
        b"Content-Type: ;a=b\n;",
    )


@each_row(
    ("head", "is_one"),
    [
        (b"Delivered-To: a@h\nReturn-path: <b@h>\nAuthentication-Results: h; spf=pass\n", True),
        (b"Received-SPF: pass\r\nARC-Seal: i=1;\r\n a=b\r\nX-Any: c\r\n", True),
        (b"X-A: 1\nX-B: 2\nX-C: 3\nFrom: a@h\n\n", True),
        (b"Path: h!not-for-mail\nOrganization: x\nLines: 3\n\n", True),
        (b"User-Agent: x\nContent-Transfer-Encoding: 7bit\nIn-Reply-To: <a@h>\nSubject: y\n", True),
        (b"From me Mon Jan  1\nSender: a@h\nPrecedence: bulk\n", True),
        (b"Received: from a\nX-Spam: " + b"x" * 1100 + b"\n", False),  # one whole field says little
        (b"Received: from a\nX-B: c\nX-Spam: " + b"x" * 1100 + b"\n", True),
        (b"X-A: 1\nX-B: 2\nX-C: 3\n\nFrom: a@h\n", False),
        (b"Format: 1.0\nUpstream-Name: x\nSource: http://h/\nDate: y\n", False),
        (b"Package: a\nVersion: 1\nMaintainer: b\n", False),
        (b"Date: x\nhttp://h/: y\nTo: z\n", False),
        (b"From: a\nTo: b\n\nSubject: c\n", False),
        (b"Subject : a\nB: c\nD: e\n", True),
        (b"", False),
    ],
)
def test_mail_is_told_by_the_form_of_its_head(head: bytes, is_one: bool) -> None:
    assert is_mail(head[:1024]) is is_one


def test_a_letter_without_a_suffix_is_decoded() -> None:
    head = b"Delivered-To: a@h\nReturn-path: <b@h>\nAuthentication-Results: h; spf=pass\n"
    data = head + b"Content-Transfer-Encoding: quoted-printable\n\nhttp://h/?a=3Db=\nc\n"
    assert [str(found) for found in find(data, format="auto")] == ["http://h/?a=bc"]
