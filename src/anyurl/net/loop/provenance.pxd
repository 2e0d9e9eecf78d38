cimport cython


@cython.final
cdef class Parties:
    cdef public object url
    cdef public object came_from
    cdef public object asked_by
    cdef public object stands_for
    cdef public str lists
    cdef public object peer_scope
    cdef public object last_address

    cpdef meet(self, address, scope)
    cpdef ask(self, address, scope)


cpdef provenance(Parties parties, host, port, configured, by=*)
