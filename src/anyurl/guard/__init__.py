"""The guard: whether a URL may be followed, an address connected to, a port spoken to (RFC 1738 section 6).

Rule: it only judges. It opens nothing, looks nothing up and remembers nothing; the only network call of the system that
it uses parses an address. `anyurl.connect` connects by its verdicts.
"""

from anyurl.guard.addresses import scope as scope
from anyurl.guard.addresses import why as why
from anyurl.guard.limits import Limits as Limits
from anyurl.guard.policy import Policy as Policy
from anyurl.guard.verdict import CODES as CODES
from anyurl.guard.verdict import Decision as Decision
from anyurl.guard.verdict import Verdict as Verdict
from anyurl.values import Provenance as Provenance
from anyurl.values import Scope as Scope

__all__ = ["CODES", "Decision", "Limits", "Policy", "Provenance", "Scope", "Verdict", "scope", "why"]
