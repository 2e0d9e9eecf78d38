cpdef refuse_line_breaks(ask)
