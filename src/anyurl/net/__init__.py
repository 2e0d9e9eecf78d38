"""The only room that reaches the world: policy, addresses, sockets, TLS, libcurl and files, behind one scheduler."""
