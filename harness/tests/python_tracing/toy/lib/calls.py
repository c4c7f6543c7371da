"""Ways to make a function run."""

import collections
import contextlib
import dataclasses
import functools
import threading


def helper(x):
    return x + 1


def key(x):
    return -x


def deco(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@deco
@deco
def decorated(
    x,
):
    return x


def sort_it():
    return sorted([1, 2], key=key)


@functools.lru_cache(None)
def cached(x):
    return helper(x)


def use_cached():
    return cached(1)


class Plain:
    pass


class Base:
    def __init__(self):
        self.value = helper(1)

    @property
    def prop(self):
        return helper(self.value)

    @prop.setter
    def prop(self, value):
        self.value = key(value)


class Sub(Base):
    pass


@dataclasses.dataclass
class Data:
    a: int

    def __post_init__(self):
        helper(self.a)


Pair = collections.namedtuple("Pair", "a b")


class Meta(type):
    def __call__(cls, *args):
        return super().__call__(*args)


class WithMeta(metaclass=Meta):
    def __init_subclass__(cls, **kwargs):
        helper(1)

    def __new__(cls):
        return super().__new__(cls)


class Descriptor:
    def __get__(self, instance, owner):
        return helper(2)

    def __set_name__(self, owner, name):
        helper(3)


class HasDescriptor:
    d = Descriptor()


def use_plain():
    return Plain()


def use_sub():
    return Sub()


def use_data():
    return Data(1)


def use_pair():
    return Pair(1, 2)


def use_prop():
    return Base().prop


def set_prop():
    Base().prop = 3


def use_meta():
    return WithMeta()


def use_subclass():
    class Child(WithMeta):
        y = key(1)

    return Child


def use_descriptor():
    return HasDescriptor().d


def comprehensions():
    return [helper(i) for i in range(2)], {helper(i) for i in range(2)}


def generator_expression():
    return sum(helper(i) for i in range(2))


def use_lambda():
    return (lambda x: helper(x))(1)


def closure():
    def inner():
        return helper(1)

    return inner


def run_exec():
    names = {"helper": helper}
    exec("def f():\n    return helper(1)\nf()", names)
    return eval("helper(1)", names)


@contextlib.contextmanager
def manager():
    helper(1)
    yield
    helper(2)


def use_manager():
    with manager():
        key(1)


def in_thread():
    thread = threading.Thread(target=helper, args=(1,))
    thread.start()
    thread.join()


def raiser():
    raise ValueError


def catcher():
    try:
        raiser()
    except ValueError:
        helper(1)


def recursion(n=5):
    return recursion(n - 1) if n else helper(0)


def lazy():
    import lib.lazy

    return lib.lazy.f()


def reducer():
    return functools.reduce(lambda a, b: helper(a), [1, 2, 3])


@functools.singledispatch
def dispatch(x):
    return helper(x)


@dispatch.register(str)
def _dispatch_text(x):
    return key(1)


def use_dispatch():
    return dispatch(1), dispatch("x")


def use_map():
    return list(map(helper, [1])), max([1, 2], key=key)


def use_partial():
    return functools.partial(helper, 1)()


if helper(0):

    def conditional():
        return helper(1)

else:

    def conditional():
        return key(1)
