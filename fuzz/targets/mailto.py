"""mailto URLs: what is read is written the same; a draft has no field that a URL may not set, and no other line end."""

from __future__ import annotations

from anyurl.client.dry_run import DryRun
from anyurl.dialogue import Options
from anyurl.schemes.kit.scheme import text_of
from anyurl.schemes.mailto import verbs as mailto
from anyurl.schemes.mailto.wire.address import check_deliverable, read_address
from anyurl.url import URL
from fuzz import kit

_NAMES = frozenset(
    {
        "From", "To", "Cc", "Subject", "Keywords", "In-Reply-To", "References", "MIME-Version", "Content-Type",
        "Content-Transfer-Encoding",
    }
)  # fmt: skip
_ME = Options(mail_from="me@example.org")


def fuzz(data: bytes) -> None:
    """What stands behind ``mailto:``; and the same octets as an address."""
    _check_address(text_of(data))
    url, _ = kit.outcome(lambda: URL("mailto:" + data.decode("latin-1")))
    if url is None:
        return
    parts, _ = kit.outcome(lambda: url.parts, quoted=url.masked)
    if parts is not None:
        kit.same(URL.build(scheme="mailto", parts=parts).parts, parts, "the parts are written in another way")
    found, _ = kit.outcome(lambda: DryRun(mailto.get(url, _ME), None).run(), quoted=url.masked)
    if found is not None:
        _check_draft(found.emitted[0])
    kit.outcome(lambda: DryRun(mailto.stat(url, _ME), None).run(), quoted=url.masked)


def _check_address(text: str) -> None:
    address, _ = kit.outcome(lambda: read_address(text))
    if address is None:
        return
    kit.same(read_address(f"{address.local}@{address.domain}"), address, "the address is read in another way")
    _, error = kit.outcome(lambda: check_deliverable(address))
    if error is None:
        sent = str(address)
        kit.same(any(char < " " for char in sent), False, "a control character is sent")
        kit.same(address.name.startswith("-"), False, "an option is sent")


def _check_draft(draft: bytes) -> None:
    head, end, _ = draft.partition(b"\r\n\r\n")
    kit.same(end, b"\r\n\r\n", "the header does not end")
    rest = draft.replace(b"\r\n", b"")
    kit.same(b"\r" in rest or b"\n" in rest or b"\0" in rest, False, "a line end is not CR LF")
    kit.same(max(map(len, draft.split(b"\r\n"))) <= 998, True, "a line is too long")
    names = [line.partition(b":")[0].decode() for line in head.split(b"\r\n") if not line.startswith(b" ")]
    kit.same(set(names) <= _NAMES and len(names) == len(set(names)), True, f"there are the fields {names}")
