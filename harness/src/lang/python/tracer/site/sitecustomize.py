"""Starts Lacuna's tracer in this interpreter, then hands over to the sitecustomize it shadows."""

import os
import sys


def _start(folder):
    try:
        import _lacuna_tracer

        _lacuna_tracer.start(folder)
    except BaseException as error:  # the traced program must run, traced or not
        _report(folder, error)


def _report(folder, error):
    try:
        name = os.path.join(folder, "failed-%d.txt" % os.getpid())
        with open(name, "w", encoding="utf-8") as file:
            file.write("%s: %s" % (type(error).__name__, error))
    except OSError:
        pass


def _hand_over(folder):
    """Runs the next `sitecustomize` on the path in this one's place; its errors are its own."""
    from importlib import machinery

    path = [entry for entry in sys.path if os.path.abspath(entry) != folder]
    spec = machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is None or spec.loader is None:
        return
    from importlib import util

    module = util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_FOLDER = os.path.dirname(os.path.abspath(__file__))
_start(_FOLDER)
_hand_over(_FOLDER)
