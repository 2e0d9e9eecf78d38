"""What nobody has verified is read all the same: until when it holds. Names: tests/net/http/test_certificates.py."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime

import pytest

from anyurl.net.wire import certificates
from anyurl.world.certificate import self_signed

# What `openssl x509 -fingerprint -sha256` says of it.
CERTIFICATE = """-----BEGIN CERTIFICATE-----
MIIBODCB66ADAgECAhRrH4M06cdup1v9cyNAu4kTxoUYxjAFBgMrZXAwEjEQMA4G
A1UEAwwHY24udGVzdDAeFw0yNjExMjMwNzA1MzZaFw0yNjExMjYwNzA1MzZaMBIx
EDAOBgNVBAMMB2NuLnRlc3QwKjAFBgMrZXADIQDo80bIgGIn+3p9sqd76jY/BibB
eXONZZMvXzm+n0zhNqNTMFEwHQYDVR0OBBYEFPzly9gskgNmQCbokEr2kGyzILrJ
MB8GA1UdIwQYMBaAFPzly9gskgNmQCbokEr2kGyzILrJMA8GA1UdEwEB/wQFMAMB
Af8wBQYDK2VwA0EAKhTz8U0YYgBVDTJfwFenvkLxHB2+A5UAuSS/UDZp9YbJQaOC
7t1XN/fn0+sF4MvrwsGeg5zH9hyfnFib3/67Cg==
-----END CERTIFICATE-----
"""


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (datetime(1994, 12, 20, tzinfo=UTC), datetime(2049, 12, 31, 23, 59, 59, tzinfo=UTC)),  # two digits of a year
        (datetime(1951, 1, 1, tzinfo=UTC), datetime(2050, 1, 1, tzinfo=UTC)),  # RFC 5280 4.1.2.5: four from 2050 on
        (datetime(2060, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),  # ... and no end
    ],
)
def test_until_when_one_holds(begin: datetime, end: datetime) -> None:
    der = ssl.PEM_cert_to_DER_cert(self_signed("x", begin, end)[0].decode())
    assert certificates.validity(der) == (begin.timestamp(), end.timestamp())


def test_the_fingerprint_is_that_of_openssl() -> None:
    der = ssl.PEM_cert_to_DER_cert(CERTIFICATE)
    assert certificates.fingerprint(der) == "b3be0d4a615db7a92b9d13f6771f79f9f87fca1c902bac87fdced5509912e12e"
    assert not certificates.names_hosts(der)


def test_what_is_no_certificate_is_an_error_and_nothing_worse() -> None:
    der = ssl.PEM_cert_to_DER_cert(self_signed("x")[0].decode())
    for end in range(0, len(der), 7):
        with pytest.raises((ValueError, IndexError)):
            certificates.validity(der[:end])
    for at in range(0, len(der), 3):
        try:
            certificates.validity(der[:at] + b"\xff" + der[at + 1 :])
        except (ValueError, IndexError):
            pass
