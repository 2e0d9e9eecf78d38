"""Descriptions of the schemes that anyurl knows but does not support (RFC 1738 section 4, the IANA registry).

Rule: a few words for a user who meets such a URL. The syntax of these URLs is a row of `anyurl.url.syntax`.
"""

from __future__ import annotations

NOWHERE = frozenset(
    ("about", "bitcoin", "blob", "chrome", "geo", "im", "javascript", "pres", "sip", "sips", "sms", "steam", "tel")
)
"""Schemes whose URLs name nothing that a gateway could fetch."""

MEANINGS: dict[str, str] = {
    # The names that RFC 1738 section 4 keeps for later, in its words.
    "afs": "Andrew File System global file names",
    "mid": "message identifiers for electronic mail",
    "cid": "content identifiers for MIME body parts",
    "nfs": "Network File System file names",
    "tn3270": "interactive 3270 emulation sessions",
    "mailserver": "access to data available from mail servers",
    "z39.50": "access to ANSI Z39.50 services",
    # And what came after it.
    "about": "pages of the browser itself",
    "acap": "application configuration",
    "bitcoin": "payments in bitcoin",
    "blob": "objects in a browser's memory",
    "chrome": "pages and parts of the browser itself",
    "coap": "constrained devices",
    "coaps": "constrained devices, over DTLS",
    "dns": "records of the Domain Name System",
    "doi": "digital object identifiers",
    "finger": "information about users",
    "geo": "places on the Earth",
    "git": "Git repositories",
    "im": "inboxes for instant messages",
    "imap": "mailboxes and messages of an IMAP server",
    "imaps": "mailboxes and messages of an IMAP server, over TLS",
    "info": "names in public namespaces",
    "ipp": "printers",
    "ipps": "printers, over TLS",
    "irc": "channels of Internet Relay Chat",
    "ircs": "channels of Internet Relay Chat, over TLS",
    "jar": "files inside Java archives",
    "javascript": "programs for the page that holds them",
    "ldap": "entries of a directory",
    "ldaps": "entries of a directory, over TLS",
    "magnet": "files by the digest of their content",
    "mms": "streams of Microsoft media servers",
    "mqtt": "message brokers",
    "msrp": "sessions of messages",
    "ni": "things by the digest of their content",
    "pkcs11": "keys and certificates on tokens",
    "pop": "mailboxes of a POP server",
    "pres": "presence information of people",
    "redis": "Redis databases",
    "rlogin": "interactive sessions by remote login",
    "rsync": "files of an rsync server",
    "rtsp": "media streams",
    "rtsps": "media streams, over TLS",
    "sftp": "files of an SSH server",
    "sip": "telephony and sessions",
    "sips": "telephony and sessions, over TLS",
    "smb": "files of Windows shares",
    "sms": "numbers for short messages",
    "smtp": "servers that take mail",
    "smtps": "servers that take mail, over TLS",
    "snmp": "managed network devices",
    "ssh": "interactive sessions over SSH",
    "steam": "the Steam program",
    "stun": "servers that tell a client its address",
    "svn": "Subversion repositories",
    "tag": "names that anybody can make",
    "tel": "telephone numbers",
    "tftp": "files of a TFTP server",
    "turn": "servers that relay for a client",
    "urn": "names that outlast places",
    "vemmi": "videotex services",
    "view-source": "the source of another URL's document",
    "vnc": "remote desktops",
    "whois": "who holds a domain or an address",
    "ws": "WebSocket connections",
    "wss": "WebSocket connections, over TLS",
    "xmpp": "entities of XMPP",
    "z39.50r": "records of Z39.50 databases",
    "z39.50s": "sessions with Z39.50 databases",
}
"""By name: the subject of its URLs."""
