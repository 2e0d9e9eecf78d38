"""molly-brown, which nobody here wrote: pages, links, redirections, and who is let in by a certificate."""

from __future__ import annotations

import os
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from anyurl.net.wire.certificates import fingerprint
from anyurl.world.certificate import self_signed

PORT = 1965
"""Its own, in a network of its own."""

CONFIG = """\
Port = {port}
Hostname = "localhost"
CertPath = "{folder}/cert.pem"
KeyPath = "{folder}/key.pem"
DocBase = "{folder}/www"
AccessLog = "{folder}/access.log"
ErrorLog = "{folder}/error.log"
DefaultLang = "en"

[TempRedirects]
"/old" = "/index.gmi"

[CertificateZones]
"/members/" = ["{member}"]
"""


@pytest.mark.needs("molly-brown", "namespace")
def test_molly_brown(tmp_path: Path) -> None:
    unshare = ["unshare", "-rn"]
    mine, other = self_signed("mine"), self_signed("other")
    certificate, key = self_signed("molly")
    (tmp_path / "cert.pem").write_bytes(certificate)
    (tmp_path / "key.pem").write_bytes(key)
    (tmp_path / "mine.pem").write_bytes(b"".join(mine))
    (tmp_path / "other.pem").write_bytes(b"".join(other))
    (tmp_path / "www/members").mkdir(parents=True)
    (tmp_path / "www/index.gmi").write_text("=> members/page.gmi Members\n=> https://o.example/ Elsewhere\n")
    (tmp_path / "www/members/page.gmi").write_text("Come in.\n")
    (tmp_path / "www/picture.png").write_bytes(b"\x89PNG")
    member = fingerprint(ssl.PEM_cert_to_DER_cert(mine[0].decode()))
    (tmp_path / "molly.conf").write_text(CONFIG.format(port=PORT, folder=tmp_path, member=member))
    trial = [sys.executable, str(Path(__file__).with_name("gemini_trial.py")), str(tmp_path), str(PORT)]
    done = subprocess.run([*unshare, *trial], capture_output=True, text=True, timeout=60, env=os.environ, check=False)
    root = "gemini://localhost/"
    assert (done.stdout.replace(f"localhost:{PORT}", "localhost").splitlines(), done.returncode) == (
        [
            "get text/gemini en => members/page.gmi Members\n=> https://o.example/ Elsewhere".partition("\n")[0],
            "=> https://o.example/ Elsewhere", f"list {root}members/page.gmi https://o.example/", "stat image/png",
            f"redirect {root}index.gmi 30", "nothing NotFoundError 51", "members/page.gmi AuthRequiredError 60",
            "mine Come in.", "other DeniedError 61",
        ],
        0,
    ), done.stderr  # fmt: skip
