"""Carves a feature out of every test file of a Python project and checks every task that comes out.

    python3 docs/measure/python.py WORK PROJECT_FOLDER [FILTER ...]

WORK is a folder for the cache, the tasks and the trees. A FILTER is a part of a target's path. Needs the
release build (`cargo build --release`), git, and pip for pyflakes and vulture, which finds what is there for
nothing. Prints one row a test file; the last column names what is wrong with the cut.
"""

import re
import subprocess
import sys
from pathlib import Path

from carving import measure, placeless

TOOLS = {"pyflakes": ["pyflakes==3.4.0"], "vulture": ["vulture==2.14"]}


def installed(work):
    """The Python of an environment that has the tools."""
    folder = Path(work).resolve() / "tools"
    if not folder.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        wanted = [name for names in TOOLS.values() for name in names]
        subprocess.run([folder / "bin" / "pip", "install", "-q", *wanted], check=True)
    return folder / "bin" / "python"


def main(work, project, filters):
    python = installed(work)

    def said(tree, tool):
        run = subprocess.run([python, "-m", tool, "."], cwd=tree, capture_output=True, text=True)
        # Parameters of stubs are unused by intent.
        told = (line for line in run.stdout.splitlines() if not re.search("unused (variable|attribute)", line))
        lines = (re.sub(r":\d+(:\d+)?:| from line \d+", ":", line) for line in told)
        return placeless("\n".join(re.sub(r", \d+ lines?\)", ")", line) for line in lines))

    measure(work, project, filters, lambda tree: {tool: said(tree, tool) for tool in TOOLS})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
