"""HAR: strings of JSON, and bodies in base64."""

from __future__ import annotations

import base64
import json

from anyurl.text import find
from tests.text.readers.contract import Contract

BODY = base64.b64encode(b'<a href="http://h/a">http://i/</a> <img src="http://j/">')
ENTRY = (
    b'{"url": "http:\\/\\/k\\/?a\\u0026b", "content": {"mimeType": "text/html", "text": "%s", "encoding": "base64"}}'
)
FOUND = [("http://h/a", "*", "html-attribute"), ("http://i/", "*", "bare"), ("http://j/", "*", "html-attribute")]
OWN = ("http://k/?a&b", "http:\\/\\/k\\/?a\\u0026b", "bare")


class TestHar(Contract):
    format = "har"
    samples = [
        (ENTRY % BODY, [OWN, *FOUND]),
        (b'{"encoding" : "base64",\n"text": "%s"}' % BODY, FOUND),
        (
            (ENTRY % BODY).replace(b"text/html", b"image/png") + b' "http://l/"',
            [OWN, ("http://l/", "http://l/", "bare")],
        ),
        (ENTRY % b"http://m/", [OWN, ("http://m/", "http://m/", "bare")]),  # said to be base64, but is not
        (b'{"text": "see http:\\/\\/n\\/ ", "encoding": ""}', [("http://n/", "http:\\/\\/n\\/", "bare")]),
    ]
    pieces = (
        b'"',
        b'"text":"',
        b'","encoding":"base64"',
        b"aHR0cDovL2gv",
        b"\\/",
        b"\\u0026",
        b'"encoding":"base64",',
        b"=",
    )
    hostile = (b'"text":"', b'"text":"aHR0cDovL2gv","encoding":"base64",', b"\\", b'"text":"a')


def test_what_a_browser_has_saved_is_found_as_json_and_base64_have_it() -> None:
    bodies = [f"<p>http://h{number}/</p>" * number for number in range(1, 30)]
    entries = [
        {"request": {"url": f"https://r/{number}?a=b&c"}, "response": {"content": {
            "mimeType": "text/html", "text": base64.b64encode(body.encode()).decode(), "encoding": "base64"}}}
        for number, body in enumerate(bodies)
    ]  # fmt: skip
    data = json.dumps({"log": {"entries": entries}}).encode()
    wanted = [
        str(found) for number, body in enumerate(bodies) for found in (*find(f"https://r/{number}?a=b&c"), *find(body))
    ]
    assert [str(found) for found in find(data, format="auto", name="a.har")] == wanted
