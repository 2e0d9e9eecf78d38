from __future__ import annotations

from anyurl.errors import AuthRequiredError, DeniedError, NotFoundError, ReplyError, UnavailableError
from anyurl.schemes.dict.session import TABLE
from anyurl.schemes.kit.meanings import reply_error
from anyurl.schemes.kit.replies import Reply
from tests.rows import each_row


@each_row(
    ("code", "text", "where", "error"),
    [
        (420, b"Server temporarily unavailable", (), UnavailableError),
        (420, b"too many connections", (), UnavailableError),
        (421, b"Server shutting down at operator request", (), UnavailableError),
        (530, b"Access denied", (), DeniedError),
        (531, b"Access denied", ("auth",), AuthRequiredError),
        (550, b"Invalid database", (), NotFoundError),
        (551, b"Invalid strategy", (), NotFoundError),
        (552, b"No match", (), NotFoundError),
        (554, b"No databases present", (), NotFoundError),
        (500, b"Syntax error, command not recognized", (), ReplyError),
    ],
)
def test_what_a_no_means(code: int, text: bytes, where: tuple[str, ...], error: type[ReplyError]) -> None:
    found = reply_error(TABLE, Reply(code, (text,)), "It did not work", where)
    assert type(found) is error
    assert text.decode() in str(found)
