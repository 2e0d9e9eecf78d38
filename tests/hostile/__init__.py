"""A hostile crawl: servers of every scheme make up where to go next, and the C library says where the client went."""
