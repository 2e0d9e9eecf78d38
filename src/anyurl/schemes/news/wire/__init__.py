"""Octets in, values out, and back: NNTP and the articles it carries (RFC 3977, RFC 5536).

Rule: no socket, clock, file or randomness, and no ask; everything that the peer controls has a limit.
"""
