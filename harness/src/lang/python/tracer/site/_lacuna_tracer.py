"""Starts tracing in this interpreter and keeps it going."""

import os
import sys

from _lacuna_repository import Repository

#: The tracer of this process, None if it is not traced.
active = None

#: Tells a child process which part of the run it belongs to; holds a context's description.
CONTEXT_VARIABLE = "LACUNA_TRACE_CONTEXT"
#: Longer descriptions are not passed on: an oversized variable would make every child fail to start.
LONGEST_VARIABLE = 1 << 14


def start(folder):
    """Begins to trace as the file `settings` in the tracer's folder says."""
    global active
    with open(os.path.join(folder, "settings"), encoding="utf-8") as file:
        tree, output, recorder = file.read().split("\0")
    interpreter = Monitoring if hasattr(sys, "monitoring") else Profiling
    tracer = interpreter(_recorder_class(recorder), output, Repository(tree))
    description = os.environ.get(CONTEXT_VARIABLE)
    if description:
        tracer.recorder.switch_context(tracer.recorder.open_context(description))
    tracer.arm()
    active = tracer


def _recorder_class(wanted):
    if wanted == "native" and sys.implementation.name == "cpython" and _has_global_lock():
        try:
            from _lacuna_native import Recorder

            return Recorder
        except ImportError:  # another platform: the pure one says the same, more slowly
            pass
    from _lacuna_pure import Recorder

    return Recorder


def _has_global_lock():
    return getattr(sys, "_is_gil_enabled", lambda: True)() and "t" not in getattr(sys, "abiflags", "")


class Tracer:
    """A recorder and the interpreter's events that feed it."""

    def __init__(self, recorder_class, output, repository):
        self.repository = repository
        self.recorder = recorder_class(output, repository, self._watch_calls)
        self.description = "session"

    def enter(self, number, description):
        """Makes a context current, here and in children started from now on; returns the previous one.

        Between the phases of a test the session is current, but children still count to the test:
        changing the environment costs more than everything else here.
        """
        previous = self.recorder.switch_context(number), self.description
        self.description = description
        if number:
            os.environ[CONTEXT_VARIABLE] = description if len(description) < LONGEST_VARIABLE else ""
        return previous

    def leave(self):
        """Children started from now on belong to no part of the run."""
        os.environ.pop(CONTEXT_VARIABLE, None)

    def _interrupted(self, how):
        self.recorder.note("%s ended tracing during %s; it was resumed afterwards" % (how, self.description))


class Monitoring(Tracer):
    """Python 3.12 and later: `sys.monitoring`, beside other tools and for all threads."""

    NAME = "lacuna"

    def __init__(self, *arguments):
        self._monitoring = sys.monitoring
        self._tool = None
        super().__init__(*arguments)

    def arm(self):
        monitoring = self._monitoring
        if self._tool is not None:
            if monitoring.get_tool(self._tool) == self.NAME:
                return
            self._interrupted("sys.monitoring.free_tool_id()")
        free = [tool for tool in (4, 3) if monitoring.get_tool(tool) is None]
        if not free:
            self.recorder.note("no tool id of sys.monitoring is free: nothing was traced")
            return
        self._tool = free[0]
        monitoring.use_tool_id(self._tool, self.NAME)
        events, recorder = monitoring.events, self.recorder
        monitoring.register_callback(self._tool, events.PY_START, recorder.on_start)
        monitoring.register_callback(self._tool, events.PY_RESUME, recorder.on_resume)
        monitoring.register_callback(self._tool, events.PY_THROW, recorder.on_throw)
        monitoring.register_callback(self._tool, events.CALL, recorder.on_call)
        monitoring.set_events(self._tool, events.PY_START | events.PY_RESUME | events.PY_THROW)

    def _watch_calls(self, code):
        if self._tool is not None:
            self._monitoring.set_local_events(self._tool, code, self._monitoring.events.CALL)


class Profiling(Tracer):
    """Before Python 3.12: the profile function, of this thread and of threads that `threading` starts."""

    _get = staticmethod(sys.getprofile)
    _set = staticmethod(sys.setprofile)

    def __init__(self, *arguments):
        import threading

        self._threading = threading
        self._armed = False
        super().__init__(*arguments)

    def arm(self):
        """A profiler that a test has installed stays: the test may look at what it finds."""
        current = self._get()
        if self._armed and current != self.recorder.hook:
            self._interrupted("sys.setprofile()")
        if current is None:
            self._set(self.recorder.hook)
        if getattr(self._threading, "_profile_hook", None) is None:
            self._threading.setprofile(self.recorder.hook)
        self._armed = True

    def _watch_calls(self, code):
        """Calls are not seen before Python 3.12."""
