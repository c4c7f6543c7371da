"""An independent tracer to compare with: a pytest plugin on `sys.setprofile` that looks at every call
event, walks the whole stack and keeps sets. Slow and simple.

Writes `{test id: {phase: [[caller, callee], ...]}}` to the file `REFERENCE_OUTPUT`; a piece of code is
`path:first line`, the caller null if no frame of the tree is above. Sees this process and the threads
that `threading` starts; leaves out imports and fixtures of wider than function scope.
"""

import collections
import json
import os
import sys
import threading

import pytest

ROOT = os.path.realpath(os.getcwd())
OUTPUT = os.environ["REFERENCE_OUTPUT"]

seen = collections.defaultdict(lambda: collections.defaultdict(set))
current = [None]
places = {}


def place(code):
    if id(code) not in places:
        places[id(code)] = (find_place(code), code)
    return places[id(code)][0]


def find_place(code):
    path = os.path.realpath(os.path.join(ROOT, code.co_filename))
    if os.path.commonpath([ROOT, path]) != ROOT or not os.path.isfile(path):
        return None
    folder = os.path.dirname(path)
    while folder != ROOT:
        if os.path.basename(folder) == "site-packages" or os.path.exists(folder + "/pyvenv.cfg"):
            return None
        folder = os.path.dirname(folder)
    if os.path.splitext(path)[1] not in (".py", ""):
        return None
    return "%s:%d" % (os.path.relpath(path, ROOT), code.co_firstlineno)


def profile(frame, event, argument):
    if event != "call" or current[0] is None:
        return
    callee = place(frame.f_code)
    if callee is None:
        return
    stack = []
    while frame is not None:
        stack.append((place(frame.f_code), frame.f_code.co_name))
        frame = frame.f_back
    if any(where and name == "<module>" for where, name in stack):
        return
    caller = next((where for where, name in stack[1:] if where), None)
    test, phase = current[0]
    seen[test][phase].add((caller, callee))


def during(context):
    before, current[0] = current[0], context
    sys.setprofile(profile)
    threading.setprofile(profile)
    yield
    current[0] = before


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    yield from during((item.nodeid, "setup"))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    yield from during((item.nodeid, "call"))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef):
    if fixturedef.scope == "function":
        yield
    else:
        yield from during(None)


def pytest_sessionfinish():
    sys.setprofile(None)
    tests = {
        test: {phase: sorted(edges, key=str) for phase, edges in phases.items()}
        for test, phases in seen.items()
    }
    with open(OUTPUT, "w") as file:
        json.dump(tests, file)
