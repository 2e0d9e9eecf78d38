# What other compiled modules call as a function of C. Without a compiler nothing reads this file.

cpdef bint accepts(str text)
