"""What a server offers to log in with: challenges and Digest, bounded and well formed, whatever it writes."""

from __future__ import annotations

from anyurl.dialogue.challenges import MAX_CHALLENGES, MAX_PARAMETERS, read_challenges
from anyurl.dialogue.digest import read_digest
from fuzz import kit


def fuzz(data: bytes) -> None:
    """A field's value a line."""
    fields = data.decode("utf-8", "surrogateescape").split("\n")
    challenges = read_challenges(fields)
    kit.same(len(challenges) <= MAX_CHALLENGES, True, "more challenges than the limit allows")
    kit.same(read_challenges([",".join(fields)]) == challenges or len(fields) > 1, True, "another reading of one field")
    for challenge in challenges:
        kit.same(len(challenge.parameters) <= MAX_PARAMETERS, True, "more parameters than the limit allows")
        offered = read_digest(challenge)
        if offered is None:
            continue
        answer = offered.respond("u", "p", "GET", "/", "c")
        kit.same(any(char < " " and char != "\t" for char in answer), False, "a control character in a header")
        again = read_challenges([f"Digest {answer}"])
        # Our own fields, each once: nothing of the server's has got out of its quotes.
        kit.same(len(again), 1, "no fields, or more than one login")
        told = again[0].parameters
        kit.same((told.get("uri"), told.get("realm")), ("/", offered.realm), "fields of the server's own")
