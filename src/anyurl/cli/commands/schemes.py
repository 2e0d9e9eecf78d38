"""``anyurl schemes``: the known schemes, and the verbs of each (RFC 1738 sections 2 and 4)."""

from __future__ import annotations

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, as_command
from anyurl.cli.config import PROGRAMS
from anyurl.cli.options import json_option, plugin_option
from anyurl.cli.records import PLUGIN, REGISTRATION, SCHEME
from anyurl.cli.settings import gateway_option
from anyurl.cli.terminal.console import Console


@as_command("schemes")
@Parameter("--all", "everything", is_flag=True, help="Also list the schemes that are known by name only.")
@Parameter(
    "--registry", is_flag=True, help="List IANA's registry instead: status, template and reference of each name."
)
@Parameter("--plugins", is_flag=True, help="List the installed plug-ins instead, without loading them.")
@gateway_option
@plugin_option
@json_option
def command(console: Console, everything: bool, registry: bool, plugins: bool, gateway: dict[str, str]) -> int:
    """List the schemes and their verbs.

    The verbs are the operations of RFC 1738 section 2: access (get, list, search), find attributes (stat), replace
    (put) and update (append). A scheme behind a gateway has the verbs of the gateway; a scheme with a program
    in the settings file has get.
    """
    if registry:
        return _list_registry(console)
    if plugins:
        return _list_plugins(console)
    from anyurl.client.gateways import PROXY, Gateways
    from anyurl.client.patterns import ANY
    from anyurl.schemes import registry as schemes
    from anyurl.schemes.kit.scheme import VERBS
    from anyurl.schemes.known import MEANINGS
    from anyurl.url import syntax

    gateways = {str(each.pattern): each for each in Gateways(gateway)}
    table = schemes.verb_table()
    if everything:
        table |= {name: () for name in schemes.known_schemes() if name not in table}
    programs = {name: line for name, line in console.settings.get(PROGRAMS, {}).items() if not table.get(name)}
    table |= dict.fromkeys(programs, ("get",))
    table |= {pattern: each.verbs for pattern, each in gateways.items()}
    rows = []
    for name, verbs in sorted(table.items()):
        scheme = name.partition(":")[0]
        row = syntax.row(scheme) if scheme != ANY else None
        reference, port = (row.reference, row.port) if row is not None else ("", None)
        gate = gateways.get(name)
        way = "" if gate is None else f"{PROXY} {gate.template}" if gate.is_proxy else gate.template
        program = None if way else programs.get(name)
        if scheme in schemes.spoken():
            summary = schemes.find_scheme(scheme).summary
        else:
            summary = f"known by name only: {MEANINGS[scheme]}" if scheme in MEANINGS else "known by name only"
        if console.json:
            values = (name, reference, summary, list(verbs), port, way or None, program)
            console.record(dict(zip(SCHEME, values, strict=True)))
        marks = [verb if verb in verbs else "-" for verb in VERBS]
        through = f"through {way}" if way else f"by the program {program}" if program else summary
        rows.append([name, *marks, reference, through])
    if not console.json:
        console.page(
            ["scheme", *["" for _ in VERBS], "reference", "summary"], rows, elastic=("summary",), spare=("reference",)
        )
    return exits.OK


def _list_registry(console: Console) -> int:
    from anyurl.schemes.iana import registrations

    rows = []
    known = list(registrations().values())
    for one in known:
        if console.json:
            values = (one.name, one.status, one.template or None, one.reference or None, one.updated)
            console.record(dict(zip(REGISTRATION, values, strict=True)))
        rows.append([one.name, one.status, one.reference or one.template])
    if not console.json:
        console.page(["scheme", "status", "defined by"], rows, elastic=("defined by",))
        console.tell(f"IANA's registry as of {known[0].updated}.")
    return exits.OK


def _list_plugins(console: Console) -> int:
    from anyurl.schemes import registry

    rows = []
    for point in registry.installed_plugins():
        package, version = ("", "") if point.dist is None else (point.dist.name, point.dist.version)
        scheme = registry.loaded_by(point)
        if console.json:
            console.record(dict(zip(PLUGIN, (point.name, package, version, point.value, scheme), strict=True)))
        rows.append([point.name, f"{package} {version}".strip(), point.value, scheme or "not loaded"])
    if not console.json:
        console.page(["plug-in", "package", "entry", "scheme"], rows, elastic=("entry",), spare=("package",))
    return exits.OK
