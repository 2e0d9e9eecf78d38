"""RFC 1738 4 to 6 and its appendix, and the draft where it differs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from anyurl import URL, Client, Policy, diagnose, find, fix, guess, parse
from anyurl.client.gateways import Gateway, Gateways
from anyurl.dialogue import Options
from anyurl.errors import RefusedError, SchemeError, UnknownSchemeError, UnsupportedError, URLSyntaxError
from anyurl.grammar import bnf, formal_grammar
from anyurl.grammar.matcher import matcher
from anyurl.guard.warnings import cautions
from anyurl.schemes import registry
from anyurl.schemes.kit.scheme import Scheme
from anyurl.text import unwrap, wrap
from anyurl.url import syntax
from tests.clauses.kit import errors, is_url, sent
from tests.grammar import judges, oracle
from tests.grammar.strings import each_mistake
from tests.rows import each_row

DRAFT = "rfc1738-draft07"
DATA = Path(__file__).parent.parent / "data"


@pytest.fixture
def registered() -> Iterator[Callable[[Scheme], None]]:
    """Registers schemes, which are forgotten after the test."""
    rows = dict(syntax.ROWS)
    names: list[str] = []

    def register(scheme: Scheme) -> None:
        registry.register(scheme)
        names.append(scheme.name)

    yield register
    for name in names:
        registry._loaded.pop(name)
        registry._registered.discard(name)
        syntax.ROWS.pop(name)
    syntax.ROWS.update(rows)


# --- 4 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("4-2")
def test_experiments_have_names_of_their_own() -> None:
    with pytest.raises(UnknownSchemeError, match="an experiment's name"):
        registry.find_scheme("x-thing")
    with pytest.raises(SchemeError, match=r"x-ftp.*\(RFC 1738 4\)"):
        registry.register(registry.find_scheme("ftp"))


@pytest.mark.clause("4-4", "4-6")
def test_a_scheme_brings_an_algorithm_and_a_syntax_or_says_what_its_names_are() -> None:
    facts = {"reference": "here", "summary": "A thing."}
    with pytest.raises(SchemeError, match=r"an access algorithm .* \(RFC 1738 4\)"):
        Scheme("x-thing", **facts, read=lambda url: None, verbs={})  # type: ignore[arg-type]
    with pytest.raises(SchemeError, match=r"a syntax .* \(RFC 1738 4\)"):
        Scheme("x-thing", **facts, read=None, verbs={"get": lambda url, options: iter(())})  # type: ignore[arg-type, dict-item, return-value]
    named = Scheme("x-thing", **facts, read=lambda url: None, verbs={}, description="names of people")  # type: ignore[arg-type]
    assert (named.verbs, named.description) == ({}, "names of people")
    with pytest.raises(SchemeError, match=r"a description of its names"):
        Scheme("x-thing", **facts, read=lambda url: None, verbs={}, description=" \n")  # type: ignore[arg-type]


@pytest.mark.clause("4-7")
def test_a_gateway_for_any_scheme() -> None:
    assert str(Gateway("doi", "https://doi.org/{path}").locator(URL("doi:10.1/x"))) == "https://doi.org/10.1/x"
    for path in ("../x", "a/../../x", "%2E%2E/x"):  # no part of a URL chooses another place of the gateway
        with pytest.raises(RefusedError):
            Gateway("doi", "https://doi.org/doi/{path}").locator(URL(f"doi:{path}"))


@pytest.mark.clause("4-8")
def test_a_gateway_of_wais_as_those_of_the_day() -> None:
    gateway = Gateway("wais", "http://gw.dom:8001/{host}:{port}/{path}?{query}")
    assert str(gateway.locator(URL("wais://h.dom/db?two%20words"))) == "http://gw.dom:8001/h.dom:210/db?two%20words"


@pytest.mark.clause("4-9", "4-12")
@pytest.mark.parametrize(
    "text", ["afs:x", "afs:/afs/cell/x", "afs://cell/x", "mid:a@b", "cid:a", "mailserver:x", "z39.50:x"]
)
def test_a_reserved_name_is_read_by_the_general_syntax(text: str) -> None:
    assert URL(text).scheme == parse(text, "rfc1738").scheme == text.partition(":")[0]
    gateway = Gateway("afs", "http://gw.dom/{path}")
    assert str(gateway.locator(URL("afs:/afs/cell/x"))) == "http://gw.dom//afs/cell/x"


@pytest.mark.clause("4-12")
@pytest.mark.parametrize(
    ("text", "clause"),
    [("nfs:/x", "RFC 2224"), ("nfs://joe@h/x", "RFC 2224"), ("z39.50s:x", "RFC 2056"), ("tn3270:x", "RFC 6270")],
)
def test_what_another_document_defined_since_is_refused_by_that(text: str, clause: str) -> None:
    assert is_url(text)
    with pytest.raises(URLSyntaxError) as caught:
        URL(text)
    assert caught.value.diagnostics[0].section == clause


@pytest.mark.clause("4-10")
def test_a_gateway_does_what_its_rule_says() -> None:
    """What every web server has goes through; a listing and a search where the gateway is known to have one."""
    lead = partial(Gateways({"wais": "search list http://gw.dom/{path}?{query}"}).lead, policy=Policy.open())
    listing = lead(URL("wais://h/db"), "list")
    search = lead(URL("wais://h/db"), "search", options=Options(words="a b"))
    assert listing is not None
    assert search is not None
    assert (str(listing.url), str(search.url)) == ("http://gw.dom/db?", "http://gw.dom/db?a%20b")
    with Client(Policy.open(), gateways={"doi": "http://127.0.0.1:1/{path}"}) as client:
        with pytest.raises(UnsupportedError, match="through a gateway, which has no 'list'"):
            client.list("doi:10.1/x")


@pytest.mark.clause("4-3", "4-11")
@pytest.mark.parametrize("name", ["afs", "mid", "cid", "nfs", "tn3270", "mailserver", "z39.50"])
def test_the_names_that_are_reserved(name: str) -> None:
    with pytest.raises(UnsupportedError, match=r"is a known scheme .* reserved by RFC 1738 4"):
        registry.find_scheme(name)


@pytest.mark.clause("4-11")
@pytest.mark.parametrize("name", ["afs", "z39.50"])
def test_a_package_that_takes_a_reserved_name_is_told_of_in_the_log(
    name: str, caplog: pytest.LogCaptureFixture, registered: Callable[[Scheme], None]
) -> None:
    with caplog.at_level("WARNING", "anyurl"):
        registered(Scheme(name, reference="ours", summary="Ours.", read=lambda url: None, verbs={}, description="ours"))
        registered(
            Scheme("x-" + name, reference="ours", summary="Ours.", read=lambda url: None, verbs={}, description="ours")
        )
    (record,) = caplog.records
    assert f"{name!r}, which ours registers, is reserved (RFC 1738 4)" in record.getMessage()


@pytest.mark.clause("appendix-1", "4-11")
def test_the_prefix_is_the_name_of_no_scheme(registered: Callable[[Scheme], None]) -> None:
    with pytest.raises(SchemeError, match=r"is the prefix of a URL in a text .RFC 1738 appendix."):
        registered(
            Scheme("url", reference="ours", summary="Ours.", read=lambda url: None, verbs={}, description="ours")
        )
    assert [str(one.url) for one in find("see URL:gopher://h.dom/1 there")] == ["gopher://h.dom/1"]


# --- 5 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("5-1", "5-2", "5-3", "5-4", "5-5", "5-6", "5-7", "5-8", "5-9", "5-10", "5-11")
def test_the_productions_of_every_scheme_decide_about_generated_and_mutated_texts() -> None:
    """An oracle made of the productions alone; what it cannot say are three sentences of prose (3.1, 3.5, 2.2)."""
    tally = judges.compare(1738, 1500)
    assert tally.disagreements == []
    assert tally.judged == 1500


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ftp://u:p@h/a;type=i", marks=pytest.mark.clause("5-1")),
        pytest.param("http://h:8/a?b", marks=pytest.mark.clause("5-2")),
        pytest.param("gopher://h/7s%09w%09+", marks=pytest.mark.clause("5-3")),
        pytest.param("mailto:a@h", marks=pytest.mark.clause("5-4")),
        pytest.param("news:a@h", marks=pytest.mark.clause("5-5")),
        pytest.param("nntp://h/g/1", marks=pytest.mark.clause("5-6")),
        pytest.param("telnet://u:p@h/", marks=pytest.mark.clause("5-7")),
        pytest.param("wais://h/d/t/p", marks=pytest.mark.clause("5-8")),
        pytest.param("wais://h/d?w", marks=pytest.mark.clause("5-8")),
        pytest.param("file://h/a", marks=pytest.mark.clause("5-9")),
        pytest.param("prospero://h/n;v=1", marks=pytest.mark.clause("5-10")),
        pytest.param("x://u@h:1/a", marks=pytest.mark.clause("5-11")),
    ],
)
def test_each_production_decides_about_every_text_that_is_one_character_off(text: str) -> None:
    """A random stream hardly comes to ``news:@h`` or ``nntp://h/g/``: each piece of a production is left out here."""
    tally = judges.judge(each_mistake(text))
    assert tally.disagreements == []
    grammar = formal_grammar("rfc1738")
    rule = grammar.rule_of(text.partition(":")[0])
    for one in each_mistake(text):  # and by the productions alone
        assert grammar.accepts(one, rule) is oracle.fits("rfc1738", rule, one), one
    assert 0 < tally.accepted < tally.judged


@pytest.mark.clause("5-1", "5-2", "5-3", "5-4", "5-5", "5-6", "5-7", "5-8", "5-9", "5-10", "5-11")
def test_each_scheme_has_its_production() -> None:
    schemes = ["ftp", "http", "gopher", "mailto", "news", "nntp", "telnet", "wais", "file", "prospero", "other"]
    grammar = bnf.load("rfc1738").productions
    assert [name for name in schemes if f"{name}url" not in grammar] == []


# --- 6 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("6-2", "6-4")
def test_the_port_of_another_service_is_refused() -> None:
    for policy in (Policy.default(), Policy.untrusted()):
        for port in (25, 465, 587, 119, 6000, 6379, 11211):
            verdict = policy.judge_url(URL(f"gopher://h:{port}/0HELO%20x"))
            assert (verdict.allowed, verdict.code) == (False, "port-service"), port


@pytest.mark.clause("6-3")
def test_any_other_port_is_a_reason_for_caution() -> None:
    def said(text: str) -> list[str]:
        return [one.code for one in diagnose(text, "rfc1738") if one.code.startswith("port")]

    assert said("http://h:900/") == ["port-reserved"]
    assert said("http://h:8080/") == ["port-other"]
    assert said("http://h:80/") == []
    for port in (1000, 1024, 8080, 65535):
        assert [one.code for one in cautions(URL(f"gopher://h:{port}/"))] == ["other-port"]
    assert [one.code for one in cautions(URL("gopher://h:70/"))] == []


@pytest.mark.clause("6-5")
@each_row(
    "text",
    [
        "ftp://h/a%0D%0ADELE%20x",
        "ftp://u%0D%0A:p@h/",
        "gopher://h/0a%0D%0Ab",
        "gopher://h/7s%09a%0Ab",
        "nntp://h/a%0D%0AQUIT/1",
        "news://h/a%0Ab@c",
        "telnet://u%0D@h/",
        "mailto:a%0D%0Ab@c",
        "prospero://h/a%00b",
        "http://u%0D%0AX:%201@h/",
    ],
)
def test_what_delimits_never_leaves(text: str) -> None:
    with pytest.raises((RefusedError, URLSyntaxError)):
        sent(text)


@pytest.mark.clause("6-5")
@pytest.mark.parametrize("text", ["prospero://h{}/a%0Ab", "wais://h{}/d?a%0D%0Ab"])
def test_what_delimits_only_elsewhere_goes_to_the_own_port(text: str) -> None:
    assert Policy.untrusted().judge_url(URL(text.format(""))).allowed
    assert Policy.untrusted().judge_url(URL(text.format(":7070"))).code == "octets-port"


@pytest.mark.clause("6-7")
def test_a_password_in_a_url_is_warned_of() -> None:
    for grammar in ("current", "rfc1738"):
        said = diagnose("ftp://u:secret@h/", grammar)  # type: ignore[arg-type]
        assert [(one.code, one.severity) for one in said] == [("password", "warning")]
    assert [one.code for one in cautions(URL("ftp://u:secret@h/"))] == ["password"]


@pytest.mark.clause("6-8")
def test_no_password_is_shown() -> None:
    url = URL("ftp://u:s3cr3t@h/a")
    assert "s3cr3t" not in repr(url)
    assert url.masked == "ftp://u:***@h/a"
    assert "s3cr3t" not in "".join(sent(str(url)))
    with pytest.raises(URLSyntaxError) as caught:
        URL("ftp://u:s3cr3t@h/a b")
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.clause("6-6")
def test_a_refusal_offers_what_would_help() -> None:
    """Lines go to another port where the policy names it, as the answers of a form, and as nothing else."""
    form = URL("gopher://h:7070/0x%09%09+%091%0D%0A+-1%0D%0Av%0D%0A.%0D%0A")
    assert Policy.default().judge_url(form).code == "form-port"
    allowing = Policy(allow_ports=[7070])
    assert allowing.judge_url(form).allowed
    with pytest.raises(RefusedError, match=r"section 6"):
        sent("gopher://h:7070/0x%0D%0Ay")
    assert Policy.default().judge_url(URL("gopher://h:7070/0x%0D%0Ay")).message.endswith("would allow a form")


# --- appendix --------------------------------------------------------------------------------------------------------


@pytest.mark.clause("appendix-1")
def test_the_prefix_tells_a_url_from_other_texts() -> None:
    assert [str(one) for one in find("not this:x but URL:http://h.dom/x")] == ["http://h.dom/x"]
    assert errors("URL:http://h.dom/") == [("wrapper", "URL:")]


@pytest.mark.clause("appendix-2")
def test_it_is_taken_off_where_a_person_types_a_url() -> None:
    assert str(fix("URL:http://h.dom/")) == "http://h.dom/"
    guessed = guess("URL:http://h.dom/")
    assert str(guessed.url) == "http://h.dom/"
    assert [one.code for one in diagnose("URL:http://h.dom/")] == ["wrapper"]


@pytest.mark.clause("appendix-3")
def test_the_wrapper_is_no_part_of_the_url() -> None:
    assert str(unwrap("<URL:ftp://ds.internic.net/rfc>")) == "ftp://ds.internic.net/rfc"
    assert [str(one) for one in find("in <URL:ftp://ds.internic.net/rfc>, and so on")] == ["ftp://ds.internic.net/rfc"]


@pytest.mark.clause("appendix-4")
def test_where_a_url_stands_alone_it_has_no_wrapper() -> None:
    with pytest.raises(URLSyntaxError):
        URL("<URL:http://h/>")
    assert [code for code, _ in errors("<URL:http://h/>")] == ["wrapper", "wrapper", "wrapper"]


@pytest.mark.clause("appendix-5", "appendix-6")
def test_a_fragment_stands_within_the_brackets_and_is_no_part_of_the_url() -> None:
    assert wrap("http://h/a#b") == "<URL:http://h/a#b>"
    (found,) = find("<URL:http://h/a#b>")
    assert (str(found.url), found.fragment) == ("http://h/a", "b")
    (one,) = diagnose("http://h/a#b", "rfc1738")
    assert (one.code, one.severity) == ("fragment", "remark")


@pytest.mark.clause("appendix-7")
def test_white_space_within_is_ignored() -> None:
    assert str(unwrap("<URL:http://ds.internic.\n      net/instructions/\t\n over>")) == (
        "http://ds.internic.net/instructions/over"
    )
    assert [str(one) for one in find("<URL:ftp://ds.in\n   ternic.net/rfc>")] == ["ftp://ds.internic.net/rfc"]


@pytest.mark.clause("appendix-8")
def test_no_line_is_broken_behind_a_hyphen() -> None:
    lines = wrap("http://host.dom/one-two-three-four-five-six-seven-eight", width=20).split("\n")
    assert len(lines) > 1
    assert not any(line.endswith("-") for line in lines)


@pytest.mark.clause("appendix-9")
def test_behind_a_hyphen_there_are_two_readings() -> None:
    readings = ["http://host.dom/some-thing", "http://host.dom/something"]
    for hyphen in "-\u2010":  # a typesetter, who breaks a word, prints the other one
        (found,) = find(f"<URL:http://host.dom/some{hyphen}\n   thing>")
        assert [str(found.url), *map(str, found.alternatives)][:2] == readings
        readings.reverse()
    (found,) = find("<URL:http://host.dom/some- thing>")  # there is no line break: it is a hyphen
    assert (str(found.url), list(found.alternatives)) == ("http://host.dom/some-thing", [])


EXAMPLES = """\
Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;
      type=d> but you can probably pick it up from <URL:ftp://ds.in
      ternic.net/rfc>.  Note the warning in <URL:http://ds.internic.
      net/instructions/overview.html#WARNING>.
"""


@pytest.mark.clause("appendix-10", "draft-9")
def test_the_examples() -> None:
    assert [str(found.url) for found in find(EXAMPLES)] == [
        "ftp://info.cern.ch/pub/www/doc;type=d",
        "ftp://ds.internic.net/rfc",
        "http://ds.internic.net/instructions/overview.html",
    ]
    assert [(str(one.url), one.url.grammar) for one in find(EXAMPLES, grammar=DRAFT)] == [
        (str(one.url), DRAFT) for one in find(EXAMPLES)
    ]
    (found,) = find("<URL:http://a_b.dom/some-\n thing~x>", grammar=DRAFT)  # its host names, and its hyphens
    assert [str(found.url), *map(str, found.alternatives)] == [
        "http://a_b.dom/some-thing~x", "http://a_b.dom/something~x",
    ]  # fmt: skip
    assert [str(one.url) for one in find("URL:news:a+b.c and <URL:news:a-b.c>", grammar=DRAFT)] == ["news:a-b.c"]
    rows = (DATA / "grammar" / "seed_examples.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, rows):
        assert is_url(row["url"]) is row["valid"], row["url"]
        assert is_url(row["url"], "rfc1738-draft07") is row["valid"], row["url"]


# --- the draft -------------------------------------------------------------------------------------------------------


@pytest.mark.clause("draft-1")
def test_a_host_of_the_draft_is_a_letter_and_what_follows() -> None:
    assert is_url("http://a_b.c~d/", DRAFT)
    assert errors("http://9a.b/", DRAFT) == [("host-digit", "9")]
    hostname = matcher("rfc1738-draft07", "hostname")
    assert [text for text in ("a", "a_b.c", "a%20", "9a", "", "-a", "a/b") if hostname.accepts(text)] == [
        "a", "a_b.c", "a%20",
    ]  # fmt: skip
    assert not is_url("http://a_b.c~d/")


@pytest.mark.clause("draft-3")
def test_a_group_of_the_draft() -> None:
    assert is_url("news:a-b.c", DRAFT)
    assert errors("news:a+b", DRAFT) == [("group-character", "+")]
    assert errors("news:a_b", DRAFT) == [("group-character", "_")]


@pytest.mark.clause("draft-4")
def test_the_characters_of_the_draft() -> None:
    assert is_url("wais://h/a=b", DRAFT)
    assert errors("wais://h/a=b") == [("reserved", "=")]
    assert all(is_url(f"ftp://h/a{char}b", DRAFT) for char in "{}|\\^~[]")
    assert not is_url("ftp://h/a`b", DRAFT)


@pytest.mark.clause("draft-5")
def test_what_should_be_encoded_is_a_warning() -> None:
    (one,) = diagnose("ftp://h/~a", DRAFT)
    assert (one.code, one.severity) == ("unsafe", "warning")
    assert [one.severity for one in diagnose("gopher://h/0a%0Ab", DRAFT) if one.code == "selector-octet"] == ["warning"]


@pytest.mark.clause("draft-6")
def test_no_url_has_a_port_that_there_is_not() -> None:
    """Its productions let any number pass, and some clients take it modulo 65,536: 65561 would be the mail server's."""
    assert is_url("http://h:65535/", DRAFT)
    assert errors("http://h:65561/", DRAFT) == [("port-large", "65561")]
    with pytest.raises(URLSyntaxError):
        parse("http://h:65561/", "rfc1738-draft07")


@pytest.mark.clause("draft-7")
def test_the_first_tab_delimits_in_the_draft_as_well() -> None:
    """By its productions alone a text would be a selector with a tab, or a selector and a search: 3.4.1 decides."""
    assert errors("gopher://h/7s%09a/b", DRAFT) == [("reserved", "/")]
    assert parse("gopher://h/7s%09a", "rfc1738-draft07").parts == URL("gopher://h/7s%09a").parts


@pytest.mark.clause("draft-10")
def test_empty_segments_of_the_draft() -> None:
    assert is_url("ftp://h//a//b", DRAFT)
