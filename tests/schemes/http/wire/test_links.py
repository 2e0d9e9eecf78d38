"""Link fields (RFC 8288 3 and appendix B)."""

from __future__ import annotations

from anyurl.schemes.http.wire.links import MAX_LINKS, MAX_PARAMETERS, LinkValue, read_links
from tests.rows import each_row


@each_row(
    ("field", "links"),
    [
        # RFC 8288 3.5
        ('<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter"',
         [LinkValue("http://example.com/TheBook/chapter2", (("rel", "previous"), ("title", "previous chapter")))]),
        ('</>; rel="http://example.net/foo"', [LinkValue("/", (("rel", "http://example.net/foo"),))]),
        ('</terms>; rel="copyright"; anchor="#foo"', [LinkValue("/terms", (("rel", "copyright"), ("anchor", "#foo")))]),
        ("<a>, <b>;rel=next", [LinkValue("a", ()), LinkValue("b", (("rel", "next"),))]),
        ("<a,b;c>; rel=x", [LinkValue("a,b;c", (("rel", "x"),))]),
        ('<a>; title="a, <b>; \\"c\\"" ; rel=x', [LinkValue("a", (("title", 'a, <b>; "c"'), ("rel", "x")))]),
        ("<a>; REL=Next; rel=prev", [LinkValue("a", (("rel", "Next"),))]),
        ("<a>; hreflang=de; hreflang=en", [LinkValue("a", (("hreflang", "de"), ("hreflang", "en")))]),
        ("<a> ; crossorigin ; as = font ", [LinkValue("a", (("crossorigin", ""), ("as", "font")))]),
        ("< a >", [LinkValue("a", ())]),
        ("<>; rel=self", [LinkValue("", (("rel", "self"),))]),
        (",, <a> ,,<b>,", [LinkValue("a", ()), LinkValue("b", ())]),
        ('<a>; title="not closed, <b>', [LinkValue("a", (("title", "not closed, <b>"),))]),
        ("<a>; ; rel=x", [LinkValue("a", (("rel", "x"),))]),
        ("<a> junk; rel=x, <b>", [LinkValue("a", ()), LinkValue("b", ())]),
        ("a; rel=x, <b>", []),
        ("<a", []),
        ("", []),
    ],
)  # fmt: skip
def test_what_is_read(field: str, links: list[LinkValue]) -> None:
    assert read_links([field]) == links


def test_relations_and_titles() -> None:
    (link,) = read_links(['<a>; rel="Next  https://H.example/Own"; title="plain"; title*=UTF-8\'de\'n%c3%a4chstes'])
    assert (link.relations, link.title) == (("next", "https://H.example/Own"), "nächstes")
    (plain,) = read_links(["<a>; title=\"plain\"; title*=koi8'x'y"])
    assert (plain.relations, plain.title) == ((), "plain")


def test_fields_are_read_one_after_the_other() -> None:
    assert [link.target for link in read_links(["<a", "<b>", "<c>"])] == ["b", "c"]


def test_there_is_an_end_of_links_and_parameters() -> None:
    assert len(read_links([", ".join(["<a>"] * (MAX_LINKS + 9))])) == MAX_LINKS
    (link,) = read_links(["<a>" + "; x=y" * (MAX_PARAMETERS + 9)])
    assert len(link.parameters) == MAX_PARAMETERS
