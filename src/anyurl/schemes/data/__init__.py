"""data: small documents that stand in the URL itself (RFC 2397).

Rule: nothing is connected to, opened or looked up; what comes is what the URL says, or an error.
"""
