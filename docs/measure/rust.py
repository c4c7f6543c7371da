"""Carves a feature out of every test module and test file of a Rust project and checks every task.

    python3 docs/measure/rust.py WORK PROJECT_FOLDER [FILTER ...]

WORK is a folder for the cache, the tasks, the trees and what cargo builds. A FILTER is a part of a target's
path. Needs the release build (`cargo build --release`), git, and cargo with rustfmt.
Prints one row a target; the last column names what is wrong with the cut.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from carving import measure

WORK = Path(sys.argv[1]).resolve()


def complaints(tree):
    return {"check": check(tree), "rustfmt": unformatted(tree), "rustdoc": undocumented(tree)}


def check(tree):
    """Warnings and errors of the compiler, without their lines."""
    for path in tree.rglob("*.rs"):
        path.touch()
    command = ["check", "--workspace", "--tests", "--examples", "--bins", "--keep-going", "--message-format=json"]
    return told(cargo(tree, *command))


def undocumented(tree):
    """What rustdoc complains about, broken links for example."""
    return told(cargo(tree, "doc", "--workspace", "--no-deps", "--message-format=json"))


def unformatted(tree):
    listed = cargo(tree, "fmt", "--all", "--", "--check", "-l").stdout.splitlines()
    return [os.path.relpath(path, tree) for path in listed]


def cargo(tree, *arguments):
    environment = {**os.environ, "CARGO_TARGET_DIR": str(WORK / "target")}
    return subprocess.run(["cargo", *arguments], cwd=tree, env=environment, capture_output=True, text=True)


def told(run):
    objects = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    messages = [one["message"] for one in objects if one["reason"] == "compiler-message"]
    placed = [one for one in messages if one["spans"]]
    found = [f"{one['level']} {one['spans'][0]['file_name']}: {one['message']}" for one in placed]
    return found + ["it fails"] * (run.returncode != 0)


if __name__ == "__main__":
    measure(WORK, sys.argv[2], sys.argv[3:], complaints)
