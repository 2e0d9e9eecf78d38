"""reStructuredText: targets."""

from __future__ import annotations

from tests.text.readers.contract import Contract


class TestRst(Contract):
    format = "rst"
    samples = [
        (
            b"`a <http://h/b\\_>`_ and http://i/.",
            [("http://h/b_", "http://h/b\\_", "restructuredtext"), ("http://i/", "http://i/", "bare")],
        ),
        (  # a target may stand in the line below its name
            b".. _a b:\n   http://h/a_b\n.. _c: \r\n\thttp://h/c\r\n.. _d:\n\nhttp://h/d",
            [
                ("http://h/a_b", "http://h/a_b", "restructuredtext"),
                ("http://h/c", "http://h/c", "restructuredtext"),
                ("http://h/d", "http://h/d", "bare"),
            ],
        ),
        (  # white space in a target is taken out, unless it is escaped
            b"`a <http://h/ b\\ c>`_",
            [("http://h/b%20c", "http://h/ b\\ c", "restructuredtext")],
        ),
        (  # an address is no relative reference, but the name of a picture is one
            b"`a\n<joe@h.org>`_ and\n\n.. _b: jim@h.org\n.. image:: a@2x.png\n",
            [("mailto:joe@h.org", "joe@h.org", "angle"), ("mailto:jim@h.org", "jim@h.org", "angle")],
        ),
        (b"see http://h/a\\_b.", [("http://h/a_b", "http://h/a\\_b", "bare")]),
        (
            b".. _n: http://h/a\n.. _`a b`: http://i/\n__ http://j/\n.. |x| image:: http://k/x.png\n.. _e: http://l/m\\_\n",
            [
                ("http://h/a", "http://h/a", "restructuredtext"),
                ("http://i/", "http://i/", "restructuredtext"),
                ("http://j/", "http://j/", "restructuredtext"),
                ("http://k/x.png", "http://k/x.png", "restructuredtext"),
                ("http://l/m_", "http://l/m\\_", "restructuredtext"),
            ],
        ),
    ]
    pieces = (b"`a <", b">`_", b"`", b".. _n: ", b".. _n:\n ", b"__ ", b"\n", b"\\_", b".. image:: ", b"   :target: ")
    hostile = (b"`a <", b"a:\n", b".. _a:\n", b".. _a", b"__ a\n", b".. |a", b".. _`")
