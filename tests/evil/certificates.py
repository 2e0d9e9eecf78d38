"""Server certificates that must not be believed, made once: expired, for another name, and by nobody that is known."""

from __future__ import annotations

import atexit
import datetime
import functools
import ssl
import tempfile
from pathlib import Path

CERTIFICATES = ("expired", "for-another-name", "by-a-stranger")


@functools.cache
def certificates() -> dict[str, tuple[ssl.SSLContext, Path]]:
    """For each kind, and for ``good``: the server's context, and the file of the authority that is believed."""
    import trustme

    authority, stranger = trustme.CA(), trustme.CA()
    with tempfile.NamedTemporaryFile(prefix="anyurl-evil-", suffix=".pem", delete=False) as file:
        path = Path(file.name)
    atexit.register(path.unlink, missing_ok=True)
    authority.cert_pem.write_to_path(str(path))
    past = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    issued = {
        "good": authority.issue_cert("evil.test", "good.test"),
        "expired": authority.issue_cert("evil.test", not_after=past),
        "for-another-name": authority.issue_cert("else.test"),
        "by-a-stranger": stranger.issue_cert("evil.test"),
    }
    found = {}
    for kind, certificate in issued.items():
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        found[kind] = (context, path)
    return found
