"""Carves a feature out of every test file of a Go module and checks every task that comes out.

    python3 docs/measure/go.py WORK MODULE_FOLDER [FILTER ...]

WORK is a folder for the cache, the tasks and the trees. A FILTER is a part of a target's path. Needs the
release build (`cargo build --release`), git, go, and staticcheck (`go install
honnef.co/go/tools/cmd/staticcheck@v0.7.0`) on PATH, which finds what is there for nothing.
Prints one row a test file; the last column names what is wrong with the cut.
"""

import subprocess
import sys

from carving import measure, placeless


def complaints(tree):
    return {
        "build": placeless(said(tree, "go", "build", "./...").stderr),
        "vet": placeless(said(tree, "go", "vet", "./...").stderr),
        "gofmt": said(tree, "gofmt", "-l", ".").stdout.split(),
        "unused": placeless(said(tree, "staticcheck", "-checks", "U1000", "./...").stdout),
    }


def said(tree, *command):
    return subprocess.run(command, cwd=tree, capture_output=True, text=True)


if __name__ == "__main__":
    measure(sys.argv[1], sys.argv[2], sys.argv[3:], complaints)
