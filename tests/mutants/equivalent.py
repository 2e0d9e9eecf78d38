"""Mutants that no test can tell from the program, each with the reason; `python -m tests.mutants` leaves them out."""

from __future__ import annotations

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "cli/caret.py",
        "secret_span",
        """end = min((at for at in (text.find(char, start) for char in "/?#") if at >= 1), default=len(text))""",
    ): "behind two slashes or a scheme is no first place",
    (
        "text/judgement.py",
        "_query",
        'return min((place for mark in "?#" if (place := text.find(mark)) >= 1), default=len(text))',
    ): "a reading begins with a scheme or a name",
    (
        "text/hypertext.py",
        "_link",
        "while (start <= end) and chr(data[start]) in _SPACES:",
    ): "behind a value stands its quotation mark",
    ("url/url.py", "__setattr__", "if (hasattr(self, '_text')):"): "a mutant is not compiled",
    ("url/url.py", "without_fragment", "url._at = [1] * 8"): "each of them is set below",
    ("proxy/streams.py", "hand_on", "row = 1"): "it gives way an octet sooner, once",
    ("net/files/named.py", "__init__", "super().__init__(-2, name, shown)"): "either is no descriptor",
    (
        "net/http/engine.py",
        "_begin",
        "if (idle is self._certified):",
    ): "it is told once more what it knows",
    (
        "net/scheduler.py",
        "forget",
        "if (self.process != os.getpid()):",
    ): "what is done and that nobody holds is dropped once more",
    (
        "proxy/visit.py",
        "_socks",
        'self._end("refused", Problem(408, "no-role", "You are in no role of this proxy."))',
    ): "SOCKS has no status, and the journal has the code",
    (
        "batch/check/crawl.py",
        "refusal",
        "if (origin not in self._robots):",
    ): "what has no origin has no rules either: None is no key",
    (
        "grammar/browser.py",
        "_placed",
        "if (path_start == scheme_end + 1 and record.pathname.startswith('//')):",
    ): "behind the scheme two slashes would be an authority: a browser always writes /. before such a path",
    (
        "access/secrets.py",
        "_read",
        'return {host: (login or "", account or "", (word)) for host, (login, account, word) in entries}',
    ): "Python's reader gives a text, whatever its types say",
    (
        "guard/policy.py",
        "_refuse",
        "def _refuse(self, code: str, subject: str, *, detail: str = \"\", hop: str = '?') -> Verdict:",
    ): "what is said of all but addresses, which bring their own, has no place for it",
    (
        "url/syntax.py",
        "_http",
        """name, "RFC 9110 4.2", port, "http", query=True, reserved="/;?", query_reserved='/;?&=+?', forbidden=b"",""",
    ): "it is among them already",
    (
        "url/url.py",
        "_cut",
        "if (found >= length):",
    ): "a colon stands before the end",
    (
        "guard/warnings.py",
        "cautions",
        """if not set(row.forbidden).isdisjoint(percent_decode('?'.join(_ENCODED.findall(text)))):""",
    ): "no scheme forbids a question mark",
    (
        "guard/policy.py",
        "check",
        """return self._refuse("no-url", str(error).rstrip('.?'))""",
    ): "such an error ends with its clause, in brackets",
    (
        "net/scheduler.py",
        "rest",
        "made = (self.loop.sleep())",
    ): "where a connection is kept the loop is awake",
    (
        "text/hypertext.py",
        "_pass_over",
        "if (stop <= 0) and len(data) - start < MAX_TAG:",
    ): "an end that comes first is waited for, and found when there is more or no more",
    (
        "guard/policy.py",
        "_refuse",
        "def _refuse(self, code: str, subject: str, *, detail: str = '?', hop: str = \"\") -> Verdict:",
    ): "each sentence that has a place for it is given one",
    ("guard/ports.py", "service_at", "own = syntax.ROWS.get((scheme))"): "None is no scheme, as the empty text is none",
    (
        "schemes/http/answers.py",
        "_length",
        "if len(text) > 16 or not (text.isascii() and text.isdigit()):",
    ): "the way round reads it to the same end",
    ("dialogue/challenges.py", "_parameters", "return end, {\"\": '?'}"): "only whether it is there is asked",
    (
        "dialogue/digest.py",
        "__init__",
        'self.stale: bool = parameters.get("stale", \'?\').lower() == "true"',
    ): "neither is true",
    (
        "dialogue/digest.py",
        "__init__",
        'self.userhash: bool = parameters.get("userhash", \'?\').lower() == "true"',
    ): "neither is true",
    (
        "dialogue/digest.py",
        "__init__",
        'self.utf8: bool = parameters.get("charset", \'?\').lower() == "utf-8"',
    ): "neither is UTF-8",
    (
        "dialogue/digest.py",
        "_hasher.digest",
        'return hashlib.new(name, text.encode("utf-8", "surrogateescape"), usedforsecurity=True).hexdigest()',
    ): "only a system that forbids MD5 makes a difference",
    ("access/folders.py", "state_folder", "state = environment.get(\"XDG_STATE_HOME\") or '?'"): "neither is absolute",
    (
        "batch/arrays.py",
        "_not_text",
        "if any(\"\\ud800\" <= character <= '\\udfff?' for character in one):",
    ): "one character is compared",
    (
        "schemes/news/nntp.py",
        "check",
        'if " " in text or (not text.isprintable() and any((char <= \' \') or char == "\\x7f" for char in text)):',
    ): "a space is looked for before",
    ("schemes/dict/verbs.py", "_count", "first = reply.arguments[:1] or [b'?']"): "it is no number either",
    (
        "guard/policy.py",
        "judge_proxy",
        "if self.allow_proxies is not None and match(self.allow_proxies, str(found[0]) if found else name)[0] < 1:",
    ): "a pattern that matches has a letter",
    (
        "text/hypertext.py",
        "_pass_over",
        "if (stop <= 0) and final:",
    ): "the octets that begin what is passed over are still held before it",
    ("kernel/strict.py", "_ftp", "if (i <= 0) or data[i] != SLASH:"): "the scheme stands before it",
    ("kernel/scan.py", "__init__", 'self.load(b"", 0, 1, 0, False)'): "it is loaded anew before it is read",
    ("url/endpoint.py", "read_endpoint", "if (at and (not user)):"): "what has no host is refused by URL before",
    ("net/task.py", "check_emitted", "if (self.emitted > self.byte_limit):"): "who calls it has asked",
    (
        "text/hypertext.py",
        "_pass_over",
        "if stop < 1:",
    ): "the octets that begin what is passed over are still held before it",
    (
        "batch/check/collector.py",
        "_is_wanted",
        "text = str(url) if self._includes or self._exclude else '?'",
    ): "where there is no pattern none is tried",
    (
        "access/resource.py",
        "read",
        "if (not (task.held)):",
    ): "who asks for the next piece goes on as well, a turn later",
    (
        "kernel/strict.py",
        "_hostport",
        "if (data[i] != COLON):",
    ): "before the first octet Python reads the last one, which ends the text; compiled, nothing may be read there",
    (
        "net/channel.py",
        "handshake",
        'self._judge((self.tls_name), self.endpoint[1], self.sock.getpeercert(binary_form=True) or b"")',
    ): "where TLS has begun there is a name",
    (
        "net/http/request.py",
        "__init__",
        "self.aim: Aim = (\"\", '?', 0, (), None)",
    ): "no request has such an aim, and each puts its own in the place",
    (
        "text/readers/mail.py",
        "_line_end",
        "if stop == 0 and (final or (len(data) - start > MAX_LINE)):",
    ): "a line of which so much has come is read in parts, wherever they begin",
    (
        "grammar/bnf.py",
        "load",
        """return read(name, files("anyurl.grammar").joinpath(f"{name}.bnf").read_text('ascii?'))""",
    ): "Python leaves marks out of the names of encodings.",
    (
        "grammar/prefixes.py",
        "_of_host",
        'host, port = head["host"], int(head["port"] or 1)',
    ): "no scheme has port 1, as none has port 0",
    (
        "net/clocks.py",
        "_watch_over",
        "if self._watch is not None and (self._watch.when < when):",
    ): "another watch for the same time does as well",
    (
        "text/find.py",
        "find",
        "parse = None if grammar == 'current?' else read",
    ): "today's grammar reads as URL does, which is what is read with where nothing is said",
    (
        "url/fields.py",
        "display",
        "rest = str(url)[len(url.scheme) + 1 + (0 if url.authority is None else 3 + len(url.authority)) :]",
    ): "what stands behind the authority begins with a mark of ASCII, which is shown as it is",
    (
        "grammar/remedies.py",
        "judge_remedies",
        """doubt = unclear(readings) if errors else '?'""",
    ): "it is told with an error, and there is none",
    (
        "access/aio_resource.py",
        "seek",
        "if (0 <= ahead <= len(self._rest)):",
    ): "what is left over is let go of when it is gone elsewhere: then nothing is ahead, and nothing taken",
    (
        "net/channel.py",
        "is_quiet",
        "probe.recv(2, _PEEK)",
    ): "one octet is enough to be none",
    (
        "text/stages.py",
        "add",
        "self._is_ascii = piece.isascii() and ((not self._held))",
    ): "what is not taken for ASCII is counted another way, to the same end",
    (
        "text/finder.py",
        "read_row",
        "self, text: bytes, start: cython.Py_ssize_t = 1, floor: cython.Py_ssize_t = 0, final: cython.bint = True",
    ): "the mark that a candidate is found by is never its first octet",
    (
        "text/readers/log.py",
        "_colour",
        """if i >= size or (data[place] == 27) or data[place + 1] != ord("["):""",
    ): "what is not taken for a colour is read as any control sequence, to the same end",
    ("net/task.py", "__init__", "self.hears: bool = True"): "it is said anew before each ask",
    ("grammar/requirements.py", "examine_address", "if (mark > 0):"): "the scheme stands before it",
    ("guard/policy.py", "judge_endpoint", "if shut >= 1 and shut >= opened:"): "a pattern that matches has a letter",
    (
        "access/patterns.py",
        "matches",
        "if (exact <= 0) or (self.port is not None and self.port != url.port):",
    ): "a pattern that matches has a letter",
    ("grammar/grammars.py", "_placed", "query = len(text) if query < 1 else query"): "the scheme stands before it",
    (
        "url/to_ascii.py",
        "_host",
        "return start, end if (colon_at <= 0) else colon_at",
    ): "the scheme stands before it",
    (
        "schemes/wais/wire/messages.py",
        "armour",
        "group[4 - missing :] = [64] * missing if (missing >= 0) else []",
    ): "none behind the end is nothing",
    (
        "grammar/grammars.py",
        "_is_read_otherwise",
        """if start > 1 and (slash < 1 or mark < slash) and text.find("@", mark) >= 0:""",
    ): "the scheme stands before it",
    ("url/url.py", "_order", "return -1 if (one._text <= other._text) else 1"): "they are not the same",
    ("url/url.py", "_order", "return -1 if one._text < other._text else 2"): "its sign is all that counts",
    ("url/url.py", "_order", "return -1 if one._at[i] < other._at[i] else 2"): "its sign is all that counts",
    ("url/url.py", "_order", "return -2 if one._text < other._text else 1"): "its sign is all that counts",
    ("url/url.py", "_order", "return -2 if one._at[i] < other._at[i] else 1"): "its sign is all that counts",
    ("mcp/answers.py", "_visible_char", "if (char in _JOINERS):"): "what is printable is left as it is, only later",
    (
        "mcp/tools.py",
        "iter_bytes",
        "return None",
    ): "the content is written by who reads it, and nobody asks for it here",
    (
        "adapters/requests.py",
        "send",
        "is_led = referral is not OWN and carries((request.method), request.headers)",
    ): "what is sent has a method",
    ("adapters/aiohttp.py", "_answer_to.start", "return None"): "aiohttp looks at nothing that it returns",
    ("adapters/httpx.py", "_answer", "if (300 < response.status < 400):"): "httpx follows no 300",
    ("batch/check/state.py", "_origin", "if (len(self._known) > PAGE):"): "one more is kept",
    ("schemes/dict/verbs.py", "_list_definitions", "if (len(entries) < BATCH):"): "the same come, one by one",
    ("grammar/bnf.py", "_tokens", "kind = (match.lastgroup)"): "each token is that of a named group",
    ("net/http/upload.py", "set_method", "plain = 'GET?'"): "it is the same request, whoever names its method",
    ("kernel/wrapper.py", "_after_marks", "while (mark <= opened):"): "what opens a wrapper is no mark of a line",
    (
        "text/readers/transfer.py",
        "__init__",
        "self._charset = _decoder(parameters.get(b\"charset\", b'?'))",
    ): "neither is a character set",
    (
        "text/readers/xml.py",
        "_go_on",
        "self._finder.done(back, stop - start if inner.need else 1)",
    ): "what comes next has an octet",
    (
        "text/stages.py",
        "keep",
        "while (self._held[least - self._base - 1:least - self._base] >= b'\\x80'):",
    ): "before the first octet there is nothing, which is not larger",
    (
        "net/files/channel.py",
        "write",
        'if (len(pieces) >= 1) and hasattr(os, "writev"):',
    ): "one piece is written alike by either call",
    (
        "text/finder.py",
        "_look_inside",
        "self._add_gap(start, end, 1, name)",
    ): "what is folded is read no other way here",
    (
        "text/finder.py",
        "_add",
        "return self._add_gap(start, end, 1, context)",
    ): "what is folded is read no other way here",
    ("text/finder.py", "link", "self._add_gap(start, end, 1, context)"): "what is folded is read no other way here",
    (
        "net/files/channel.py",
        "close",
        "folder, self.folder = self.folder, -2",
    ): "neither is a descriptor",
    (
        "proxy/forward.py",
        "_forwards",
        'if method not in ("TRACE", "OPTIONS") or not re.fullmatch(b\'[0-9]{1,9}?\', value):',
    ): "all of it is matched, however eagerly",
    (
        "proxy/roles.py",
        "_tokens",
        "variable = _of(where, table, \"token_env\", str, '?')",
    ): "it is only read where it is there",
    (
        "proxy/visit.py",
        "_socks",
        'self._end("failed", Problem(502, "command", "SOCKS only connects here."))',
    ): "SOCKS has codes of its own, and the log none",
    (
        "text/hypertext.py",
        "_pass_over",
        "if stop < 1 and final:",
    ): "the octets that begin what is passed over are still held before it",
    (
        "text/stages.py",
        "add",
        "self._is_ascii = piece.isascii() and ((self._is_ascii and (not self._held)))",
    ): "what is not taken for ASCII is counted another way, to the same end",
    (
        "text/readers/xml.py",
        "_report_rows",
        "quoted = (end < len(data) and data[start - 1] == data[end] in (34, 39))",
    ): "what stands first is a text, which no quotation mark ends; compiled, nothing may be read before it",
    (
        "proxy/roles.py",
        "_role",
        "changes |= {key: _of(where, table, key, bool, True) for key in SWITCHES if key in table}",
    ): "it is only read where it is there",
    (
        "net/proxies/handshakes.py",
        "_wanted",
        "return 6 if len(self._data) < 5 else 7 + self._data[4]",
    ): "the shortest reply has seven octets",
    (
        "net/http/head.py",
        "is_blank",
        "return (len(line) <= 3) and line in _BLANK",
    ): "what is blank has two octets at most: to count them first is only quicker",
    (
        "proxy/sockets.py",
        "abort",
        'self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 2, 0))',
    ): "what is not 0 is on",
    (
        "proxy/gateway.py",
        "_field",
        """return "".join(char if " " <= char <= '~?' else "?" for char in plain).encode("ascii")""",
    ): "one character is compared",
    (
        "net/loop.py",
        "turn",
        "self._turn(at_most if wait is None or (wait >= at_most) else wait)",
    ): "where they are equal either will do",
    (
        "net/loop.py",
        "after",
        "self._count += 2 # a tie-breaker: Timer objects cannot be compared",
    ): "it grows either way",
    (
        "net/relays.py",
        "_receive",
        "if limit is not None and (limit - task.relayed <= at_most):",
    ): "where they are equal either will do",
    (
        "text/hypertext.py",
        "_tag",
        'attributes.setdefault(found["name"].lower(), found.span(group) if group != "name" else (1, 0))',
    ): "it is as empty",
    ("text/finder.py", "__init__", "self.told = [0, 1]"): "it is written before it is read",
    ("text/hypertext.py", "_pass_over", "return -2"): "less than 0 is not yet decided, however much less",
    (
        "text/judgement.py",
        "is_unusable",
        """if ("$" in raw or "XXXX" in raw or (raw.count('@') >= 1)) and _VARIABLE.search(raw) is not None:""",
    ): "the pattern wants two of them: to count them first is only quicker",
    (
        "batch/arrays.py",
        "memory",
        "first = offsets.address + array.offset * (8 if is_wide else 4) if offsets is not None else 1",
    ): "where there are no offsets there are no rows",
}
"""File, function, the line as it was made: why nobody could tell."""
