cimport cython

from anyurl.dialogue.values cimport Channel


cdef class Connection(Channel):
    cdef public object sock
    cdef public object endpoint
    cdef public object tls_name
    cdef public Py_ssize_t received
    cdef public Py_ssize_t sent
    cdef public object key
    cdef public object goodbye
    cdef public object proxy
    cdef public object _unsent
    cdef public bint _ended
    cdef Py_ssize_t _arrived
    cdef public int fd
    cdef public object scope
    cdef public bint until_close
    cdef public object _judge
    cdef public bint _asked
    cdef object __weakref__

    cpdef receive(self, at_most)
    cpdef send(self, data)
    cpdef send_rest(self)
    cpdef _send_once(self)
