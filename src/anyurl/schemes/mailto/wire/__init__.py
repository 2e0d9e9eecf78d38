"""Octets in, values out, and back: SMTP and the messages it carries (RFC 5321, RFC 5322).

Rule: no socket, clock, file or randomness, and no ask; whatever a peer decides has a limit.
"""
