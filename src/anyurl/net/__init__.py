"""The only room with I/O: policy, addresses, sockets, TLS, libcurl and files, behind one scheduler."""
