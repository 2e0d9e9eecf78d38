"""Octets in, values out, and back: SMTP and the messages it carries (RFC 5321, RFC 5322).

Rule: no socket, clock, file or randomness, and no ask; everything that the peer controls has a limit.
"""
