# The layout of what is asked for each request, for the compiler alone; uncompiled the same names are slots.

cimport cython


cdef class _RequestFields:
    cdef public object method
    cdef public object url
    cdef public object target
    cdef public object headers
    cdef public bint upload
    cdef public object authorization
    cdef public bint decode


cdef class _DescribeFields:
    cdef public object kind
    cdef public object size
    cdef public object start
    cdef public object headers
    cdef object _type
    cdef object _modified
    cdef object _etag
    cdef object _name
    cdef object _attributes
    cdef object _later

    cdef _find_out(self)


cdef class _RelayFields:
    cdef public object channel
    cdef public object limit
