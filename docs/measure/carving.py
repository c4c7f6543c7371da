"""Carves a feature out of every target of a project and checks every task that comes out.

What the scripts for one language share. Such a script says what the tools of its language complain about in
a tree; a cut is clean if nothing is added to that, and if the patches give every byte back.
"""

import json
import os
import re
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

LACUNA = Path(os.environ.get("LACUNA", Path(__file__).resolve().parents[2] / "target" / "release" / "lacuna"))

# How a line of comment begins, by the ending of a file's name.
COMMENTS = {".go": "//", ".rs": "//", ".py": "#"}

COLUMNS = "project target top files removed_lines F2P collateral P2P suite_runs builds rolled_back seconds cut".split()


def measure(work, project, filters, complaints):
    """Prints one row a target, and what they come to. `complaints(tree)` gives sets or counts by tool."""
    work, project = Path(work).resolve(), Path(project).resolve()
    work.mkdir(parents=True, exist_ok=True)
    print("| " + " | ".join(name.replace("_", " ") for name in COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    rows = []
    offers = lacuna(work, "features", project, "-q")["features"]
    chosen = [one for one in offers if not filters or any(part in one["target"] for part in filters)]
    known = complaints(copy(work, project))
    for offer in chosen:
        if offer["offer"] != "nothing":
            rows.append(row(work, project, offer, known, complaints))
            print("| " + " | ".join(str(rows[-1].get(name, "")) for name in COLUMNS) + " |", flush=True)
    print(summary(project.name, chosen, rows))


def summary(name, offers, rows):
    tasks = [row for row in rows if "builds" in row]
    clean = sum(row["cut"] == "clean" for row in tasks)
    builds = sum(row["builds"] for row in tasks) / max(len(tasks), 1)
    cells = [name, len(offers), len(offers) - len(rows), len(rows), len(tasks), clean]
    cells += [sum(row["rolled_back"] for row in tasks), f"{builds:.2f}"]
    heads = "project, targets, own nothing, tried, tasks, clean cuts, rolled back, builds a task"
    return f"\n{heads}:\n| " + " | ".join(map(str, cells)) + " |"


def lacuna(work, *arguments):
    """What the program answers; `None` with its words if it refuses."""
    environment = {"LACUNA_CACHE": str(work / "cache"), **os.environ}
    command = [LACUNA, *arguments, "--format", "json"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    if run.returncode == 0:
        return json.loads(run.stdout)
    return {"refusal": f"exit {run.returncode}: " + run.stderr.strip().replace("\n", " ")[-400:]}


def row(work, project, offer, known, complaints):
    target = offer["target"]
    arguments = ["extract", project, "--target", target, "--out", work / "tasks" / project.name]
    if offer["offer"] == "small":
        arguments += ["--min-lines", "1"]
    started = time.monotonic()
    answer = lacuna(work, *arguments)
    cells = {"project": project.name, "target": target, "seconds": round(time.monotonic() - started)}
    if "refusal" in answer:
        return {**cells, "cut": answer["refusal"]}
    task, evidence = answer["task"], answer["evidence"]
    faults = faults_of(work, project, Path(answer["directory"]), known, complaints)
    return {
        **cells,
        "top": sum(1 for symbol in task["symbols"] if symbol["role"] == "top" and symbol["action"]),
        "files": task["size"]["files"],
        "removed_lines": task["size"]["lines"]["removed"],
        "F2P": len(task["tests"]["fail_to_pass"]),
        "collateral": len(task["tests"]["collateral"]),
        "P2P": len(task["tests"]["pass_to_pass"]),
        "suite_runs": answer["suite_runs"],
        # A run of tests builds the tree as well as a check does.
        "builds": evidence["test_runs"] + evidence["checks"],
        "rolled_back": sum(1 for one in evidence["scenarios"] + evidence["inspections"] if one["decision"]),
        "cut": "; ".join(faults) or "clean",
    }


def faults_of(work, project, task, known, complaints):
    """What is wrong with the patches of a task."""
    tree = copy(work, project)
    full = contents(tree)
    removal = task / "removal.patch"
    if not git(tree, "apply", str(removal)):
        return ["removal.patch does not apply"]
    starting = contents(tree)
    found = []
    for tool, after in complaints(tree).items():
        new = Counter(after) - Counter(known[tool])
        if new:
            found.append(f"{tool}: {sorted(new)[:4]}")
    found += [f"comment of nothing in {place}" for place in lonely(full, starting)][:4]
    for name in ("gold.patch", "tests.patch"):
        if (task / name).stat().st_size and not git(tree, "apply", str(task / name)):
            found.append(f"{name} does not apply")
    if contents(tree) != full:
        found.append("gold and tests do not give back every byte")
    git(tree, "apply", str(removal))
    if not git(tree, "apply", "-R", str(removal)) or contents(tree) != full:
        found.append("removal.patch does not reverse")
    return found


def copy(work, project):
    tree = work / f"cut-{os.getpid()}" / project.name
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(project, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", "target"))
    git(tree, "init", "-q")
    return tree


def git(tree, *arguments):
    command = ["git", "-C", str(tree), "-c", "core.autocrlf=false", *arguments]
    return subprocess.run(command, capture_output=True).returncode == 0


def contents(tree):
    """The bytes of all files but what the tools write themselves."""
    files = (path for path in tree.rglob("*") if path.is_file() and ".git" not in path.relative_to(tree).parts)
    return {path.relative_to(tree): path.read_bytes() for path in files if path.name != "Cargo.lock"}


def placeless(text):
    """The lines without places, which a removal moves."""
    return {re.sub(r":\d+:\d+:", ":", line) for line in text.splitlines() if not line.startswith("#")}


def lonely(full, starting):
    """Comments that stood directly above a line of code and now stand above none."""
    for path, data in starting.items():
        marker = COMMENTS.get(path.suffix)
        if marker is None or full.get(path, data) == data:
            continue
        before, after = above(full[path], marker), above(data, marker)
        for comment, codes in after.items():
            if comment in before and not any(codes) and any(before[comment]):
                yield f"{path}: {comment[:60]!r}"


def above(data, marker):
    lines = [line.strip() for line in data.decode(errors="replace").splitlines()] + [""]
    found = {}
    for line, follows in zip(lines, lines[1:]):
        if line.startswith(marker) and not follows.startswith(marker):
            found.setdefault(line, []).append(follows not in ("", ")", "}"))
    return found
