"""The only room with I/O: policy, addresses, sockets, TLS, libcurl and files, driven by one scheduler."""
