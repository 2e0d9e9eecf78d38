"""The local gateway: every scheme in any browser (RFC 1738 section 4).

Rule: it is a server for one person, on this machine. URLs in the address bar are the person's own; links of a page have
the page as their origin, and are judged accordingly. Foreign content appears in our own pages only as escaped text, and
foreign content that the browser shows directly never has the power of our cookie.
"""
