"""A pytest plugin that writes what a collection lacks to the file $LACUNA_COLLECT, as JSON.

The file is written at the end of the session; it is missing if pytest itself broke before.
"""

import json
import os

import pytest

found = {"tests": 0, "errors": {}, "modules": [], "fixtures": [], "markers": []}


def pytest_make_collect_report(collector):
    # Only here is the exception itself at hand; the report holds its text.
    original = collector.collect

    def collect():
        __tracebackhide__ = True
        try:
            return original()
        except BaseException as error:
            note_missing(error)
            raise

    collector.collect = collect


def note_missing(error):
    """Notes the last import that failed; those before it were alternatives."""
    seen = set()
    while error is not None and id(error) not in seen and not isinstance(error, pytest.skip.Exception):
        if isinstance(error, ModuleNotFoundError) and error.name:
            found["modules"].append(error.name)
            return
        seen.add(id(error))
        error = error.__cause__ or error.__context__


def pytest_collectreport(report):
    if report.failed:
        lines = str(report.longrepr).strip().splitlines()
        found["errors"][report.nodeid] = "\n".join(lines[-12:])


def pytest_collection_finish(session):
    found["tests"] = len(session.items)
    for item in session.items:
        info = getattr(item, "_fixtureinfo", None)
        if info is not None:
            found["fixtures"].extend(set(info.names_closure) - set(info.name2fixturedefs))
        found["markers"].extend({mark.name for mark in item.iter_markers()})


def pytest_sessionfinish():
    for kind in ("modules", "fixtures", "markers"):
        found[kind] = sorted(set(found[kind]) - {"request"})
    with open(os.environ["LACUNA_COLLECT"], "w") as file:
        json.dump(found, file)
