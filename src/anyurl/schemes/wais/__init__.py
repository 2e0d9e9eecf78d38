"""wais: databases, searches and documents of Wide Area Information Servers (RFC 1738 3.9, RFC 4156, RFC 1625).

Rule: a document's identifier is opaque octets, and is sent back to its server unchanged.
"""
