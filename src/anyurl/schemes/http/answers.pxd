cimport cython

from anyurl.dialogue.values cimport Response

cdef object _SHOWN
cdef object _TOLD

cpdef dict attributes(Response response)
@cython.locals(found=dict, field=tuple, name=str, value=str, shown=str)
cdef dict _read(Response response, dict told)
@cython.locals(text=str)
cdef _length(Response response, dict told)
