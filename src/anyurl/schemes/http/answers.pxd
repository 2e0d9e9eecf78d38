cimport cython

from anyurl.dialogue.values cimport Response

cdef frozenset _SHOWN
cdef frozenset _FRAMING

@cython.locals(found=dict, name=str, value=str, shown=str)
cpdef dict attributes(Response response, charset=*)
@cython.locals(text=str, field=tuple)
cdef _length(Response response)
