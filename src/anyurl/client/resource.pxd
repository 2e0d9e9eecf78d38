cimport cython

from anyurl.dialogue.asks cimport _DescribeFields
from anyurl.net.loop.scheduler cimport Scheduler
from anyurl.client.redirect cimport RedirectChain
from anyurl.net.loop.stream cimport Stream


cdef class Description:
    cdef public object url
    cdef public object kind
    cdef public object size
    cdef public object start
    cdef public _DescribeFields _said
    cdef public tuple history
    cdef public list notes
    cdef object __weakref__

    @cython.locals(said=_DescribeFields)
    cdef _fill(self, url, described, history, list notes)


@cython.final
cdef class Whole:
    cdef object _resource
    cdef object _most
    cdef bint _own
    cdef object _first
    cdef object _more
    cdef Py_ssize_t _size

    cpdef add(self, piece)
    cpdef octets(self)
    cpdef clear(self)


cdef class Resource(Description):
    cdef public Scheduler _scheduler
    cdef public Stream _stream
    cdef public object _reader
    cdef RedirectChain _chain
    cdef object _file
    cdef bint _closed

    cdef _buffered(self)

    cdef _check_reader(self)


cpdef check_process(Scheduler scheduler)
