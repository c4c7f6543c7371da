"""Generators and coroutines."""

import asyncio

from lib.calls import helper, key


def gen(n):
    for i in range(n):
        yield helper(i)


def make_gen():
    return gen(3)


def consume(generator):
    return list(generator)


def consume_in_loop(generator):
    total = 0
    for x in generator:
        total += x
    return total


def delegate():
    yield from gen(2)


def use_delegate():
    return list(delegate())


def close_early():
    generator = gen(2)
    next(generator)
    generator.close()


def throw_into():
    generator = gen(2)
    next(generator)
    try:
        generator.throw(KeyError)
    except KeyError:
        key(1)


async def step(x):
    await asyncio.sleep(0)
    return helper(x)


async def outer():
    return await step(1)


async def tasks():
    task = asyncio.get_running_loop().create_task(step(2))
    result = await asyncio.gather(step(3), step(4))
    await task
    return result


async def stream():
    for i in range(2):
        yield helper(i)
        await asyncio.sleep(0)


async def use_stream():
    return [x async for x in stream()]


def run(function):
    return asyncio.run(function())
