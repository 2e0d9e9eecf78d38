from anyurl.dialogue.asks cimport _RequestFields

cpdef refuse_line_breaks(_RequestFields ask)
