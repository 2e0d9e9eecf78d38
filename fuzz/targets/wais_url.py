"""WAIS document-ids: any octets go into a URL and come out again; any URL's id, too."""

from __future__ import annotations

from anyurl.schemes.kit.scheme import text_of
from anyurl.schemes.wais.parts import WaisParts, id_fields, read
from anyurl.url import URL
from fuzz import kit


def fuzz(data: bytes) -> None:
    """The same octets as a document-id, and as what stands behind the type in a URL."""
    for length in (None, 0, 25_000):
        parts = WaisParts("db", None, "TEXT", text_of(data), length)
        url = URL.build(scheme="wais", host="h", parts=parts)
        kit.same(url.parts, parts, f"the parts of {url}")
        kit.same(read(url).document_id, data, f"the id of {url}")
    opaque = URL(f"wais://h/{WaisParts('db', None, 'TEXT', text_of(data)).rfc_path()}")
    kit.same(opaque.parts.document_id, data, f"the id of {opaque}")
    id_fields(data)
    url_text = "wais://h/" + data.decode("latin-1")
    found, _ = kit.outcome(lambda: URL(url_text))
    if found is None:
        return
    parts, _ = kit.outcome(lambda: read(found))
    if parts is not None:
        again = URL.build(scheme="wais", host="h", parts=parts)
        kit.same(again.parts, parts, f"{found} read, written and read again")
