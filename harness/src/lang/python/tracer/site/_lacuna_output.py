"""Writes the trace file of one process; `format.rs` describes the format.

The file is mapped into memory and only ever grows, and the first word of a record is written last:
whatever kills the process, all complete records are in the file. Nothing depends on an open file: a
test that closes all file descriptors does no harm.
"""

import mmap
import os
from _collections import deque
from _thread import allocate_lock

WINDOW = 1 << 18
WORDS = WINDOW // 4
LONGEST_TEXT = 1 << 16
VERSION = 1
HEADER, CODE, EDGE, CONTEXT, LOSS, HIT, FULL = 1, 2, 3, 4, 5, 6, 7


class Output:
    """The trace file. After a fork the child goes on in a file of its own."""

    # Tests replace functions of `os`; these are taken before any test runs.
    _getpid = staticmethod(os.getpid)
    _open_file = staticmethod(os.open)
    _close_file = staticmethod(os.close)
    _reserve = staticmethod(getattr(os, "posix_fallocate", None) or (lambda f, o, n: os.ftruncate(f, o + n)))
    _map = mmap.mmap

    def __init__(self, folder):
        self._folder = folder
        self._queue = deque()
        self._lock = allocate_lock()
        self._windows = []
        self._begin(parent="", offset=0)

    def hit(self, edge, context):
        """An edge was seen in a context."""
        self._put((HIT << 24 | edge, [context]))

    def put(self, tag, numbers, text=None):
        """Any other record."""
        words = list(numbers) + ([] if text is None else _text(text))
        self._put((tag << 24 | len(words) + 1, words))

    def _put(self, record):
        """Queues, then writes unless somebody is at it: another thread, or the code that a signal
        handler has interrupted. Those find the new record in the queue."""
        self._queue.append(record)
        if self._getpid() != self._pid:
            self._lock = allocate_lock()
            self._begin(self._name, self._offset + 4 * self._position)
        while self._queue and self._lock.acquire(False):
            try:
                while self._queue:
                    self._write(*self._queue.popleft())
            finally:
                self._lock.release()

    def _write(self, head, words):
        if self._window is not None and self._position + len(words) + 1 >= WORDS:
            self._next_window()
        if self._window is None:
            return
        position = self._position
        self._position += len(words) + 1
        for index, word in enumerate(words, position + 1):
            self._window[index] = word
        self._window[position] = head

    def _begin(self, parent, offset):
        """Begins a new file; `parent` and `offset` say where the definitions up to now stand."""
        self._pid = self._getpid()
        self._window = None
        self._offset = -WINDOW
        self._position = 0
        sequence = 1
        while True:
            self._name = "%d-%d.trace" % (self._pid, sequence)
            try:
                self._close_file(self._open(os.O_CREAT | os.O_EXCL))
                break
            except FileExistsError:
                sequence += 1
            except OSError:
                return
        self._next_window()
        words = [self._pid, VERSION, offset] + _text(parent)
        self._write(HEADER << 24 | len(words) + 1, words)

    def _next_window(self):
        """Maps the next part of the file, whose blocks are reserved first: a full disk must not
        become a bus error in somebody's test. The last word of a window is kept for saying so."""
        try:
            file = self._open(0)
            try:
                self._reserve(file, self._offset + WINDOW, WINDOW)
                window = self._map(file, WINDOW, offset=self._offset + WINDOW)
            finally:
                self._close_file(file)
        except OSError:
            if self._window is not None:
                self._window[self._position] = FULL << 24 | 1
            self._window = None
            return
        # Kept for ever: closing a map closes a descriptor that may be somebody else's by now.
        self._windows.append(window)
        self._window = memoryview(window).cast("I")
        self._offset += WINDOW
        self._position = 0

    def _open(self, flags):
        return self._open_file(self._folder + "/" + self._name, os.O_RDWR | flags, 0o600)


def _text(text):
    """A text as words: its length in bytes, then the bytes."""
    data = text.encode("utf-8", "backslashreplace")[:LONGEST_TEXT]
    return [len(data)] + list(memoryview(data + b"\0" * (-len(data) % 4)).cast("I"))
