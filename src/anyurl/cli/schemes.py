"""``anyurl schemes``: which schemes there are, and what can be done with their URLs (RFC 1738 sections 2 and 4)."""

from __future__ import annotations

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, as_command
from anyurl.cli.console import Console
from anyurl.cli.options import json_option
from anyurl.cli.records import SCHEME
from anyurl.cli.settings import gateway_option


@as_command("schemes")
@Parameter("--all", "everything", is_flag=True, help="Also the schemes that are known by name only.")
@gateway_option
@json_option
def command(console: Console, everything: bool, gateway: dict[str, str]) -> int:
    """List the schemes, and what each can do.

    The verbs are the operations of RFC 1738 section 2: access (get, list, search), find attributes (stat), replace
    (put) and update (append). A scheme that has a gateway is reached through it, and only to read.
    """
    from anyurl.access.gateways import READING, Gateways
    from anyurl.schemes import registry
    from anyurl.schemes.kit.scheme import VERBS
    from anyurl.url import syntax

    gateways = {each.scheme: each.template for each in Gateways(gateway)}
    table = registry.verb_table()
    if everything:
        table |= {name: () for name in registry.known_schemes() if name not in table}
    table |= dict.fromkeys(gateways, READING)
    rows = []
    for name, verbs in sorted(table.items()):
        row = syntax.row(name)
        template = gateways.get(name)
        summary = registry.find_scheme(name).summary if name in registry.spoken() else "known by name only"
        if console.json:
            values = (name, row.reference, summary, list(verbs), row.port, template)
            console.record(dict(zip(SCHEME, values, strict=True)))
        marks = [verb if verb in verbs else "-" for verb in VERBS]
        rows.append([name, *marks, row.reference, summary if template is None else f"through {template}"])
    if not console.json:
        console.page(
            ["scheme", *["" for _ in VERBS], "reference", "summary"], rows, elastic=("summary",), spare=("reference",)
        )
    return exits.OK
