"""Lets real clients curate a feature of the sample project: Neovim's, and one of the Python world.

    python3 editors/clients/check.py BINARY

Needs nvim and Python with venv and pip; packages are installed into a folder of its own.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLE = HERE.parents[1] / "fixtures" / "trees" / "recipes"
PACKAGES = ["pytest==9.2.0", "pytest-lsp==1.0.1"]


def main(binary):
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder).resolve() / "recipes"
        shutil.copytree(SAMPLE, project)
        environment = {
            **os.environ,
            "LACUNA": str(Path(binary).resolve()),
            "LACUNA_CACHE": str(project.parent / "cache"),
            "PROJECT": str(project),
        }
        run = lambda *command: subprocess.run(command, env=environment, check=True, timeout=600)
        run(binary, "trace", "--quiet", str(project))
        run("nvim", "--headless", "-u", "NONE", "-i", "NONE", "-S", str(HERE / "session.lua"))
        tools = project.parent / "tools"
        run(sys.executable, "-m", "venv", str(tools))
        run(str(tools / "bin" / "pip"), "install", "-q", *PACKAGES)
        run(str(tools / "bin" / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE / "test_session.py"))


if __name__ == "__main__":
    main(sys.argv[1])
