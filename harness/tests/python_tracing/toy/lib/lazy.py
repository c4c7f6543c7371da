"""Imported by a test while it runs."""

from lib.calls import helper

X = helper(5)


def f():
    return X


class K:
    y = helper(6)
