"""Mass checking of URLs: found in files, folders and pages, each different one asked for once, told where it stands.

Rule: this room decides what is asked for and what the answer means; how hosts are treated is `Client.map`'s business,
and what may be followed is the policy's.
"""

from anyurl.batch.check.outcome import OUTCOMES, Finding, Outcome
from anyurl.batch.check.run import Checked, Run
from anyurl.batch.check.sources import MentionedURL, Sources
from anyurl.batch.check.state import CheckState, Mention

__all__ = ["OUTCOMES", "Checked", "MentionedURL", "Outcome", "Mention", "Run", "Sources", "CheckState", "Finding"]
