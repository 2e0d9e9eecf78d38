"""Databases of the world's WAIS server: documents, their ids and headers, ranked searches, help, neighbours."""

from __future__ import annotations

import pytest

from anyurl.errors import RemoteProtocolError
from anyurl.schemes.wais.wire.fields import read_fields, write_fields
from anyurl.schemes.wais.wire.records import Diagnosis, Hit
from anyurl.world.wais_index import Database, Document, local_place
from tests.rows import each_row


def document(path: str, text: str, headline: str = "", **more: object) -> Document:
    return Document(path, headline, {"TEXT": text.encode()}, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n", 1), (b"\n\n", 2), (b"\n\na", 3)]
)
def test_lines_of_a_document(data: bytes, lines: int) -> None:
    assert Document("d", "h", {"TEXT": data}).lines == lines == len(data.splitlines())


def test_a_document_is_found_by_the_words_of_its_texts_and_its_headline() -> None:
    types = {"PICT": b"pixel", "TEXT": "Straße a_b".encode(), "HTML": b"html", "WSRC": b"src", "URL": b"url"}
    made = Document("d", "Head Straße", types)
    assert made.words() == {"strasse", "a", "b", "html", "src", "url", "head"}
    assert made.data == b"pixel"  # the first type is the best
    assert [made.weight(word) for word in ("a", "head", "strasse", "pixel", "")] == [1.0, 4.0, 5.0, 0.0, 0.0]
    assert [made.weight(word) for word in ("h*", "*", "z*", "stra*")] == [5.0, 14.0, 0.0, 5.0]
    assert document("d", "a a a").weight("a") == 3.0
    assert document("d", "text", words="other words").words() == {"other", "words"}
    assert document("d", "text", "", words="").words() == set()
    assert Document("d", b"gr\xfcn", {"TEXT": b""}).words() == {"grün"}
    assert Document("d", "α", {"TEXT": b""}).headline == b"?"
    assert Document("d", "", {"TEXT": b"\xff"}).words() == set()


@each_row(
    ("start", "end", "lines", "words"),
    [(0, 1, True, {"uno", "x"}), (1, 2, True, {"dos", "y"}), (0, 9, True, {"uno", "x", "dos", "y"}),
     (2, 9, True, set()),
     (1, 1, True, set()), (0, 3, False, {"uno"}), (1, 5, False, {"no", "x"}), (6, 99, False, {"dos", "y"})],
)  # fmt: skip
def test_words_of_a_part(start: int, end: int, lines: bool, words: set[str]) -> None:
    assert document("d", "Uno x\ndos y\n").words_of_part(start, end, lines=lines) == words


def test_a_document_id_is_of_server_database_and_place_twice() -> None:
    one = document("/p/a", "text")
    database = Database("db", "h:210", [one], folder="/srv/", description="about")
    fields = list(read_fields(database.document_id(one)))
    place = b"0 4 /p/a"
    assert fields == [
        (1, b"h:210"), (2, b"/srv/db"), (3, place), (4, b"h:210"), (5, b"/srv/db"), (6, place), (7, b"\0"),
    ]  # fmt: skip
    assert local_place(database.document_id(one)) == (b"/srv/db", place)
    assert list(read_fields(database.document_id(database.help[0]))) == [
        (2, b"db"), (3, b"0 0 /srv/db.src"), (7, b"\0"),
    ]  # fmt: skip
    assert local_place(database.document_id(database.help[0])) == (b"db", b"0 0 /srv/db.src")
    assert [database.has(name) for name in (b"db", b"/srv/db", b"/srv/", b"", b"DB")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    for each in (one, *database.help):
        found = local_place(database.document_id(each))
        assert found is not None
        assert database.has(found[0])
        assert database.find(found[1]) is each


@each_row(
    ("place", "is_found"),
    [(b"0 4 a b", True), (b"0 0 a b", True), (b"0 5 a b", False), (b"1 4 a b", False), (b"0 4 a", False),
     (b"0 4 a b ", False), (b"a b", False), (b"", False), (b"0 0 db.src", True), (b"0 0 db.cat", True)],
)  # fmt: skip
def test_the_document_at_a_place(place: bytes, is_found: bool) -> None:
    database = Database("db", "h:210", [document("a b", "text")], description="about")
    assert (database.find(place) is not None) is is_found


def test_the_place_of_the_distributor_goes_before_that_of_the_original() -> None:
    def fields(*pairs: tuple[int, bytes]) -> bytes:
        return write_fields(pairs)

    assert local_place(fields((2, b"a"), (3, b"b"), (5, b"c"), (6, b"d"))) == (b"c", b"d")
    assert local_place(fields((2, b"a"), (3, b"b"))) == (b"a", b"b")
    assert local_place(fields((2, b"a"), (6, b"d"))) == (b"a", b"d")
    assert local_place(fields((5, b""), (2, b"a"), (3, b"b"))) == (b"a", b"b")
    for missing in (fields((2, b"a")), fields((3, b"b")), fields(), fields((1, b"x"), (4, b"y"))):
        assert local_place(missing) is None
    with pytest.raises(RemoteProtocolError):
        local_place(b"no run of fields")


def test_headers() -> None:
    one = Document("a", "Head", {"TEXT": b"a\nb", "HTML": b"<p>"}, date="941220")
    database = Database("db", "h:210", [one], description="about", folder="/f/")
    header = database.header(one, 500)
    assert (header.document_id, header.score, header.length, header.lines) == (database.document_id(one), 500, 3, 2)
    assert (header.types, header.headline, header.source, header.date) == (
        (b"TEXT", b"HTML"), b"Head", b"/f/db", b"941220",
    )  # fmt: skip
    assert database.header(one, None).score is None
    header = database.help_header(database.help[1], "α title", 0)
    assert (header.headline, header.source, header.date, header.score) == (b"? title", b"db", None, 0)


def test_a_description_and_a_catalogue() -> None:
    documents = [Document("a", b"gr\xfcn", {"TEXT": b"abc"})]
    database = Database("db", "h.example:8210", documents, description="about α")
    source, catalogue = database.help
    assert (source.path, source.headline, list(source.types)) == ("db.src", b"Information on database: db", ["WSRC"])
    text = source.data.decode("latin-1")
    for line in ('   :ip-name "h.example"\n', "   :tcp-port 8210\n", '   :database-name "db"\n',
                 '   :description "about ?"\n', "(:source\n"):  # fmt: skip
        assert line in text
    assert (catalogue.path, list(catalogue.types)) == ("db.cat", ["TEXT"])
    assert catalogue.data == b"Catalog for database: db\n\nHeadline: gr\xfcn\nDocID: 0 3 a\n\n"
    assert Database("db", "h:210", documents).help == []


# --- searches --------------------------------------------------------------------------------------------------------


def ranked(
    database: Database, words: str, *relevant: Document, most: int = 40, **more: object
) -> list[tuple[str, int]]:
    hits = database.search(words, relevant, most, **more)  # type: ignore[arg-type]
    return [(hit.headline.decode(), hit.score or 0) for hit in hits if isinstance(hit, Hit)]


RANKED = [document("a", "x y"), document("b", "x x x x"), document("c", "z x x")]
for number, each in enumerate(RANKED):
    each.headline = b"abc"[number : number + 1]


def test_the_best_has_a_thousand_and_the_others_their_part() -> None:
    database = Database("db", "h:210", RANKED)
    assert ranked(database, "x") == [("b", 1000), ("c", 500), ("a", 250)]
    assert ranked(database, "x", most=2) == [("b", 1000), ("c", 500)]
    assert ranked(database, "X z Y") == [("b", 1000), ("c", 750), ("a", 500)]
    assert ranked(database, "y z") == [("a", 1000), ("c", 1000)]  # as good: in their order
    assert ranked(database, "none") == []
    assert ranked(Database("db", "h:210", [document("a", "x"), document("b", "x " * 5000)]), "x")[1][1] == 1


@each_row(
    ("words", "found"),
    [("y not x", ""), ("x not y", "bc"), ("x not y not z", "b"), ("x and z", "c"), ("z and x and y", ""),
     ("not x", ""), ("NOT y or z", "c"), ("y or z", "ac"), ("y or and z", ""), ("z*", "c"), ("y, z!", "ac")],
)  # fmt: skip
def test_and_or_and_not(words: str, found: str) -> None:
    assert "".join(sorted(name for name, _ in ranked(Database("db", "h:210", RANKED), words))) == found


def test_relevant_documents_come_first_and_their_words_weigh_a_tenth() -> None:
    first, second, third = RANKED
    database = Database("db", "h:210", RANKED)
    assert ranked(database, "none", third) == [("c", 1000), ("b", 1000), ("a", 250)]
    assert ranked(database, "y", second) == [("b", 1000), ("a", 1000), ("c", 182)]
    assert ranked(database, "none", first, likely=["z"]) == [("a", 1000), ("c", 1000)]
    assert ranked(database, "none", first, likely=[]) == [("a", 1000)]


@pytest.mark.parametrize(("words", "helped", "faulty"), [("", True, False), ("?", True, True), ("*", True, True),
                                                         ("? x", True, False), ("!", False, True)])  # fmt: skip
def test_help(words: str, helped: bool, faulty: bool) -> None:
    database = Database("db", "h:210", RANKED, description="about")
    found = database.search(words, [], 40)
    titles = [hit.headline for hit in found if isinstance(hit, Hit)]
    both = [b"Information on database: db", b"Catalog for database: db"]
    assert (titles[:2] == both) is helped
    assert [said.text for said in found if isinstance(said, Diagnosis)] == (
        [b"query syntax error: " + words.encode()] if faulty else []
    )


def test_where_nothing_is_found_there_is_the_catalogue() -> None:
    database = Database("db", "h:210", RANKED, description="about")
    assert ranked(database, "none") == [("Search produced no result. Here's the Catalog for database: db", 0)]
    assert database.search("none", [], 0) == []
    assert ranked(Database("db", "h:210", [], description=None), "") == []


def test_the_words_of_a_query() -> None:
    documents = [
        Document(f"d{number}", text, {"TEXT": b"."}) for number, text in enumerate(("a b", "a c", "b c", "abc"))
    ]
    database = Database("db", "h:210", documents)

    def found(words: str, relevant: tuple[Document, ...] = ()) -> list[bytes]:
        return sorted(hit.headline for hit in database.search(words, relevant, 40) if isinstance(hit, Hit))

    assert found("a") == [b"a b", b"a c"]
    assert found("a and b") == [b"a b"]
    assert found("a not b") == [b"a c"]
    assert found("b or c") == [b"a b", b"a c", b"b c"]
    assert found("ab*") == [b"abc"]
    assert found("zzz") == []
    assert found("zzz", (documents[3],)) == [b"abc"]


def test_neighbours() -> None:
    documents = [Document(f"d{number}", str(number), {"TEXT": b"."}) for number in range(3)]
    database = Database("db", "h:210", documents, description="d")
    assert [hit.headline for hit in database.neighbour(documents[1], 1)] == [b"2"]
    assert [hit.headline for hit in database.neighbour(documents[1], -1)] == [b"0"]
    assert database.neighbour(documents[2], 1) == []
    assert database.neighbour(documents[0], -1) == []
    assert database.neighbour(database.help[0], 1) == []
    assert documents[1] in database.documents


def test_a_search_for_nothing_is_a_syntax_error_where_documents_are_given() -> None:
    database = Database("db", "h:210", [NOTE := Document("d", "a", {"TEXT": b"."})], description="d")
    answers = database.search("", [NOTE], 40)
    assert isinstance(answers[-1], Diagnosis)
    assert (answers[-1].code, answers[-1].text) == ("S1", b"query syntax error: ")
