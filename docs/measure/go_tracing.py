"""Measures what tracing a Go suite costs, builds apart.

    python3 docs/measure/go_tracing.py CACHE ROUNDS MODULE_FOLDER ...

CACHE is a folder for the environments. Needs the release build (`cargo build --release`) and go. Plain and
traced runs take turns, all with warm build caches; the figures are medians of processor seconds. What
building takes is measured by itself: test binaries as `go test` makes them, and binaries with counters in
all packages of the module, as the tracer makes them.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LACUNA = Path(os.environ.get("LACUNA", Path(__file__).resolve().parents[2] / "target" / "release" / "lacuna"))


def main(cache, rounds, modules):
    print("| module | test functions | plain | traced | of these, builds | tests alone, plain | tests alone, traced in addition | builds apart | a test function, traced |")
    print("|---|---|---|---|---|---|---|---|---|")
    for module in modules:
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder) / Path(module).name
            shutil.copytree(module, tree)
            print(row(tree, Path(cache).resolve(), int(rounds)), flush=True)


def row(tree, cache, rounds):
    tested = go(tree, "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", "./...").split()
    listed = go(tree, "test", "-list", "^(Test|Example|Fuzz)", "./...").splitlines()
    functions = sum(1 for line in listed if line.startswith(("Test", "Example", "Fuzz")))
    # The first ones fill the build caches.
    traced(tree, cache)
    go(tree, "test", "-count=1", "./...")
    for package in tested:
        build(tree, package)
    taken = []
    for _ in range(rounds):
        plain = cpu(lambda: go(tree, "test", "-count=1", "./..."))
        plain_build = cpu(lambda: go(tree, "test", "-count=1", "-run=^$", "./..."))
        counted_build = cpu(lambda: [build(tree, package) for package in tested])
        taken.append((plain, traced(tree, cache), plain_build, counted_build))
    plain, whole, plain_build, counted_build = (statistics.median(column) for column in zip(*taken))
    alone, alone_traced = plain - plain_build, whole - plain - counted_build
    cells = [tree.name, functions, f"{plain:.2f}", f"{whole:.2f} ({whole / plain:.2f} times)"]
    cells += [f"{plain_build:.2f} and {plain_build + counted_build:.2f}", f"{alone:.2f}", f"{alone_traced:.2f}"]
    cells += [apart(alone, alone + alone_traced), f"{1000 * alone_traced / functions:.0f} ms"]
    return "| " + " | ".join(map(str, cells)) + " |"


def apart(plain, traced):
    """How many times the plain run's tests the traced run's take, if they take any time to speak of."""
    return f"{traced / plain:.2f} times" if plain >= 0.05 else "too short to tell"


def traced(tree, cache):
    """The processor time of a traced run: the suite as it is, and each function by itself."""
    command = [LACUNA, "trace", tree, "--fresh", "--format", "json", "--quiet"]
    run = subprocess.run(command, env={**os.environ, "LACUNA_CACHE": str(cache)}, capture_output=True, check=True)
    return json.loads(run.stdout)["cpu_seconds"]


def build(tree, package):
    with tempfile.TemporaryDirectory() as folder:
        go(tree, "test", "-c", "-cover", "-covermode=count", "-coverpkg=./...", "-ldflags=-s -w", "-o", str(Path(folder) / "test"), package)


def go(tree, *arguments):
    return subprocess.run(["go", *arguments], cwd=tree, capture_output=True, text=True).stdout


def cpu(work):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
