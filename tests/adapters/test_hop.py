"""What stays behind: names of fields, cookies of a jar, and a context without its certificate."""

from __future__ import annotations

import ssl
from http.cookiejar import Cookie
from pathlib import Path

import pytest

from anyurl.adapters import hop
from anyurl.adapters.hop import cookies_kept, credentials, without_certificate
from tests.hop.places import Authority, authority_in

pytestmark = pytest.mark.promise("hop")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority_in(tmp_path_factory.mktemp("authority"))


def cookie(name: str, domain: str, *, specified: bool = False, secure: bool = False, path: str = "/") -> Cookie:
    return Cookie(
        0, name, "1", None, False, domain, specified, domain.startswith("."), path, True, secure, None, False, None,
        None, {},
    )  # fmt: skip


def test_a_field_with_a_credential_is_told_by_a_word_of_its_name() -> None:
    names = ["aUTHORIZATION", "X-Api-Key", "Cookie", "Accept", "Proxy-Authorization", "X-Auth-Token", "User-Agent"]
    assert credentials(names) == ["aUTHORIZATION", "X-Api-Key", "Proxy-Authorization", "X-Auth-Token"]


@pytest.mark.parametrize(
    ("kept", "url", "reason"),
    [
        (cookie("a", ""), None, "for no host, which http.cookiejar sends to every one"),
        (cookie("a", "", specified=True), None, "for no host, though it says that it has a domain"),
        (cookie("a", "h.example"), "http://h.example/", "of this host"),
        (cookie("a", "h.example"), "http://h.example:8080/x", "a port is no other host to a cookie (RFC 6265 8.5)"),
        (cookie("a", "h.example"), None, "of this host only, and not of those below it"),
        (cookie("a", ".h.example", specified=True), "http://sub.h.example/", "of all hosts below"),
        (cookie("a", "h.example", secure=True), None, "over TLS only"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_the_cookies_of_a_jar_that_are_for_a_host(kept: Cookie, url: str | None, reason: str) -> None:
    assert cookies_kept("a=1", url or "http://sub.h.example/", [kept]) == ("a=1" if url else ""), reason


def test_a_cookie_field_only_loses() -> None:
    jar = [cookie("a", "h.example"), cookie("b", "h.example")]
    assert cookies_kept("x=1; a=1", "http://h.example/", jar) == "a=1"
    assert cookies_kept(None, "http://h.example/", jar) == ""


def test_a_context_without_its_certificate_verifies_as_before(authority: Authority) -> None:
    context = authority.context(certificate=True)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    bare = without_certificate(context)
    assert bare is without_certificate(context)
    for name in ("verify_mode", "check_hostname", "verify_flags", "options", "minimum_version", "maximum_version"):
        assert getattr(bare, name) == getattr(context, name)
    assert [each["name"] for each in bare.get_ciphers()] == [each["name"] for each in context.get_ciphers()]
    assert bare.get_ca_certs() == context.get_ca_certs()
    assert bare.security_level == context.security_level


def test_a_context_that_verifies_nothing_stays_so() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    bare = without_certificate(context)
    assert (bare.check_hostname, bare.verify_mode) == (False, ssl.CERT_NONE)


def test_authorities_in_a_folder_of_the_system_are_trusted_before_they_were_used(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """OpenSSL reads such a folder one by one: a context that reads it lists what it has needed so far."""
    (tmp_path / "ca.pem").write_text(Path(authority.ca_file).read_text("ascii"), "ascii")
    (tmp_path / "other").write_text("no certificate", "ascii")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert hop._reads_system_folder([])
    assert hop._reads_system_folder(authority.context().get_ca_certs(binary_form=True))
    assert not hop._reads_system_folder([b"another"])
    monkeypatch.setenv("SSL_CERT_FILE", authority.ca_file)  # read at once
    assert not hop._reads_system_folder([])
