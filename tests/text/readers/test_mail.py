"""Mail: parts, codings, character sets, encoded words, mailboxes."""

from __future__ import annotations

import base64

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
