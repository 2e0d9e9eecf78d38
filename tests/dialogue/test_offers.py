"""What a server or proxy offers beside Basic keeps the password out of the clear, whether it can be read or not.

Rule: the offers are made, not listed: every scheme, every way to be malformed, in one field or several, in any order.
"""

from __future__ import annotations

import itertools
import re
from base64 import b64encode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anyurl import Client, Policy
from anyurl.dialogue import Options, Request
from anyurl.dialogue.challenges import MAX_CHALLENGES, MAX_CHARACTERS, MAX_PARAMETERS, is_basic_all, read_challenges
from anyurl.dialogue.digest import strongest_digest
from anyurl.dialogue.logins import Login
from anyurl.errors import AnyURLError, AuthRequiredError
from anyurl.net.wire.proxies.handshakes import AnotherConnection, handshake
from anyurl.net.wire.proxies.table import read_proxy
from tests.rows import each_row
from tests.schemes.http.played import answer, play
from tests.servers import Connection, Server, reply

pytestmark = pytest.mark.promise("offer")

BASIC = 'Basic realm="x"'
STRONGER = ("Digest", "DIGEST", "SCRAM-SHA-256", "Negotiate", "NTLM", "Mutual", "HOBA", "x-new")
TAILS = (
    "", 'realm=my realm, nonce="n"', 'realm="x', 'realm="x" nonce="n"', "realm=x, realm=y", '"x"', 'realm="a\x01b"',
    "nonce=", ';realm="x"', ':realm="x"', 'realm="x", nonce="n", qop="auth-int"', 'realm="x", nonce="n", algorithm=MD4',
    "realm='x y', nonce='n'", "/x", "<html>", 'realm="x\\', "realm", "a b c d e", "\u00fc=1", 'nonce="n"', "YII=", "==",
    ", ".join(f"p{number}=1" for number in range(MAX_PARAMETERS + 1)), "x" * (MAX_CHARACTERS + 1),
)  # fmt: skip
"""What follows the name of the scheme: whole, unknown, or malformed in each way that was seen."""

GLUES = (" ", "\t", "", ",", " , ")

A_PARAMETER = re.compile(r"""[\w-]+=("([^"\\]|\\.)*"|[\w-]+)[ \t]*(,|\Z)""", re.ASCII)
"""`Digestnonce="n"`: by the grammar a parameter of what stands before it."""

tails = st.sampled_from(TAILS) | st.text(alphabet='aB1 ,="\\\t/+;<:\u00fc', max_size=40)
offers = st.builds(
    lambda scheme, glue, tail: f"{scheme}{glue}{tail}",
    st.sampled_from(STRONGER),
    st.sampled_from(GLUES),
    # An "=" makes a parameter of the challenge before it of what would be a name.
    tails.filter(lambda tail: not tail.lstrip(" \t").startswith("=") and tail[:1] not in set("aB1x")),
).filter(lambda offer: not A_PARAMETER.match(offer))


@st.composite
def fields(draw: st.DrawFn) -> list[str]:
    """One stronger offer at least, and Basic; the order, and what stands in one field, are drawn."""
    given_ = draw(st.permutations([BASIC, *draw(st.lists(offers, min_size=1, max_size=3))]))
    made = [given_[0]]
    for one in given_[1:]:
        if draw(st.booleans()):
            made.append(one)
        else:
            made[-1] += f", {one}"
    return made


@given(fields())
@example([BASIC, 'Digest realm=my realm, nonce="n"'])
@example(['Digest realm=my realm, nonce="n", Basic realm="x"'])
@example(['Basic realm=my realm, Digest realm="x", nonce="n"', BASIC])
@example([BASIC, "A," * MAX_CHALLENGES + " Digest"])
@example(["Basic," * MAX_CHALLENGES + " Digest"])
@example(["Basic"] * MAX_CHALLENGES + ["Digest"])
@example([BASIC, BASIC + " " * MAX_CHARACTERS, "Digest"])
@example([BASIC, ", , =, Digest"])
@example(['Basic realm="x", Digestrealm=my realm, nonce="n"'])
@example(['Basic realm="x", x-newrealm="x" nonce="n"'])
@example(['Basic realm="x" x-new="n"'])
def test_no_password_goes_in_clear(texts: list[str]) -> None:
    _no_password_in_clear(texts)


def _no_password_in_clear(texts: list[str]) -> None:
    assert not is_basic_all(texts)
    challenges = [("www-authenticate", text) for text in texts]
    then = [answer(200)] if strongest_digest(read_challenges(texts)) else []
    for url, options in (("http://u:p@h/", Options()), ("http://h/", Options(login=Login("u", "p")))):
        asked = play(url, answer(401, *challenges), *then, options=options).of(Request)
        assert [one.authorization and one.authorization.scheme for one in asked] == [None, *["Digest" for _ in then]]
    assert "Basic" not in _told_to_a_proxy("http://u:p@p.test:3128", texts)


def _told_to_a_proxy(proxy: str, texts: list[str]) -> str:
    """What a proxy is sent after its challenge."""
    lines = "".join(f"Proxy-Authenticate: {text}\r\n" for text in texts)
    shake = handshake(read_proxy(proxy), "192.0.2.7", 70)
    shake.begin()
    try:
        shake.feed(f"HTTP/1.1 407 No\r\n{lines}\r\n".encode("utf-8", "surrogateescape"))
    except AnotherConnection:
        return shake.begin().decode("utf-8", "surrogateescape").partition("Proxy-Authorization:")[2]
    except AnyURLError:
        pass
    return ""


def test_a_folded_line_of_a_proxy_is_read() -> None:
    assert _told_to_a_proxy("http://u:p@p.test:3128", ['Basic realm="x",\r\n Digest nonce="n", realm="x"']) != ""
    assert "Basic" not in _told_to_a_proxy("http://u:p@p.test:3128", ["Basic realm=x,\r\n\tDigest nonce=n realm=x"])


ALONE = ([BASIC], ["basic realm=x"], ["Basic"], [BASIC, "Bearer"], ["Bearer realm=y, Basic"], ["", BASIC, " , "])


@pytest.mark.parametrize("texts", ALONE)
def test_basic_alone_is_answered(texts: list[str]) -> None:
    assert is_basic_all(texts)
    challenges = [("www-authenticate", text) for text in texts]
    played = play("http://u:p@h/", answer(401, *challenges), answer(200))
    assert played.of(Request)[1].authorization.scheme == "Basic"
    assert "Basic" in _told_to_a_proxy("http://u:p@p.test:3128", texts)


JOINTS = (" ", "\t", ";", "; ", " ; ", " | ", "|", ",", ", ", "")
FIRST = (
    'Basic realm="x"',
    "Basic realm='x y'",
    "Basic realm=x y",
    "Basic realm=/x",
    'Basic realm="x" a="b"',
    "Basic YQ==",
)


@each_row("first", FIRST)
@each_row("joint", JOINTS)
def test_no_joint_hides_an_offer_behind_basic(first: str, joint: str) -> None:
    if joint or first.endswith('"'):  # without a joint, the name would be a part of the word before it
        for scheme, tail in itertools.product(
            (*STRONGER, "Newauth"), (' nonce="n"', " a=b, c=d", ' realm=y nonce="n"')
        ):
            _no_password_in_clear([f"{first}{joint}{scheme}{tail}"])
    if joint.strip() or (joint and first.endswith(('"', "="))):
        for scheme in (*STRONGER, "Newauth"):
            _no_password_in_clear([f"{first}{joint}{scheme}"])


@each_row(
    "text",
    ['Basic realm=Digest nonce="n"', "Basic realm=x Negotiate", "Basic realm=, Digest", 'Basic realm="x" Digest="n"',
     'Basic realm="x" Newauth', 'Basic realm="x" Newauth "y"',
     'Basic realm="x\\"y" Newauth', 'Basic realm="x";Digest nonce="n"', 'Basic realm="x"\u00a0NTLM'],
)  # fmt: skip
def test_a_loose_value_hides_no_offer(text: str) -> None:
    for texts in ([text], [text, BASIC], [BASIC, text]):
        _no_password_in_clear(texts)


@pytest.mark.parametrize(
    ("offer", "server", "proxy"),
    [
        ("Negotiate", "Basic", "Basic"),
        ("x-new a=b", "Basic", "Basic"),
        ('Digest "x"', "Basic", "Basic"),
        ("Digest realm=my realm", "Basic", ""),  # a proxy that offers a Digest gets nothing else
        ('Digest realm=my realm, nonce="n"', "Digest", "Digest"),
    ],
)
def test_tls_hides_it(offer: str, server: str, proxy: str) -> None:
    challenges = [("www-authenticate", text) for text in (offer, BASIC)]
    played = play("https://u:p@h/", answer(401, *challenges), answer(200))
    assert played.of(Request)[1].authorization.scheme == server
    assert _told_to_a_proxy("https://u:p@p.test:3128", [offer, BASIC]).strip().partition(" ")[0] == proxy


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([BASIC, "Negotiate"], "besides Basic it offers a login that is unknown here or can't be read"),
        ([BASIC, 'Digest "x"'], "besides Basic it offers a login that is unknown here or can't be read"),
        ([BASIC, "Digest realm=my realm"], "a password in clear is not sent where Digest was offered"),
        ([BASIC, "Digest realm=x"], "a password in clear is not sent where Digest was offered"),
    ],
)
def test_the_reason_is_told(texts: list[str], said: str) -> None:
    played = play("http://u:p@h/", answer(401, *(("www-authenticate", text) for text in texts)))
    assert isinstance(played.error, AuthRequiredError)
    assert said in str(played.error)


@pytest.mark.parametrize(
    "texts",
    [list(order) for offer in TAILS[1:10] for order in itertools.permutations([f"Digest {offer}", BASIC])]
    + [[f"Digest {TAILS[1]}, {BASIC}"], [f"{BASIC}, Digest {TAILS[1]}"]],
)
def test_it_is_not_on_the_wire(texts: list[str]) -> None:
    heads: list[bytes] = []

    def part(connection: Connection) -> None:
        while head := connection.head():
            heads.append(head)
            refused = reply(b"", *(f"WWW-Authenticate: {text}".replace("\x01", "") for text in texts), status="401 No")
            connection.send(refused)

    with Server(part) as server, Client(Policy.default()) as client:
        with pytest.raises(AuthRequiredError):
            client.get(f"http://joe:s3cret@{server.authority}/")
    sent = b"".join(heads).lower()
    for secret in (b"s3cret", b64encode(b"joe:s3cret"), b64encode(b"s3cret"), b"authorization: basic"):
        assert secret.lower() not in sent
    # A Digest that can be read is answered, and with a Digest only; what can't be read is not answered at all.
    assert [b"\r\nAuthorization: Digest " in head for head in heads] == [False, *[True for _ in _digests(texts)]]


def _digests(texts: list[str]) -> list[str]:
    return ["Digest"] if strongest_digest(read_challenges([text.replace("\x01", "") for text in texts])) else []
