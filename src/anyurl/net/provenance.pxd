from anyurl.net.task cimport Task

cpdef provenance(Task task, host, port, configured, by=*)
