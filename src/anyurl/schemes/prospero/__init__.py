"""prospero: directories and objects of Prospero servers, and how to access them (RFC 1738 3.11, RFC 4157).

Rule: ask the server for the access methods, which may be other URLs, such as those of gopher and ftp.
"""
