"""telnet: interactive services (RFC 1738 3.8, RFC 4248).

Rule: a telnet URL designates a service and no document; its login is advice for the person at the terminal.
"""
