"""Digest: the examples of the RFCs, libcurl on the same challenges, and what is not answered."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import pycurl
import pytest

from anyurl.dialogue.challenges import read_challenges
from anyurl.dialogue.digest import DigestChallenge, read_digest
from tests.rows import each_row
from tests.servers import Connection, Server, reply


def offered(text: str) -> DigestChallenge | None:
    return read_digest(read_challenges([text])[0])


def answered(text: str, user: str, password: str, target: str, cnonce: str, method: str = "GET") -> dict[str, str]:
    challenge = offered(text)
    assert challenge is not None
    return fields(challenge.respond(user, password, method, target, cnonce))


def fields(text: str) -> dict[str, str]:
    found = read_challenges([f"Digest {text}"])[0].parameters
    return dict(found)


@pytest.mark.parametrize(
    ("offer", "told"),
    [
        ('qop="auth", algorithm=MD5-sess', {"cnonce", "qop", "nc"}),
        ("algorithm=MD5-sess", {"cnonce"}),  # RFC 2617 3.2.2.2: the key is made with it, and the server needs it
        ('qop="auth"', {"cnonce", "qop", "nc"}),
        ("algorithm=MD5", set()),  # RFC 2069
    ],
)
def test_the_client_s_nonce_is_told_where_it_is_used(offer: str, told: set[str]) -> None:
    found = answered(f'Digest realm="a", nonce="b", {offer}', "u", "p", "/", "mine")
    assert {"cnonce", "qop", "nc"} & {*found} == told
    assert found.get("cnonce", "mine") == "mine"


RFC_2617 = (
    'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", '
    'opaque="5ccc069c403ebaf9f0171e9517f40e41"'
)
RFC_7616 = (
    'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm={algorithm}, '
    'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
)


@pytest.mark.parametrize(
    ("challenge", "password", "cnonce", "response"),
    [
        pytest.param(
            RFC_2617, "Circle Of Life", "0a4f113b", "6629fae49393a05397450978507c4ef1", id="RFC 2617 3.5"
        ),
        pytest.param(
            RFC_2617.replace('qop="auth,auth-int", ', ""), "CircleOfLife", "x", "1949323746fe6a43ef61f9606e7febea",
            id="RFC 2069 2.4, with the response of its erratum",
        ),
        pytest.param(
            RFC_7616.format(algorithm="MD5"), "Circle of Life", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            "8ca523f5e9506fed4657c9700eebdbec", id="RFC 7616 3.9.1, MD5",
        ),
        pytest.param(
            RFC_7616.format(algorithm="SHA-256"), "Circle of Life", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1", id="RFC 7616 3.9.1, SHA-256",
        ),
    ],
)  # fmt: skip
def test_the_examples_of_the_rfcs(challenge: str, password: str, cnonce: str, response: str) -> None:
    found = answered(challenge, "Mufasa", password, "/dir/index.html", cnonce)
    assert found["response"] == response
    given = read_challenges([challenge])[0].parameters
    assert {name: found.get(name) for name in ("realm", "nonce", "opaque", "algorithm")} == {
        name: given.get(name) for name in ("realm", "nonce", "opaque", "algorithm")
    }
    assert (found["username"], found["uri"]) == ("Mufasa", "/dir/index.html")
    counted = ("auth", "00000001", cnonce) if "qop" in challenge else (None, None, None)
    assert (found.get("qop"), found.get("nc"), found.get("cnonce")) == counted


ALGORITHMS = ("MD5", "MD5-sess", "SHA-256", "SHA-256-sess", "SHA-512-256", "SHA-512-256-sess")


@pytest.mark.parametrize(
    ("algorithm", "more"),
    [
        *((algorithm, "") for algorithm in ("", "MD5", "SHA-256", "SHA-512-256")),  # libcurl knows no -sess without qop
        *((algorithm, more) for algorithm in ("", *ALGORITHMS)
          for more in (', qop="auth"', ', qop="auth", userhash=true', ', qop=auth, opaque="a\\"b"')),
    ],
)  # fmt: skip
@pytest.mark.parametrize("target", ["/a/b?x=y&z", "/%7e"])
def test_libcurl_answers_the_same(algorithm: str, more: str, target: str) -> None:
    """libcurl, which nobody here wrote, with the nonce that it chose; it is given its target as a URL."""
    challenge = f'Digest realm="all of us", nonce="abc/1="{more}'
    if algorithm:
        challenge += f", algorithm={algorithm}"
    heads: list[str] = []

    def part(connection: Connection) -> None:
        while head := connection.head():
            heads.append(head.decode())
            refused = b"Authorization:" not in head
            connection.send(
                reply(b"", f"WWW-Authenticate: {challenge}", status="401 No") if refused else reply(b"")
            )  # fmt: skip

    with Server(part) as server:
        curl = pycurl.Curl()
        try:
            for option, value in (
                (pycurl.URL, f"http://127.0.0.1:{server.port}{target}"), (pycurl.USERPWD, "me:open sesame"),
                (pycurl.HTTPAUTH, pycurl.HTTPAUTH_DIGEST), (pycurl.PATH_AS_IS, 1), (pycurl.PROXY, ""),
                (pycurl.WRITEFUNCTION, lambda _data: None),
            ):  # fmt: skip
                curl.setopt(option, value)
            curl.perform()
        finally:
            curl.close()
    line = re.search(r"Authorization: Digest (.*)\r\n", heads[-1])
    assert line is not None
    theirs = fields(line[1])
    ours = answered(challenge, "me", "open sesame", theirs["uri"], theirs.get("cnonce", "x"))
    compared = ("username", "realm", "nonce", "uri", "response", "opaque", "qop", "nc", "userhash")
    assert {name: ours.get(name) for name in compared} == {name: theirs.get(name) for name in compared}


@pytest.mark.parametrize(
    "challenge",
    [
        'Basic realm="x", nonce="y"',
        pytest.param('Digest nonce="y"', id="no realm"),
        pytest.param('Digest realm="x"', id="no nonce"),
        pytest.param('Digest realm="x", nonce="y", qop="auth-int"', id="only over the content"),
        pytest.param('Digest realm="x", nonce="y", algorithm=SHA3-256', id="another hash"),
        pytest.param('Digest realm="x", nonce="y", algorithm=token', id="no hash"),
    ],
)
def test_what_is_not_answered(challenge: str) -> None:
    assert offered(challenge) is None


def test_the_strongest_is_known() -> None:
    texts = ["", ", qop=auth", ", algorithm=SHA-256", ", algorithm=sha-256, qop=auth"]
    found = [offered(f'Digest realm="x", nonce="y"{text}') for text in texts]
    assert [challenge.strength for challenge in found if challenge is not None] == [0, 1, 2, 3]


@pytest.mark.parametrize(("text", "stale"), [("true", True), ("TRUE", True), ("false", False), ('"true"', True)])
def test_a_nonce_that_is_too_old(text: str, stale: bool) -> None:
    challenge = offered(f'Digest realm="x", nonce="y", stale={text}')
    assert challenge is not None
    assert challenge.stale is stale


@pytest.mark.parametrize(
    ("domain", "covered", "others"),
    [
        ("", ["/", "/a", "/b/c"], []),
        ("/a", ["/a", "/a/b", "/a?x"], ["/", "/b", "/b/a"]),
        ("/a /b/", ["/a", "/b/c"], ["/", "/b", "/c"]),
        ("http://h:8/a", ["/a", "/a/b"], ["/", "/b"]),
        ("http://other/ https://h:8/", [], ["/", "/a"]),
        ("http://other/ /b", ["/b"], ["/"]),
    ],
)
def test_where_an_answer_holds(domain: str, covered: list[str], others: list[str]) -> None:
    """RFC 7616 3.3: all of the server, or what the challenge names."""
    found = offered(f'Digest realm="a", nonce="b", domain="{domain}"')
    assert found is not None
    assert [target for target in covered + others if found.covers("http://h:8", target)] == covered


def test_a_user_beyond_ascii() -> None:
    """RFC 7616 3.4, the user of its example 3.9.2; to a server that says nothing of UTF-8 its octets go as they are."""
    challenge = 'Digest realm="api@example.org", qop=auth, nonce="n", algorithm=SHA-256'
    found = answered(challenge + ", charset=UTF-8", "J\u00e4s\u00f8n Doe", "Secret, or not?", "/doe.json", "c")
    assert found["username*"] == "UTF-8''J%C3%A4s%C3%B8n%20Doe"
    assert answered(challenge, "J\u00e4s\u00f8n Doe", "x", "/", "c")["username"] == "J\u00e4s\u00f8n Doe"
    hashed = answered(challenge + ", userhash=true, charset=UTF-8", "J\u00e4s\u00f8n Doe", "x", "/", "c")
    name = hashlib.sha256("J\u00e4s\u00f8n Doe:api@example.org".encode()).hexdigest()
    assert (hashed["username"], hashed["userhash"], "username*" in hashed) == (name, "true", False)


@pytest.mark.parametrize("user", ['a"b', "a\\b", 'a\\"b', "a\\", '"', "a\\?b"])
def test_a_user_with_marks_of_a_quoted_text_is_that_user(user: str) -> None:
    assert answered('Digest realm="r", nonce="n"', user, "p", "/", "c")["username"] == user
    assert answered('Digest realm="r", nonce="n"', "u", "p", f"/{user}", "c")["uri"] == f"/{user}"


@each_row(
    ("qop", "is_answered"),
    [("auth", True), ("AUTH", True), ("auth-int,auth", True), ("auth,auth-int", True), (" auth , x", True),
     ("x auth", True), ("auth-int", False), ("", True), (" , ", True), ("auth?", False), ("xauth", False)],
)  # fmt: skip
def test_which_qualities_of_protection_are_answered(qop: str, is_answered: bool) -> None:
    assert (offered(f'Digest realm="r", nonce="n", qop="{qop}"') is not None) is is_answered


@pytest.mark.parametrize("field", ["realm", "nonce", "opaque"])
def test_what_the_server_wrote_begins_no_field_of_its_own(field: str) -> None:
    """Attack: a realm that ends its quotes would add a uri or a user of the server's choice."""
    given: dict[str, Any] = {"realm": "r", "nonce": "n", "opaque": "o", field: 'a\\", uri=\\"/b'}
    found = answered("Digest " + ", ".join(f'{name}="{value}"' for name, value in given.items()), "u", "p", "/", "c")
    assert (found["uri"], found[field]) == ("/", 'a", uri="/b')


def test_the_answer_is_for_this_method_and_target_alone() -> None:
    challenge = 'Digest realm="x", qop=auth, nonce="y"'
    answers = {
        answered(challenge, "u", "p", target, "c", method)["response"]
        for method in ("GET", "PUT") for target in ("/", "/?", "/~", "/%7e", "/%7E")
    }  # fmt: skip
    assert len(answers) == 10


@pytest.mark.parametrize("algorithm", ["MD5-sess", "SHA-256-sess"])
def test_the_key_of_a_session_is_made_once(algorithm: str) -> None:
    """RFC 7616 3.4.2: a server may keep it from the first answer, and may as well make it anew each time."""
    challenge = offered(f'Digest realm="r", nonce="n", qop="auth", algorithm={algorithm}')
    assert challenge is not None
    digest = {"MD5-sess": hashlib.md5, "SHA-256-sess": hashlib.sha256}[algorithm]

    def hashed(text: str) -> str:
        return digest(text.encode()).hexdigest()

    for number, cnonce in enumerate(("one", "two", "three"), 1):
        found = fields(challenge.respond("u", "p", "GET", f"/{number}", cnonce, number))
        key = hashed(f"{hashed('u:r:p')}:n:one")
        assert found["response"] == hashed(f"{key}:n:{number:08x}:{found['cnonce']}:auth:{hashed(f'GET:/{number}')}")
        assert found["cnonce"] == "one"
    assert fields(challenge.renewed("m").respond("u", "p", "GET", "/", "four"))["cnonce"] == "four"
