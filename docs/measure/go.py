"""Carves a feature out of every test file of Go modules and checks every task that comes out.

    python3 docs/measure/go.py WORK MODULE_FOLDER [FILTER ...]

WORK is a folder for the cache, the tasks and the trees. A FILTER is a part of a target's path. Needs the
release build (`cargo build --release`), git, go, and staticcheck (`go install
honnef.co/go/tools/cmd/staticcheck@v0.7.0`) on PATH, which finds what is there for nothing.
Prints one row a test file; the last column names what is wrong with the cut.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

LACUNA = Path(os.environ.get("LACUNA", Path(__file__).resolve().parents[2] / "target" / "release" / "lacuna"))


def main(work, project, filters):
    work, project = Path(work).resolve(), Path(project).resolve()
    work.mkdir(parents=True, exist_ok=True)
    environment = {"LACUNA_CACHE": str(work / "cache"), **os.environ}
    print("| module | target | top | files | removed lines | F2P | collateral | P2P | suite runs | builds | rolled back | seconds | cut |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    offers = subprocess.run([LACUNA, "features", project, "--format", "json", "-q"], env=environment, capture_output=True, text=True)
    offers = json.loads(offers.stdout)
    for target in [one["target"] for one in offers["features"]]:
        if filters and not any(part in target for part in filters):
            continue
        command = [LACUNA, "extract", project, "--target", target, "--format", "json", "--out", work / "tasks" / project.name]
        started = time.monotonic()
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
        print(row(work, target, project, run, time.monotonic() - started), flush=True)


def row(work, target, project, run, seconds):
    cells = [project.name, target]
    if run.returncode != 0:
        reason = run.stderr.strip().replace("\n", " ")[-400:]
        return "| " + " | ".join(cells + [""] * 9 + [f"{seconds:.0f}", f"exit {run.returncode}: {reason}"]) + " |"
    answer = json.loads(run.stdout)
    task, evidence = answer["task"], answer["evidence"]
    top = [symbol for symbol in task["symbols"] if symbol["role"] == "top" and symbol["action"]]
    back = sum(1 for one in evidence["scenarios"] + evidence["inspections"] if one["decision"])
    cells += [len(top), task["size"]["files"], task["size"]["lines"]["removed"]]
    cells += [len(task["tests"][key]) for key in ("fail_to_pass", "collateral", "pass_to_pass")]
    cells += [answer["suite_runs"], builds(evidence), back, f"{seconds:.0f}"]
    cells.append("; ".join(faults(work, project, Path(answer["directory"]))) or "clean")
    return "| " + " | ".join(map(str, cells)) + " |"


def builds(evidence):
    """How often the tree was built: a test run builds it as well as a check does."""
    return evidence["test_runs"] + evidence["checks"] if "checks" in evidence else "?"


def faults(work, project, task):
    """What is wrong with the patches of a task."""
    tree = work / f"cut-{os.getpid()}"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(project, tree, symlinks=True)
    shutil.rmtree(tree / ".git", ignore_errors=True)
    git(tree, "init", "-q")
    full = contents(tree)
    vetted, formatted, dead = known_of(project, tree)
    patch = task / "removal.patch"
    if not git(tree, "apply", str(patch)):
        return ["removal.patch does not apply"]
    found = []
    build = go(tree, "build", "./...")
    if build.returncode:
        found.append(f"does not build: {build.stderr[-300:]}")
    for name, before, after in [
        ("vet", vetted, vet(tree)),
        ("gofmt", formatted, unformatted(tree)),
        ("unused", dead, unused(tree)),
    ]:
        if after - before:
            found.append(f"{name}: {sorted(after - before)[:4]}")
    found += [f"comment of nothing in {place}" for place in lonely(full, contents(tree))][:4]
    for name in ("gold.patch", "tests.patch"):
        if (task / name).stat().st_size and not git(tree, "apply", str(task / name)):
            found.append(f"{name} does not apply")
    if contents(tree) != full:
        found.append("gold and tests do not give back every byte")
    git(tree, "apply", str(patch))
    if not git(tree, "apply", "-R", str(patch)) or contents(tree) != full:
        found.append("removal.patch does not reverse")
    return found


def known_of(project, tree, known={}):
    if project not in known:
        known[project] = vet(tree), unformatted(tree), unused(tree)
    return known[project]


def git(tree, *arguments):
    command = ["git", "-C", str(tree), "-c", "core.autocrlf=false", *arguments]
    return subprocess.run(command, capture_output=True).returncode == 0


def go(tree, *arguments):
    return subprocess.run(["go", *arguments], cwd=tree, capture_output=True, text=True)


def contents(tree):
    files = (path for path in tree.rglob("*") if path.is_file() and ".git" not in path.relative_to(tree).parts)
    return {path.relative_to(tree): path.read_bytes() for path in files}


def vet(tree):
    return placeless(go(tree, "vet", "./...").stderr)


def unused(tree):
    """What staticcheck holds for dead code."""
    run = subprocess.run(["staticcheck", "-checks", "U1000", "./..."], cwd=tree, capture_output=True, text=True)
    return placeless(run.stdout)


def placeless(text):
    return {re.sub(r":\d+:\d+:", ":", line) for line in text.splitlines() if not line.startswith("#")}


def unformatted(tree):
    run = subprocess.run(["gofmt", "-l", "."], cwd=tree, capture_output=True, text=True)
    return set(run.stdout.split())


def lonely(full, starting):
    """Comments that stood directly above a line of code and now stand above none."""
    for path, data in starting.items():
        if path.suffix != ".go" or full.get(path) == data:
            continue
        before, after = above(full[path].decode()), above(data.decode())
        for comment, codes in after.items():
            if comment in before and not any(codes) and any(before[comment]):
                yield f"{path}: {comment[:60]!r}"


def above(text):
    lines = [line.strip() for line in text.splitlines()] + [""]
    found = {}
    for line, follows in zip(lines, lines[1:]):
        if line.startswith("//") and not follows.startswith("//"):
            found.setdefault(line, []).append(follows not in ("", ")", "}"))
    return found


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
