"""CSV and TSV."""

from __future__ import annotations

from tests.text.readers.contract import Contract


class TestCsv(Contract):
    format = "csv"
    samples = [
        (b"n,url\n1,http://h/a,foo\n", [("http://h/a", "http://h/a", "bare")]),
        (
            b'n;url\n1;"http://h/a;b";x\n2;http://i/a;b',
            [("http://h/a;b", "http://h/a;b", "bare"), ("http://i/a", "http://i/a", "bare")],
        ),
        (
            b'"x ""http://h/a,b"" y",http://i/,\n',
            [("http://h/a,b", "http://h/a,b", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (b'a"b,http://h/,c"d,http://i/\n', [("http://h/", "http://h/", "bare"), ("http://i/", "http://i/", "bare")]),
        (
            b'"two\nlines http://h/,x"\r\nhttp://i/\r\n',
            [("http://h/,x", "http://h/,x", "bare"), ("http://i/", "http://i/", "bare")],
        ),
        (b"http://h/a;b,c\n;;;;\n", [("http://h/a;b", "http://h/a;b", "bare")]),  # the first line alone tells the mark
        (b'"a,b,c";x;http://h/a,b\n,,,,', [("http://h/a,b", "http://h/a,b", "bare")]),  # what is quoted is no mark
        (b"a,<http://h/x\nb>,c\n", [("http://h/x", "http://h/x", "bare")]),
        (b'a,"http://h/a?"', [("http://h/a?", "http://h/a?", "bare")]),  # whole between its marks, at the end as well
        (b'a,"http://h/a?"\nb', [("http://h/a?", "http://h/a?", "bare")]),
        (b'a,"x ""http://h/a?"""', [("http://h/a?", "http://h/a?", "bare")]),
    ]
    pieces = (b'"', b'""', b",", b";", b"\n", b"\r\n", b"a", b" ", b"<", b">")
    hostile = (b'"', b'"",', b",", b"http://h/,")


class TestTsv(Contract):
    format = "tsv"
    samples = [
        (b"http://h/a,b\thttp://i/\n", [("http://h/a,b", "http://h/a,b", "bare"), ("http://i/", "http://i/", "bare")]),
    ]
    pieces = (b'"', b'""', b",", b";", b"\n", b"\r\n", b"a", b" ", b"<", b">", b"\t")
    hostile = (b'"\t',)
