"""The options of a client, each described once: what it is called, what it means, its unit, its name on a command line.

Rule: light, for the command reads it before it does anything. `Client` and `AsyncClient` show these descriptions in
their help, the command's options and the reference are made of them, and a test compares them with the signature.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, TypeVar

if TYPE_CHECKING:
    Class = TypeVar("Class", bound=type)

Unit = Literal["", "seconds", "octets"]


class Option:
    """One option of a client.

    Args:
        name: Of the argument.
        type: As the signature has it.
        meaning: A sentence or two; what None stands for included.
        default: What holds when it is not given.
        unit: What a number counts.
        choices: All values that there are, or nothing for any.
        command: The option of the command, where it has another name than the argument; empty where there is none.
        metavar: What the command's help calls the value.
        variable: The variable of the environment that the command reads where the option is not given.
        least: The smallest number that it may be, for a count.
        aliases: Other names of the option of the command: curl's.
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
    Option("policy", "Policy | None", "What may be followed; `Policy.default()` when None."),
    Option(
        "timeout", "float | None",
        "The longest that one transfer may take in all; without it the policy's limit holds.",
        unit="seconds", metavar="SECONDS",
    ),
    Option(
        "max_bytes", "int | None", "The most that may come of one resource; without it the policy's limit holds.",
        unit="octets", metavar="BYTES",
    ),
    Option(
        "gateways", "Mapping[str, str] | None",
        "What is reached through an http locator (RFC 1738 4): schemes, hosts or folders, as doi by "
        "https://doi.org/{path}.",
        command="--gateway", metavar="PATTERN=TEMPLATE",
    ),
    Option(
        "lenient", "bool",
        "Break the RFC where a server can't keep it: skip an empty CWD, which some FTP servers refuse.",
        default=False, command="--ftp-lenient",
    ),
    Option(
        "ftp_text", "bool",
        "Convert the line ends of FTP files that are texts by suffix (RFC 1738 3.2.3), as ;type=a does for one URL.",
        default=False, command="--ftp-text",
    ),
    Option(
        "wais_form", "WaisForm",
        "How listings write the URLs of WAIS documents: as browsers exchanged them, or as RFC 1738 has them (3.9).",
        default="libwww", choices=("libwww", "rfc"),
    ),
    Option(
        "identity", "str | None", "The e-mail address that anonymous FTP gets as its password (RFC 1738 3.2.1).",
        metavar="EMAIL", variable="ANYURL_IDENTITY",
    ),
    Option(
        "news_server", "str | None", "Where news URLs that name no server are looked up (RFC 1738 3.6).",
        metavar="[USER@]HOST[:PORT]", variable="NNTPSERVER",
    ),
    Option(
        "mail_server", "str | None", "Takes the mail that `append` delivers (RFC 6409).",
        metavar="[USER@]HOST[:PORT]", variable="ANYURL_MAIL_SERVER",
    ),
    Option(
        "mail_from", "str | None", "The address that mail is from.", metavar="ADDRESS", variable="ANYURL_MAIL_FROM"
    ),
    Option(
        "auth", "Mapping[str, Login] | None",
        "Who logs in at http servers, by origin: ``{'https://api.example.org': Login.bearer(SecretFile('token'))}``.",
        command="",
    ),
    Option(
        "ask_consent", "AskForConsent | None",
        "``(question) -> bool``, called before mail, an article or a form's answers are sent in the user's name; "
        "`consent_to_all` for a program that means all that it sends. With None nothing of that is sent. `AsyncClient` "
        "takes an ``async`` function, too.",
        command="",
    ),
    Option(
        "ask_secret", "AskForSecret | None",
        "``(host, user, kind) -> Secret | None``, called when a server wants a password that is neither in the URL nor "
        "in netrc; for an empty user, ``Secret.user`` says whose it is. `AsyncClient` takes an ``async`` function, "
        "too.",
        command="",
    ),
    Option(
        "cookies", "CookieJar | bool",
        "Keep the cookies that http servers set, and send them back as RFC 6265bis says; a link of somebody else's "
        "gets none.",
        default=False,
    ),
    Option(
        "cookie_jar", "str | os.PathLike[str] | None",
        "A file that cookies are kept in from one client to the next, as curl writes it (Netscape); nobody else can "
        "read it. It is written when the client is closed.",
        metavar="FILE",
    ),
    Option(
        "ca_file", "str | os.PathLike[str] | None",
        "A file of PEM certificates to believe in instead of this machine's.",
        metavar="FILE", aliases=("--cacert",),
    ),
    Option(
        "cert", "str | os.PathLike[str] | None",
        "A PEM file with a certificate and its key, shown to an https or gemini server that asks for one; to none that "
        "somebody else than you named.",
        metavar="FILE", aliases=("-E",),
    ),
    Option(
        "pins", "str | os.PathLike[str] | None",
        "A file that keeps the certificates which are trusted on first use (gemini), and which nobody else can read; "
        "without it a client forgets them, and the command has `~/.local/state/anyurl/pins`.",
        metavar="FILE",
    ),
    Option(
        "user_agent", "str | None",
        "The name by which http servers know who asks: `NAME/VERSION (contact)`; without it anyurl and its version.",
        metavar="TEXT", aliases=("-A",),
    ),
    Option(
        "trace", "Callable[[str], None] | None",
        "Called with each line that is sent and received, and what connections are made; passwords are masked.",
        command="",
    ),
    Option(
        "retries", "int",
        "How often a transfer is begun again that failed in passing (a lost connection, a busy server), if that can't "
        "do anything twice. Pauses double; a server's Retry-After is heeded.",
        default=0, command="--retry", metavar="TIMES", least=0,
    ),
    Option(
        "per_host", "int | None",
        "Transfers at once for each host, at most, of `map` and mirrors; without it 8 of ftp and 4 of news, which are "
        "logins, of others as many as the host takes, which is found out. Each thread that uses the client counts its "
        "own.",
        command="", least=1,
    ),
    Option(
        "delay", "float",
        "At least so much lies between two transfers that begin at one host, where there are many (`map`, mirrors), in "
        "each thread that uses the client.",
        default=0.0, unit="seconds", command="", least=0,
    ),
    Option(
        "proxy", "str | Mapping[str, str] | None",
        "What to go through: the URL of a proxy (http, https, socks5, socks5h) for all schemes, or one by scheme (`*` "
        "for all others, an empty text for none); `env` takes those of the environment (http_proxy ...).",
        metavar="[SCHEME=]URL",
    ),
    Option(
        "no_proxy", "Iterable[str]",
        "Places that are reached without the proxy: host.example, *.example, 10.0.0.0/8, each with a port or without.",
        default=(), metavar="PLACE",
    ),
    Option(
        "zone", "str | None",
        "The interface, by its name or number, by which link-local IPv6 addresses (fe80::1) are reached: no URL names "
        "one (RFC 9844).",
        metavar="NAME",
    ),
    Option(
        "warc", "str | os.PathLike[str] | None",
        "Append all that is got, as it came, to this web archive (WARC): FILE.warc.gz. It has no password and no "
        "cookie in it.",
        metavar="FILE",
    ),
    Option("network", "Network | None", "The world to reach; tests put a smaller one here.", command=""),
)  # fmt: skip
"""All of them, in the order of the signature."""


def check_counts(**given: object) -> None:
    """Check the options that count something.

    Raises:
        TypeError: One is no whole number.
        ValueError: One is less than it may be.
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
    """The lines of a docstring that describe them."""
    yield "Args:"
    for option in OPTIONS:
        yield f"    {option.name}: {option.sentence}"


def with_options(of: Class) -> Class:
    """Decorate a client: its help describes each option."""
    if of.__doc__ is not None:  # python -OO
        # From 3.13 on a docstring comes without the indentation of its source; compiled code keeps it.
        below = [line for line in of.__doc__.splitlines()[1:] if line.strip()]
        indent = min((line[: len(line) - len(line.lstrip())] for line in below), default="")
        of.__doc__ = "\n".join((of.__doc__.rstrip(), "", *(indent + line for line in described()), ""))
    return of
