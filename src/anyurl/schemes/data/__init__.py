"""data: small documents within the URL itself (RFC 2397).

Rule: nothing is connected to, opened or looked up; the result is the content of the URL, or an error.
"""
