"""How a format and an encoding are told, and how a reader is registered."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from anyurl.cli.options import FORMATS
from anyurl.text import Reader, find, formats, register_reader
from anyurl.text.readers import registry
from anyurl.text.runs import Runs
from tests.rows import each_row
from tests.text.readers.contract import Contract


def test_every_format_has_its_contract() -> None:
    """A reader without samples is none that was tried."""
    import_all()
    unpacking = {name for name in formats() if (reader := registry.find_reader(name)) and reader.unpack}
    assert {"text", *contracts(), *unpacking} == set(formats())


def import_all() -> None:
    for path in Path(__file__).parent.glob("test_*.py"):
        import_module(f"tests.text.readers.{path.stem}")


def contracts() -> set[str]:
    return {each.format for each in Contract.__subclasses__()}


@each_row(
    ("name", "head", "format"),
    [
        ("a.JSON", b"", "json"),
        ("a.ipynb", b"{", "notebook"),
        ("a.csv", b"", "csv"),
        ("a.md", b"{}", "markdown"),
        ("a.mdx", b"import X from 'x'", "markdown"),
        ("a.rst", b"", "rst"),
        ("a.eml", b"", "mail"),
        ("a.html", b"", "html"),
        ("a.log", b"", "log"),
        ("a", b"", "text"),
        ("", b'{"a": 1}', "json"),
        ("", b'{"a": 1}\n{"a": 2}\n', "jsonl"),
        ("", b'[{"a": 1}]', "json"),
        ("", b"[1] see", "text"),
        ("", b"{x}", "text"),
        ("", b" <!DOCTYPE html>", "html"),
        ("", b"<!-- x --><html>", "html"),
        ("", b"x <html>", "text"),
        ("", b"a \x1b[1mb", "log"),
        ("", b"From: a\nTo: b\nSubject: c\n\n", "mail"),
        ("", b"From me\nDate: x\nTo: b\n", "mail"),
        ("", b"From: a\nNote: b\n", "text"),
        ("", b"From here\nto there\n", "text"),
        ("a.txt", b'{"a": 1}', "json"),
    ],
)
def test_a_format_is_told_by_name_then_by_octets(name: str, head: bytes, format: str) -> None:
    assert registry.tell(name, head) == format


def test_the_command_knows_every_format() -> None:
    assert set(FORMATS) == {"auto", *formats()}


def test_auto_reads_what_it_tells_in_any_pieces() -> None:
    data = b'{"a": "http:\\/\\/h\\/"}'
    assert [str(item) for item in find(data, format="auto")] == ["http://h/"]
    assert [str(item) for item in find([data[at : at + 1] for at in range(len(data))], format="auto")] == ["http://h/"]
    assert [str(item) for item in find(data.decode(), format="auto")] == ["http://h/"]
    assert [str(item) for item in find(b"a,http://h/,b", format="auto", name="x.csv")] == ["http://h/"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_format_is_read_in_any_encoding(encoding: str) -> None:
    data = 'é ["http:\\/\\/h\\/\\u00e9"]'.encode(encoding)
    (found,) = find(data, format="json", encoding="auto")
    assert str(found) == "http://h/%C3%A9"
    codec = encoding.removesuffix("-sig") if encoding.endswith("sig") else f"{encoding}-le"
    assert data[slice(*found.octet_span)].decode(codec) == found.raw == "http:\\/\\/h\\/\\u00e9"


@each_row(
    ("data", "codec"),
    [
        (b'<?xml version="1.0" encoding="ISO-8859-1"?> http://h/\xe9', "latin-1"),
        (b'<html><meta charset="windows-1252"><a href="http://h/\xe9">', "cp1252"),
        (b'<meta charset="iso-8859-1"> http://h/\x8a', "cp1252"),  # as browsers read them (Encoding Standard 4.2)
        (b'<meta charset="gb2312"> http://h/\x83\x41', "gb18030"),
        (b'<meta charset="euc-kr"> http://h/\x81\x41', "cp949"),
        (b'<meta charset="shift_jis"> http://h/\xfa\xb1', "cp932"),
        *(
            (f"{begin}<a>\u65e5 http://h/\u65e5".encode(codec), codec)
            for codec in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
            for begin in ('<?xml version="1.0"?>', "<!DOCTYPE html>")
        ),
        (b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'> http://h/\xc1", "koi8-r"),
        (b"#!/bin/sh\n# -*- coding: latin-1 -*-\nhttp://h/\xe9", "latin-1"),
        (b'<?xml version="1.0" encoding="UTF-16"?> http://h/\xc3\xa9', "utf-8"),  # what can be read is not UTF-16
        (b'<?xml version="1.0" encoding="klingon"?> http://h/\xc3\xa9', "utf-8"),
        (b"http://h/\xc3\xa9", "utf-8"),
    ],
)
def test_an_encoding_is_declared(data: bytes, codec: str) -> None:
    found = list(find(data, encoding="auto"))[-1]
    assert data[slice(*found.octet_span)].decode(codec) == found.raw
    assert found.raw.startswith("http://h/")
    assert len(found.raw) == 10


class Rot13:
    """Undoes ROT13."""

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        letters = bytes(range(97, 123))
        out.put(data.translate(bytes.maketrans(letters, letters[13:] + letters[:13])), 0, len(data))
        return len(data)


def test_a_reader_of_ones_own_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    register_reader(Reader(name="rot13", summary="ROT13", suffixes=(".rot13",), decode=Rot13))
    (found,) = find(b"frr uggc://u/n", name="x.rot13", format="auto")
    assert (str(found), found.raw, found.octet_span) == ("http://h/a", "uggc://u/n", (4, 14))
    with pytest.raises(ValueError, match="already"):
        register_reader(Reader(name="rot13", summary="", decode=Rot13))
    with pytest.raises(ValueError, match="exactly one"):
        register_reader(Reader(name="both", summary=""))
    with pytest.raises(TypeError, match="not a Reader"):
        register_reader("rot13")  # type: ignore[arg-type]
