"""Prints what is installed in this environment, as JSON.

Usage: describe_environment.py TREE. `project` is the distribution installed from TREE, with its
requirements by extra ("" without one); markers are evaluated for this interpreter.
"""

import json
import os
import re
import sys
from importlib import metadata
from urllib.parse import unquote, urlparse

from pip._vendor.packaging.requirements import Requirement


def normal(name):
    return re.sub(r"[-_.]+", "-", name or "").lower()


def origin(distribution):
    """The folder that a distribution was installed from."""
    try:
        url = json.loads(distribution.read_text("direct_url.json") or "{}").get("url", "")
    except ValueError:
        return None
    return os.path.realpath(unquote(urlparse(url).path)) if url.startswith("file:") else None


def requirements(distribution, extras):
    """Requirement lines that apply here, by extra."""
    found = {extra: [] for extra in extras}
    for line in distribution.requires or []:
        requirement = Requirement(line)
        marker, requirement.marker = requirement.marker, None
        for extra in extras:
            holds = marker is None or marker.evaluate({"extra": extra})
            if holds and (extra == "" or not marker_holds_without_extra(marker)):
                found[extra].append(str(requirement))
    return found


def marker_holds_without_extra(marker):
    return marker is None or marker.evaluate({"extra": ""})


def main(tree):
    packages, project = {}, None
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if not name:
            continue
        packages[normal(name)] = distribution.version
        if origin(distribution) == os.path.realpath(tree):
            extras = [""] + (distribution.metadata.get_all("Provides-Extra") or [])
            project = {"name": name, "requirements": requirements(distribution, extras)}
    print(json.dumps({"packages": packages, "project": project}))


if __name__ == "__main__":
    main(sys.argv[1])
