cimport cython

from anyurl.net.loop.loop cimport Loop


@cython.final
cdef class Connector:
    cdef public Loop loop
    cdef public object policy
    cdef public object decisions
    cdef public object network
    cdef public object tls
    cdef public object resolver
    cdef public dict _approved
    cdef public dict _judged
    cdef public object proxies
    cdef public object zone

    @cython.locals(known=tuple)
    cpdef known(self, scheme, host, port, came_from)
