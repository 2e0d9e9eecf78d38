cimport cython

from anyurl.dialogue.values cimport Channel, Response

cdef dict _statuses
cdef dict _fields

@cython.locals(headers=list, end=Py_ssize_t, status=tuple, line=bytes, field=tuple, is_known=bint)
cdef _read_plain(list lines, body)
cpdef read_head(list lines, body, limits)
cpdef bint is_blank(bytes line) except -1
cpdef bint is_whole(list lines) except -1
cdef bint _begins_interim(bytes line) except -1
@cython.locals(start=Py_ssize_t)
cpdef bint is_interim(list lines) except -1
