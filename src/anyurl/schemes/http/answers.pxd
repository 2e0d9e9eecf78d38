cimport cython

from anyurl.dialogue.values cimport Response

cdef frozenset _SHOWN
cdef frozenset _TOLD

@cython.locals(found=dict, name=str, value=str, shown=str)
cpdef dict attributes(Response response, charset=*)
@cython.locals(text=str)
cdef _length(Response response, dict told)
