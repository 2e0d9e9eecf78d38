"""A small FTP server on loopback whose replies are a table: for what real servers say and no Debian package does."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping

from tests.servers import Connection

HOST = "127.0.0.1"
TRANSFERS = ("RETR", "STOR", "APPE", "LIST", "NLST", "MLSD")


def ftp_part(
    replies: Mapping[str, bytes | None], data: Mapping[str, bytes], *, passive: tuple[str, ...] = ("EPSV", "PASV")
) -> Callable[[Connection], None]:
    """What the server does with one control connection.

    Args:
        replies: By command line or by verb; None closes the connection. Those of `data` need none.
        data: What a data connection brings, by command line or by verb.
        passive: The commands whose port is open; another one is answered with a port at which nobody listens.
    """

    def part(connection: Connection) -> None:
        connection.send(b"220 small\r\n")
        listener: socket.socket | None = None
        while line := connection.line().rstrip(b"\r\n").decode("latin-1"):
            verb = line.partition(" ")[0]
            reply = replies.get(line, replies.get(verb, b""))
            content = data.get(line, data.get(verb))
            if reply is None:
                break
            if reply and content is None:
                if listener is not None and verb in TRANSFERS:  # others may come between the port and the transfer
                    listener.close()
                connection.send(reply)
            elif verb in ("EPSV", "PASV"):
                if listener is not None:
                    listener.close()
                listener = socket.create_server((HOST, 0))
                port = listener.getsockname()[1]
                if verb not in passive:
                    listener.close()
                here = f"127,0,0,1,{port // 256},{port % 256}"
                connection.send((f"229 (|||{port}|)" if verb == "EPSV" else f"227 ({here})").encode() + b"\r\n")
            elif content is not None and listener is not None:
                connection.send(reply or b"150 here\r\n")
                other, _ = listener.accept()
                with other:
                    other.sendall(content)
                listener.close()
                connection.send(b"226 done\r\n")
            else:
                known = {"USER": b"230 in\r\n", "QUIT": b"221 bye\r\n", "TYPE": b"200 ok\r\n", "CWD": b"250 ok\r\n"}
                if listener is not None and verb in TRANSFERS:
                    listener.close()
                connection.send(known.get(verb, b"502 no\r\n"))
        if listener is not None:
            listener.close()

    return part
