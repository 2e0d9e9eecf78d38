"""The guard under other clients: each attack through each adapter, and the whole corpus, seen at the C library."""
