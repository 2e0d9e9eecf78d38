"""Write the SBOM of the package: what lies in it, and what it asks for. Called by `scripts/sbom`.

Nothing is written twice: the project and its requirements are those of pyproject.toml, the files of others those that
`scripts/terminal` brings. A requirement has no version, for the one that is installed is chosen by pip.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
VERSION = re.search(r'__version__ = "(.+)"', Path("src/anyurl/_version.py").read_text("utf-8"))[1]
BROUGHT = re.findall(r"(?m)^bring (\S+) (\S+) \S+ \\\n +([0-9a-f]{128})", Path("scripts/terminal").read_text("utf-8"))
EXTRAS = {
    name: extra for name, extra in PROJECT["optional-dependencies"].items() if name not in ("all", "fuzz", "test")
}


def required(requirement: str, scope: str, extra: str = "") -> dict[str, object]:
    """A package that pip brings."""
    name = re.match(r"[\w.-]+", requirement)[0].lower()
    told = {"anyurl:requirement": requirement} | ({"anyurl:extra": extra} if extra else {})
    properties = [{"name": key, "value": value} for key, value in told.items()]
    ref = f"{name} of {extra}" if extra else name
    return {
        "type": "library",
        "bom-ref": ref,
        "name": name,
        "purl": f"pkg:pypi/{name}",
        "scope": scope,
        "properties": properties,
    }


def brought(name: str, version: str, sha512: str) -> dict[str, object]:
    """A package of npm whose files lie in ours."""
    purl = f"pkg:npm/{name.replace('@', '%40')}@{version}"
    licenses, hashes = [{"license": {"id": "MIT"}}], [{"alg": "SHA-512", "content": sha512}]
    return {
        "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, "licenses": licenses,
        "hashes": hashes,
    }  # fmt: skip


itself = {
    "type": "library", "bom-ref": "anyurl", "name": PROJECT["name"], "version": VERSION,
    "purl": f"pkg:pypi/{PROJECT['name']}@{VERSION}", "description": PROJECT["description"],
    "licenses": [{"expression": PROJECT["license"]}], "components": [brought(*one) for one in BROUGHT],
}  # fmt: skip
components = [required(one, "required") for one in PROJECT["dependencies"]]
components += [
    required(one, "optional", extra)
    for extra, requirements in EXTRAS.items()
    for one in requirements
    if not one.startswith("anyurl[")
]
bom = {
    "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6",
    "version": 1, "metadata": {"component": itself}, "components": components,
    "dependencies": [{"ref": "anyurl", "dependsOn": [component["bom-ref"] for component in components]}],
}  # fmt: skip
json.dump(bom, sys.stdout, indent=2)
