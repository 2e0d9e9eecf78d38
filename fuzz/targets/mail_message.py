"""Messages on their way out: nothing ends them but their end, and nobody is told who got one blindly."""

from __future__ import annotations

from anyurl.schemes.mailto.wire import smtp
from anyurl.schemes.mailto.wire.message import UNSENT, Message, write_draft
from fuzz import kit

_END = b"\r\n.\r\n"


def fuzz(data: bytes) -> None:
    """A message with its header, and the same octets as the body of a draft."""
    message, _ = kit.outcome(lambda: Message(data))
    if message is not None:
        names = {field.partition(b":")[0].strip().lower() for field in message.fields}
        kit.same(names & UNSENT, set(), "a field is left that stays here")
        whole = message.encode(["Date: x"])
        again = Message(whole)
        fields = [b"Date: x\r\n", *message.fields]
        kit.same((again.fields, again.body), (fields, message.body), "the message is read in another way")
        _send(whole)
    _send(write_draft(["Subject: x"], data.decode("utf-8", "replace")))
    _send(data)


def _send(data: bytes) -> None:
    lines = smtp.network_lines(data)
    kit.outcome(lambda: smtp.check_lines(lines))
    sent = b"\r\n" + smtp.stuffed(lines)
    kit.same(sent.index(_END), len(sent) - len(_END), "the message ends before its end")
    kit.same(sent.count(b"\r\n") == sent.count(b"\r") == sent.count(b"\n"), True, "a line end is not CR LF")
    read = sent[: -len(_END)].replace(b"\r\n.", b"\r\n")[2:]
    kit.same(read + b"\r\n" if lines else read, lines, "the server reads another message")
