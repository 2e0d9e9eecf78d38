"""prospero: directories and objects that Prospero servers know, and where they can be had (RFC 1738 3.11, RFC 4157).

Rule: contact the server and learn the access methods, which may be other URLs: of gopher and ftp it knows the parts.
"""
