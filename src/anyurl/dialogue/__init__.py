"""What a scheme may ask for: the whole vocabulary between `schemes` and the scheduler.

A dialogue is a generator that yields asks and is sent their answers: ``data = yield from Receive(channel)``.

Rules. A scheme never acts, it asks; the scheduler answers after the policy has said yes. Always ``yield from``: it
gives the answer its type. No ask stands in a ``finally``: when a dialogue ends, fails or is dropped, the scheduler
closes every channel that was not kept. What goes wrong is thrown in at the ``yield from``. Each verb of a scheme is a
dialogue; RFC 1738 section 2 names them: access (get, list, search), find attributes (stat), replace (put), update
(append).
"""

from anyurl.dialogue.ask import Ask
from anyurl.dialogue.asks import (
    AskSecret,
    Close,
    Commit,
    Connect,
    ConnectData,
    Consent,
    Describe,
    Dialogue,
    Emit,
    FakeServer,
    GiveWay,
    Keep,
    ListFolder,
    LocalName,
    Monotonic,
    Note,
    Now,
    OpenFile,
    OpenFolder,
    Random,
    Receive,
    Relay,
    Request,
    Rewind,
    Secure,
    Send,
    StatFile,
    Steps,
    Take,
)
from anyurl.dialogue.http import Headers
from anyurl.dialogue.logins import Authorization, Login
from anyurl.dialogue.secret import Secret
from anyurl.dialogue.sessions import Command, CommandName, Input, Keys, Ready, Wait
from anyurl.dialogue.values import (
    RECEIVE_AT_MOST,
    Channel,
    Entry,
    FileFacts,
    Follow,
    Kind,
    Options,
    Response,
    Resume,
    Terminal,
    Trust,
    Verb,
    WaisForm,
)

__all__ = [
    "Authorization",
    "RECEIVE_AT_MOST",
    "Ask",
    "AskSecret",
    "Channel",
    "Close",
    "Command",
    "CommandName",
    "Commit",
    "Connect",
    "ConnectData",
    "Consent",
    "Describe",
    "Dialogue",
    "Emit",
    "Entry",
    "FileFacts",
    "Follow",
    "FakeServer",
    "GiveWay",
    "Headers",
    "Input",
    "Keep",
    "Keys",
    "Kind",
    "ListFolder",
    "LocalName",
    "Login",
    "Monotonic",
    "Now",
    "OpenFile",
    "OpenFolder",
    "Options",
    "Random",
    "Ready",
    "Receive",
    "Relay",
    "Note",
    "Request",
    "Rewind",
    "Response",
    "Resume",
    "Secret",
    "Secure",
    "Send",
    "StatFile",
    "Steps",
    "Take",
    "Terminal",
    "Trust",
    "Verb",
    "WaisForm",
    "Wait",
]
