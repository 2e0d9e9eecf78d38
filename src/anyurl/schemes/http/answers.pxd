cimport cython

from anyurl.dialogue.values cimport Response

@cython.locals(found=dict, name=str, value=str, shown=str)
cpdef dict attributes(Response response)
