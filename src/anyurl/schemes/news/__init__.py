"""news, snews, nntp, nntps: newsgroups and articles (RFC 1738 3.6 and 3.7, RFC 5538, RFC 3977).

Rule: news names no server unless it says so, nntp always names one; both speak NNTP.
"""
