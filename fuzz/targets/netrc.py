"""The user's netrc: a password, none, or an error of the tree that does not hold one."""

from __future__ import annotations

import os
import tempfile

from anyurl.client.secrets import netrc_secret
from anyurl.dialogue import Secret
from anyurl.errors import LocalFileError
from fuzz import kit

_folder = tempfile.TemporaryDirectory(prefix="anyurl-fuzz-netrc-")


def fuzz(data: bytes) -> None:
    """The file."""
    path = os.path.join(_folder.name, "netrc")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
    secret, error = kit.outcome(lambda: netrc_secret("host.example", "user", path=path))
    kit.same(error in (None, LocalFileError), True, f"{error} says nothing about a file")
    if secret is not None:
        kit.same(isinstance(secret, Secret), True, "a password is a Secret")
        if len(secret.reveal()) > 6:
            kit.same(secret.reveal() in repr(secret) + str(secret), False, "a Secret shows itself")
