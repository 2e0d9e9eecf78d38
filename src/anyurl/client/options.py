"""The options of a client, each described once: its name, meaning, unit, and its name on the command line.

Rule: cheap to import, since the command reads it first: its annotations are not strings, which `TypedDict` would have
to compile. The help of `Client` and `AsyncClient`, the command's options and the reference are made from these
descriptions, and a test compares them with the signature.
"""

from collections.abc import Iterator
from typing import Literal, TypedDict, TypeVar

from anyurl.client.source import Files, Upload
from anyurl.dialogue.http import HeaderFields
from anyurl.url.components import Pairs

Class = TypeVar("Class", bound=type)


class RequestOptions(TypedDict, total=False):
    """Options of an HTTP request besides its URL; no other scheme accepts them.

    Attributes:
        headers: Header fields. Those with a credential, by their name or as a `Secret`, are sent only to the server of
            the URL, never to another one that it redirects to.
        query: Names and values to add to the query.
        etag: The entity tag of the caller's version: a get returns 304 if it is still current, and a request that
            changes something is performed only if it is.
        modified: The same condition by time, in seconds since the epoch.
        check: Whether an error status raises an error (the default); False returns the response as a resource.
    """

    headers: HeaderFields
    query: Pairs | str
    etag: str
    modified: float
    check: bool


class Content(TypedDict, total=False):
    """The content of a request: one of these, or `form` with `files`.

    Attributes:
        content: Octets, a binary file or an iterable of octets.
        json: A value, sent as JSON.
        form: The fields of a form.
        files: Files of a form, by field (RFC 7578).
    """

    content: Upload | None
    json: object
    form: Pairs | None
    files: Files | None


Unit = Literal["", "seconds", "octets"]


class Option:
    """One option of a client.

    Args:
        name: The name of the argument.
        type: Its type, as in the signature.
        meaning: A sentence or two, including the meaning of None.
        default: The default value.
        unit: The unit of a number.
        choices: All allowed values; empty means any.
        command: The command-line option, if its name differs from the argument's; empty if there is none.
        metavar: The placeholder for the value in the command's help.
        variable: The environment variable that the command reads if the option is not given.
        least: The smallest allowed number, for a count.
        aliases: Further names of the command-line option: curl's.
    """

    __slots__ = (
        "name", "type", "meaning", "default", "unit", "choices", "command", "metavar", "variable", "least", "aliases",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        type: str,
        meaning: str,
        *,
        default: object = None,
        unit: Unit = "",
        choices: tuple[str, ...] = (),
        command: str | None = None,
        metavar: str | None = None,
        variable: str | None = None,
        least: int | None = None,
        aliases: tuple[str, ...] = (),
    ) -> None:
        self.name: str = name
        self.type: str = type
        self.meaning: str = meaning
        self.default: object = default
        self.unit: Unit = unit
        self.choices: tuple[str, ...] = choices
        self.command: str = "--" + name.replace("_", "-") if command is None else command
        self.metavar: str | None = metavar
        self.variable: str | None = variable
        self.least: int | None = least
        self.aliases: tuple[str, ...] = aliases

    @property
    def sentence(self) -> str:
        """The meaning, with the unit."""
        return f"{self.meaning} In {self.unit}." if self.unit else self.meaning

    def __repr__(self) -> str:
        return f"Option({self.name!r}, {self.type!r})"


OPTIONS = (
    Option("policy", "Policy | None", "Decides what may be followed; None means `Policy.default()`."),
    Option(
        "timeout", "float | None",
        "The maximum time for a whole transfer; the default is the policy's limit.",
        unit="seconds", metavar="SECONDS",
    ),
    Option(
        "max_bytes", "int | None", "The maximum size of one resource; the default is the policy's limit.",
        unit="octets", metavar="BYTES",
    ),
    Option(
        "gateways", "Mapping[str, str] | None",
        "Reach a scheme, a host or a folder through an http locator (RFC 1738 4): for example doi through "
        "https://doi.org/{path}.",
        command="--gateway", metavar="PATTERN=TEMPLATE",
    ),
    Option(
        "lenient", "bool",
        "Deviate from the RFC for servers that cannot follow it: skip an empty CWD, which some FTP servers refuse.",
        default=False, command="--ftp-lenient",
    ),
    Option(
        "ftp_text", "bool",
        "Convert the line ends of FTP files whose suffix means text (RFC 1738 3.2.3), as ;type=a does for one URL.",
        default=False, command="--ftp-text",
    ),
    Option(
        "ftp_create_dirs", "bool",
        "Make the directories of an FTP URL that is written to, where they do not exist (MKD).",
        default=False, command="--ftp-create-dirs",
    ),
    Option(
        "wais_form", "WaisForm",
        "The form of WAIS document URLs in listings: that of browsers, or that of RFC 1738 (3.9).",
        default="libwww", choices=("libwww", "rfc"),
    ),
    Option(
        "identity", "str | None", "The e-mail address sent as the password for anonymous FTP (RFC 1738 3.2.1).",
        metavar="EMAIL", variable="ANYURL_IDENTITY",
    ),
    Option(
        "news_server", "str | None", "The server for news URLs that name none (RFC 1738 3.6).",
        metavar="[USER@]HOST[:PORT]", variable="NNTPSERVER",
    ),
    Option(
        "mail_server", "str | None", "The server for mail that `append` delivers (RFC 6409).",
        metavar="[USER@]HOST[:PORT]", variable="ANYURL_MAIL_SERVER",
    ),
    Option(
        "mail_from", "str | None", "The sender's address for mail.", metavar="ADDRESS", variable="ANYURL_MAIL_FROM"
    ),
    Option(
        "auth", "Mapping[str, Login] | None",
        "Logins for http servers, by origin: ``{'https://api.example.org': Login.bearer(SecretFile('token'))}``.",
        command="",
    ),
    Option(
        "ask_consent", "AskForConsent | None",
        "``(question) -> bool``, called before mail, an article or form answers are sent in the user's name; "
        "`consent_to_all` consents to everything. With None none of these are sent. `AsyncClient` also takes an "
        "``async`` function.",
        command="",
    ),
    Option(
        "ask_secret", "AskForSecret | None",
        "``(host, user, kind) -> Secret | None``, called when a server requires a password that is neither in the "
        "URL nor in netrc; for an empty user, ``Secret.user`` names the user. `AsyncClient` also takes an ``async`` "
        "function.",
        command="",
    ),
    Option(
        "cookies", "CookieJar | bool",
        "Keep the cookies that http servers set, and send them back by RFC 6265bis; requests for foreign links "
        "carry none.",
        default=False,
    ),
    Option(
        "cookie_jar", "str | os.PathLike[str] | None",
        "A file that keeps cookies between clients, in curl's format (Netscape), readable by its owner only. It is "
        "written when the client is closed.",
        metavar="FILE",
    ),
    Option(
        "ca_file", "str | os.PathLike[str] | None",
        "A PEM file of certificate authorities to trust instead of the system's.",
        metavar="FILE", aliases=("--cacert",),
    ),
    Option(
        "cert", "str | os.PathLike[str] | None",
        "A PEM file with a certificate and its key, shown to an https or gemini server that asks for one, but only "
        "for your own URLs.",
        metavar="FILE", aliases=("-E",),
    ),
    Option(
        "pins", "str | os.PathLike[str] | None",
        "A file that keeps certificates trusted on first use (gemini), readable by its owner only; the default is "
        "memory only for a client, and `~/.local/state/anyurl/pins` for the command.",
        metavar="FILE",
    ),
    Option(
        "trust", "Iterable[str]",
        "Trust this certificate of a gemini server from now on, by its SHA-256, in place of the first: a renewed one "
        "that its owner has confirmed.",
        default=(), metavar="SHA256",
    ),
    Option(
        "http3", "bool",
        "Try HTTP/3 (QUIC, over UDP) for https, where the installed libcurl has it and no proxy is used; servers "
        "without it are reached by HTTP/2 or HTTP/1.1.",
        default=False,
    ),
    Option(
        "user_agent", "str | None",
        "The user agent sent to http servers: `NAME/VERSION (contact)`; the default is anyurl and its version.",
        metavar="TEXT", aliases=("-A",),
    ),
    Option(
        "trace", "Callable[[str], None] | None",
        "Called with each line sent or received, and each connection opened; passwords are masked.",
        command="",
    ),
    Option(
        "on_verdict", "Callable[[Decision], object] | None",
        "Called with each decision of the guard (`anyurl.guard.Decision`), before a refusal is raised. Its "
        "exceptions are logged and change nothing. A cached decision is not reported again.",
        command="",
    ),
    Option(
        "retries", "int",
        "How often to retry a transfer after a transient failure (a lost connection, a busy server), if repeating "
        "it is safe. Pauses double; a server's Retry-After is obeyed.",
        default=0, command="--retry", metavar="TIMES", least=0,
    ),
    Option(
        "per_host", "int | None",
        "The maximum number of parallel transfers for each host, in `map` and mirrors; the default is 8 for ftp and "
        "4 for news, which are logins, and for others as many as the host turns out to accept. Each thread that "
        "uses the client counts separately.",
        command="", least=1,
    ),
    Option(
        "delay", "float",
        "The minimum time between the starts of two transfers from one host, in `map` and mirrors, in each thread "
        "that uses the client.",
        default=0.0, unit="seconds", command="", least=0,
    ),
    Option(
        "rests", "Rests | None",
        "Where it is kept, beyond this client, until when a host wants to be left alone (Retry-After): an object with "
        "two methods (`anyurl.net.loop.rests.Rests`). Without it the client remembers that as long as it lives.",
        command="",
    ),
    Option(
        "proxy", "str | Mapping[str, str] | None",
        "The URL of a proxy (http, https, socks5, socks5h) for all schemes, or one for each scheme (`*` for all "
        "others, an empty text for none); `env` uses the environment's (http_proxy ...).",
        metavar="[SCHEME=]URL",
    ),
    Option(
        "no_proxy", "Iterable[str]",
        "Places to reach without the proxy: host.example, `*.example`, 10.0.0.0/8, each with or without a port.",
        default=(), metavar="PLACE",
    ),
    Option(
        "resolve", "Iterable[str]",
        "Addresses of hosts that are not looked up: HOST:PORT:ADDRESS, as in curl; a test server under its real name.",
        default=(), metavar="HOST:PORT:ADDRESS",
    ),
    Option(
        "zone", "str | None",
        "The interface, by name or number, for link-local IPv6 addresses (fe80::1); it is never part of a URL (RFC "
        "9844).",
        metavar="NAME",
    ),
    Option(
        "warc", "str | os.PathLike[str] | None",
        "Append everything received to this web archive (WARC): FILE.warc.gz. Passwords and cookies are left out.",
        metavar="FILE",
    ),
    Option(
        "cdxj", "bool", "Write an index of the web archive next to it (FILE.cdxj) when the client is closed.",
        default=False,
    ),
    Option("network", "Network | None", "The network to use; tests pass a smaller one.", command=""),
)  # fmt: skip
"""All options, in the order of the signature."""


def check_counts(**given: object) -> None:
    """Check the options that are counts.

    Raises:
        TypeError: One is not an integer.
        ValueError: One is too small.
    """
    for option in OPTIONS:
        value = given.get(option.name)
        if option.least is None or (value is None and option.default is None):
            continue
        is_number = isinstance(value, int | float if option.type == "float" else int)
        if not isinstance(value, int | float) or not is_number or isinstance(value, bool):
            raise TypeError(f"{option.name} is a whole number, not {type(value).__name__}")
        if not option.least <= value < float("inf"):
            raise ValueError(f"{option.name} is at least {option.least}, not {value}")


def described() -> Iterator[str]:
    """The lines of a docstring that describe the options."""
    yield "Args:"
    for option in OPTIONS:
        yield f"    {option.name}: {option.sentence}"


def with_options(of: Class) -> Class:
    """Decorate a client class: adds the options to its docstring."""
    if of.__doc__ is not None:  # python -OO
        # Since 3.13 the compiler strips the indentation of docstrings; Cython keeps it.
        below = [line for line in of.__doc__.splitlines()[1:] if line.strip()]
        indent = min((line[: len(line) - len(line.lstrip())] for line in below), default="")
        of.__doc__ = "\n".join((of.__doc__.rstrip(), "", *(indent + line for line in described()), ""))
    return of
