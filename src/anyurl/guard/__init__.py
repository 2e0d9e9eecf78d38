"""The guard: whether a URL may be followed, an address connected to, a port spoken to (RFC 1738 section 6).

Rule: it only judges. It opens nothing, looks nothing up and remembers nothing; of the system's network calls it
uses one, the reading of an address.
"""
