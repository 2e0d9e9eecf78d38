cimport cython

from anyurl.net.scheduler cimport Scheduler
from anyurl.net.task cimport Task


cdef class Description:
    cdef public object url
    cdef public object kind
    cdef public object type
    cdef public object size
    cdef public object modified
    cdef public object etag
    cdef public object name
    cdef public object start
    cdef public object attributes
    cdef public tuple history
    cdef public list notes
    cdef object __weakref__


cdef class Resource(Description):
    cdef public Scheduler _scheduler
    cdef public Task _task
    cdef public object _reader
