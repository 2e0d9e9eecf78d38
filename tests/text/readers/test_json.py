"""JSON, JSON lines and notebooks."""

from __future__ import annotations

from anyurl.text.readers.json import is_lines
from tests.rows import each_row
from tests.text.readers.contract import Contract


class TestJson(Contract):
    format = "json"
    samples = [
        (b'{"a": "http:\\/\\/h\\/a\\u0026b", "c": 1}', [("http://h/a&b", "http:\\/\\/h\\/a\\u0026b", "bare")]),
        (
            b'["http:\\/\\/h\\/\\u00e9\\ud83d\\ude00"]',
            [("http://h/%C3%A9%F0%9F%98%80", "http:\\/\\/h\\/\\u00e9\\ud83d\\ude00", "bare")],
        ),
        (
            b'["see http://h/a\\nhttp://i/\\tb"]',
            [("http://h/a", "http://h/a", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (b'["<a href=\\"http://h/?a&amp;b\\">"]', [("http://h/?a&b", "http://h/?a&amp;b", "html-attribute")]),
        (
            b'["http://h/\\ud83d", "\\\\nhttp://i/"]',
            [("http://h/", "http://h/", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (b'["<http://h/", "a>"]', [("http://h/", "http://h/", "bare")]),
        (
            b'["http://h/\\q\\u12", "http://i/\\',
            [("http://h/", "http://h/", "bare"), ("http://i/", "http://i/", "bare")],
        ),
    ]
    pieces = (b'"', b"\\", b"\\/", b"\\u0026", b"\\u00e9", b"\\ud83d", b"\\ude00", b"\\n", b"{", b"[", b",")
    hostile = (b"\\", b'"\\u00e9', b'["http://h/\\/', b"\\ud83d")


class TestJsonl(Contract):
    format = "jsonl"
    samples = [
        (
            b'{"a":"http:\\/\\/h\\/"}\n{"a":"http:\\/\\/i\\/"}\n',
            [("http://h/", "http:\\/\\/h\\/", "bare"), ("http://i/", "http:\\/\\/i\\/", "bare")],
        ),
    ]
    pieces = (b'"', b"\\", b"\\/", b"\\u0026", b"\\u00e9", b"\\ud83d", b"\\ude00", b"\\n", b"{", b"[", b",", b"\n")
    hostile = (b"\\",)


@each_row(
    ("head", "lines"),
    [
        (b'{"a": 1}\n{"b": 2}\n', True),
        (b'{"a": 1}\r\n{"b": 2} \r\n{"c', True),
        (b'{"a": 1}\n{"b": 2}', False),  # the second may go on
        (b'{"a": 1}\n', False),
        (b'{\n"a": 1}\n', False),
        (b'{"a":\n{"b": 2}\n}', False),
        (b'{"a": 1}\n"b": 2}\n', False),
        (b'"a"\n"b"\n', False),
        (b"\n\n\n", False),
        (b"", False),
    ],
)
def test_what_is_an_object_a_line(head: bytes, lines: bool) -> None:
    assert is_lines(head) is lines
