"""Responses made by the proxy itself: problems (RFC 9457) for requests that failed.

Rule: a refusal contains its code and the sentence of the guard, with the remedy. The code is in the reason phrase, too,
which is all that pip and curl show of an answer to CONNECT, and in Proxy-Status (RFC 9209).
"""

from __future__ import annotations

import json

from anyurl import errors

REASONS = {
    200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    407: "Proxy Authentication Required", 408: "Request Timeout", 431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout", 508: "Loop Detected",
}  # fmt: skip

SAFE = (
    b"X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
    b"Content-Security-Policy: sandbox; default-src 'none'; style-src 'unsafe-inline'; form-action *\r\n"
)
"""Fields of every response that the proxy makes from foreign content."""


class Problem(errors.AnyURLError):
    """A request that ends with a response of the proxy itself.

    Attributes:
        status: The HTTP status.
        code: The kind of problem, in a word.
        message: A sentence.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def of_error(error: errors.AnyURLError) -> Problem:
    """The problem for an error."""
    if isinstance(error, errors.RefusedError):
        return Problem(403, error.verdict.code, str(error))
    for kind, status, code in (
        (errors.LimitError, 502, "limit"), (errors.PolicyError, 403, "refused"), (errors.URLSyntaxError, 400, "no-url"),
        (errors.SchemeError, 501, "scheme"), (errors.NotFoundError, 404, "not-found"),
        (errors.AuthRequiredError, 403, "login"), (errors.DeniedError, 403, "denied"),
        (errors.TransferTimeout, 504, "timeout"),
    ):  # fmt: skip
        if isinstance(error, kind):
            return Problem(status, code, str(error))
    if isinstance(error, errors.ConnectError) and error.stage == "look-up":
        return Problem(502, "look-up", str(error))
    return Problem(502, "failed", str(error))


KINDS = {
    "loop": "proxy_loop_detected", "busy": "connection_limit_reached", "fault": "proxy_internal_error",
    "limit": "http_response_incomplete", "timeout": "connection_timeout", "broken": "connection_terminated",
    "stopped": "proxy_internal_response", "look-up": "dns_error", "failed": "destination_unavailable",
}  # fmt: skip
"""The errors of Proxy-Status (RFC 9209 2.3) by code."""


def _kind(trouble: Problem) -> str:
    if trouble.code.startswith("address-"):
        return "destination_ip_prohibited"
    known = KINDS.get(trouble.code)
    if known is not None:
        return known
    return "http_request_denied" if trouble.status in (403, 407) else "http_request_error"


def problem(trouble: Problem, with_body: bool = True, *, keeps: bool = False) -> bytes:
    """The whole response for a problem.

    Args:
        keeps: The connection carries another request after it.
    """
    told = {"type": "about:blank", "title": REASONS[trouble.status], "status": trouble.status, "code": trouble.code,
            "detail": errors.escape(trouble.message)}  # fmt: skip
    body = json.dumps(told, ensure_ascii=False).encode("utf-8") + b"\n"
    ask = (
        b'Proxy-Authenticate: Basic realm="anyurl"\r\nProxy-Authenticate: Bearer\r\n' if trouble.status == 407 else b""
    )
    return b"".join((
        f"HTTP/1.1 {trouble.status} {REASONS[trouble.status]}: {trouble.code}\r\n".encode("ascii"),
        b"Content-Type: application/problem+json\r\n", ask,
        f'Proxy-Status: anyurl; error={_kind(trouble)}; details="{trouble.code}"\r\n'.encode("ascii"),
        f"Content-Length: {len(body)}\r\n".encode("ascii"), b"" if keeps else b"Connection: close\r\n", b"\r\n",
        body if with_body else b"",
    ))  # fmt: skip
