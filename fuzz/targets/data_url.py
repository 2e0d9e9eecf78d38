"""data URLs: what is read is written and read again, and no type can end a header field."""

from __future__ import annotations

from anyurl.client.dry_run import DryRun
from anyurl.dialogue import Options
from anyurl.schemes.data import verbs as data_scheme
from anyurl.url import URL
from fuzz import kit


def fuzz(data: bytes) -> None:
    """What stands behind ``data:``."""
    url, _ = kit.outcome(lambda: URL("data:" + data.decode("latin-1")))
    if url is None:
        return
    parts, _ = kit.outcome(lambda: data_scheme.read(url), quoted=url.masked)
    if parts is None:
        return
    kit.same(data_scheme.read(URL.build(scheme="data", parts=parts)), parts, "the parts are written in another way")
    told = [parts.type, *(text for pair in parts.parameters for text in pair)]
    kit.same(all(" " <= char <= "~" for text in told for char in text), True, "a control character is in the type")
    run = DryRun(data_scheme.get(url, Options()), None).run()
    kit.same(b"".join(run.emitted), parts.content, "the document")
