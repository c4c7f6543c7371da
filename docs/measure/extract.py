"""Carves features out of exact releases and checks every task that comes out.

    python3 docs/measure/extract.py WORK [FILTER ...]

WORK is a folder for downloads, the cache and the tasks. A FILTER is a part of `PROJECT TARGET`.
Needs the release build (`cargo build --release`), git, and pip for the releases and pyflakes.
Prints one row a target; the last column names what is wrong with the cut.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

from carving import contents, git

NETWORKX = ["networkx/algorithms", "networkx/classes", "networkx/utils"]
SYMPY = ["sympy/sets", "sympy/parsing", "sympy/combinatorics"]

TARGETS = [
    *[("packaging==25.0", f"tests/test_{name}.py", []) for name in ("tags", "metadata", "utils", "version")],
    *[
        ("click==8.1.8", f"tests/test_{name}.py", [])
        for name in ("formatting", "shell_completion", "termui", "types")
    ],
    *[("jinja2==3.1.6", f"tests/test_{name}.py", []) for name in ("filters", "loader")],
    ("networkx==3.4.2", "networkx/algorithms/tests/test_planarity.py", NETWORKX),
    ("networkx==3.4.2", "networkx/algorithms/tests/test_dag.py", NETWORKX),
    ("sympy==1.14.0", "sympy/combinatorics/tests/test_permutations.py", SYMPY),
    ("sympy==1.14.0", "sympy/parsing/tests/test_sympy_parser.py", SYMPY),
    *[("attrs==25.3.0", f"tests/test_{name}.py", []) for name in ("converters", "filters")],
    *[("mistune==3.1.3", f"tests/test_{name}.py", []) for name in ("directives", "plugins")],
    *[("sqlparse==0.5.3", f"tests/test_{name}.py", []) for name in ("format", "split")],
]

LACUNA = Path(os.environ.get("LACUNA", Path(__file__).resolve().parents[2] / "target" / "release" / "lacuna"))


def main(work, filters):
    work = Path(work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "LACUNA_CACHE": str(work / "cache")}
    print("| release | target | top | removed lines | F2P | collateral | P2P | suite runs | rolled back | seconds | cut |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for release, target, suite in TARGETS:
        if filters and not any(part in f"{release} {target}" for part in filters):
            continue
        project = fetch(work, release)
        command = [LACUNA, "extract", project, "--target", target, "--format", "json", "--out", work / "tasks"]
        for path in suite:
            command += ["--suite", path]
        started = time.monotonic()
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
        seconds = time.monotonic() - started
        print(row(work, release, target, project, run, seconds), flush=True)


def fetch(work, release):
    """The unpacked source distribution of an exact release."""
    name, version = release.split("==")
    downloads = work / "downloads"
    found = list(work.glob(f"{name}-{version}")) or list(work.glob(f"{name.lower()}-{version}"))
    if not found:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name, release, "-d", downloads]
        subprocess.run(pip, check=True)
        for archive in downloads.glob(f"*-{version}.tar.gz"):
            with tarfile.open(archive) as tar:
                tar.extractall(work)
        found = [path for path in work.glob(f"*-{version}") if path.name.lower().startswith(name.lower())]
    return found[0]


def row(work, release, target, project, run, seconds):
    cells = [release, Path(target).name]
    if run.returncode != 0:
        reason = run.stderr.strip().replace("\n", " ")
        return "| " + " | ".join(cells + [""] * 7 + [f"{seconds:.0f}", f"exit {run.returncode}: {reason}"]) + " |"
    answer = json.loads(run.stdout)
    task = answer["task"]
    tests = task["tests"]
    removed = [symbol for symbol in task["symbols"] if symbol["role"] == "top" and symbol["action"]]
    back = sum(1 for scenario in answer["evidence"]["scenarios"] if scenario["decision"])
    cells += [len(removed), task["size"]["lines"]["removed"]]
    cells += [len(tests[key]) for key in ("fail_to_pass", "collateral", "pass_to_pass")]
    cells += [answer["suite_runs"], back, f"{seconds:.0f}", "; ".join(faults(work, project, answer["directory"])) or "clean"]
    return "| " + " | ".join(map(str, cells)) + " |"


def faults(work, project, directory):
    """What is wrong with the patches of a task."""
    tree = work / f"cut-{os.getpid()}"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(project, tree, symlinks=True)
    shutil.rmtree(tree / ".git", ignore_errors=True)
    git(tree, "init", "-q")
    before = contents(tree)
    patch = Path(directory) / "removal.patch"
    files = re.findall(r"^diff --git a/(\S+)", patch.read_text(errors="replace"), re.M)
    flaws = flakes(work, tree, files)
    if not git(tree, "apply", str(patch)):
        return ["removal.patch does not apply"]
    found = []
    new = flakes(work, tree, files) - flaws
    if new:
        found.append(f"pyflakes: {sorted(new)[:3]}")
    found += [f"{path}: added {line!r}" for path, line in strange_additions(patch)][:3]
    found += [f"{path}: longer blank run" for path in files if longer_blanks(before, tree, path)]
    for name in ("gold.patch", "tests.patch"):
        if (Path(directory) / name).stat().st_size and not git(tree, "apply", str(Path(directory) / name)):
            found.append(f"{name} does not apply")
    if contents(tree) != before:
        found.append("gold and tests do not give back every byte")
    git(tree, "apply", str(patch))
    if not git(tree, "apply", "-R", str(patch)) or contents(tree) != before:
        found.append("removal.patch does not reverse")
    return found


def flakes(work, tree, files):
    """pyflakes' findings in the given files, without their lines."""
    tool = work / "pyflakes"
    if not tool.exists():
        subprocess.run([sys.executable, "-m", "venv", tool], check=True)
        subprocess.run([tool / "bin" / "pip", "install", "-q", "pyflakes==3.4.0"], check=True)
    there = [path for path in files if path.endswith(".py") and (tree / path).exists()]
    run = subprocess.run([tool / "bin" / "python", "-m", "pyflakes", *there], cwd=tree, capture_output=True, text=True)
    return {re.sub(r":\d+:\d+:?| from line \d+", ":", line) for line in run.stdout.splitlines()}


def strange_additions(patch):
    """Added lines that are neither a stub, nor a `pass`, nor part of an import or a list of names."""
    path = ""
    for line in patch.read_text(errors="replace").splitlines():
        if line.startswith("+++ "):
            path = line[6:]
        elif line.startswith("+") and path.endswith(".py"):
            text = line[1:].strip()
            plain = re.fullmatch(r"(def .*: )?raise NotImplementedError|pass|[\w., ()*\\]+|[\"'\w., \[\]()=+]+", text.split("  #")[0])
            listed = text.startswith(("from ", "import ")) or "__all__" in text
            if text and not plain and not listed:
                yield path, text


def longer_blanks(before, tree, path):
    old, new = before.get(Path(path)), tree / path
    if old is None or not new.exists() or not path.endswith(".py"):
        return False
    longest = lambda data: max(map(len, re.findall(rb"(?:^[ \t\f]*\r?\n)+", data, re.M)), default=0)
    return longest(new.read_bytes()) > max(longest(old), 3)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
