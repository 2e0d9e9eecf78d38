"""Promises of SECURITY.md to break, one at a time: a test that says that it holds the promise must then fail.

Rule: the rows are those of ``mutations.py``, with the names of promises instead of statements: each puts a fault back
that the promise rules out.
"""

from __future__ import annotations

ATTEMPT = "net/attempt.py"
CONNECTOR = "net/connector.py"
COOKIES = "access/cookies.py"
DELIVERY = "schemes/mailto/delivery.py"
GATE = "web/gate.py"
GATEWAYS = "access/gateways.py"
HOPS = "guard/hops.py"
LOGIN = "schemes/http/login.py"
QUESTIONS = "net/questions.py"
REDIRECT = "access/redirect.py"
REQUESTS = "adapters/requests.py"
SCREEN = "schemes/telnet/wire/screen.py"
TOOLS = "mcp/tools.py"

PROMISES: tuple[tuple[str, str, str, str, str, str], ...] = (
    ("only the first address of a name is judged", "refused-means-unsent", CONNECTOR, "Connector._judge",
     "for address in answer:", "for address in answer[:1]:"),
    ("whoever answers is taken for the server", "refused-means-unsent", ATTEMPT, "ConnectAttempt._won",
     "not self._connector.network.is_asked(actual, peer)", "False"),
    ("a verdict is that of every port", "refused-means-unsent", "guard/policy.py", "Policy.judge_port",
     "if owner is None else", "if True else"),
    ("a hop may lead inward", "provenance", HOPS, "leads_inward", "return not origin.own and", "return False and"),
    ("an entry is the caller's own word", "provenance", "access/named.py", "named",
     "url, origin = _led_to(given)", "url, origin = _led_to(given)[0], USER"),
    ("an earlier permission opens a hop", "provenance", "net/judged.py", "Judged.check", "came_from.key,", "0,"),
    ("a document becomes a session", "provenance", HOPS, "fault", "if scheme in SESSIONS:", "if False:"),
    ("a server's login is the user's", "provenance", HOPS, "without_login", "if origin.own or", "if True or"),
    ("a page under another name is answered", "web-gateway", GATE, "Entrance._judge",
     'headers.get("host", "") not in self._hosts', "False"),
    ("a page of another server is answered", "web-gateway", GATE, "Entrance._is_ours",
     'self._origins.issuperset(headers.getlist("origin")) and ', ""),
    ("anybody is answered", "web-gateway", GATE, "Entrance._judge",
     "not any(hmac.compare_digest(given, self._cookie.encode()) for given in _cookies(headers))", "False"),
    ("what is shown has our rights", "web-gateway", "web/octets.py", "", '"sandbox; default', '"default'),
    ("a link may say who named it", "web-gateway", "web/links.py", "Links.read",
     'hmac.compare_digest(proof.encode(), fields.get("s", "").encode("utf-8", "replace"))', "proof"),
    ("a ticket is for every session", "web-gateway", "web/terminal.py", "Terminals.session",
     "self._tickets.take(", "next(iter(self._tickets._kept.values()), None) or ("),
    ("a model reaches this machine", "tools-for-models", "cli/mcp.py", "", "Policy.untrusted()", "Policy.default()"),
    ("a name may be a path", "tools-for-models", TOOLS, "Tools._save",
     "safe_name(last if name is None else name)", "(last if name is None else name)"),
    ("a model writes files by put", "tools-for-models", TOOLS, "Tools.put", 'target.scheme == "file"', "False"),
    ("the user's passwords are used", "tools-for-models", TOOLS, "restricted", "netrc=False", "netrc=True"),
    ("the folder is looked up by its name", "tools-for-models", TOOLS, "Tools._save",
     "folder=self._folder)", "folder=os.open(self._rights.folder, os.O_RDONLY))"),
    ("whoever connects is served", "tools-for-models", "mcp/server.py", "OneToken.verify_token", "if not hmac", "if not 1 or not hmac"),
    ("a stranger's link acts with cookies", "cookies", COOKIES, "exchange",
     "hops.may_use_cookies(url, came_from, begun_by_user)", "True"),
    ("a cookie goes to a sibling", "cookies", COOKIES, "CookieJar._keep", "or _is_public(domain)):", "or False):"),
    ("cookies are kept unasked", "cookies", "access/options.py", "", "COOKIES_OFF", "COOKIES_OFF"),
    ("anybody reads the file of cookies", "cookies", "access/cookie_file.py", "write_cookies", "0o600", "0o644"),
    ("a copy is read by another grammar", "one-reading", "url/url.py", "URL.__reduce__", "self.grammar)", '"current")'),
    ("what is stored is read by another grammar", "one-reading", "url/stored.py", "to_stored",
     'if url.grammar == "current" else f"{url.grammar} {url}"', ""),
    ("a gateway is told the text", "one-reading", GATEWAYS, "_as_read_today", 'url.normalize("current")', "url"),
    ("a line goes out", "delimiters", "schemes/kit/scheme.py", "refuse_octets", "if octet in data:", "if False:"),
    ("NUL goes out", "delimiters", "url/syntax.py", "_line", '"forbidden": CR_LF_NUL', '"forbidden": b"\\r\\n"'),
    ("an answer ends its form", "delimiters", "schemes/gopher/parts.py", "GopherParts.answers", 'answer == "." or ', ""),
    ("a login has lines", "delimiters", LOGIN, "_basic", ' or _has_control(user + password)', ""),
    ("whatever is true is a yes", "consent", QUESTIONS, "_check_consent", "if answer is True:", "if answer:"),
    ("nobody is asked", "consent", QUESTIONS, "Questions.consent", "= self._scheduler.ask_consent",
     "= self._scheduler.ask_consent or (lambda question: True)"),
    ("the policy has no say", "consent", QUESTIONS, "Questions.consent",
     "policy.judge_delivery(task.url, task.came_from).check()", "pass"),
    ("a URL sets any field", "consent", "schemes/mailto/draft.py", "_take_field", "name not in SAFE_FIELDS", "False"),
    ("a line of a message ends it", "consent", "schemes/mailto/wire/smtp.py", "stuffed",
     'message.replace(b"\\r\\n.", b"\\r\\n..")', "message"),
    ("a data connection has a host of its own", "data-connections", "schemes/ftp/transfer.py", "_open_data",
     "data: Channel = yield ConnectData(control.channel, port)",
     "from anyurl.dialogue import Connect\n            data: Channel = yield Connect(control.host, port)"),
    ("a database leads elsewhere", "data-connections", "schemes/wais/parts.py", "", 'if "@" in parts.database:', "if False:"),
    ("a number is a name", "ambiguous-syntax", "guard/ambiguity.py", "is_unclear", "if number or not", "if not"),
    ("a host has escapes", "ambiguous-syntax", "guard/ambiguity.py", "", "\\x7f:%[", "\\x7f:["),
    ("a secret shows itself", "passwords", "dialogue/secret.py", "Secret.__repr__", '"Secret(***)"', "self._text"),
    ("a URL shows its password", "passwords", "url/url.py", "URL.__repr__", "self.masked", "self._text"),
    ("the processes' list has the password", "passwords", "cli/argv.py", "hide", 'b"*" * len(secret)', "secret"),
    ("a record has the password", "passwords", "logs.py", "judged", "what.masked", "str(what)"),
    ("a proxy looks the name up", "behind-a-proxy", ATTEMPT, "ConnectAttempt._looked_up",
     "(without_zone(address), port)", "(host, port)"),
    ("a proxy may be anywhere", "behind-a-proxy", CONNECTOR, "Connector._judge",
     "self.policy.judge_proxy_address(address, port)", "self.policy.judge_port(port, scheme)"),
    ("a login goes wherever a URL leads", "logins", "access/logins.py", "login_for",
     "not hops.may_use_secrets(url, came_from)", "False"),
    ("a password goes in clear where Digest was offered", "logins", LOGIN, "_offer", '"digest" in schemes or ', ""),
    ("a login is not asked for", "logins", LOGIN, "fetch", 'login.kind in ("basic", "bearer")', "login.kind"),
    ("a path leads out of the gateway's folder", "gateways", GATEWAYS, "_leads_out",
     '.replace(b"\\\\", b"/")', ""),
    ("a gateway gets the password", "gateways", GATEWAYS, "_elsewhere", "bare.replace(password=None)", "bare"),
    ("a gateway is a way round the policy", "gateways", GATEWAYS, "_judge", "policy.judge_url", "Policy.open().judge_url"),
    ("a field ends its place", "gateways", GATEWAYS, "Gateway.locator", "re.sub(_NOT_IN_A_PATH, _encoded, values[match[1]])", "values[match[1]]"),
    ("a gateway near by leads inward", "gateways", REDIRECT, "RedirectChain._redirect", "if stays else origin.scope", ""),
    ("a stranger's link acts at the gateway", "gateways", REDIRECT, "RedirectChain._begin", "not lead.own", "False"),
    ("a terminal is asked", "terminals", SCREEN, "", '"mABCDEFGHIZadefJKLMPSTX@`rsu"', '"mABCDEFGHIZadefJKLMPSTX@`rsunc"'),
    ("a service sets the clipboard", "terminals", SCREEN, "", '_STRINGS = "]PX^_"', '_STRINGS = "PX^_"'),
    ("the user of a URL is typed", "terminals", "schemes/telnet/verbs.py", "get",
     "Send(channel, codec.begin())", 'Send(channel, codec.begin() + (url.user or "").encode())'),
    ("a bomb goes off", "limits", "net/http/coding.py", "ContentDecoder.decode",
     "self._decoded > self._max_ratio * self._coded", "False"),
    ("heads are endless", "limits", "net/http/head.py", "read_head",
     'len(b"".join(lines)) > limits.header_bytes', "False"),
    ("a body is endless", "limits", "net/task.py", "Task.check_emitted", "self.emitted > self.byte_limit", "False"),
    ("another adapter sends", "adapters", REQUESTS, "GuardedSession.get_adapter",
     "not isinstance(adapter, GuardedAdapter)", "False"),
    ("a part has the final name", "complete-files", "access/save.py", "Destination.__exit__", "self.close()", "self.finish()"),
)  # fmt: skip
