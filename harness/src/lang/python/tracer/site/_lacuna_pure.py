"""Records which repository code runs and who made it run. This file defines what a trace means;
the native recorder in `native/` gives the same sets, only faster.

* Code of the repository starts: an edge from the nearest repository frame above it. `CALL` if that
  frame is directly above, `THROUGH` if foreign frames lie between or there is none.
* A generator or coroutine starts or goes on: the same, as `RESUME`.
* Repository code calls a generator function (`CREATE`) or a class of the repository
  (`INSTANTIATE`); seen from Python 3.12 on only.

An edge belongs to the context in which it was seen: to the import of the innermost module body on
the thread's stack, else to the context the test runner is in.
"""

import sys
from _thread import get_ident
from _weakref import ref
from itertools import count
from types import FunctionType, MethodType

from _lacuna_output import CODE, CONTEXT, EDGE, LOSS, Output

MODULE, CLASS_BODY, FUNCTION, CLASS = range(4)
CALL, THROUGH, CREATE, RESUME, INSTANTIATE = range(5)
#: Marks a context that is the import of the module body with this code number.
IMPORT = 1 << 31

_CO_OPTIMIZED = 0x1
_CO_GENERATOR_COROUTINE_ASYNC = 0x20 | 0x80 | 0x200


class Code:
    """What is known of a code object; number 0 is foreign."""

    __slots__ = ("number", "is_module", "is_generator", "code")

    def __init__(self, code, number=0, kind=FUNCTION):
        self.code = code  # keeps its id from being used again
        self.number = number
        self.is_module = kind == MODULE
        self.is_generator = bool(code.co_flags & _CO_GENERATOR_COROUTINE_ASYNC)


class Recorder:
    """Turns events of the interpreter into records."""

    _get_frame = staticmethod(sys._getframe)

    def __init__(self, folder, repository, watch_calls):
        self._repository = repository
        self._watch_calls = watch_calls
        self._output = Output(folder)
        self._disable = sys.monitoring.DISABLE if hasattr(sys, "monitoring") else None
        # Keyed by identity: equal code objects of different files are different code.
        self._codes = {}
        self._classes = {}
        self._edges = {}
        self._code_numbers = count(1)
        self._edge_numbers = count(1)
        self._context_numbers = count(1)
        self._context = 0
        self._importing = set()

    # For the test runner.

    def open_context(self, description):
        """A new context; returns its number."""
        number = next(self._context_numbers)
        self._output.put(CONTEXT, [number], description)
        return number

    def switch_context(self, number):
        """Makes a context the current one; returns the one before."""
        previous, self._context = self._context, number
        return previous

    def note(self, loss):
        """Records that something could not be followed."""
        self._output.put(LOSS, [], loss)

    # Events before Python 3.12.

    def hook(self, frame, event, argument):
        """A function for `sys.setprofile` and `threading.setprofile`."""
        if event == "call":
            self._entered(frame)

    # Events from Python 3.12 on.

    def on_start(self, code, offset):
        return None if self._entered(self._get_frame(1)) else self._disable

    on_resume = on_start

    def on_throw(self, code, offset, exception):
        self._entered(self._get_frame(1))

    def on_call(self, code, offset, callee, argument):
        """Goes on watching a call site only while it creates generators or repository objects."""
        caller = self._code(code).number
        kind, number = self._created(callee)
        if not caller or not number:
            return self._disable
        self._seen(caller, number, kind, self._get_frame(1))
        return None

    def _entered(self, frame):
        """A frame starts or goes on; whether it is the repository's."""
        callee = self._code(frame.f_code)
        if not callee.number:
            return False
        caller, kind = self._caller(frame.f_back)
        if callee.is_module:
            self._importing.add(get_ident())
        self._seen(caller, callee.number, RESUME if callee.is_generator else kind, frame)
        return True

    def _caller(self, frame):
        kind = CALL
        while frame is not None:
            number = self._code(frame.f_code).number
            if number:
                return number, kind
            kind = THROUGH
            frame = frame.f_back
        return 0, THROUGH

    def _context_of(self, frame):
        if not self._importing:
            return self._context
        while frame is not None:
            code = self._code(frame.f_code)
            if code.is_module and code.number:
                return IMPORT | code.number
            frame = frame.f_back
        self._importing.discard(get_ident())
        return self._context

    def _seen(self, caller, callee, kind, frame):
        """Writes an edge unless it was the last context's too. `[number, last context]` is kept."""
        context = self._context_of(frame)
        key = (caller, callee, kind)
        edge = self._edges.get(key)
        if edge is None:
            edge = self._edges[key] = [next(self._edge_numbers), None]
            self._output.put(EDGE, [edge[0], caller, callee, kind])
        if edge[1] != context:
            edge[1] = context
            self._output.hit(edge[0], context)

    def _code(self, code):
        return self._codes.get(id(code)) or self._new_code(code)

    def _new_code(self, code):
        path = self._repository.locate(code.co_filename)
        if path is None:
            known = Code(code)
        else:
            kind = _kind(code)
            known = Code(code, next(self._code_numbers), kind)
            name = getattr(code, "co_qualname", code.co_name)
            numbers = [known.number, code.co_firstlineno, kind]
            self._output.put(CODE, numbers, path + "\0" + name)
            self._watch_calls(code)
        self._codes[id(code)] = known
        return known

    def _created(self, callee):
        """What a call of `callee` creates: an edge kind and a code number, 0 for nothing of interest."""
        kind = type(callee)
        if kind is MethodType:
            callee = callee.__func__
            kind = type(callee)
        if kind is FunctionType:
            code = self._code(callee.__code__)
            return CREATE, code.number if code.is_generator else 0
        if issubclass(kind, type):
            return INSTANTIATE, self._class(callee)
        return CREATE, 0

    def _class(self, cls):
        """The number of a class. Classes are not kept alive: a test may wait for one to go."""
        reference, number = self._classes.get(id(cls), (None, 0))
        if reference is not None and reference() is cls:
            return number
        place = self._repository.describe_class(cls)
        number = next(self._code_numbers) if place else 0
        if place:
            self._output.put(CODE, [number, 0, CLASS], place[0] + "\0" + place[1])
        self._classes[id(cls)] = (ref(cls), number)
        return number


def _kind(code):
    if code.co_flags & _CO_OPTIMIZED:
        return FUNCTION
    return MODULE if code.co_name == "<module>" else CLASS_BODY
