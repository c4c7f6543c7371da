import multiprocessing
import os
import subprocess
import sys
import threading
import unittest

import pytest

from lib import calls, flows

CALLS = [
    "sort_it", "use_cached", "use_plain", "use_sub", "use_data", "use_pair", "use_prop", "set_prop",
    "use_meta", "use_subclass", "use_descriptor", "comprehensions", "generator_expression",
    "use_lambda", "closure", "run_exec", "use_manager", "in_thread", "catcher", "recursion",
    "lazy", "reducer", "use_dispatch", "use_map", "use_partial", "conditional",
]  # fmt: skip
FLOWS = ["use_delegate", "close_early", "throw_into"]


@pytest.mark.parametrize("name", CALLS)
def test_call(name):
    getattr(calls, name)()


@pytest.mark.parametrize("name", FLOWS)
def test_flow(name):
    getattr(flows, name)()


@pytest.mark.parametrize("name", ["outer", "tasks", "use_stream"])
def test_async(name):
    flows.run(getattr(flows, name))


def test_generator_used_elsewhere():
    flows.consume(flows.make_gen())


def test_generator_in_loop():
    flows.consume_in_loop(flows.make_gen())


def test_decorated():
    calls.decorated(1)


def test_fixtures(session_object, module_object, function_object):
    pass


def test_wider_fixtures(session_object, module_object):
    pass


def test_dynamic_fixture(request):
    request.getfixturevalue("dynamic")


def test_dynamic_fixture_again(request):
    request.getfixturevalue("dynamic")


def test_fixture_with_dynamic_fixture(through_dynamic):
    pass


def test_fixture_with_dynamic_fixture_again(through_dynamic):
    pass


def test_profile_hook_replaced():
    sys.setprofile(lambda *args: None)
    sys.setprofile(None)


def test_trace_hook_replaced():
    before = sys.gettrace()
    sys.settrace(lambda *args: None)
    calls.helper(1)
    sys.settrace(before)
    calls.key(1)


def test_after_hooks():
    calls.use_lambda()


def test_fork():
    child = os.fork()
    if child == 0:
        calls.closure()()
        os._exit(0)
    os.waitpid(child, 0)


def test_child():
    code = "from lib import calls; calls.use_prop(); import os; os._exit(0)"
    subprocess.check_call([sys.executable, "-c", code])


def test_killed_child():
    code = "from lib import calls; calls.use_map(); import os; os.kill(os.getpid(), 9)"
    subprocess.call([sys.executable, "-c", code])


def work(x):
    return calls.key(x)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pool(method):
    with multiprocessing.get_context(method).Pool(1) as pool:
        pool.map(work, [1])


def test_daemon_thread():
    started = threading.Event()

    def forever():
        calls.helper(1)
        started.set()
        threading.Event().wait()

    threading.Thread(target=forever, daemon=True).start()
    started.wait()


class TestCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        calls.use_map()

    def setUp(self):
        calls.catcher()

    def test_method(self):
        calls.use_partial()
