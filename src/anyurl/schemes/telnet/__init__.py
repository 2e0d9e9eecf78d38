"""telnet: interactive services (RFC 1738 3.8, RFC 4248).

Rule: a telnet URL designates a service, not a document; its login is only shown to the user.
"""
