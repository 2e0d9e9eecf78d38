"""mailto: mailboxes, and messages to them (RFC 1738 3.5, RFC 6068).

Rule: reading a mailto URL sends nothing; a message is sent only by ``append``, if the policy and the user consent.
"""
