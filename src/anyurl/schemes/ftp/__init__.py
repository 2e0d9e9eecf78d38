"""ftp, ftps: files and directories of FTP servers (RFC 1738 3.2, RFC 959; ftps: RFC 4217).

Rule: the url-path is a series of commands, which are sent exactly as it says (3.2.2).
"""
