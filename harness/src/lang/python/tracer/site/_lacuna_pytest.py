"""Lacuna's pytest plugin: selects tests, reports what became of them, and tells the tracer which part
of the run is going on. Works with pytest 6 to 9.

The variable `LACUNA_RUN` names a JSON request. It is taken out of the environment at once: a pytest
that a test starts must not write into these results.
"""

import faulthandler
import glob
import json
import os
import sys

import pytest

from _lacuna_repository import Repository

LONGEST_MESSAGE = 2000

#: Options of plugins that would move tests to other processes, reorder, repeat or drop them, or
#: stop the run; what they are set to if the plugin is there.
NEUTRAL_OPTIONS = {
    "numprocesses": 0,
    "dist": "no",
    "tx": [],
    "distload": False,
    "looponfail": False,
    "maxfail": 0,
    "usepdb": False,
    "reruns": 0,
    "randomly_reorganize": False,
    "randomly_seed": 1,
    "random_order_enabled": False,
    "random_order_bucket": "default:module",
    "random_order_seed": "default:1",
}


def to_json(value, dumps=json.dumps, loads=json.loads):
    """JSON in ASCII. Half of a surrogate pair, as in undecodable file names, is no character outside
    Python: it becomes a question mark."""
    text = dumps(value)
    if "\\ud" in text:
        text = dumps(loads(dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()))
    return text


class Results:
    """A file of JSON lines. A test may close all open files, and the number may then be another file's."""

    # Tests replace functions of `os`; these are taken before any test runs.
    _open = staticmethod(os.open)
    _write = staticmethod(os.write)
    _fstat = staticmethod(os.fstat)
    _getpid = staticmethod(os.getpid)
    def __init__(self, path):
        self._path = path
        self._process = self._getpid()
        self._reopen()

    def write(self, event, **fields):
        """One event; a forked child that strays out of its test writes nothing."""
        if self._getpid() != self._process:
            return
        if not self._is_open():
            self._reopen()
        line = to_json(dict(fields, event=event)) + "\n"
        self._write(self._file, line.encode())

    def _reopen(self):
        self._file = self._open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._identity = self._identify()

    def _is_open(self):
        try:
            return self._identify() == self._identity
        except OSError:
            return False

    def _identify(self):
        status = self._fstat(self._file)
        return status.st_dev, status.st_ino


class NoContexts:
    """Stands for the contexts in an untraced run."""

    SESSION = None

    def open(self, kind):
        return None

    def enter(self, context):
        return None

    def leave(self):
        pass

    def arm(self):
        pass


class Contexts:
    """The tracer's contexts, as numbers with descriptions."""

    SESSION = (0, "session")

    def __init__(self, tracer):
        self._tracer = tracer

    def open(self, kind):
        """A new context; `kind` is what `ContextKind` in `trace.rs` looks like in JSON. Contexts of the
        same kind are joined when the trace is read."""
        description = to_json(kind)
        return self._tracer.recorder.open_context(description), description

    def enter(self, context):
        """Makes a context current; returns the one before."""
        return self._tracer.enter(*context)

    def leave(self):
        """The end of a test or of a file's collection."""
        self._tracer.leave()

    def arm(self):
        self._tracer.arm()


class Selection:
    """The tests to run: all, those of some paths, or those with given ids."""

    def __init__(self, request, repository):
        self._repository = repository
        self._ids = None if request.get("ids") is None else set(request["ids"])
        self._paths = request.get("paths")
        self._files = None

    def resolve(self, root):
        """Works out which files can hold selected tests; `root` is what ids are relative to."""
        if self._ids is not None:
            files = {test.split("::", 1)[0] for test in self._ids}
            self._files = [self._repository.relative(os.path.join(root, file)) for file in files]
        elif self._paths is not None:
            self._files = self._paths

    def places(self, config, starts):
        """Where to collect: where pytest starts, and what was asked for that lies elsewhere."""
        if getattr(config.known_args_namespace, "pyargs", False):
            return starts
        found = [self._repository.relative(start.split("::", 1)[0]) for start in starts]
        found = [start for start in found if start is not None]
        missed = [
            os.path.join(self._repository.root, file)
            for file in self._files or []
            if file and not any(_contains(start, file) or _contains(file, start) for start in found)
        ]
        return starts + [path for path in missed if os.path.exists(path)]

    def names(self):
        """Files that hold tests whatever they are called."""
        return [file for file in self._files or [] if file and file.endswith(".py")]

    def may_hold(self, path):
        """Whether a file or folder is, holds or lies in one of the selected files."""
        relative = self._repository.relative(str(path))
        if self._files is None or relative is None or None in self._files:
            return True
        if relative.rsplit("/", 1)[-1] == "__init__.py":
            return True
        return any(_contains(relative, file) or _contains(file, relative) for file in self._files)

    def takes(self, item):
        """Whether a test was asked for."""
        if self._ids is not None:
            return item.nodeid in self._ids
        if self._paths is not None:
            relative = self._repository.relative(str(item.fspath))
            return relative is not None and any(_contains(p, relative) for p in self._paths)
        return True


def _contains(folder, path):
    return folder in ("", path) or path.startswith(folder + "/")


class Plugin:
    """The hooks."""

    def __init__(self, request, tracer):
        self.repository = Repository(request["tree"])
        self.results = Results(request["results"])
        self.selection = Selection(request, self.repository)
        #: Seconds that a test may take.
        self.patience = request.get("patience")
        self.traced = tracer is not None
        self.contexts = Contexts(tracer) if self.traced else NoContexts()
        #: Fixture definition's id -> what is known of its present value.
        self.fixtures = {}
        self.fixture_names = {}
        self.setting_up = []
        self.imported = set()

    # Before collection.

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self, early_config):
        """Keeps pytest-cov from measuring: it starts before any other hook can say no. Lets pytest
        look for its first `conftest.py` files wherever it will collect."""
        known = early_config.known_args_namespace
        if hasattr(known, "cov_source"):
            known.cov_source = []
        self.selection.resolve(_root(early_config))
        starts = known.file_or_dir or _starts(early_config)
        places = self.selection.places(early_config, list(starts))
        if len(places) > len(starts):
            known.file_or_dir = places

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config):
        for name, value in NEUTRAL_OPTIONS.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        config.args = self.selection.places(config, list(config.args))
        # The list itself is what pytest asks.
        config.getini("python_files").extend(self.selection.names())

    # Collection.

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        path = self.repository.relative(_path(collector))
        context = self.contexts.SESSION
        if path and os.path.isfile(_path(collector)):
            context = self.contexts.open({"collect": {"path": path}})
        before = self.contexts.enter(context)
        outcome = yield
        self.contexts.enter(before)
        self.contexts.leave()
        self.contexts.arm()
        report = outcome.get_result()
        if report.failed:
            self._collection_error(path or collector.nodeid, report)

    def _collection_error(self, path, report):
        call = getattr(report, "call", None)
        excinfo = getattr(call, "excinfo", None)
        detail = self._detail(excinfo.value) if excinfo else _message(str(report.longrepr))
        self.results.write("collection_error", path=path, detail=detail)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, config, items):
        yield
        taken = [item for item in items if self.selection.takes(item)]
        if len(taken) < len(items):
            dropped = [item for item in items if not self.selection.takes(item)]
            items[:] = taken
            config.hook.pytest_deselected(items=dropped)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        self._write_imported()
        for item in session.items:
            path = self.repository.relative(_path(item))
            path = _path(item) if path is None else path
            function, origin = self._function(item)
            self.results.write("test", id=item.nodeid, path=path, function=function, origin=origin)
        self.results.write("collected")

    def _function(self, item):
        """The test function with the classes that it is collected in, and where it is defined if that
        is elsewhere; empty if the test's own file does not have it."""
        function = getattr(item, "function", None)
        module = getattr(item, "module", None)
        if function is None or module is None:
            return "", None
        name = getattr(item, "originalname", None) or item.name
        if getattr(item, "cls", None) is None:
            return name if _defined_in(module, function, name) else "", None
        classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
        collected = ".".join([*classes, name])
        for cls in item.cls.__mro__:
            if name in vars(cls):
                origin = self._origin(cls, name)
                here = [self.repository.relative(_path(item)), collected]
                return collected, None if origin == here else origin
        return collected, None

    def _origin(self, cls, name):
        """The file and the qualified name of a class's method; None if it is not the project's."""
        described = self.repository.describe_class(cls)
        return described and [described[0], "%s.%s" % (described[1], name)]

    # Tests.

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.results.write("start", id=item.nodeid)
        if self.patience:
            # A thread without Python ends the process even if the test lets nothing else run.
            faulthandler.dump_traceback_later(self.patience, exit=True, file=sys.__stderr__)
        yield
        if self.patience:
            faulthandler.cancel_dump_traceback_later()
        self.contexts.leave()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        before = self._enter_phase(item, "setup")
        yield
        self._write_fixtures(item)
        self._leave_phase(before)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        before = self._enter_phase(item, "call")
        yield
        self._leave_phase(before)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item):
        self._write_fixtures(item)
        before = self._enter_phase(item, "teardown")
        yield
        self._leave_phase(before)

    def _enter_phase(self, item, phase):
        kind = {"test": {"test": item.nodeid, "phase": phase}}
        return self.contexts.enter(self.contexts.open(kind))

    def _leave_phase(self, before):
        self.contexts.arm()
        self.contexts.enter(before)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        if call.excinfo is not None:
            report._lacuna_detail = self._detail(call.excinfo.value)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        expected = getattr(report, "wasxfail", None)
        detail = getattr(report, "_lacuna_detail", None)
        if detail is None and (expected is not None or report.outcome != "passed"):
            detail = _message(expected or str(report.longrepr or ""))
        self.results.write(
            "phase",
            id=report.nodeid,
            phase=report.when,
            outcome=report.outcome,
            expected_failure=expected is not None,
            seconds=report.duration,
            detail=detail,
        )

    # Fixtures of wider than function scope.

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef, request):
        if not self.traced or fixturedef.scope == "function":
            yield
            return
        fixture = Fixture(fixturedef, self._fixture_context(fixturedef))
        active = set(request._fixture_defs.values())
        self.setting_up.append(fixture)
        before = self.contexts.enter(fixture.context)
        yield
        self.contexts.enter(before)
        self.setting_up.pop()
        self.fixtures[id(fixturedef)] = fixture
        new = set(request._fixture_defs.values()) - active
        arguments = [request._fixture_defs.get(name) for name in fixturedef.argnames]
        fixture.uses = [other for other in [*new, *arguments] if other is not None]
        # Added last, so it runs first among the finalizers of this fixture itself.
        fixturedef.addfinalizer(lambda: self._begin_teardown(fixture))

    def _fixture_context(self, fixturedef):
        name = "%s::%s[%s]" % (fixturedef.baseid, fixturedef.argname, fixturedef.scope)
        count = self.fixture_names[name] = self.fixture_names.get(name, 0) + 1
        name = name if count == 1 else "%s #%d" % (name, count)
        return self.contexts.open({"fixture": {"name": name}})

    def _begin_teardown(self, fixture):
        fixture.before_teardown = self.contexts.enter(fixture.context)

    def pytest_fixture_post_finalizer(self, fixturedef):
        fixture = self.fixtures.get(id(fixturedef))
        if fixture is not None and fixture.before_teardown is not None:
            self.contexts.enter(fixture.before_teardown)
            fixture.before_teardown = None

    def _write_fixtures(self, item):
        """The wider fixtures that a test uses, also those asked for at run time and those which
        its fixtures use."""
        if not self.fixtures:
            return
        request = getattr(item, "_request", None) or getattr(item, "fixture_request", None)
        pending = list(getattr(request, "_fixture_defs", {}).values())
        found = {}
        while pending:
            fixture = self.fixtures.get(id(pending.pop()))
            if fixture is not None and id(fixture) not in found:
                found[id(fixture)] = fixture
                pending.extend(fixture.uses)
        if found:
            kinds = sorted(fixture.context[1] for fixture in found.values())
            self.results.write("fixtures", id=item.nodeid, contexts=kinds)

    # The end.

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, exitstatus):
        yield
        self._write_imported()
        self.results.write("end", exit=int(exitstatus))

    def _write_imported(self):
        """Where top-level modules came from, each once."""
        for name, module in sorted(sys.modules.copy().items()):
            if "." in name or name in self.imported:
                continue
            path = _module_path(module)
            if path:
                self.imported.add(name)
                self.results.write("imported", module=name, path=path)

    def _detail(self, error):
        """What is kept of an exception."""
        if type(error).__name__ == "CollectError" and error.__cause__ is not None:
            error = error.__cause__
        detail = _message(_text_of(error))
        detail["exception"] = type(error).__name__
        traceback = error.__traceback__
        while traceback is not None:
            code = traceback.tb_frame.f_code
            path = self.repository.locate(code.co_filename)
            if path is not None:
                detail["frames"].append([path, traceback.tb_lineno, code.co_name])
            traceback = traceback.tb_next
        return detail


class Fixture:
    """A value of a fixture of wider scope."""

    def __init__(self, definition, context):
        self.definition = definition  # keeps its id from being used again
        self.context = context
        self.uses = []
        self.before_teardown = None


def _root(config):
    """What ids are relative to; pytest 6.0 has `rootdir` only."""
    return str(getattr(config, "rootpath", None) or config.rootdir)


def _starts(config):
    """Where pytest starts if no arguments tell it."""
    patterns = config.getini("testpaths")
    found = [path for pattern in patterns for path in sorted(glob.iglob(pattern, recursive=True))]
    return found or [str(config.invocation_params.dir)]


def _path(node):
    """The file or folder of a collector or test; pytest 6 has `fspath` only."""
    return str(getattr(node, "path", None) or node.fspath)


def _ignore(plugin):
    """Hides files that hold no selected test. The argument's name depends on pytest's version, and
    asking for the old one is a warning in between."""
    if int(pytest.__version__.split(".")[0]) >= 7:

        def pytest_ignore_collect(collection_path):
            return None if plugin.selection.may_hold(collection_path) else True

    else:

        def pytest_ignore_collect(path):
            return None if plugin.selection.may_hold(path) else True

    return pytest_ignore_collect


def _defined_in(module, function, name):
    """Whether a function was not merely imported. A decorator's wrapper may claim another module."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    same = getattr(function, "__module__", None) == module.__name__
    return same or getattr(function, "__name__", None) != name


def _module_path(module):
    try:
        path = vars(module).get("__file__") or next(iter(vars(module)["__path__"]))
    except Exception:
        return None
    return os.path.abspath(path) if isinstance(path, str) else None


def _message(text):
    return {"exception": "", "message": text[:LONGEST_MESSAGE], "frames": []}


def _text_of(error):
    try:
        return str(error)
    except Exception as other:
        return "(its message cannot be read: %s)" % type(other).__name__


def _start():
    path = os.environ.pop("LACUNA_RUN", None)
    if path is None:
        return None
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    tracer = sys.modules.get("_lacuna_tracer")
    plugin = Plugin(request, tracer and tracer.active)
    plugin.pytest_ignore_collect = _ignore(plugin)
    # Children find this folder through PYTHONPATH; this process needs it no longer.
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    return plugin


_PLUGIN = _start()
if _PLUGIN is not None:
    globals().update((name, getattr(_PLUGIN, name)) for name in dir(_PLUGIN) if name.startswith("pytest_"))
