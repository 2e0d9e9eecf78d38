cimport cython

from anyurl.dialogue.values cimport Response

@cython.locals(text=str, fields=list)
cpdef content_length(Response response)
@cython.locals(coding=str)
cpdef bint is_coded(Response response) except -1
@cython.locals(dot=Py_ssize_t)
cpdef bint is_archive(str path) except -1
cdef _number(str text)
