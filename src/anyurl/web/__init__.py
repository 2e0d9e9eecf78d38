"""The local gateway: every scheme in any browser (RFC 1738 section 4).

Rule: it is a server for one person, on this machine. What the address bar says is that person's own word; what a page
leads to was named by the page, and is judged so. Nothing that came from elsewhere is ever a part of our own pages but
as text, and nothing of it that a browser shows by itself has the power of our cookie.
"""
