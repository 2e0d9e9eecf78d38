"""What is said to a proxy and what it answers: whole, octet by octet, with octets of the other end behind it."""

from __future__ import annotations

import hashlib
import re

import pytest

from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectError,
    LimitError,
    RemoteProtocolError,
    ReplyError,
    UnavailableError,
)
from anyurl.net.wire.proxies.handshakes import MAX_HEAD_BYTES, AnotherConnection, handshake
from anyurl.net.wire.proxies.table import Proxy, read_proxy
from tests.rows import each_row

HTTP, SOCKS = "http://p.test:3128", "socks5://p.test:1080"
LOGIN = "u:p%C3%BC@"
NOON = "Sun, 06 Nov 1994 12:00:00 GMT"


def with_login(proxy: str) -> str:
    return proxy.replace("//", f"//{LOGIN}")


def run(proxy: str, host: str, pieces: list[bytes]) -> tuple[bytes, bytes, bool]:
    """What is sent, what of the pieces was not the proxy's, and whether the tunnel is there."""
    shake = handshake(read_proxy(proxy), host, 70)
    sent, left = shake.begin(), b""
    done = False
    for piece in pieces:
        if done:
            left += piece
            continue
        used, unsent, done = shake.feed(piece)
        sent += unsent
        left += piece[used:]
    return sent, left, done


CONNECT = b"CONNECT 192.0.2.7:70 HTTP/1.1\r\nHost: 192.0.2.7:70\r\nUser-Agent: anyurl\r\n"
OK = b"HTTP/1.1 200 Connection established\r\n\r\n"
BOUND = b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"
ASK4 = b"\x05\x01\x00\x01\xc0\x00\x02\x07\x00F"
ASK6 = b"\x05\x01\x00\x04" + bytes(15) + b"\x01\x00F"
ASKN = b"\x05\x01\x00\x03\x06h.test\x00F"


@each_row(
    ("proxy", "host", "answer", "sent"),
    [
        (HTTP, "192.0.2.7", OK, CONNECT + b"\r\n"),
        (with_login(HTTP), "192.0.2.7", OK, CONNECT + b"\r\n"),
        (HTTP, "192.0.2.7", b"HTTP/1.0 200\n\n", CONNECT + b"\r\n"),
        (HTTP, "192.0.2.7", b"HTTP/1.1 299 x\r\nContent-Length: 9\r\n\r\n", CONNECT + b"\r\n"),
        (HTTP, "192.0.2.7", b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + OK, CONNECT + b"\r\n"),
        (HTTP, "::1", OK, CONNECT.replace(b"192.0.2.7", b"[::1]") + b"\r\n"),
        (HTTP, "h.test", OK, CONNECT.replace(b"192.0.2.7", b"h.test") + b"\r\n"),
        (SOCKS, "192.0.2.7", b"\x05\x00" + BOUND, b"\x05\x01\x00" + ASK4),
        (SOCKS, "::1", b"\x05\x00\x05\x00\x00\x04" + bytes(18), b"\x05\x01\x00" + ASK6),
        (SOCKS, "h.test", b"\x05\x00\x05\x00\x00\x03\x02ab\x00\x01", b"\x05\x01\x00" + ASKN),
        (with_login(SOCKS), "192.0.2.7", b"\x05\x00" + BOUND, b"\x05\x02\x00\x02" + ASK4),
        (
            with_login(SOCKS), "192.0.2.7", b"\x05\x02\x01\x00" + BOUND,
            b"\x05\x02\x00\x02\x01\x01u\x03p\xc3\xbc" + ASK4,
        ),
    ],
)  # fmt: skip
def test_a_tunnel(proxy: str, host: str, answer: bytes, sent: bytes) -> None:
    behind = b"220 hello\r\n\r\nHTTP/1.1"
    assert run(proxy, host, [answer]) == (sent, b"", True)
    assert run(proxy, host, [answer + behind]) == (sent, behind, True)
    assert run(proxy, host, [bytes([octet]) for octet in answer + behind]) == (sent, behind, True)
    for end in range(len(answer)):
        assert run(proxy, host, [answer[:end]])[2] is False


@each_row(
    ("proxy", "answer", "error", "told"),
    [
        (HTTP, b"HTTP/1.1 407 No\r\n\r\n", AuthRequiredError, "it wants a login; write user and password into its URL"),
        (with_login(HTTP), b"HTTP/1.1 407 No\r\n\r\n", AuthRequiredError, "it offers none that is known here"),
        (with_login(HTTP), b"HTTP/1.1 401 No\r\n\r\n", AuthRequiredError, "it offers none that is known here"),
        (HTTP, b"HTTP/1.1 403 No\r\n\r\n", ReplyError, "answered 403 to CONNECT 192.0.2.7:70: it does not allow it"),
        (HTTP, b"HTTP/1.1 302 X\r\nLocation: http://e.test\r\n\r\n", ReplyError, "a tunnel can't be redirected"),
        (HTTP, b"HTTP/1.1 101 X\r\n\r\nHTTP/1.1 502 X\r\n\r\n", ConnectError, "answered 502"),
        (HTTP, b"HTTP/1.1 503 X\r\n\r\n", ConnectError, "it could not reach that place"),
        (HTTP, b"220 ftp.test\r\n", RemoteProtocolError, "does not answer as an HTTP proxy does"),
        (HTTP, b"HTTP/1.1 abc\r\n\r\n", RemoteProtocolError, "does not answer as an HTTP proxy does"),
        (HTTP, b"HTTP/1.1 2000\r\n\r\n", RemoteProtocolError, "does not answer as an HTTP proxy does"),
        (HTTP, b"HTTP/1.1 200 X\r\nA: " + b"a" * MAX_HEAD_BYTES, LimitError, "a head of more than 16,384 octets"),
        (HTTP, b"HTTP/1.1 100 X\r\n\r\n" * 1000 + b"HTTP/1.1 ", LimitError, "a head of more than 16,384 octets"),
        (SOCKS, b"\x05\xff", AuthRequiredError, "wants a login; write user and password into its URL"),
        (with_login(SOCKS), b"\x05\xff", ReplyError, "a login of an unsupported kind"),
        (SOCKS, b"\x05\x02", ReplyError, "a login of an unsupported kind"),
        (with_login(SOCKS), b"\x05\x02\x01\x01", AuthRequiredError, "does not accept its user and password"),
        (SOCKS, b"\x05\x00\x05\x02\x00\x01" + bytes(6), ReplyError, "its rules do not allow it"),
        (SOCKS, b"\x05\x00\x05\x05\x00\x01" + bytes(6), ConnectError, "the connection was refused"),
        (SOCKS, b"\x05\x00\x05\x63\x00\x01" + bytes(6), ReplyError, "it gives no known reason"),
        (SOCKS, b"\x04\x00", RemoteProtocolError, "does not answer as a SOCKS 5 proxy does"),
        (SOCKS, b"HT", RemoteProtocolError, "does not answer as a SOCKS 5 proxy does"),
        (SOCKS, b"\x05\x00\x05\x00\x00\x09", RemoteProtocolError, "does not answer as a SOCKS 5 proxy does"),
    ],
)
def test_what_is_no_tunnel(proxy: str, answer: bytes, error: type[AnyURLError], told: str) -> None:
    for pieces in ([answer], [bytes([octet]) for octet in answer]):
        with pytest.raises(AnyURLError) as caught:
            run(proxy, "192.0.2.7", pieces)
        assert type(caught.value) is error
        assert told in str(caught.value)
        assert LOGIN[:-1] not in str(caught.value)
        assert "p\u00fc" not in str(caught.value)


def test_what_each_answer_to_a_request_for_a_tunnel_means() -> None:
    """RFC 9110 15: the class of a status says it all, but for a login, and for a place that a proxy does not find."""
    for status in range(200, 1000):
        answer = f"HTTP/1.1 {status} X\r\n\r\n".encode()
        if status < 300:
            assert run(HTTP, "192.0.2.7", [answer])[2]
            continue
        with pytest.raises(AnyURLError) as caught:
            run(HTTP, "192.0.2.7", [answer])
        expected = (
            AuthRequiredError
            if status in (401, 407)
            else ConnectError
            if status in (404, *range(500, 1000))
            else UnavailableError
            if status == 429
            else ReplyError
        )
        assert type(caught.value) is expected, status
        assert ("it redirects" in str(caught.value)) == (300 <= status < 400), status


@each_row(
    ("fields", "seconds"),
    [
        ("", None),
        ("Retry-After: 7\r\n", 7.0),
        ("X: y\r\nRETRY-AFTER:  30 \r\n", 30.0),
        ("Retry-After: soon\r\n", None),
        ("Content-Length: 0\r\n", None),
        ("X: 5\r\nRetry-After: 6\r\nRetry-After: 7\r\n", 6.0),
        (f"Date: {NOON}\r\nRetry-After: Sun, 06 Nov 1994 12:00:30 GMT\r\n", 30.0),
        (f"Retry-After: Sunday, 06-Nov-94 12:00:09 GMT\r\ndate:{NOON}\r\n", 9.0),
        (f"Date: {NOON}\r\nRetry-After: Sun, 06 Nov 1994 11:00:00 GMT\r\n", 0.0),  # it is over
        ("Retry-After: Sun, 06 Nov 1994 12:00:30 GMT\r\n", 0.0),  # without a Date it counts from now
        ("Retry-After: -1\r\n", None),
    ],
)
def test_a_proxy_that_is_busy_may_be_asked_again(fields: str, seconds: float | None) -> None:
    """RFC 6585 4: as a host that is."""
    with pytest.raises(UnavailableError, match="too many requests") as caught:
        run(HTTP, "192.0.2.7", [f"HTTP/1.1 429 No\r\n{fields}\r\n".encode()])
    assert (caught.value.retry_after, caught.value.code, caught.value.meaning) == (seconds, 429, "connections")
    assert ("requests." if seconds is None else f"again in {seconds:.0f} s") in str(caught.value)


@pytest.mark.parametrize("wish", ["40", "Sun, 06 Nov 1994 12:00:40 GMT"])
def test_a_proxy_that_is_not_available_now_names_the_time(wish: str) -> None:
    """RFC 9110 15.6.4: without a time it is the place that could not be reached, and another address may do."""
    with pytest.raises(UnavailableError, match=r"not available now; it may be requested again in 40 s") as caught:
        run(HTTP, "192.0.2.7", [f"HTTP/1.1 503 No\r\nDate: {NOON}\r\nRetry-After: {wish}\r\n\r\n".encode()])
    assert (caught.value.retry_after, caught.value.code, caught.value.meaning) == (40.0, 503, "busy")
    with pytest.raises(ConnectError):
        run(HTTP, "192.0.2.7", [b"HTTP/1.1 503 No\r\nRetry-After: soon\r\n\r\n"])


def test_what_each_reply_of_socks_means() -> None:
    """RFC 1928 6: after what is wrong with one address another one may do; not after what the rules do not allow."""
    for code in range(1, 256):
        with pytest.raises(AnyURLError, match=r"made no connection to 192\.0\.2\.7 port 70: ") as caught:
            run(SOCKS, "192.0.2.7", [b"\x05\x00\x05" + bytes([code]) + BOUND[2:]])
        assert type(caught.value) is (ConnectError if code in (1, 3, 4, 5, 6, 8) else ReplyError), code
        assert ("it gives no known reason" in str(caught.value)) == (code > 8), code


BASIC = 'Basic realm="x"'
MD5 = 'Digest realm="x", nonce="n1", algorithm=MD5, qop="auth"'
SHA = 'Digest realm="x", nonce="n2", algorithm=SHA-256, qop="auth"'
STALE = SHA.replace("n2", "n3") + ", stale=true"
UNKNOWN = 'Digest realm="x", nonce="n", algorithm=SHA3-256, qop="auth"'


def wants(*offers: str) -> bytes:
    fields = "".join(f"Proxy-Authenticate: {offer}\r\n" for offer in offers)
    return f"HTTP/1.1 407 No\r\n{fields}Content-Length: 2\r\n\r\nno".encode()


def tunnel(proxy: Proxy, answers: list[bytes]) -> list[str]:
    """The logins that the proxy was told, a connection each."""
    shake, told = handshake(proxy, "192.0.2.7", 70), []
    for answer in answers:
        sent = shake.begin().decode()
        told.append(next((line[21:] for line in sent.split("\r\n") if line.startswith("Proxy-Authorization: ")), ""))
        try:
            assert shake.feed(answer)[2]
        except AnotherConnection:
            continue
        assert len(told) == len(answers)
    return told


def check_digest(told: str, nonce: str, hashed: str, count: int = 1) -> None:
    """RFC 7616 3.4.1, by hand."""
    fields = dict(re.findall(r'(\w+)="?([^",]*)"?', told.removeprefix("Digest ")))
    assert (fields["uri"], fields["username"], fields["nonce"], fields["nc"]) == (
        "192.0.2.7:70",
        "u",
        nonce,
        f"{count:08x}",
    )

    def digest(text: str) -> str:
        return hashlib.new(hashed, text.encode()).hexdigest()

    middle = f"{nonce}:{count:08x}:{fields['cnonce']}:auth"
    key = digest("u:x:p\u00fc")
    assert fields["response"] == digest(f"{key}:{middle}:{digest('CONNECT:192.0.2.7:70')}")


class TestLogin:
    @pytest.fixture
    def proxy(self) -> Proxy:
        return read_proxy(with_login(HTTP))

    def test_nothing_goes_out_before_a_challenge_and_what_was_accepted_goes_at_once_then(self, proxy: Proxy) -> None:
        basic = "Basic dTpww7w="
        assert tunnel(proxy, [wants(BASIC), OK]) == ["", basic]
        assert tunnel(proxy, [OK]) == [basic]
        assert tunnel(proxy, [wants(BASIC), OK]) == [basic, basic]  # asked for anew

    @pytest.mark.parametrize(
        ("offers", "nonce", "hashed"),
        [([MD5], "n1", "md5"), ([SHA], "n2", "sha256"), ([MD5, SHA], "n2", "sha256"), ([BASIC, MD5], "n1", "md5")],
    )
    def test_digest(self, proxy: Proxy, offers: list[str], nonce: str, hashed: str) -> None:
        nothing, first = tunnel(proxy, [wants(*offers), OK])
        assert nothing == ""
        check_digest(first, nonce, hashed)
        for count in (2, 3):
            check_digest(tunnel(proxy, [OK])[0], nonce, hashed, count)

    def test_a_nonce_that_is_too_old(self, proxy: Proxy) -> None:
        told = tunnel(proxy, [wants(SHA), wants(STALE), OK])
        check_digest(told[2], "n3", "sha256")
        told = tunnel(proxy, [wants(SHA), wants(STALE), OK])
        check_digest(told[0], "n3", "sha256", 2)
        check_digest(told[2], "n3", "sha256")

    @pytest.mark.parametrize(
        ("answers", "hint"),
        [
            ([[BASIC], [BASIC]], "not accepted"),
            ([[MD5], [MD5]], "not accepted"),
            ([[MD5], [BASIC]], "not accepted"),
            ([[SHA], [STALE], [STALE]], "not accepted"),
            ([[UNKNOWN]], "offers none that is known"),
            ([[UNKNOWN, BASIC]], "offers none that is known"),
            ([["Negotiate"]], "offers none that is known"),
            ([["Digest nonce="]], "offers none that is known"),
        ],
    )  # fmt: skip
    def test_a_login_is_not_tried_over_and_over(self, proxy: Proxy, answers: list[list[str]], hint: str) -> None:
        with pytest.raises(AuthRequiredError, match=hint) as caught:
            tunnel(proxy, [*(wants(*offers) for offers in answers), OK])
        assert "p\u00fc" not in str(caught.value)
        assert tunnel(proxy, [OK]) == [""]  # and nothing of it is kept

    def test_what_else_the_proxy_says_of_the_place_keeps_the_login(self, proxy: Proxy) -> None:
        with pytest.raises(ConnectError):
            tunnel(proxy, [wants(BASIC), b"HTTP/1.1 503 X\r\n\r\n", OK])
        assert tunnel(proxy, [OK]) == ["Basic dTpww7w="]

    def test_a_user_that_is_not_ascii(self) -> None:
        proxy = read_proxy("http://%C3%BC:p@p.test:1")
        assert 'username="\u00fc"' in tunnel(proxy, [wants(MD5), OK])[1]
        assert "username*=UTF-8''%C3%BC" in tunnel(proxy, [wants(STALE + ", charset=UTF-8"), OK])[1]

    def test_octets_of_the_realm_go_back_as_they_came(self, proxy: Proxy) -> None:
        shake = handshake(proxy, "192.0.2.7", 70)
        shake.begin()
        with pytest.raises(AnotherConnection):
            shake.feed(wants(MD5).replace(b'realm="x"', b'realm="\xfc"'))
        assert b'realm="\xfc"' in shake.begin()
