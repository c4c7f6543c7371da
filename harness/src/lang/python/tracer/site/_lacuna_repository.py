"""Which code and which classes belong to the repository under test: one rule for every tracer.

Tests replace functions of `os`, change the folder and delete environment variables. What is needed
here is therefore taken when the module is loaded and kept where no test reaches it.
"""

import os
import stat
import sys

_SUFFIXES = (".py", ".pyw")


class Repository:
    """A tree of files, asked for by code objects and classes."""

    _lstat = staticmethod(os.lstat)
    _readlink = staticmethod(os.readlink)
    _modules = sys.modules

    def __init__(self, root):
        self.start = os.getcwd()
        self.root = self._real(root)
        #: `co_filename` -> project-relative path, or None for foreign code; the native tracer reads it too.
        self.paths = {}
        self._environments = {}

    def locate(self, filename):
        """The project-relative path of the code file that `co_filename` names, None if foreign."""
        if filename not in self.paths:
            self.paths[filename] = self._classify(filename)
        return self.paths[filename]

    def relative(self, filename):
        """The project-relative path of any file, None if it lies outside the tree."""
        path = self._real(filename)
        if path == self.root:
            return ""
        root = self.root.rstrip("/") + "/"
        return path[len(root) :] if path.startswith(root) else None

    def describe_class(self, cls):
        """Where a class of the repository is defined and its qualified name, None for others.

        Reads the slots of `type` and plain dictionaries: a metaclass or a module may run code of
        its own on attribute access.
        """
        module = type.__dict__["__module__"].__get__(cls)
        name = type.__dict__["__qualname__"].__get__(cls)
        if not isinstance(module, str):
            return None
        try:
            file = object.__getattribute__(self._modules[module], "__dict__").get("__file__")
        except (KeyError, AttributeError):
            return None
        path = self.locate(file) if isinstance(file, str) else None
        return None if path is None else (path, name)

    def _classify(self, filename):
        if filename.startswith("<") or not filename:
            return None
        path = self.relative(filename)
        if path is None or not self._is_code(path):
            return None
        folders = path.split("/")[:-1]
        inside = any(self._foreign(folders[: depth + 1]) for depth in range(len(folders)))
        return None if inside else path

    def _is_code(self, path):
        """A Python file or a script without suffix that exists: template engines make up names."""
        name = path.rsplit("/", 1)[-1]
        if "." in name and not name.endswith(_SUFFIXES):
            return False
        return self._mode(self.root + "/" + path, stat.S_ISREG)

    def _foreign(self, folders):
        """Whether a folder of the tree holds installed packages."""
        path = self.root + "/" + "/".join(folders)
        if path not in self._environments:
            marked = self._mode(path + "/pyvenv.cfg", stat.S_ISREG)
            self._environments[path] = folders[-1] == "site-packages" or marked
        return self._environments[path]

    def _mode(self, path, predicate):
        try:
            return predicate(self._lstat(path).st_mode)
        except OSError:
            return False

    def _real(self, path, links=40):
        """The absolute path without symbolic links; relative ones start where the process did."""
        if not path.startswith("/"):
            path = self.start + "/" + path
        real = ""
        pending = path.split("/")[::-1]
        while pending:
            part = pending.pop()
            if part in ("", "."):
                continue
            if part == "..":
                real = real.rpartition("/")[0]
                continue
            target = self._link(real + "/" + part) if links else None
            if target is None:
                real += "/" + part
                continue
            links -= 1
            real = "" if target.startswith("/") else real
            pending.extend(target.split("/")[::-1])
        return real or "/"

    def _link(self, path):
        try:
            return self._readlink(path)
        except (OSError, ValueError):
            return None
