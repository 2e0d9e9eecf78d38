"""mailto: mailboxes, and messages to them (RFC 1738 3.5, RFC 6068).

Rule: reading a mailto URL sends nothing; a message goes out when it is appended and both yeses were given.
"""
