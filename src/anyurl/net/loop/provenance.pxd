from anyurl.net.loop.task cimport Task

cpdef provenance(Task task, host, port, configured, by=*)
