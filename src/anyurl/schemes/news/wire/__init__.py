"""Octets in, values out, and back: NNTP and the articles it carries (RFC 3977, RFC 5536).

Rule: no socket, clock, file or randomness, and no ask; whatever a peer decides has a limit.
"""
