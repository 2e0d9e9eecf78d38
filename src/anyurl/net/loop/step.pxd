cdef extern from *:
    """
    static CYTHON_INLINE PyObject *anyurl_step(PyObject *dialogue, PyObject *answer, PyObject *result) {
        PyObject *given = NULL;
        switch (PyIter_Send(dialogue, answer, &given)) {
        case PYGEN_NEXT:
            return given;
        case PYGEN_RETURN: {
            int failed = PyList_Append(result, given);
            Py_DECREF(given);
            if (failed) return NULL;
            Py_RETURN_NONE;
        }
        default:
            return NULL;
        }
    }
    """
    object step "anyurl_step" (object dialogue, object answer, list result)
